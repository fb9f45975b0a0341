/* What benchmarks share. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "device/arena.h"

/* Monotonic milliseconds. */
double bench_now_ms(void);

/* Ends the program with a message unless the call succeeded. */
void bench_must(enum prm_status status, const char *what);

/* Ends the program unless the call succeeded, as did all that the context was asked to do. */
void bench_finish(struct prm_context *context, enum prm_status status, const char *what);

/* Memory, or the end of the program. */
void *bench_memory(size_t bytes);

/* The median of values[count], which it sorts; count >= 1. */
double bench_median(double *values, unsigned count);

/* splitmix64 (Steele, Lea & Flood 2014). */
uint64_t bench_random(uint64_t *state);

/* A bijection of 32 bits that looks random: keys that are distinct. */
uint32_t bench_scrambled(uint32_t x);

/* A resident buffer of u32[count], filled from `values` unless NULL; what it takes of memory is
 * given back by prm_buffer_destroy(). */
struct prm_buffer bench_buffer(struct prm_context *context, const void *values, size_t count);

#endif
