/* A scene on the device: a robot among obstacles, all that a check needs to know.
 *
 * A kernel that checks motions takes SCENE_PARAMETERS at the end of its parameter list and opens
 * with
 *
 *     const struct scene scene = SCENE_FROM_PARAMETERS;
 *     … edge_is_free(&scene, a, b) …                      (edges.h)
 *
 * The host passes SCENE_ARGS(&scene) in the same place and builds with prm_scene_options()
 * (roadmap/collision/scene_arguments.h).
 */
#ifndef KERNELS_SCENE_H
#define KERNELS_SCENE_H

#include "language.h"
#include "robot_types.h"
#include "types.h"
#include "vicinity_types.h"

struct scene {
    GLOBAL const struct shape *shapes; /* the last grid_count of shape_count are grids, and then
                                          there are field_count fields */
    GLOBAL const struct segment2 *polygons;
    GLOBAL const struct grid *grids;
    GLOBAL const unsigned char *cells;
    GLOBAL const u32 *tile_offsets;
    GLOBAL const u32 *tile_members;
    GLOBAL const struct tile_grid *tiles;
    GLOBAL const struct field *fields;
    GLOBAL const f32 *field_values; /* of fields and grids */
    u32 shape_count, grid_count, field_count;
    f32 radius; /* of the robot's body, 0 for a point */
    f32 margin; /* a clearance must exceed it */
    f32 step;   /* sampled checks: metric distance between samples */
    /* of robots with spheres */
    GLOBAL const struct body *bodies;
    GLOBAL const struct body_link *links;
    GLOBAL const struct body_ball *balls;
    GLOBAL const struct link_pair *pairs;
    GLOBAL const struct body_pair *body_pairs; /* [body_pair_count] */
    GLOBAL const unsigned char *clearances;    /* of all tables of pairs of bodies */
    u32 body_pair_count;
    GLOBAL const f32 *link_reach; /* [links][DOF]: metres a link moves at most per unit of a row */
    GLOBAL const f32 *pair_reach; /* [pairs][DOF]: the same of one link against the other */
    GLOBAL const u32 *allowed;    /* [allowed_count][2]: link and obstacle that may touch */
    u32 allowed_count;
    GLOBAL const struct vicinity *vicinity; /* of robots with spheres */
    u32 has_vicinity, has_clearances;       /* 0: they are not known */
};

/* Whether a link and an obstacle may touch. */
static inline int is_allowed(const struct scene *scene, u32 link, u32 obstacle)
{
    for (u32 i = 0; i < scene->allowed_count; i++) {
        if (scene->allowed[2 * i] == link && scene->allowed[2 * i + 1] == obstacle)
            return 1;
    }
    return 0;
}

#define SCENE_PARAMETERS                                                                           \
    GLOBAL const struct shape *restrict scene_shapes,                                              \
        GLOBAL const struct segment2 *restrict scene_polygons,                                     \
        GLOBAL const struct grid *restrict scene_grids,                                            \
        GLOBAL const unsigned char *restrict scene_cells,                                          \
        GLOBAL const u32 *restrict scene_tile_offsets,                                             \
        GLOBAL const u32 *restrict scene_tile_members,                                             \
        GLOBAL const struct tile_grid *restrict scene_tiles,                                       \
        GLOBAL const struct field *restrict scene_fields,                                          \
        GLOBAL const f32 *restrict scene_field_values, const u32 scene_shape_count,                \
        const u32 scene_grid_count, const u32 scene_field_count, const f32 scene_radius,           \
        const f32 scene_margin, const f32 scene_step,                                              \
        GLOBAL const struct body *restrict scene_bodies,                                           \
        GLOBAL const struct body_link *restrict scene_links,                                       \
        GLOBAL const struct body_ball *restrict scene_balls,                                       \
        GLOBAL const struct link_pair *restrict scene_pairs,                                       \
        GLOBAL const struct body_pair *restrict scene_body_pairs,                                  \
        GLOBAL const unsigned char *restrict scene_clearances, const u32 scene_body_pair_count,    \
        GLOBAL const f32 *restrict scene_link_reach, GLOBAL const f32 *restrict scene_pair_reach,  \
        GLOBAL const u32 *restrict scene_allowed, const u32 scene_allowed_count,                   \
        GLOBAL const struct vicinity *restrict scene_vicinity, const u32 scene_has_vicinity,       \
        const u32 scene_has_clearances

#define SCENE_FROM_PARAMETERS                                                                      \
    {                                                                                              \
        scene_shapes, scene_polygons, scene_grids, scene_cells, scene_tile_offsets,                \
            scene_tile_members, scene_tiles, scene_fields, scene_field_values, scene_shape_count,  \
            scene_grid_count, scene_field_count, scene_radius, scene_margin, scene_step,           \
            scene_bodies, scene_links, scene_balls, scene_pairs, scene_body_pairs,                 \
            scene_clearances, scene_body_pair_count, scene_link_reach, scene_pair_reach,           \
            scene_allowed, scene_allowed_count, scene_vicinity, scene_has_vicinity,                \
            scene_has_clearances                                                                   \
    }

#endif
