/* Binning of scalars: values into the bins between ascending edges, or into intervals that may
 * overlap. Bins are half open: [lower, upper).
 *
 * Result as in bin.h: one flat list, bins one after another, each bin's members in input order
 * (CSR). Method: bisection among the edges; for intervals a sort of the values, in which each
 * interval is one run, then a sort of the memberships. Cost: O(n log edges), or O(n + bins log n +
 * memberships): many bins are no slower than few.
 */
#ifndef PRM_PRIMITIVES_BIN_VALUES_H
#define PRM_PRIMITIVES_BIN_VALUES_H

#include "primitives/radix_sort.h"

/* places[i] = how many edges are at most values[i]: 0 … edge_count; of NaN none. places:
 * u32[count]; values, edges: 32-bit of `type`, edges ascending; all device. */
enum prm_status prm_bin_places(struct prm_arena *arena, struct prm_buffer places,
                               struct prm_buffer values, size_t count, struct prm_buffer edges,
                               size_t edge_count, enum prm_key_type type);

/* Bin b = [edges[b], edges[b + 1]); values outside are in none. offsets: u32[edge_count], device,
 * written; edge_count >= 1, for edge_count - 1 bins. members: made here as a resident buffer; the
 * caller destroys it. One read-back. */
enum prm_status prm_bin_edges(struct prm_arena *arena, struct prm_buffer offsets,
                              struct prm_buffer *members, struct prm_buffer values, size_t count,
                              struct prm_buffer edges, size_t edge_count, enum prm_key_type type);

/* Bin b = [ranges[b][0], ranges[b][1]), each with lower <= upper and neither NaN; a value may be in
 * any number of them. offsets: u32[bins + 1], device, written; members as above, at most
 * members_max, else PRM_LIMIT_EXCEEDED. values: 32-bit[count], ranges: 32-bit[bins][2], of `type`,
 * device. One read-back, and those of the sort. */
enum prm_status prm_bin_ranges(struct prm_arena *arena, struct prm_buffer offsets,
                               struct prm_buffer *members, size_t members_max,
                               struct prm_buffer values, size_t count, struct prm_buffer ranges,
                               size_t bins, enum prm_key_type type);

#endif
