/* Sampling: configurations from random numbers or from a lattice, and keeping the free ones in
 * their order.
 *
 * Launch: any number of work-items, a stretch of configurations each (share.h).
 * Traffic: a row or two a configuration.
 * -D ROW, DOF: of metric.h.
 *
 * check: -DROW=2 -DDOF=2
 * check: -DROW=4 -DDOF=3
 */
#include "lattice.h"
#include "metric.h"
#include "sample.h"
#include "share.h"

/* rows[i] = the configuration of numbers[i]. limits: f32[2][ROW]; numbers: f32[n][DOF] in [0, 1).
 */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
sample_uniform(__global f32 *restrict rows, __global const f32 *restrict numbers,
               __global const f32 *restrict limits, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        f32 units[DOF], row[ROW];
        for (u32 c = 0; c < DOF; c++)
            units[c] = numbers[(size_t)i * DOF + c];
        sample_uniform_row(row, units, limits);
        row_store(rows, i, row);
    }
}

/* rows[i] = the centre of lattice cell first + i. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
sample_lattice(__global f32 *restrict rows, const struct lattice lattice,
               const u32 first, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        const struct lattice_offset cell = lattice_cell(&lattice, first + i);
        const f32 x = lattice.spacing * ((f32)cell.x + 0.5f);
        const f32 y = lattice.spacing * ((f32)cell.y + 0.5f);
        const f32 z = lattice.spacing * ((f32)cell.z + 0.5f);
        f32 at[ROW] = {lattice.origin[0] + (lattice.cosine * x - lattice.sine * y),
                       lattice.origin[1] + (lattice.sine * x + lattice.cosine * y)};
#if DOF >= 3
        at[2] = lattice.origin[2] + z;
#else
        (void)z;
#endif
        row_store(rows, i, at);
    }
}

/* flags[i] = 0 where a coordinate of rows[i] is beyond its limits. limits: f32[2][ROW]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
sample_within(__global u32 *restrict flags, __global const f32 *restrict rows,
              __global const f32 *restrict limits, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        u32 within = flags[i];
        for (u32 c = 0; c < DOF; c++) {
            const f32 value = rows[(size_t)i * ROW + c];
            within = within && value >= limits[c] && value <= limits[ROW + c];
        }
        flags[i] = within;
    }
}

/* states[places[first + i]] = rows[kept[i]]. states: f32[][ROW]; rows: the draws. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
sample_keep(__global f32 *restrict states, __global const f32 *restrict rows,
            __global const u32 *restrict kept, __global const u32 *restrict places,
            const u32 first, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        f32 row[ROW];
        row_load(row, rows, kept[i]);
        row_store(states, places[first + i], row);
    }
}

/* The free cells kept[i] become milestones base + i: their states, and which milestone is where:
 * cell_of[milestone] and its inverse. first: the cell of row 0. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
sample_keep_cells(__global f32 *restrict states, __global u32 *restrict cell_of,
                  __global u32 *restrict milestone_at,
                  __global const f32 *restrict rows,
                  __global const u32 *restrict kept, const u32 first, const u32 base,
                  const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        const u32 cell = first + kept[i];
        f32 row[ROW];
        row_load(row, rows, kept[i]);
        row_store(states, base + i, row);
        cell_of[base + i] = cell;
        milestone_at[cell] = base + i;
    }
}

/* A free cell's milestones nearby, by the sorted table of offsets; where that does not reach far
 * enough, by all milestones. indices: [n][k]. `complete`: the table holds all that the radius
 * allows. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
sample_lattice_neighbors(__global u32 *restrict indices,
                         __global const f32 *restrict states,
                         __global const u32 *restrict cell_of,
                         __global const u32 *restrict milestone_at,
                         __global const struct lattice_offset *restrict offsets,
                         const u32 offset_count, const u32 complete,
                         const struct lattice lattice, const u32 milestones,
                         const f32 bound, const u32 k, const u32 first, const u32 n)
{
    for (u32 q = share_begin(n), stop = share_end(n); q < stop; q++) {
        const u32 own = first + q;
        const struct lattice_offset cell = lattice_cell(&lattice, cell_of[own]);
        __global u32 *list = indices + (size_t)q * k;
        u32 found = 0;

        for (u32 o = 0; o < offset_count && found < k; o++) {
            const i32 i = cell.x + offsets[o].x, j = cell.y + offsets[o].y;
            const i32 l = cell.z + offsets[o].z;
            if (i < 0 || j < 0 || l < 0 || i >= (i32)lattice.size[0] || j >= (i32)lattice.size[1] ||
                l >= (i32)lattice.size[2])
                continue;
            const u32 other =
                milestone_at[((u32)l * lattice.size[1] + (u32)j) * lattice.size[0] + (u32)i];
            if (other != NONE_U32)
                list[found++] = other;
        }

        // sparse: the nearest of all, one after another
        f32 last = -1.0f;
        u32 last_index = 0;
        if (found < k && !complete)
            found = 0;
        for (u32 rank = found; rank < k; rank++) {
            f32 least = INFINITY;
            u32 nearest = NONE_U32;
            for (u32 j = 0; j < milestones && !complete; j++) {
                const f32 d =
                    metric_distance_rows(states + (size_t)own * ROW, states + (size_t)j * ROW);
                const bool behind = d > last || (d == last && j > last_index);
                if (j != own && behind && d < least && d * d < bound) {
                    least = d;
                    nearest = j;
                }
            }
            list[rank] = nearest;
            last = nearest == NONE_U32 ? INFINITY : least;
            last_index = nearest;
        }
    }
}
