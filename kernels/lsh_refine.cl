/* Neighbours of neighbours: a point's neighbours' neighbours are offered to its list (the forward
 * half of NN-descent: Dong, Charikar & Li 2011), which lifts recall more cheaply than more hash
 * tables; and what lists come to in the end.
 *
 * Points are taken in the order of a table, so that those that follow each other share most of
 * what they read. Lists are read from the pass before, so results do not depend on the order.
 *
 * Launch: any number of work-items, a stretch of points each (share.h).
 * Traffic: k lists and up to k LSH_OFFERED rows a point.
 * -D ROW, DOF, EMBEDDED_…: of embedding.h. -D LISTED: entries of a list, k or more.
 *
 * check: -DROW=4 -DDOF=3 -DLISTED=11
 * check: -DROW=4 -DDOF=4 -DEMBEDDED_TURNS=2 -DLISTED=11 -DEMBEDDED_WEIGHTS=1,2
 * check: -DROW=16 -DDOF=12 -DEMBEDDED_ORIENTATIONS=1 -DLISTED=11 -DEMBEDDED_WEIGHTS=1
 */
#include "embedding.h"
#include "lsh_types.h"
#include "share.h"

#if !defined(LISTED) || LISTED < 1
#error "LISTED must be k at least"
#endif

/* Points seen, by the low bits of their index; one that is lost is only looked at again. */
#define SEEN 512
/* Candidates that are compared together. */
#define BATCH 16

/* The key of a point at a squared distance. */
static inline u64 key_of(f32 squared, u32 index)
{
    return (u64)(as_uint(squared) & ~LSH_PLACE_MASK) << 32 | index;
}

/* Puts a key into a sorted list of k, unless it is there or too late. */
static inline void key_insert(u64 *list, u32 k, u64 key)
{
    u32 at = k;
    while (at > 0 && key < list[at - 1])
        at--;
    if (at == k || (at > 0 && list[at - 1] == key))
        return;
    for (u32 i = k - 1; i > at; i--)
        list[i] = list[i - 1];
    list[at] = key;
}

/* Offers points to a list. */
static inline void offer(u64 *list, u32 k, const f32 *query, __global const f32 *points,
                         const u32 *candidates, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        __global const f32 *point = points + (size_t)candidates[i] * ROW;
        f32 squared;
        EMBEDDING_SQUARED(f32, squared, query[c], point[c], EMBEDDING_ONE);
        const u64 key = key_of(squared, candidates[i]);
        if (key < list[k - 1])
            key_insert(list, k, key);
    }
}

/* Offers the neighbours of those in a list of k to it. own: not to be offered, or NONE_U32; lists:
 * u64[points][listed]. */
static inline void offer_near(u64 *list, u32 k, const f32 *query, u32 own,
                              __global const f32 *points, __global const u64 *lists, u32 listed)
{
    const u32 offered = min(listed, (u32)LSH_OFFERED);
    u32 seen[SEEN], candidates[BATCH + LSH_OFFERED], near[LISTED], count = 0;

    for (u32 s = 0; s < SEEN; s++)
        seen[s] = NONE_U32;
    seen[own % SEEN] = own;
    for (u32 a = 0; a < k; a++) {
        near[a] = (u32)list[a];
        seen[near[a] % SEEN] = near[a];
    }
    for (u32 a = 0; a < k && near[a] != NONE_U32; a++) {
        // what is new is kept, without a branch
        for (u32 b = 0; b < offered; b++) {
            const u32 other = (u32)lists[(size_t)near[a] * listed + b];
            candidates[count] = other;
            count += (other != NONE_U32) & (other != own) & (seen[other % SEEN] != other);
            seen[other % SEEN] = other;
        }
        if (count >= BATCH) {
            offer(list, k, query, points, candidates, count);
            count = 0;
        }
    }
    offer(list, k, query, points, candidates, count);
}

/* Writes a list of k by exact distance and index. A point counts where its squared distance is
 * below `bound`. */
