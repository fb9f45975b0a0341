/* Scan (prefix sum) of u32 on the device.
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

/* out[i] = in[0] + … + in[i] mod 2^32, without the total. out, in: u32[count], device; out may be
 * in. */
enum prm_status prm_scan_inclusive(struct prm_arena *arena, struct prm_buffer out,
                                   struct prm_buffer in, size_t count, enum prm_scan_method method);

/* *total = in[0] + … + in[count - 1] mod 2^64, of i32 if is_signed (then read it as i64). One
 * read-back. */
enum prm_status prm_scan_total(struct prm_arena *arena, uint64_t *total, struct prm_buffer in,
                               size_t count, bool is_signed);

/* Many scans at once: each of the `count / segment` groups of `segment` elements by itself, no
 * totals. out, in: u32[count], device; out may be in. `segment` divides count. */
enum prm_status prm_scan_segments(struct prm_arena *arena, struct prm_buffer out,
                                  struct prm_buffer in, size_t count, size_t segment,
                                  enum prm_scan_method method);

/* As above, inclusive. */
enum prm_status prm_scan_segments_inclusive(struct prm_arena *arena, struct prm_buffer out,
                                            struct prm_buffer in, size_t count, size_t segment,
                                            enum prm_scan_method method);

/* Scratch bytes that each takes at most. */
size_t prm_scan_scratch_bytes(const struct prm_profile *profile, size_t count);

#endif
