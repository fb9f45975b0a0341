/* Random numbers on the device, the same for any work-group size, chunking and device.
 *
 * Mersenne Twister MT19937 (Matsumoto & Nishimura 1998): stream s of a seed is initialised by array
 * {seed low, seed high, s} and gives a fixed block of PRM_MT_BLOCK numbers, so element i comes from
 * stream i / PRM_MT_BLOCK and work-items share nothing. Philox 4x32-10 (Salmon et al. 2011): four
 * numbers a counter, any place at no cost. Normal variates from either by Box & Muller (1958).
 * Halton: radical inverses in the first primes, from index 1. R_d (Roberts 2018): steps of 1 / g, 1
 * / g^2, … modulo 1, where g^(d + 1) = g + 1.
 */
#ifndef PRM_PRIMITIVES_RANDOM_H
#define PRM_PRIMITIVES_RANDOM_H

#include "device/arena.h"

enum { PRM_MT_BLOCK = 4992 }; /* 8 states of 624 words */

/* out[i] = element first + i of the sequence of `seed`, uniform in [0, 1) with 24 bits.
 * out: f32[count], device. `first` is any multiple of PRM_MT_BLOCK. */
enum prm_status prm_random_uniform(struct prm_arena *arena, struct prm_buffer out, size_t count,
                                   uint64_t seed, uint64_t first);

/* Raw 32-bit words of the same sequence; out: u32[count]. */
enum prm_status prm_random_words(struct prm_arena *arena, struct prm_buffer out, size_t count,
                                 uint64_t seed, uint64_t first);

/* As prm_random_uniform, of Philox; `first` is any number. */
enum prm_status prm_random_philox(struct prm_arena *arena, struct prm_buffer out, size_t count,
                                  uint64_t seed, uint64_t first);

enum prm_generator { PRM_MT19937, PRM_PHILOX };

/* Standard normal variates: elements 2 j and 2 j + 1 of the sequence come from the words 2 j and 2
 * j + 1 of the generator's. out: f32[count], device. `first` as with the generator. */
enum prm_status prm_random_normal(struct prm_arena *arena, struct prm_buffer out, size_t count,
                                  uint64_t seed, uint64_t first, enum prm_generator generator);

/* Rows first … first + count - 1 of the Halton sequence in `dimension` <= 32 dimensions, each row
 * rotated by the seed (Cranley-Patterson; seed 0: the plain sequence). out: f32[count][dimension],
 * device, in [0, 1). */
enum prm_status prm_random_halton(struct prm_arena *arena, struct prm_buffer out, size_t count,
                                  uint32_t dimension, uint64_t seed, uint64_t first);

/* As prm_random_halton, of R_d, which begins at 1/2; a seed other than 0 begins elsewhere. */
enum prm_status prm_random_rd(struct prm_arena *arena, struct prm_buffer out, size_t count,
                              uint32_t dimension, uint64_t seed, uint64_t first);

/* Brings numbers of [0, 1) into [lower, upper), in place; where both are one number, to that.
 * numbers: f32[count][dimension]; lower <= upper, finite: f32[dimension]; all device. */
enum prm_status prm_random_between(struct prm_arena *arena, struct prm_buffer numbers, size_t count,
                                   uint32_t dimension, struct prm_buffer lower,
                                   struct prm_buffer upper);

#endif
