/* Clearance of points and segments in a grid of terrain cells.
 *
 * Cells are closed squares; those of another class than the start's cell, blocked ones and all
 * outside are obstacles. A cell is an obstacle of an edge when it is nearer than a stated reach, by
 * the exact distance of segment and square. Columns are walked one by one, so a segment costs the
 * cells along it and no more.
 *
 * In cells of a grid without yaw and of resolution 1 coordinates are exact, and the world's margin
 * covers the rest; otherwise GRID_ROUNDING is added.
 */
#ifndef KERNELS_GRID_H
#define KERNELS_GRID_H

#include "geometry.h"
#include "language.h"
#include "types.h"

/* Rounding of a coordinate in cells, as a share of the grid's size in cells: four roundings of
 * 2^-24. */
#define GRID_ROUNDING 2.4e-7f
/* What a bound keeps for the rounding of its own arithmetic, as a share. */
#define GRID_SHARE 0.999999f
/* Half a cell, and a box without end in z. */
#define CELL_HALF 0.5f
/* How far, in cells, a point's clearance is looked for. */
#define GRID_WINDOW_MAX 64

/* The class of cell (i, j); outside all is blocked. */
static inline u32 grid_class(GLOBAL const struct grid *grid, GLOBAL const unsigned char *cells,
                             i32 i, i32 j)
{
    if (i < 0 || j < 0 || i >= (i32)grid->width || j >= (i32)grid->height)
        return TERRAIN_BLOCKED;
    return cells[(u64)grid->first + (u64)j * grid->width + (u32)i];
}

/* A point of the local frame in cells: x to the right and y up from the lower-left corner. */
static inline struct vec3 grid_own(GLOBAL const struct grid *grid, struct vec3 p)
{
    const f32 x = p.x - grid->origin[0], y = p.y - grid->origin[1];
    return vec3_make((grid->cosine * x + grid->sine * y) / grid->resolution,
                     (grid->cosine * y - grid->sine * x) / grid->resolution, 0.0f);
}

/* Rounding of coordinates in cells that the world's margin does not cover. */
static inline f32 grid_slack(GLOBAL const struct grid *grid)
{
    if (grid->resolution == 1.0f && grid->sine == 0.0f)
        return 0.0f;
    return GRID_ROUNDING * (f32)(grid->width + grid->height);
}

/* Least distance in cells of the segment a b (in cells) to the closed square of cell (i, j). */
static inline f32 segment_cell_distance(struct vec3 a, struct vec3 b, i32 i, i32 j)
{
    const struct vec3 centre = vec3_make((f32)i + CELL_HALF, (f32)j + CELL_HALF, 0.0f);
    return segment_box_distance(vec3_sub(a, centre), vec3_sub(b, centre),
                                vec3_make(CELL_HALF, CELL_HALF, GEOMETRY_INFINITY));
}

/* Whether some cell of column i that is not of class `kind` is within `reach` cells of the segment
 * a b. */
static inline int column_hits(GLOBAL const struct grid *grid, GLOBAL const unsigned char *cells,
                              struct vec3 a, struct vec3 b, i32 i, f32 reach, u32 kind)
{
    // the segment's stretch beside the column, grown by the reach
    f32 y0 = a.y, y1 = b.y;
    const f32 dx = b.x - a.x;
    if (dx != 0.0f) {
        const f32 s = f32_clamp(((f32)i - reach - a.x) / dx, 0.0f, 1.0f);
        const f32 t = f32_clamp(((f32)i + 1.0f + reach - a.x) / dx, 0.0f, 1.0f);
        y0 = a.y + s * (b.y - a.y);
        y1 = a.y + t * (b.y - a.y);
    }
    const i32 low = (i32)f32_floor(f32_min(y0, y1) - reach);
    const i32 high = (i32)f32_floor(f32_max(y0, y1) + reach);

    for (i32 j = low; j <= high; j++) {
        if (grid_class(grid, cells, i, j) != kind && segment_cell_distance(a, b, i, j) <= reach)
            return 1;
    }
    return 0;
}

/* Whether the segment a b of the local frame keeps more than `reach` metres from every obstacle
 * cell. */
