/* Exact nearest neighbours by brute force: LANES queries share one pass over all points, a query a
 * vector lane on a CPU, a query a work-item on a GPU (LANES 1; a warp's items read the same point
 * together).
 *
 * A query's list is its row of the output, sorted by (distance, index). A point enters only where
 * it is nearer than the last of the list, which after a while is rare, so the pass is a
 * subtraction, a multiplication and an addition a coordinate, and one comparison; angles are worked
 * out only where the chord is short enough (embedding.h).
 *
 * Launch: any number of work-items, a stretch of groups of LANES queries each (share.h).
 * Traffic: the points twice a group of LANES queries.
 * -D ROW, DOF, EMBEDDED_…: of embedding.h. -D LANES=1|4|8|16.
 *
 * check: -DROW=2 -DDOF=2 -DLANES=16
 * check: -DROW=4 -DDOF=3 -DLANES=1
 * check: -DROW=8 -DDOF=6 -DEMBEDDED_TURNS=2 -DLANES=16 -DEMBEDDED_WEIGHTS=1,2
 * check: -DROW=16 -DDOF=12 -DEMBEDDED_ORIENTATIONS=1 -DLANES=1 -DEMBEDDED_WEIGHTS=1
 */
#include "embedding.h"
#include "nearest_list.h"
#include "share.h"

#if !defined(LANES) || (LANES != 1 && LANES != 4 && LANES != 8 && LANES != 16)
#error "LANES must be 1, 4, 8 or 16"
#endif

#if LANES == 1
typedef float lanes_t;
#define lanes_any(mask) (mask)
#else
#define LANES_PASTE(a, b) a##b
#define LANES_NAME(a, b) LANES_PASTE(a, b)
typedef LANES_NAME(float, LANES) lanes_t;
/* Whether the mask is set in any lane; of wide vectors by halves, as wide ones by value have no
 * stable calling convention. */
#if LANES == 16
#define lanes_any(mask) any((mask).lo | (mask).hi)
#else
#define lanes_any(mask) any(mask)
#endif
#endif

/* A vector and its elements. */
union lanes {
    lanes_t all;
    f32 each[LANES];
};

/* Blocks of the first pass, and the points a block must have to be worth it. */
#define BLOCKS 64
#define BLOCK_LEAST 16

/* What is asked: query q is row first + q * stride of `rows`; with `among` set the rows are the
 * points themselves, and a point is no neighbour of its own. */
struct asked {
    __global const f32 *rows;
    u32 first, stride, among;
};

/* Squared distances of one point to LANES queries where any is below `limit`, else what is not. (By
 * pointer: wide vectors by value have no stable calling convention.) */
static inline void lanes_squared(union lanes *out, const union lanes *query,
                                 __global const f32 *point, const lanes_t *limit)
{
    lanes_t squared;
    EMBEDDING_SQUARED_WITHIN(lanes_t, squared, query[c].all, point[c], *limit, lanes_any);
    out->all = squared;
}

/* Squared distances that at least `wanted` <= BLOCKS / 2 points do not exceed, for each lane: the
 * wanted-th least of the blocks' minima, kept in a sorted list without branches; where distances
 * are more than chords, so far that none is beyond. */
static inline void lanes_bound(union lanes *out, const union lanes *query,
                               __global const f32 *points, u32 count, u32 wanted)
{
    lanes_t least[BLOCKS / 2];
    for (u32 i = 0; i < wanted; i++)
        least[i] = (lanes_t)(INFINITY);

    for (u32 block = 0; block < BLOCKS; block++) {
        const u32 end = (u32)((ulong)count * (block + 1) / BLOCKS);
        lanes_t nearest = (lanes_t)(INFINITY);
        for (u32 j = (u32)((ulong)count * block / BLOCKS); j < end; j++) {
            lanes_t chord;
            EMBEDDING_CHORD(lanes_t, chord, query[c].all - points[(size_t)j * ROW + c]);
            nearest = f32_min(chord, nearest);
        }
        for (u32 i = wanted - 1; i > 0; i--)
            least[i] = f32_min(least[i], f32_max(least[i - 1], nearest));
        least[0] = f32_min(least[0], nearest);
    }
    out->all = least[wanted - 1] * EMBEDDING_STRETCH;
}