static inline void settle(__global u32 *indices, __global f32 *distances, const u64 *list, u32 k,
                          __global const f32 *query, __global const f32 *points, f32 bound)
{
    f32 near[LISTED];
    u32 who[LISTED], count = 0;

    for (u32 i = 0; i < k && (u32)list[i] != NONE_U32; i++) {
        const u32 id = (u32)list[i];
        const f32 squared = embedding_squared_rows(query, points + (size_t)id * ROW);
        if (!(squared < bound))
            continue;
        u32 at = count++;
        for (; at > 0 && (near[at - 1] > squared || (near[at - 1] == squared && who[at - 1] > id));
             at--) {
            near[at] = near[at - 1];
            who[at] = who[at - 1];
        }
        near[at] = squared;
        who[at] = id;
    }
    for (u32 i = 0; i < k; i++) {
        indices[i] = i < count ? who[i] : NONE_U32;
        distances[i] = i < count ? sqrt(near[i]) : INFINITY;
    }
}

/* One pass over the points' own lists. out, in: u64[n][k], not the same; order: [n], a table's. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
lsh_refine(__global u64 *restrict out, __global const u64 *restrict in,
           __global const f32 *restrict points, __global const u32 *restrict order,
           const u32 k, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        const u32 own = order[i];
        u64 list[LISTED];
        f32 query[DOF];
        for (u32 c = 0; c < DOF; c++)
            query[c] = points[(size_t)own * ROW + c];
        for (u32 a = 0; a < k; a++)
            list[a] = in[(size_t)own * k + a];
        offer_near(list, k, query, own, points, in, k);
        for (u32 a = 0; a < k; a++)
            out[(size_t)own * k + a] = list[a];
    }
}

/* A pass over the lists of n foreign rows, in place. indices, distances: [n][k], metric; lists:
 * u64[points][listed], of the points; a point counts where its squared distance is below `bound`.
 */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
lsh_refine_foreign(__global u32 *restrict indices, __global f32 *restrict distances,
                   __global const f32 *restrict queries,
                   __global const u64 *restrict lists,
                   __global const f32 *restrict points, const f32 bound, const u32 k,
                   const u32 listed, const u32 n)
{
    for (u32 q = share_begin(n), end = share_end(n); q < end; q++) {
        __global const f32 *row = queries + (size_t)q * ROW;
        const size_t first = (size_t)q * k;
        u64 list[LISTED];
        f32 query[DOF];
        for (u32 c = 0; c < DOF; c++)
            query[c] = row[c];
        for (u32 i = 0; i < k; i++)
            list[i] = LSH_KEY_EMPTY;
        for (u32 i = 0; i < k && indices[first + i] != NONE_U32; i++) {
            const u32 id = indices[first + i];
            key_insert(list, k, key_of(embedding_squared_rows(row, points + (size_t)id * ROW), id));
        }
        offer_near(list, k, query, NONE_U32, points, lists, listed);
        settle(indices + first, distances + first, list, k, row, points, bound);
    }
}

/* Of n sampled points q * stride: how many of the first k are as near as reach[q], metric. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
lsh_hits(__global u32 *restrict hits, __global const u64 *restrict lists,
         __global const f32 *restrict reach, const u32 stride, const u32 k,
         const u32 n)
{
    for (u32 q = share_begin(n), end = share_end(n); q < end; q++) {
        u32 count = 0;
        for (u32 i = 0; i < k; i++)
            count += sqrt(as_float((u32)(lists[(size_t)q * stride * k + i] >> 32))) <= reach[q];
        hits[q] = count;
    }
}

/* The lists of points first … first + n - 1. indices, distances: [n][k], metric; a point counts
 * where its squared distance is below `bound`. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
lsh_settle(__global u32 *restrict indices, __global f32 *restrict distances,
           __global const u64 *restrict lists, __global const f32 *restrict points,
           const f32 bound, const u32 first, const u32 k, const u32 n)
{
    for (u32 q = share_begin(n), end = share_end(n); q < end; q++) {
        u64 list[LISTED];
        for (u32 i = 0; i < k; i++)
            list[i] = lists[(size_t)(first + q) * k + i];
        settle(indices + (size_t)q * k, distances + (size_t)q * k, list, k,
               points + (size_t)(first + q) * ROW, points, bound);
    }
}
