/* Many stable sorts at once on the device: each group of equally many elements by itself.
 *
 * Short segments are sorted in one launch: ranked by counting up to 128 elements, by radix above.
 * Segments that no group can hold, and few on a machine of many cores, are sorted by key as one
 * array, and then, stably, by segment.
 */
#ifndef PRM_PRIMITIVES_SEGMENTED_SORT_H
#define PRM_PRIMITIVES_SEGMENTED_SORT_H

#include "primitives/radix_sort.h"

/* Sorts each run of `segment` elements (N = l * d): count / segment sorts as prm_radix_sort does
 * them, whose arguments these are. `segment` divides count. Permutation and inverse count places
 * and elements in the whole array. */
enum prm_status prm_radix_sort_segments(struct prm_arena *arena, struct prm_buffer keys,
                                        struct prm_buffer values, struct prm_buffer permutation,
                                        struct prm_buffer inverse, size_t count, size_t segment,
                                        const struct prm_sort_options *options);

#endif
