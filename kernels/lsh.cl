/* Locality-sensitive hashing for nearest neighbours (E2LSH of Datar, Immorlica, Indyk & Mirrokni
 * 2004; on parallel machines Pan & Manocha 2011).
 *
 * A table's key of x is Σ rᵢ hᵢ(x) mod 2^32 with hᵢ(x) = floor((aᵢ·x + bᵢ) / W). Points with equal
 * keys are a run of the sorted order: a bucket. Every query offers its bucket's members to its
 * slice of the table of candidates and keeps the k nearest a table. A bucket of more than
 * BUCKET_MAX is cut into chunks of so many in sorted order, so a crowded one cannot cost the square
 * of its size.
 *
 * Launch: any number of work-items, a stretch of queries each (share.h).
 * Traffic: a row a bucket member a query.
 * -D ROW, DOF: of metric.h. -D BUCKET_MAX=n: members looked at.
 *
 * check: -DROW=4 -DDOF=3 -DBUCKET_MAX=256
 */
#include "metric.h"
#include "share.h"

#if !defined(BUCKET_MAX) || BUCKET_MAX < 1
#error "BUCKET_MAX must be the members of a bucket that are looked at"
#endif

/* keys[i] of row i. projections: [m][DOF + 1], aᵢ / W and bᵢ / W; factors: [m] the rᵢ. */
__kernel void lsh_keys(__global u32 *restrict keys, __global const f32 *restrict rows,
                       __global const f32 *restrict projections,
                       __global const u32 *restrict factors, const u32 m, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        u32 key = 0;
        for (u32 h = 0; h < m; h++) {
            __global const f32 *a = projections + h * (DOF + 1);
            f32 sum = a[DOF];
            for (u32 c = 0; c < DOF; c++)
                sum += a[c] * rows[(size_t)i * ROW + c];
            key += factors[h] * (u32)convert_int_sat(floor(sum));
        }
        keys[i] = key;
    }
}

/* out[i] = i. */
__kernel void lsh_iota(__global u32 *restrict out, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++)
        out[i] = i;
}

/* The bucket of run `run`, or its chunk that holds place `at`: [*begin, *end) of the sorted order.
 */
static inline void bucket_of(__global const u32 *starts, __global const u32 *lengths, u32 run,
                             u32 at, u32 *begin, u32 *end)
{
    const u32 first = starts[run], last = first + lengths[run];
    *begin = first + (at - first) / BUCKET_MAX * BUCKET_MAX;
    *end = min(*begin + BUCKET_MAX, last);
}

/* Keeps the k nearest members of a bucket in list[0 … k-1], by (distance, index). */
static inline void offer_bucket(__global f32 *distances, __global u32 *indices, u32 k, f32 bound,
                                __global const f32 *query, u32 own, __global const f32 *points,
                                __global const u32 *order, u32 begin, u32 end)
{
    for (u32 i = 0; i < k; i++) {
        distances[i] = INFINITY;
        indices[i] = NONE_U32;
    }
    for (u32 m = begin; m < end; m++) {
        const u32 j = order[m];
        __global const f32 *point = points + (size_t)j * ROW;
        f32 squared = 0.0f;
        for (u32 c = 0; c < DOF; c++)
            squared += (query[c] - point[c]) * (query[c] - point[c]);
        if (j == own || !(squared < bound) || !(squared < distances[k - 1]))
            continue;
        u32 at = k - 1;
        while (at > 0 && distances[at - 1] > squared) {
            distances[at] = distances[at - 1];
            indices[at] = indices[at - 1];
            at--;
        }
        distances[at] = squared;
        indices[at] = j;
    }
}

/* The self-join over one table: point first + q offers the members of its own bucket to its slice
 * `table` of the candidates. distances, indices: [n][tables][k], squared; places: [points] place of
 * each point in `order`; starts, lengths: [runs]. */
__kernel void
lsh_offer_self(__global f32 *restrict distances, __global u32 *restrict indices,
               __global const f32 *restrict points, __global const u32 *restrict order,
               __global const u32 *restrict places, __global const u32 *restrict starts,
               __global const u32 *restrict lengths, const u32 runs, const u32 table,
               const u32 tables, const u32 k, const f32 bound, const u32 first, const u32 n)
{
    for (u32 q = share_begin(n), stop = share_end(n); q < stop; q++) {
        const u32 own = first + q, at = places[own];

        // the last run that starts at or before the place
        u32 low = 0, high = runs;
        while (high - low > 1) {
            const u32 middle = low + (high - low) / 2;
            if (starts[middle] <= at)
                low = middle;
            else
                high = middle;
        }
        u32 begin, end;
        bucket_of(starts, lengths, low, at, &begin, &end);
        const size_t slice = ((size_t)q * tables + table) * k;
        offer_bucket(distances + slice, indices + slice, k, bound, points + (size_t)own * ROW, own,
                     points, order, begin, end);
    }
}

/* The same for foreign rows, whose run came from the hash table (NONE_U32: an empty bucket). */
__kernel void
lsh_offer_foreign(__global f32 *restrict distances, __global u32 *restrict indices,
                  __global const f32 *restrict points, __global const u32 *restrict order,
                  __global const u32 *restrict run_of, __global const u32 *restrict starts,
                  __global const u32 *restrict lengths, __global const f32 *restrict queries,
                  const u32 table, const u32 tables, const u32 k, const f32 bound, const u32 n)
{
    for (u32 q = share_begin(n), stop = share_end(n); q < stop; q++) {
        u32 begin = 0, end = 0;
        if (run_of[q] != NONE_U32)
            bucket_of(starts, lengths, run_of[q], starts[run_of[q]], &begin, &end);
        const size_t slice = ((size_t)q * tables + table) * k;
        offer_bucket(distances + slice, indices + slice, k, bound, queries + (size_t)q * ROW,
                     NONE_U32, points, order, begin, end);
    }
}

/* flags[…] = 1 for the first of equal indices in each of n sorted segments of candidates. */
__kernel void lsh_flag_distinct(__global u32 *restrict flags, __global const u32 *restrict indices,
                                const u32 segment, const u32 n)
{
    for (u32 s = share_begin(n), end = share_end(n); s < end; s++) {
        u32 before = NONE_U32;
        for (size_t i = (size_t)s * segment; i < (size_t)(s + 1) * segment; i++) {
            flags[i] = indices[i] != before && indices[i] != NONE_U32 ? 1 : 0;
            before = indices[i];
        }
    }
}

/* Past its first counts[s] entries each of n segments holds nothing. */
__kernel void lsh_clear_rest(__global f32 *restrict distances, __global u32 *restrict indices,
                             __global const u32 *restrict counts, const u32 segment, const u32 n)
{
    for (u32 s = share_begin(n), end = share_end(n); s < end; s++) {
        for (u32 i = counts[s]; i < segment; i++) {
            distances[(size_t)s * segment + i] = INFINITY;
            indices[(size_t)s * segment + i] = NONE_U32;
        }
    }
}

/* The first k of each of n segments, to the lists. indices, distances: [n][k]; distances metric. */
__kernel void lsh_cut(__global u32 *restrict indices, __global f32 *restrict distances,
                      __global const u32 *restrict sorted_indices,
                      __global const f32 *restrict sorted_distances, const u32 segment, const u32 k,
                      const u32 n)
{
    for (u32 s = share_begin(n), end = share_end(n); s < end; s++) {
        for (u32 i = 0; i < k; i++) {
            indices[(size_t)s * k + i] = sorted_indices[(size_t)s * segment + i];
            distances[(size_t)s * k + i] = sqrt(sorted_distances[(size_t)s * segment + i]);
        }
    }
}
