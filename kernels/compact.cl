/* Stream compaction: count the kept elements of each chunk, then each group writes its own from the
 * sum of the counts before. What is kept is one of -D KEEP_FLAGGED   source[i] != 0 -D KEEP_REPEATS
 * source[i] == source[i + 1] -D KEEP_HEADS     source[i] != source[i - 1], and the first and what
 * is written -D WRITE_INDICES (i), -D WRITE_VALUES (values[i]) or both.
 *
 * Launch: one group of WORKGROUP a chunk; the segment kernels: one group a run of segments.
 * Traffic: count 4 bytes an element; write 4 (8 with values), and 4 a survivor and array.
 *
 * check: -DKEEP_FLAGGED -DWRITE_INDICES
 * check: -DKEEP_FLAGGED -DWRITE_INDICES -DWRITE_VALUES
 * check: -DKEEP_REPEATS -DWRITE_INDICES
 * check: -DKEEP_HEADS -DWRITE_INDICES -DWRITE_VALUES
 */
#include "chunk.h"

#if defined(KEEP_FLAGGED)
#define KEEP(source, i, n) ((source)[i] != 0)
#elif defined(KEEP_REPEATS)
#define KEEP(source, i, n) ((i) + 1 < (n) && (source)[i] == (source)[(i) + 1])
#elif defined(KEEP_HEADS)
#define KEEP(source, i, n) ((i) == 0 || (source)[i] != (source)[(i)-1])
#else
#error "one of KEEP_FLAGGED, KEEP_REPEATS and KEEP_HEADS must say what is kept"
#endif
#if !defined(WRITE_INDICES) && !defined(WRITE_VALUES)
#error "WRITE_INDICES, WRITE_VALUES or both must say what is written"
#endif

/* Elements that a group of one looks at between two looks at where to stop. */
#define UNROLLED 8

/* sums[g] = how many elements of chunk g are kept. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
compact_count(__global u32 *restrict sums, __global const u32 *restrict source, u32 n, u32 length)
{
    __local u32 scratch[WORKGROUP_SCRATCH];
    const u32 item = (u32)get_local_id(0);
    const u32 end = chunk_end(length, n);

    u32 sum = 0;
    for (u32 i = chunk_begin(length) + item; i < end; i += WORKGROUP)
        sum += KEEP(source, i, n) ? 1 : 0;
    sum = workgroup_reduce_add(sum, scratch);
    if (item == 0)
        sums[get_group_id(0)] = sum;
}

/* Writes what is asked for of element i at `place`. */
static inline void put(__global u32 *indices, __global u32 *out, __global const u32 *values,
                       u32 place, u32 i)
{
#ifdef WRITE_INDICES
    indices[place] = i;
#endif
#ifdef WRITE_VALUES
    out[place] = values[i];
#endif
}

/* The kept elements of chunk g, from place sums[0] + … + sums[g-1]; the last group says how many in
 * all. `indices`, or `out` and `values`, may be NULL where not written. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
compact_chunks(__global u32 *restrict indices, __global u32 *restrict out,
               __global u32 *restrict survivors, __global const u32 *restrict source,
               __global const u32 *restrict values, __global const u32 *restrict sums, u32 n,
               u32 length)
{
    __local u32 scratch[WORKGROUP_SCRATCH];
    const u32 begin = chunk_begin(length);
    const u32 end = chunk_end(length, n);
    u32 place = chunk_offset(sums, scratch);
    const u32 stop = place + sums[get_group_id(0)];
    if (end == n && get_local_id(0) == 0)
        *survivors = stop;

#if WORKGROUP == 1
    // no branch to mispredict: each element is written, and the next overwrites it unless it is
    // kept; after the last kept one nothing is written, so the next chunk's places are left alone
    u32 i = begin;
    for (; place + UNROLLED <= stop; i += UNROLLED) {
#pragma unroll
        for (u32 k = 0; k < UNROLLED; k++) {
            put(indices, out, values, place, i + k);
            place += KEEP(source, i + k, n) ? 1 : 0;
        }
    }
    for (; place < stop; i++) {
        put(indices, out, values, place, i);
        place += KEEP(source, i, n) ? 1 : 0;
    }
#else
    for (u32 base = begin; base < end; base += TILE) {
        const u32 first = base + (u32)get_local_id(0) * ITEMS;
        u32 keep[ITEMS];
        u32 sum = 0;
        for (u32 k = 0; k < ITEMS; k++) {
            keep[k] = first + k < end && KEEP(source, first + k, n) ? 1 : 0;
            sum += keep[k];
        }
        u32 total;
        u32 next = place + workgroup_scan_exclusive(sum, &total, scratch);
        for (u32 k = 0; k < ITEMS; k++) {
            if (keep[k])
                put(indices, out, values, next, first + k);
            next += keep[k];
        }
        place += total;
    }
#endif
}

#if defined(KEEP_FLAGGED) && defined(WRITE_VALUES)

/* Each segment by itself, to its own beginning: this group's are segments [g * run, (g + 1) * run).
 */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
