/* Scan of u32 by reduce-then-scan: each group sums its chunk, then scans it from the sum
 * of the chunks before. Within a tile Blelloch 1990 or Hillis & Steele 1985 (workgroup.h); with
 * WORKGROUP == 1 a serial loop over vectors.
 *
 * Launch: one group of WORKGROUP a chunk; the segment kernels: one group a run of segments.
 * Traffic: reduce 4 bytes an element, scan 8; segments 8.
 * -D SCAN_HILLIS_STEELE selects that method. -D SCAN_INCLUSIVE: an element's own value counts.
 *
 * check: -DNO_VARIANT
 * check: -DSCAN_HILLIS_STEELE
 * check: -DSCAN_INCLUSIVE
 */
#include "chunk.h"

/* What a value is scanned to, from the sum before it. */
#ifdef SCAN_INCLUSIVE
#define SCANNED(before, value) ((before) + (value))
#else
#define SCANNED(before, value) (before)
#endif

/* sums[g] = sum of chunk g. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
scan_reduce(__global u32 *restrict sums, __global const u32 *restrict in, u32 n, u32 length)
{
    __local u32 scratch[WORKGROUP_SCRATCH];
    const u32 item = (u32)get_local_id(0);
    const u32 end = chunk_end(length, n);

    u32 sum = 0;
    for (u32 i = chunk_begin(length) + item; i < end; i += WORKGROUP)
        sum += in[i];
    sum = workgroup_reduce_add(sum, scratch);
    if (item == 0)
        sums[get_group_id(0)] = sum;
}

/* totals[g] = sum of chunk g in 64 bits, of words with a sign if is_signed. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
scan_total(__global u64 *restrict totals, __global const u32 *restrict in, u32 is_signed, u32 n,
           u32 length)
{
    __local u64 scratch[WORKGROUP];
    const u32 item = (u32)get_local_id(0);
    const u32 end = chunk_end(length, n);

    // a negative word counts 2^32 too many
    u64 sum = 0;
    for (u32 i = chunk_begin(length) + item; i < end; i += WORKGROUP)
        sum += in[i] - ((u64)(is_signed & in[i] >> 31) << 32);
    sum = workgroup_reduce_add_u64(sum, scratch);
    if (item == 0)
        totals[get_group_id(0)] = sum;
}

/* out[begin .. end) = `offset` plus the scan of in[begin .. end), by the whole group;
 * returns the offset behind the last. out may be in: an element is read before it is written, by
 * the same work-item. */
static inline u32 scan_range(__global u32 *out, __global const u32 *in, u32 begin, u32 end,
                             u32 offset, __local u32 *scratch)
{
    const u32 item = (u32)get_local_id(0);
    for (u32 base = begin; base < end; base += TILE) {
        const u32 first = base + item * ITEMS;
        u32 values[ITEMS];
        u32 sum = 0;
        for (u32 k = 0; k < ITEMS; k++) {
            values[k] = first + k < end ? in[first + k] : 0;
            sum += values[k];
        }
        u32 total;
        u32 place = offset + workgroup_scan_exclusive(sum, &total, scratch);
        for (u32 k = 0; k < ITEMS; k++) {
            if (first + k < end)
                out[first + k] = SCANNED(place, values[k]);
            place += values[k];
        }
        offset += total;
    }
    return offset;
}

/* On CPUs whose compiler has a way to store past the caches a group of one scans by vectors. */
#if WORKGROUP == 1 && (defined(__x86_64__) || defined(__aarch64__))
#define SCAN_VECTORS
#endif

#ifdef SCAN_VECTORS

/* Elements from which on the output goes past the caches, which could not hold it. */
#define STREAM_LEAST (1u << 22)

/* The inclusive scan of a vector: three rounds of Hillis & Steele; for Oclgrind, which cannot
 * follow such shuffles (lanes.h), one after another. */
static inline uint8 scan_vector(uint8 v)
{
#ifdef OCLGRIND
    u32 each[8];
    vstore8(v, 0, each);
    for (u32 i = 1; i < 8; i++)
        each[i] += each[i - 1];
    return vload8(0, each);
#else
    v += (uint8)(0, v.s0, v.s1, v.s2, 0, v.s4, v.s5, v.s6);
    v += (uint8)(0, 0, v.s0, v.s1, 0, 0, v.s4, v.s5);
    return v + (uint8)(0, 0, 0, 0, v.s3, v.s3, v.s3, v.s3);
#endif
}

