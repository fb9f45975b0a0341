/* Permutations on the device: turned around, and applied to rows of any width.
 *
 * A sort gives its order as `inverse` (element inverse[j] came to place j) and as `permutation`
 * (element i went to place permutation[i]).
 */
#ifndef PRM_PRIMITIVES_PERMUTATION_H
#define PRM_PRIMITIVES_PERMUTATION_H

#include "device/arena.h"

/* permutation[i] = i. permutation: u32[count], device. */
enum prm_status prm_permutation_identity(struct prm_context *context, struct prm_buffer permutation,
                                         size_t count);

/* permutation[inverse[j]] = j. permutation, inverse: u32[count], device, not the same memory. */
enum prm_status prm_permutation_invert(struct prm_context *context, struct prm_buffer permutation,
                                       struct prm_buffer inverse, size_t count);

/* Reorders any payload: row j of out = row index[j] of in (gather). Rows are `row_words` 32-bit
 * words. out: [count][row_words], device, not the same memory as in; index: u32[count], device. */
enum prm_status prm_gather_rows(struct prm_context *context, struct prm_buffer out,
                                struct prm_buffer in, struct prm_buffer index, size_t count,
                                uint32_t row_words);

/* The same in place, through scratch memory: row j of rows = row index[j] of what they were. */
enum prm_status prm_reorder_rows(struct prm_arena *arena, struct prm_buffer rows,
                                 struct prm_buffer index, size_t count, uint32_t row_words);

#endif
