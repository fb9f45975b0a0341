/* Layouts that cross the bus: one definition for host and device, sizes asserted on both.
 *
 * Coordinates are float32 in the local frame, whose origin is the world's own centre. A
 * configuration is a row of ROW floats (2, 4, 8, 16 or 32: the least that holds the degrees of
 * freedom), zeros in the pad.
 */
#ifndef KERNELS_TYPES_H
#define KERNELS_TYPES_H

#include "language.h"

/* Convex and other solids; a 2D world is the plane z = 0, where a circle is a sphere and a
 * rectangle a box without end in z. A capsule or cylinder lies along its own z, a triangle in its
 * own plane z = 0, its longest side along x about the centre. */
enum shape_kind {
    SHAPE_SPHERE = 0,
    SHAPE_BOX,
    SHAPE_CYLINDER,
    SHAPE_CAPSULE,
    SHAPE_POLYGON,
    SHAPE_TRIANGLE,
    SHAPE_GRID,
    SHAPE_FIELD
};

/* One obstacle, or one part of an obstacle of many. `padding` has been added to nothing: clearances
 * subtract it. It includes what was lost when the obstacle was rounded to float32. In a table of
 * shapes those of kind SHAPE_GRID come after the solids, and those of kind SHAPE_FIELD last. */
struct shape {
    f32 center[3];
    f32 radius;       /* sphere, cylinder, capsule; triangle: of the ball about the centre */
    f32 half_size[3]; /* box; cylinder, capsule: half_size[2] is half the length of the straight
                         part; triangle: half its longest side, x and y > 0 of the third corner */
    f32 padding;
    f32 rotation[9]; /* rows; own frame -> local frame */
    u32 kind;        /* enum shape_kind */
    u32 first;       /* polygon: first of its edges; grid, field: its index in its table */
    u32 count;       /* polygon: number of edges */
    u32 obstacle;    /* index in the world's list of obstacles */
    f32 rounding; /* error of a computed distance, as a share of the coordinates in the own frame */
    f32 around;   /* the shape is within so much of its centre; may be infinite */
    u32 pad;
};

/* An edge of a polygon, from (x0, y0) to (x1, y1), counter-clockwise. */
struct segment2 {
    f32 x0, y0, x1, y1;
};

/* A grid world: cell (i, j) counts from the lower left in the grid's own frame; outside all is
 * blocked. */
struct grid {
    f32 origin[2];    /* of the lower-left corner, local frame */
    f32 cosine, sine; /* of the grid's yaw */
    f32 resolution;   /* edge of a cell */
    u32 width, height;
    u32 first;  /* its first cell in the array of terrain classes, row 0 lowest */
    u32 values; /* its first squared distance in the array of them; NONE_U32: it has none */
};

/* Terrain classes of cells. A state and an edge stay within one class; blocked cells and cells of
 * another class are obstacles, closed. */
enum terrain { TERRAIN_BLOCKED = 0, TERRAIN_GROUND, TERRAIN_WATER, TERRAIN_TREES };

/* Voxels that an obstacle takes up: closed cubes of one edge in the obstacle's own frame, and
 * around each the squared distances of the cubes' centres to the nearest one taken, in edges, 0 in
 * those. The voxels at the border are free. */
struct field {
    f32 center[3]; /* middle of the array, local frame */
    f32 edge;
    f32 rotation[9]; /* rows; own frame -> local frame */
    f32 rounding;    /* error of a coordinate, as a share of it and of the array's size */
    u32 size[3];     /* voxels along x, y and z, x fastest */
    u32 first;       /* its first value in the array of squared distances */
};

/* The broad phase: obstacles binned into the tiles of a uniform grid (primitives/bin.h). */
struct tile_grid {
    f32 origin[3];
    f32 inverse_edge;
    u32 size[3];
    u32 pad;
};

/* An arc of a graph: its target and integer weight. */
struct arc {
    u32 target, weight;
};

/* One query of a batch: indices into the endpoint arrays. */
struct query {
    u32 start;      /* endpoint of the start */
    u32 goal_first; /* endpoints goal_first … goal_first + goal_count - 1 */
    u32 goal_count;
    u32 skip; /* not 0: answered already (a bad state, no common component) */
};

#ifndef __OPENCL_VERSION__
_Static_assert(sizeof(struct shape) == 96, "struct shape crosses the bus");
_Static_assert(sizeof(struct segment2) == 16, "struct segment2 crosses the bus");
_Static_assert(sizeof(struct arc) == 8, "struct arc crosses the bus");
_Static_assert(sizeof(struct grid) == 36, "struct grid crosses the bus");
_Static_assert(sizeof(struct field) == 72, "struct field crosses the bus");
_Static_assert(sizeof(struct tile_grid) == 32, "struct tile_grid crosses the bus");
_Static_assert(sizeof(struct query) == 16, "struct query crosses the bus");
#endif

#endif