/* As scan_range; begin is a multiple of 8, and out aligned to as many. */
static inline u32 scan_vectors(__global u32 *out, __global const u32 *in, u32 begin, u32 end,
                               u32 offset, bool stream)
{
    u32 i = begin;
    for (; i + 8 <= end; i += 8) {
        const uint8 values = vload8(0, in + i);
        const uint8 sums = scan_vector(values);
        const uint8 places = SCANNED(sums - values + offset, values);
        if (stream)
            __builtin_nontemporal_store(places, (__global uint8 *)(out + i));
        else
            vstore8(places, 0, out + i);
        offset += sums.s7;
    }
    return scan_range(out, in, i, end, offset, 0);
}

#endif

/* out[i] = sum of in[0 .. i), and out[n] the total, which the last group adds; inclusive, of in[0
 * .. i], without the total. `sums` is read only by groups after the first. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
scan_chunks(__global u32 *out, __global const u32 *in, __global const u32 *sums, u32 n, u32 length)
{
    __local u32 scratch[WORKGROUP_SCRATCH];
    const u32 end = chunk_end(length, n);
    const u32 offset = chunk_offset(sums, scratch);

#ifdef SCAN_VECTORS
    const u32 begin = chunk_begin(length);
    const u32 total = n < STREAM_LEAST ? scan_vectors(out, in, begin, end, offset, false)
                                       : scan_vectors(out, in, begin, end, offset, true);
#else
    const u32 total = scan_range(out, in, chunk_begin(length), end, offset, scratch);
#endif
#ifdef SCAN_INCLUSIVE
    (void)total;
#else
    if (end == n && get_local_id(0) == 0)
        out[n] = total;
#endif
}

/* Each segment by itself, one after another: this group's are segments [g * run, (g + 1) * run). */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
scan_segments(__global u32 *out, __global const u32 *in, u32 segments, u32 segment, u32 run)
{
    __local u32 scratch[WORKGROUP_SCRATCH];
    const u32 end = chunk_end(run, segments);
    for (u32 s = chunk_begin(run); s < end; s++)
        scan_range(out, in, s * segment, (s + 1) * segment, 0, scratch);
}

/* Small segments, as many as fit in a tile at a time: the tile is scanned as one, then each element
 * takes off what its segment began with (exact, mod 2^32). segment <= TILE; n = segments * segment;
 * a group's chunk is `length` elements of whole segments. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
scan_segments_packed(__global u32 *out, __global const u32 *in, u32 n, u32 segment, u32 length)
{
    __local u32 scratch[WORKGROUP_SCRATCH];
    __local u32 begins[TILE];
    const u32 item = (u32)get_local_id(0);
    const u32 end = chunk_end(length, n);
    const u32 span = TILE / segment * segment;

    for (u32 base = chunk_begin(length); base < end; base += span) {
        const u32 first = item * ITEMS;
        const u32 stop = min(span, end - base);
        u32 values[ITEMS];
        u32 sum = 0;
        for (u32 k = 0; k < ITEMS; k++) {
            values[k] = first + k < stop ? in[base + first + k] : 0;
            sum += values[k];
        }
        u32 total;
        const u32 place = workgroup_scan_exclusive(sum, &total, scratch);

        // the prefix at each segment's first element
        u32 prefix = place;
        for (u32 k = 0; k < ITEMS; k++) {
            const u32 s = (first + k) / segment;
            if (first + k == s * segment)
                begins[s] = prefix;
            prefix += values[k];
        }
        workgroup_barrier();
        prefix = place;
        for (u32 k = 0; k < ITEMS; k++) {
            if (first + k < stop)
                out[base + first + k] = SCANNED(prefix - begins[(first + k) / segment], values[k]);
            prefix += values[k];
        }
        workgroup_barrier();
    }
}

/* out[i] = whole[i] - whole[begin of i's segment], inclusive of the element: segments from the
 * exclusive scan of the whole array. whole: u32[n + 1]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
scan_subtract(__global u32 *restrict out, __global const u32 *restrict whole, u32 n, u32 segment,
              u32 length)
{
    const u32 end = chunk_end(length, n);
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP)
        out[i] = SCANNED(whole[i], whole[i + 1] - whole[i]) - whole[i / segment * segment];
}
