/* Stable LSD radix sort on the device, with permutation and inverse.
 *
 * A pass over b bits: each group counts its chunk's digits, a scan over (digit, chunk) gives the
 * places, each group reorders its chunk. Only bits that differ are sorted by: which those are is
 * the one read-back of a sort, which short arrays and sorts with `key_bits` do without.
 */
#ifndef PRM_PRIMITIVES_RADIX_SORT_H
#define PRM_PRIMITIVES_RADIX_SORT_H

#include "device/arena.h"

/* Order of f32: -inf … -0 < +0 … +inf < NaN with sign clear; NaNs with the sign set come before
 * -inf. */
enum prm_key_type { PRM_KEY_U32, PRM_KEY_I32, PRM_KEY_F32 };

struct prm_sort_options {
    enum prm_key_type type;
    uint32_t bits_per_pass; /* 1 to 8, at most what local memory holds; 0: the profile's */
    uint32_t key_bits;      /* only the low so many bits of u32 keys differ from 0; 0: all 32 */
};

/* Sorts `keys` in place, ascending and stable; `values` moves along. keys, values: 32-bit[count],
 * device; values may be no memory. permutation[i] is the place that element i went to,
 * inverse[permutation[i]] = i; each u32[count], device, or no memory. options NULL: u32, the
 * profile's digits. */
enum prm_status prm_radix_sort(struct prm_arena *arena, struct prm_buffer keys,
                               struct prm_buffer values, struct prm_buffer permutation,
                               struct prm_buffer inverse, size_t count,
                               const struct prm_sort_options *options);

/* Many sorts at once: each group of `segment` elements by itself (N = l * d, one launch for small
 * groups). `segment` divides count; values may be no memory. */
enum prm_status prm_radix_sort_segments(struct prm_arena *arena, struct prm_buffer keys,
                                        struct prm_buffer values, size_t count, size_t segment,
                                        const struct prm_sort_options *options);

/* Zeros of bit `bit` first, then ones, each in their order. out, permutation, values: u32[count]
 * device; zeros: u32[1] how many zeros. permutation may be no memory. */
enum prm_status prm_split_by_bit(struct prm_arena *arena, struct prm_buffer out,
                                 struct prm_buffer permutation, struct prm_buffer zeros,
                                 struct prm_buffer values, size_t count, uint32_t bit);

/* Reorders any payload: row j of out = row index[j] of in (gather). Rows are `row_words` 32-bit
 * words. out: [count][row_words], device, not the same memory as in; index: u32[count], device. */
enum prm_status prm_gather_rows(struct prm_context *context, struct prm_buffer out,
                                struct prm_buffer in, struct prm_buffer index, size_t count,
                                uint32_t row_words);

size_t prm_radix_sort_scratch_bytes(const struct prm_profile *profile, size_t count);

#endif
