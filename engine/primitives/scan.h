/* Exclusive scan (prefix sum) of u32 on the device.
 *
 * Method: the array is cut into one contiguous chunk a work-group; each group reduces its chunk,
 * the chunk sums are scanned, each group scans its chunk from its offset (reduce-then-scan, 12
 * bytes an element). Within a group Blelloch 1990 or Hillis & Steele 1985, selectable; a group of
 * one scans serially. Threads: as the arena's context.
 */
#ifndef PRM_PRIMITIVES_SCAN_H
#define PRM_PRIMITIVES_SCAN_H

#include "device/arena.h"

enum prm_scan_method { PRM_SCAN_AUTO, PRM_SCAN_BLELLOCH, PRM_SCAN_HILLIS_STEELE };

/* out[i] = in[0] + … + in[i-1] mod 2^32, out[0] = 0, and out[count] is the total: a CSR offset
 * array. out: u32[count + 1]; in: u32[count]; both device; out may be in. Any count, 0 included. */
enum prm_status prm_scan_exclusive(struct prm_arena *arena, struct prm_buffer out,
                                   struct prm_buffer in, size_t count, enum prm_scan_method method);

/* Many scans at once: each of the `count / segment` groups of `segment` elements by itself, no
 * totals. out, in: u32[count], device; out may be in. `segment` divides count. */
enum prm_status prm_scan_segments(struct prm_arena *arena, struct prm_buffer out,
                                  struct prm_buffer in, size_t count, size_t segment,
                                  enum prm_scan_method method);

/* Scratch bytes that either takes at most. */
size_t prm_scan_scratch_bytes(const struct prm_profile *profile, size_t count);

#endif