compact_segments(__global u32 *restrict out, __global u32 *restrict counts,
                 __global const u32 *restrict values, __global const u32 *restrict flags,
                 u32 segments, u32 segment, u32 run)
{
    __local u32 scratch[WORKGROUP_SCRATCH];
    const u32 item = (u32)get_local_id(0);
    const u32 last = chunk_end(run, segments);

    for (u32 s = chunk_begin(run); s < last; s++) {
        const u32 begin = s * segment;
        const u32 end = begin + segment;
        u32 place = begin;
        for (u32 base = begin; base < end; base += WORKGROUP) {
            const u32 i = base + item;
            const u32 keep = i < end && flags[i] != 0 ? 1 : 0;
            u32 total;
            const u32 at = place + workgroup_scan_exclusive(keep, &total, scratch);
#if WORKGROUP == 1
            // without a branch: never past i, so never past the segment
            out[at] = values[i];
#else
            if (keep)
                out[at] = values[i];
#endif
            place += total;
        }
        if (item == 0)
            counts[s] = place - begin;
    }
}

/* counts[s] = survivors of segment s, one work-item each; a chunk is of segments. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
compact_segment_counts(__global u32 *restrict counts, __global const u32 *restrict flags,
                       u32 segments, u32 segment, u32 length)
{
    const u32 end = chunk_end(length, segments);
    for (u32 s = chunk_begin(length) + (u32)get_local_id(0); s < end; s += WORKGROUP) {
        u32 sum = 0;
        for (u32 i = s * segment; i < (s + 1) * segment; i++)
            sum += flags[i] != 0 ? 1 : 0;
        counts[s] = sum;
    }
}

/* Small segments, as many as fit in a tile at a time: the flags are scanned as one, then each
 * element takes off what its segment began with. segment <= TILE; a chunk is `length` elements of
 * whole segments. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
compact_segments_packed(__global u32 *restrict out, __global u32 *restrict counts,
                        __global const u32 *restrict values, __global const u32 *restrict flags,
                        u32 n, u32 segment, u32 length)
{
    __local u32 scratch[WORKGROUP_SCRATCH];
    __local u32 begins[TILE];
    const u32 first = (u32)get_local_id(0) * ITEMS;
    const u32 end = chunk_end(length, n);
    const u32 span = TILE / segment * segment;

    for (u32 base = chunk_begin(length); base < end; base += span) {
        const u32 stop = min(span, end - base);
        u32 keep[ITEMS];
        u32 sum = 0;
        for (u32 k = 0; k < ITEMS; k++) {
            keep[k] = first + k < stop && flags[base + first + k] != 0 ? 1 : 0;
            sum += keep[k];
        }
        u32 total;
        const u32 prefix = workgroup_scan_exclusive(sum, &total, scratch);

        // the prefix at each segment's first element
        u32 next = prefix;
        for (u32 k = 0; k < ITEMS; k++) {
            const u32 s = (first + k) / segment;
            if (first + k == s * segment)
                begins[s] = next;
            next += keep[k];
        }
        workgroup_barrier();
        next = prefix;
        for (u32 k = 0; k < ITEMS; k++) {
            const u32 s = (first + k) / segment;
            if (keep[k])
                out[base + s * segment + next - begins[s]] = values[base + first + k];
            next += keep[k];
            if (first + k < stop && first + k + 1 == (s + 1) * segment)
                counts[base / segment + s] = next - begins[s];
        }
        workgroup_barrier();
    }
}

#endif

#ifdef KEEP_HEADS

/* length[r] = start[r + 1] - start[r] for the runs of a sorted array of n, whose number is *runs.
 */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
compact_run_lengths(__global u32 *restrict run_length, __global const u32 *restrict start,
                    __global const u32 *restrict runs, u32 n, u32 length)
{
    const u32 count = *runs;
    const u32 end = chunk_end(length, count);
    for (u32 r = chunk_begin(length) + (u32)get_local_id(0); r < end; r += WORKGROUP)
        run_length[r] = (r + 1 < count ? start[r + 1] : n) - start[r];
}

#endif
