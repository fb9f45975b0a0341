/* Rows of numbers of edges from landmarks to all vertices: bit-parallel breadth-first search, a bit a landmark
 * (Then et al. 2014), a launch a level, which writes the level where a bit comes to a vertex.
 *
 * The table is in quanta of 2^shift edges, so that entries fit a byte: when a level would not, the host doubles
 * the quantum and all entries are halved. Rounding down twice is rounding down once.
 *
 * Launch: any number of work-items (share.h), each a stretch of vertices or entries.
 * Traffic of a level: 16 bytes a vertex and word, 8 an arc and word of a vertex that waits.
 * A vertex has words of 64 bits for `landmarks` landmarks: seen, current and next are u64[V][words].
 */
#include "hop_types.h"
#include "share.h"
#include "types.h"

/* The first level: each landmark, vertices[landmark], is at itself. All of seen, current and next are zero
 * and all entries HOP_FAR before. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
hop_rows_seed(__global uchar *rows, __global u64 *seen, __global u64 *current,
              __global const u32 *vertices, u32 landmarks, u32 words)
{
    // one work-item: landmarks may be one vertex
    if (get_global_id(0) > 0)
        return;
    for (u32 l = 0; l < landmarks; l++) {
        const size_t v = vertices[l];
        rows[v * landmarks + l] = 0;
        seen[v * words + l / 64] |= (u64)1 << (l % 64);
        current[v * words + l / 64] |= (u64)1 << (l % 64);
    }
}

/* One level, whose entry is `entry`: next = the landmarks that come to each vertex now. *grown becomes not 0
 * if any does. Of the n vertices from `first` on. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
hop_rows_pull(__global uchar *restrict rows, __global u64 *restrict seen,
              __global u64 *restrict next, __global const u64 *restrict current,
              volatile __global u32 *grown, __global const u32 *restrict offsets,
              __global const struct arc *restrict arcs, u32 landmarks, u32 words,
              u32 entry, u32 first, u32 n)
{
    bool any = false;
    for (u32 v = first + share_begin(n), end = first + share_end(n); v < end; v++) {
        for (u32 word = 0; word < words; word++) {
            const size_t at = (size_t)v * words + word;
            const u32 bits = min(landmarks - 64 * word, 64u);
            const u64 need = ~seen[at] & (~(u64)0 >> (64 - bits));
            u64 found = 0;
            for (u32 i = offsets[v]; need != 0 && i < offsets[v + 1]; i++)
                found |= current[(size_t)arcs[i].target * words + word];
            found &= need;

            next[at] = found;
            seen[at] |= found;
            any |= found != 0;
            __global uchar *row = rows + (size_t)v * landmarks + 64 * word;
            for (u64 rest = found; rest != 0; rest &= rest - 1)
                row[popcount((rest & (~rest + 1)) - 1)] = (uchar)entry;
        }
    }
    if (any)
        atomic_or(grown, 1u);
}

/* The quantum doubles. n: entries. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
hop_rows_halve(__global uchar *restrict rows, u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        if (rows[i] != HOP_FAR)
            rows[i] >>= 1;
    }
}
