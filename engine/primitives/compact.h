/* Stream compaction and its kin: keep the flagged elements in their order, by a scan of the flags.
 */
#ifndef PRM_PRIMITIVES_COMPACT_H
#define PRM_PRIMITIVES_COMPACT_H

#include "device/arena.h"

/* The indices i with flags[i] != 0, ascending. indices: u32[count]; survivors: u32[1], how many;
 * flags: u32[count] of 0 and 1; all device. */
enum prm_status prm_compact_indices(struct prm_arena *arena, struct prm_buffer indices,
                                    struct prm_buffer survivors, struct prm_buffer flags,
                                    size_t count);

/* The flagged values themselves, and their indices unless `indices` is no memory.
 * out, values: u32[count], device, not the same memory. */
enum prm_status prm_compact_values(struct prm_arena *arena, struct prm_buffer out,
                                   struct prm_buffer indices, struct prm_buffer survivors,
                                   struct prm_buffer values, struct prm_buffer flags, size_t count);

/* Many compactions at once: each group of `segment` elements by itself, in place: group g's
 * survivors start at g * segment; what is behind them is undefined. counts: u32[count / segment],
 * survivors of each group. out, values, flags: u32[count], device, out not the memory of values. */
enum prm_status prm_compact_segments(struct prm_arena *arena, struct prm_buffer out,
                                     struct prm_buffer counts, struct prm_buffer values,
                                     struct prm_buffer flags, size_t count, size_t segment);

/* The same, packed: each group's survivors behind those of the group before. offsets: u32[count /
 * segment + 1], where each group's begin, and their number in all. out, values, flags as above. */
enum prm_status prm_compact_segments_packed(struct prm_arena *arena, struct prm_buffer out,
                                            struct prm_buffer offsets, struct prm_buffer values,
                                            struct prm_buffer flags, size_t count, size_t segment);

/* All i with values[i] == values[i + 1], ascending. */
enum prm_status prm_find_repeats(struct prm_arena *arena, struct prm_buffer indices,
                                 struct prm_buffer survivors, struct prm_buffer values,
                                 size_t count);

/* The runs of a sorted array. unique: u32[count] the distinct values; start: u32[count] first
 * position of each; length: u32[count] run lengths; runs: u32[1] how many; values: u32[count]
 * sorted; all device. */
enum prm_status prm_unique_sorted(struct prm_arena *arena, struct prm_buffer unique,
                                  struct prm_buffer start, struct prm_buffer length,
                                  struct prm_buffer runs, struct prm_buffer values, size_t count);

size_t prm_compact_scratch_bytes(const struct prm_profile *profile, size_t count);

#endif