static inline int grid_segment_is_clear(GLOBAL const struct grid *grid,
                                        GLOBAL const unsigned char *cells, struct vec3 a,
                                        struct vec3 b, f32 reach)
{
    const struct vec3 p = grid_own(grid, a), q = grid_own(grid, b);
    const u32 kind = grid_class(grid, cells, (i32)f32_floor(p.x), (i32)f32_floor(p.y));
    if (kind == TERRAIN_BLOCKED)
        return 0;

    const f32 cells_reach = reach / grid->resolution + grid_slack(grid);
    const i32 left = (i32)f32_floor(f32_min(p.x, q.x) - cells_reach);
    const i32 right = (i32)f32_floor(f32_max(p.x, q.x) + cells_reach);
    for (i32 i = left; i <= right; i++) {
        if (column_hits(grid, cells, p, q, i, cells_reach, kind))
            return 0;
    }
    return 1;
}

/* The squared distance, in cells, kept at the centre of cell (i, j) for class `kind`; that of
 * another class is itself an obstacle. */
static inline f32 grid_value(GLOBAL const struct grid *grid, GLOBAL const unsigned char *cells,
                             GLOBAL const f32 *values, i32 i, i32 j, u32 kind)
{
    if (grid_class(grid, cells, i, j) != kind)
        return 0.0f;
    return values[(u64)grid->values + (u64)j * grid->width + (u32)i];
}

/* Whether a point of the local frame keeps more than `reach` metres from every obstacle cell. Most
 * are told by the squared distances kept at cells' centres (values: f32[], those of all grids and
 * fields): by the nearest centre, then between four (field.h has the bound); the rest cell by cell.
 */
static inline int grid_point_is_clear(GLOBAL const struct grid *grid,
                                      GLOBAL const unsigned char *cells, GLOBAL const f32 *values,
                                      struct vec3 point, f32 reach)
{
    const struct vec3 p = grid_own(grid, point);
    const i32 column = (i32)f32_floor(p.x), row = (i32)f32_floor(p.y);
    const u32 kind = grid_class(grid, cells, column, row);
    if (kind == TERRAIN_BLOCKED)
        return 0;
    if (grid->values == NONE_U32)
        return grid_segment_is_clear(grid, cells, point, point, reach);

    const f32 least = reach / grid->resolution + grid_slack(grid);
    const f32 nearest = f32_sqrt(grid_value(grid, cells, values, column, row, kind));
    const f32 away =
        vec3_length(vec3_make(p.x - ((f32)column + CELL_HALF), p.y - ((f32)row + CELL_HALF), 0.0f));
    if (GRID_SHARE * nearest - away > least)
        return 1;
    if (nearest + away <= GRID_SHARE * least)
        return 0;

    const i32 i = (i32)f32_floor(p.x - CELL_HALF), j = (i32)f32_floor(p.y - CELL_HALF);
    const f32 u = p.x - CELL_HALF - (f32)i, v = p.y - CELL_HALF - (f32)j;
    const f32 low = (1.0f - u) * grid_value(grid, cells, values, i, j, kind) +
                    u * grid_value(grid, cells, values, i + 1, j, kind);
    const f32 high = (1.0f - u) * grid_value(grid, cells, values, i, j + 1, kind) +
                     u * grid_value(grid, cells, values, i + 1, j + 1, kind);
    const f32 bent = u * (1.0f - u) + v * (1.0f - v);
    if (GRID_SHARE * ((1.0f - v) * low + v * high) - bent > least * least)
        return 1;
    return grid_segment_is_clear(grid, cells, point, point, reach);
}

/* Signed distance in metres of a point to the nearest cell of another sort: to an obstacle cell
 * from a free one; from a blocked cell minus the way to the nearest free one. Looked for within
 * `window` cells; beyond, the window's own size. */
static inline f32 grid_point_distance(GLOBAL const struct grid *grid,
                                      GLOBAL const unsigned char *cells, struct vec3 point,
                                      i32 window)
{
    const struct vec3 p = grid_own(grid, point);
    const i32 column = (i32)f32_floor(p.x), row = (i32)f32_floor(p.y);
    const u32 kind = grid_class(grid, cells, column, row);
    f32 least = (f32)window;

    for (i32 j = row - window; j <= row + window; j++) {
        for (i32 i = column - window; i <= column + window; i++) {
            if (grid_class(grid, cells, i, j) != kind)
                least = f32_min(least, segment_cell_distance(p, p, i, j));
        }
    }
    return (kind == TERRAIN_BLOCKED ? -least : least) * grid->resolution;
}

#endif
