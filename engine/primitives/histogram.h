/* Histograms on the device: private counts a group, merged once; bins that do not fit in local
 * memory are counted in a few passes over parts of them, very many with global atomics. Integer
 * counts, so the result never depends on scheduling. */
#ifndef PRM_PRIMITIVES_HISTOGRAM_H
#define PRM_PRIMITIVES_HISTOGRAM_H

#include "device/arena.h"

/* counts[b] = number of i with values[i] == b; values of `bins` or more are not counted.
 * counts: u32[bins], overwritten; values: u32[count]; device. */
enum prm_status prm_histogram_u32(struct prm_arena *arena, struct prm_buffer counts,
                                  struct prm_buffer values, size_t count, uint32_t bins);

/* Equal half-open bins over [min, max], max in the last. counts: u32[bins + 2]; the last two are
 * the values below and above (NaN is above). values: f32[count]; device. */
enum prm_status prm_histogram_f32(struct prm_arena *arena, struct prm_buffer counts,
                                  struct prm_buffer values, size_t count, float min, float max,
                                  uint32_t bins);

#endif
