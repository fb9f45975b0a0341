/* List ranking by pointer jumping (Wyllie 1979), over a forest of lists and trees.
 *
 * Each round reads the old arrays and writes new ones; ceil(log2 n) rounds for lists of n elements.
 * Long lists without marks are contracted to one element of 64 before (Helman & JaJa 1999), so that
 * few jump: O(n) traffic instead of O(n log n).
 */
#ifndef PRM_PRIMITIVES_RANK_H
#define PRM_PRIMITIVES_RANK_H

#include "device/arena.h"

struct prm_rank_result {
    uint32_t rounds; /* until no pointer of any element moves: 2^rounds >= the greatest rank */
};

/* rank[i] = steps from i to its tail; a tail points to itself. rank, next: u32[count], device, not
 * the same memory; next is unchanged. `marks` (u32[count] or no memory): every element that is
 * reachable from one with marks != 0 on entry is marked on return, in the same rounds. An index out
 * of range or a cycle is PRM_INVALID_ARGUMENT naming the least such element; rank and marks are
 * then undefined. One read-back, at the end; one more where long lists turn out to be
 * short or trees. result may be NULL. */
enum prm_status prm_rank(struct prm_arena *arena, struct prm_buffer rank, struct prm_buffer next,
                         struct prm_buffer marks, size_t count, struct prm_rank_result *result);

#endif
