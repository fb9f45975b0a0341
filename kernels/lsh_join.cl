/* The self-join of a hash table (lsh.cl): every point meets the members of its own bucket, and
 * keeps the nearest in its list.
 *
 * A bucket is a run of the points sorted by key; one of more than LSH_BUCKET_MAX is cut into chunks
 * of so many in sorted order, so a crowded one cannot cost the square of its size. Rows lie in that
 * order, so a bucket is read as a stream, by LANES of its members at once: the lanes of a vector
 * on a CPU, one on a GPU. What a lane keeps of a chunk is a sorted column of packed keys, the
 * squared distance's bits above the place in the chunk, so that insertion is LEVELS pairs of min
 * and max without branches. Sorting is stable, so places ascend as indices do: a column is in the
 * order of the list, (bits, index), and merging the two meets a point that both have at once.
 *
 * Launch: any number of work-items, a stretch of the sorted order each (share.h).
 * Traffic: a row a bucket member a group of LANES, a list in and out a point.
 * -D ROW, DOF, EMBEDDED_…: of embedding.h. -D LANES=1|16. -D LEVELS: entries of a column,
 * k + 1 or more.
 *
 * check: -DROW=4 -DDOF=3 -DLANES=16 -DLEVELS=12
 * check: -DROW=16 -DDOF=12 -DLANES=1 -DLEVELS=130
 * check: -DROW=4 -DDOF=4 -DEMBEDDED_TURNS=2 -DLANES=16 -DLEVELS=12 -DEMBEDDED_WEIGHTS=1,2
 * check: -DROW=16 -DDOF=12 -DEMBEDDED_ORIENTATIONS=1 -DLANES=1 -DLEVELS=12 -DEMBEDDED_WEIGHTS=1
 */
#include "bisect.h"
#include "embedding.h"
#include "levels.h"
#include "lsh_types.h"
#include "share.h"

#if !defined(LANES) || (LANES != 1 && LANES != 16)
#error "LANES must be 1 or 16"
#endif
#if !defined(LEVELS) || LEVELS < 2
#error "LEVELS must be k + 1 at least"
#endif

#if LANES == 1
typedef f32 lanes_f32;
typedef u32 lanes_u32;
#define lanes_any(mask) (mask)
#define lanes_bits(v) as_uint(v)
#define lanes_values(v) as_float(v)
#define lanes_load(at) (*(at))
#define lanes_store(v, at) (*(at) = (v))
#else
#include "lanes.h"
#define lanes_bits(v) as_uint16(v)
#define lanes_values(v) as_float16(v)
#define lanes_load(at) vload16(0, at)
#define lanes_store(v, at) vstore16(v, 0, at)
#endif

/* Rows in the order of a table: out[place] = rows[order[place]]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
lsh_gather(__global f32 *restrict out, __global const f32 *restrict rows,
           __global const u32 *restrict order, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++)
        for (u32 c = 0; c < ROW; c++)
            out[(size_t)i * ROW + c] = rows[(size_t)order[i] * ROW + c];
}

/* Empty lists: n keys. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
lsh_clear(__global u64 *restrict lists, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++)
        lists[i] = LSH_KEY_EMPTY;
}

/* Merges `news` ascending keys, and one LSH_KEY_EMPTY or more behind them up to k, into a list of
 * k; what both have enters once. No branch depends on the keys. */
static inline void merge(__global u64 *list, const u64 *new, u32 k)
{
    u64 old[LEVELS];
    for (u32 i = 0; i < k; i++)
        old[i] = list[i];
    u32 a = 0, b = 0;
    for (u32 i = 0; i < k; i++) {
        const u64 x = old[a], y = new[b];
        list[i] = x < y ? x : y;
        a += x <= y;
        b += y <= x;
    }
}

/* The points at place … place + count - 1 of the order, members of the chunk begin … end - 1. */
static inline void join_group(__global u64 *lists, __global const f32 *rows,
                              __global const u32 *order, u32 place, u32 count, u32 begin, u32 end,
                              u32 k)
{
    f32 query[DOF * LANES], reach[LANES];
    lanes_f32 lanes[DOF];
    lanes_u32 column[LEVELS];

    // lanes past the last repeat it; what is no nearer than a list's last cannot enter it
    for (u32 lane = 0; lane < LANES; lane++) {
        const u32 at = place + min(lane, count - 1);
        for (u32 c = 0; c < DOF; c++)
            query[c * LANES + lane] = rows[(size_t)at * ROW + c];
        const u32 last = (u32)(lists[(size_t)order[at] * k + k - 1] >> 32);
        reach[lane] = as_float(min(last + LSH_PLACE_MASK + 1, LSH_BITS_EMPTY));
    }
    for (u32 c = 0; c < DOF; c++)
        lanes[c] = lanes_load(query + c * LANES);
    lanes_f32 limit = lanes_load(reach);

    // levels that are not wanted hold what is below all keys
    FOR_LEVELS
    for (u32 i = 0; i < LEVELS; i++)
        column[i] = (lanes_u32)(i + k + 1 < LEVELS ? 0 : LSH_BITS_EMPTY);
    for (u32 m = begin; m < end; m++) {
        __global const f32 *row = rows + (size_t)m * ROW;
        lanes_f32 squared;
        EMBEDDING_SQUARED_WITHIN(lanes_f32, squared, lanes[c], row[c], limit, lanes_any);
        if (!lanes_any(squared < limit))
            continue;
        const lanes_u32 key = (lanes_bits(squared) & ~LSH_PLACE_MASK) | (m - begin);
        FOR_LEVELS
        for (u32 i = LEVELS - 1; i > 0; i--)
            column[i] = min(column[i], max(column[i - 1], key));
        column[0] = min(column[0], key);
        limit = min(limit, lanes_values(column[LEVELS - 1]));
    }

    u32 keys[LEVELS * LANES];
    FOR_LEVELS
    for (u32 i = 0; i < LEVELS; i++)
        lanes_store(column[i], keys + i * LANES);
    for (u32 lane = 0; lane < count; lane++) {
        const u32 own = order[place + lane];
        u64 new[LEVELS];
        u32 news = 0;
        for (u32 i = LEVELS - 1 - k; i < LEVELS; i++) {
            const u32 key = keys[i * LANES + lane];
            const bool is_point = key < LSH_BITS_EMPTY;
            const u32 id = is_point ? order[begin + (key & LSH_PLACE_MASK)] : NONE_U32;
            new[news] = is_point ? (u64)(key & ~LSH_PLACE_MASK) << 32 | id : LSH_KEY_EMPTY;
            news += id != own;
        }
        merge(lists + (size_t)own * k, new, k);
    }
}

/* Every point meets its bucket. lists: u64[n][k]; rows: [n], in the table's order; starts, lengths:
 * [runs]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
lsh_join(__global u64 *restrict lists, __global const f32 *restrict rows,
         __global const u32 *restrict order, __global const u32 *restrict starts,
         __global const u32 *restrict lengths, const u32 runs, const u32 k,
         const u32 n)
{
    const u32 stop = share_end(n);
    u32 at = share_begin(n), run = bisect_run(starts, runs, at);
    while (at < stop) {
        const u32 first = starts[run], last = first + lengths[run];
        const u32 begin = first + (at - first) / LSH_BUCKET_MAX * LSH_BUCKET_MAX;
        const u32 end = min(begin + LSH_BUCKET_MAX, last);
        for (const u32 until = min(end, stop); at < until; at += min(until - at, (u32)LANES))
            join_group(lists, rows, order, at, min(until - at, (u32)LANES), begin, end, k);
        run += at == last;
    }
}