/* The lists of queries q … q + LANES - 1, of n in all. */
static inline void search_group(__global f32 *distances, __global u32 *indices,
                                __global const f32 *points, u32 count, const struct asked *asked,
                                u32 q, u32 n, u32 k, f32 bound)
{
    union lanes query[DOF], bounds, squared;
    u32 own[LANES];

    // lanes past the last query find nothing
    for (u32 lane = 0; lane < LANES; lane++) {
        const u32 row = asked->first + min(q + lane, n - 1) * asked->stride;
        own[lane] = asked->among ? row : NONE_U32;
        bounds.each[lane] = q + lane < n ? bound : -1.0f;
        for (u32 c = 0; c < DOF; c++)
            query[c].each[lane] = asked->rows[(size_t)row * ROW + c];
    }

    // the query itself is one of those that the bound counts; what equals the bound must still
    // enter
    const u32 wanted = k + (asked->among ? 1 : 0);
    if (wanted <= BLOCKS / 2 && count >= BLOCKS * BLOCK_LEAST) {
        lanes_bound(&squared, query, points, count, wanted);
        for (u32 lane = 0; lane < LANES; lane++)
            bounds.each[lane] = fmin(bounds.each[lane], nextafter(squared.each[lane], INFINITY));
    }

    for (u32 j = 0; j < count; j++) {
        lanes_squared(&squared, query, points + (size_t)j * ROW, &bounds.all);
        if (lanes_any(squared.all < bounds.all)) {
            for (u32 lane = 0; lane < LANES; lane++) {
                if (squared.each[lane] < bounds.each[lane] && own[lane] != j) {
                    const size_t list = (size_t)(q + lane) * k;
                    bounds.each[lane] = list_insert(distances + list, indices + list, k,
                                                    squared.each[lane], j, bounds.each[lane]);
                }
            }
        }
    }
}

/* The k nearest of `count` points for n queries. indices: [n][k], NONE_U32 past the last;
 * distances: [n][k], metric, INFINITY past the last. A point counts where its squared distance is
 * below `bound`. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
neighbors_exact(__global u32 *restrict indices, __global f32 *restrict distances,
                __global const f32 *points, const u32 count, __global const f32 *rows,
                const u32 first, const u32 stride, const u32 among, const u32 n,
                const u32 k, const f32 bound)
{
    const struct asked asked = {rows, first, stride, among};
    const u32 groups = (n + LANES - 1) / LANES;

    for (u32 group = share_begin(groups), last = share_end(groups); group < last; group++) {
        const size_t begin = (size_t)group * LANES * k;
        const size_t end = min((size_t)(group + 1) * LANES, (size_t)n) * k;
        for (size_t i = begin; i < end; i++) {
            distances[i] = INFINITY;
            indices[i] = NONE_U32;
        }
        search_group(distances, indices, points, count, &asked, group * LANES, n, k, bound);
        for (size_t i = begin; i < end; i++)
            distances[i] = sqrt(distances[i]);
    }
}

/* Of n sampled points first + q * stride: how many of found[point][0 … k-1] are as near as the true
 * k-th. exact: [n][k] true distances. hits, wanted: [n]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
neighbors_recall(__global u32 *restrict hits, __global u32 *restrict wanted,
                 __global const f32 *restrict exact,
                 __global const u32 *restrict found,
                 __global const f32 *restrict points, const u32 first,
                 const u32 stride, const u32 n, const u32 k)
{
    for (u32 q = share_begin(n), end = share_end(n); q < end; q++) {
        const u32 point = first + q * stride;
        u32 count = 0, hit = 0;
        while (count < k && exact[(size_t)q * k + count] < INFINITY)
            count++;
        const f32 reach = count > 0 ? exact[(size_t)q * k + count - 1] : -1.0f;
        for (u32 i = 0; i < k; i++) {
            const u32 other = found[(size_t)point * k + i];
            if (other != NONE_U32 &&
                sqrt(embedding_squared_rows(points + (size_t)point * ROW,
                                            points + (size_t)other * ROW)) <= reach)
                hit++;
        }
        hits[q] = min(hit, count);
        wanted[q] = count;
    }
}
