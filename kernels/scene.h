/* A scene on the device: a robot among obstacles, all that a check needs to know.
 *
 * A kernel that checks motions takes SCENE_PARAMETERS at the end of its parameter list and opens
 * with
 *
 *     const struct scene scene = SCENE_FROM_PARAMETERS;
 *     … edge_is_free(&scene, a, b) …                      (edges.h)
 *
 * The host passes SCENE_ARGS(&scene) in the same place and builds with prm_scene_options()
 * (roadmap/scene_arguments.h).
 */
#ifndef KERNELS_SCENE_H
#define KERNELS_SCENE_H

#include "language.h"
#include "types.h"

struct scene {
    GLOBAL const struct shape *shapes; /* the last grid_count of them are grids */
    GLOBAL const struct segment2 *polygons;
    GLOBAL const struct grid *grids;
    GLOBAL const unsigned char *cells;
    GLOBAL const u32 *tile_offsets;
    GLOBAL const u32 *tile_members;
    GLOBAL const struct tile_grid *tiles;
    u32 shape_count, grid_count;
    f32 radius; /* of the robot's body, 0 for a point */
    f32 margin; /* a clearance must exceed it */
    f32 step;   /* sampled checks: metric distance between samples */
};

#define SCENE_PARAMETERS                                                                           \
    GLOBAL const struct shape *restrict scene_shapes,                                              \
        GLOBAL const struct segment2 *restrict scene_polygons,                                     \
        GLOBAL const struct grid *restrict scene_grids,                                            \
        GLOBAL const unsigned char *restrict scene_cells,                                          \
        GLOBAL const u32 *restrict scene_tile_offsets,                                             \
        GLOBAL const u32 *restrict scene_tile_members,                                             \
        GLOBAL const struct tile_grid *restrict scene_tiles, const u32 scene_shape_count,          \
        const u32 scene_grid_count, const f32 scene_radius, const f32 scene_margin,                \
        const f32 scene_step

#define SCENE_FROM_PARAMETERS                                                                      \
    {                                                                                              \
        scene_shapes, scene_polygons, scene_grids, scene_cells, scene_tile_offsets,                \
            scene_tile_members, scene_tiles, scene_shape_count, scene_grid_count, scene_radius,    \
            scene_margin, scene_step                                                               \
    }

#endif
