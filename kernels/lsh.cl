/* Locality-sensitive hashing for nearest neighbours (E2LSH of Datar, Immorlica, Indyk & Mirrokni
 * 2004; on parallel machines Pan & Manocha 2011): keys, and the buckets that foreign rows look at.
 *
 * A table's key of x is Σ rᵢ hᵢ(x) mod 2^32 with hᵢ(x) = floor((aᵢ·x + bᵢ) / W). Points with equal
 * keys are a run of the sorted order: a bucket. A foreign query looks at the bucket it falls into
 * and keeps the k nearest of a table in its slice of the table of candidates, which multiple sort
 * and compaction turn into lists.
 *
 * Launch: any number of work-items, a stretch of rows or queries each (share.h).
 * Traffic: a row a bucket member a query.
 * -D ROW, DOF, EMBEDDED_…: of embedding.h.
 *
 * check: -DROW=4 -DDOF=3
 * check: -DROW=16 -DDOF=12
 * check: -DROW=4 -DDOF=4 -DEMBEDDED_TURNS=2 -DEMBEDDED_WEIGHTS=1,2
 */
#include "embedding.h"
#include "lsh_types.h"
#include "nearest_list.h"
#include "share.h"

/* Floors are below it, so that they are 32-bit numbers. */
#define CELL_END 2147483520.0f

/* keys[i] of row i. projections: [DOF + 1][LSH_PROJECTIONS], aᵢ / W and last bᵢ / W; factors:
 * [LSH_PROJECTIONS] the rᵢ; both 0 past the last. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
lsh_keys(__global u32 *restrict keys, __global const f32 *restrict rows,
         __global const f32 *restrict projections,
         __global const u32 *restrict factors, const u32 n)
{
    const uint8 factor = vload8(0, factors);

    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        float8 sum = vload8(DOF, projections);
        for (u32 c = 0; c < DOF; c++)
            sum += vload8(c, projections) * rows[(size_t)i * ROW + c];
        const int8 cell = convert_int8(clamp(floor(sum), (float8)(-CELL_END), (float8)(CELL_END)));
        u32 parts[LSH_PROJECTIONS], key = 0;
        vstore8(as_uint8(cell) * factor, 0, parts);
        for (u32 h = 0; h < LSH_PROJECTIONS; h++)
            key += parts[h];
        keys[i] = key;
    }
}

/* Foreign rows and one table: query q offers the members of its run (run_of[q], from the hash
 * table; NONE_U32: an empty bucket), its first chunk, to its slice `table` of the candidates.
 * distances, indices: [n][tables][k], squared; order: [points] by key; starts, lengths: [runs]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
lsh_offer_foreign(__global f32 *restrict distances, __global u32 *restrict indices,
                  __global const f32 *restrict points, __global const u32 *restrict order,
                  __global const u32 *restrict run_of, __global const u32 *restrict starts,
                  __global const u32 *restrict lengths, __global const f32 *restrict queries,
                  const u32 table, const u32 tables, const u32 k, const f32 bound, const u32 n)
{
    for (u32 q = share_begin(n), stop = share_end(n); q < stop; q++) {
        const size_t slice = ((size_t)q * tables + table) * k;
        for (u32 i = 0; i < k; i++) {
            distances[slice + i] = INFINITY;
            indices[slice + i] = NONE_U32;
        }
        if (run_of[q] == NONE_U32)
            continue;
        const u32 begin = starts[run_of[q]];
        const u32 end = begin + min(lengths[run_of[q]], (u32)LSH_BUCKET_MAX);
        f32 limit = bound;
        for (u32 m = begin; m < end; m++) {
            const u32 j = order[m];
            const f32 squared =
                embedding_squared_rows(queries + (size_t)q * ROW, points + (size_t)j * ROW);
            if (squared < limit)
                limit = list_insert(distances + slice, indices + slice, k, squared, j, limit);
        }
    }
}

/* flags[…] = 1 for the first of equal indices in each of n sorted segments of candidates. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
lsh_flag_distinct(__global u32 *restrict flags, __global const u32 *restrict indices,
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
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
lsh_clear_rest(__global f32 *restrict distances, __global u32 *restrict indices,
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
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
lsh_cut(__global u32 *restrict indices, __global f32 *restrict distances,
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
