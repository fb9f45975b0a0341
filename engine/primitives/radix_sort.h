/* Stable LSD radix sort on the device, with permutation and inverse.
 *
 * A pass over b bits: each group counts its chunk's digits, a scan over (digit, chunk) gives the
 * places, each group reorders its chunk. Only bits that differ are sorted by: which those are is
 * the one read-back of a sort, which short arrays and sorts with `key_bits` do without.
 * Many sorts at once: segmented_sort.h.
 */
#ifndef PRM_PRIMITIVES_RADIX_SORT_H
#define PRM_PRIMITIVES_RADIX_SORT_H

#include "device/arena.h"

/* u64 keys are two words each, the low one first. Order of f32: -inf … -0 < +0 … +inf < NaN with
 * sign clear; NaNs with the sign set come before -inf; NaNs among themselves by their bits. */
enum prm_key_type { PRM_KEY_U32, PRM_KEY_I32, PRM_KEY_F32, PRM_KEY_U64 };

struct prm_sort_options {
    enum prm_key_type type;
    uint32_t bits_per_pass; /* 1 to 8, at most what local memory holds; 0: the profile's */
    uint32_t key_bits; /* only the low so many bits of u32 or u64 keys differ from 0; 0: any may */
    bool descending;   /* greatest first; equal keys keep their order all the same */
};

/* Sorts `keys` in place and stable; `values` moves along. keys: 32-bit[count], or u64[count] where
 * the type says so; values: 32-bit[count], device, or no memory. permutation[i] is the place that
 * element i went to, inverse[permutation[i]] = i; each u32[count], device, or no memory. options
 * NULL: u32, ascending, the profile's digits. */
enum prm_status prm_radix_sort(struct prm_arena *arena, struct prm_buffer keys,
                               struct prm_buffer values, struct prm_buffer permutation,
                               struct prm_buffer inverse, size_t count,
                               const struct prm_sort_options *options);

/* Scratch bytes that a sort of `count` keys takes at most, segmented or not. */
size_t prm_radix_sort_scratch_bytes(const struct prm_profile *profile, size_t count,
                                    enum prm_key_type type);

/* Zeros of bit `bit` first, then ones, each in their order. out, permutation, values: u32[count]
 * device; zeros: u32[1] how many zeros. permutation may be no memory. */
enum prm_status prm_split_by_bit(struct prm_arena *arena, struct prm_buffer out,
                                 struct prm_buffer permutation, struct prm_buffer zeros,
                                 struct prm_buffer values, size_t count, uint32_t bit);

#endif
