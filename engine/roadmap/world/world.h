/* Worlds: what stands where, in the wire's terms, and the same made resident for a device.
 *
 * A world specification speaks double precision in the world's frame. A `struct prm_world` is that
 * specification on a device: float32 in a local frame about the world's own centre, with obstacles
 * binned into tiles. It is immutable; a changed world is a new one.
 */
#ifndef PRM_ROADMAP_WORLD_H
#define PRM_ROADMAP_WORLD_H

#include "device/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum prm_obstacle_kind {
    PRM_OBSTACLE_SPHERE,
    PRM_OBSTACLE_BOX,
    PRM_OBSTACLE_CYLINDER,
    PRM_OBSTACLE_CAPSULE,
    PRM_OBSTACLE_CIRCLE,
    PRM_OBSTACLE_RECTANGLE,
    PRM_OBSTACLE_POLYGON,
    PRM_OBSTACLE_GRID,
    PRM_OBSTACLE_BOXES,  /* many boxes along the axes of the obstacle's frame */
    PRM_OBSTACLE_POINTS, /* many points of one radius */
    PRM_OBSTACLE_MESH,   /* a closed set of triangles, of no thickness of its own */
};

/* Cells of a grid obstacle, row 0 lowest, terrain classes of kernels/types.h (0 blocked, 1 ground
 * …). */
struct prm_grid_spec {
    uint32_t width, height;
    double resolution;
    double origin[3];     /* x, y, yaw of the lower-left corner */
    const uint8_t *cells; /* [height][width] */
};

/* One obstacle. Lengths in metres, angles in radians; members that a kind has no use for are 0. */
struct prm_obstacle {
    enum prm_obstacle_kind kind;
    bool dynamic;   /* applied after milestones and candidate edges are made */
    bool disabled;  /* kept, but ignored */
    double padding; /* grows the obstacle; the world's padding included */
    double center[3];
    double quaternion[4]; /* x y z w, normalised; rectangle: about z */
    double size[3];       /* box, rectangle: full sizes */
    double radius;
    double length; /* cylinder; capsule: its straight part */
    /* polygon: [point_count][2], either direction, not self-crossing; boxes: [point_count][6],
     * centre and full size; points, mesh (its vertices): [point_count][3] */
    const double *points;
    uint32_t point_count;
    const uint32_t *triangles; /* mesh: [triangle_count][3], indices of vertices */
    uint32_t triangle_count;
    double resolution; /* boxes, points, mesh: edge of the cubes of a distance field that the device
                          keeps instead; 0: automatic */
    struct prm_grid_spec grid;
};

struct prm_world_spec {
    uint32_t dimension; /* 2 or 3 */
    bool
        bounded; /* bounds limit the reference point of point, ball and rigid robots, inclusively */
    double lower[3], upper[3];
    const struct prm_obstacle *obstacles;
    uint32_t obstacle_count;
    const double *center; /* [3] of the local frame; NULL: chosen. A world that is to serve a
                             roadmap has that of the world it was built in (prm_roadmap.center) */
};

/* The obstacles that count for one purpose, on the device. */
struct prm_obstacle_set {
    struct prm_buffer shapes;       /* struct shape[shape_count + field_count]: solids, then grids,
                                       then fields */
    struct prm_buffer segments;     /* struct segment2[]: polygon edges */
    struct prm_buffer grids;        /* struct grid[grid_count] */
    struct prm_buffer cells;        /* u8[]: terrain classes of all grids */
    struct prm_buffer tile_offsets; /* u32[tiles + 1] */
    struct prm_buffer tile_members; /* u32[]: shape indices, tile by tile; of solids */
    struct prm_buffer fields;       /* struct field[field_count] */
    struct prm_buffer field_values; /* f32[]: squared distances of all fields and grids; both sets
                                       have the same */
    uint32_t shape_count, grid_count; /* solids and grids; grids alone */
    uint32_t field_count;
    double lower[3], upper[3]; /* of the box about the solids, local frame, padding included; above
                                  each other where there are none */
    struct prm_buffer tiles;   /* struct tile_grid[1] */
};

/* A world on a device. */
struct prm_world {
    struct prm_context *context;
    uint32_t dimension;
    bool bounded;
    double lower[3], upper[3]; /* world frame */
    double center[3];          /* of the local frame, in the world frame */
    double extent;             /* largest |coordinate| of the local frame that matters */
    double margin; /* rounding margin: an edge is valid iff its clearance exceeds it, metres */
    double finest; /* the least width of any enabled obstacle or cell, metres; none: infinite */
    struct prm_obstacle_set fixed; /* enabled, not dynamic */
    struct prm_obstacle_set all; /* enabled; the same buffers as `fixed` where nothing is dynamic */
    bool has_dynamic;
    bool borrows_values; /* the distances of `all` are those of the world it was derived from */
    bool has_grid;
    struct prm_grid_spec
        first_grid; /* the first enabled one, without its cells: what a lattice is taken from */
};

/* Whether the world's local frame has its origin at center[3]: what is made in one frame is of use
 * in no other. */
bool prm_world_is_centered(const struct prm_world *world, const double *center);

/* What float32 can tell of a world, metres. */
struct prm_precision {
    double margin; /* rounding: an edge is valid iff its clearance exceeds it */
    double finest; /* the least width of any enabled obstacle or cell; none: infinite */
};

/* A margin above this is worth a warning: bounds of about 1 km. */
#define PRM_MARGIN_NOTABLE 1e-4

/* The precision that a specification, which has been checked, will have. */
struct prm_precision prm_world_precision(const struct prm_world_spec *spec);

/* Checks a specification: sizes, dimensions, finiteness, bounds order. PRM_INVALID_ARGUMENT names
 * the obstacle's index and member. */
enum prm_status prm_world_check(const struct prm_world_spec *spec);

/* Makes a world resident. The specification is not kept. The caller destroys the world. */
enum prm_status prm_world_create(struct prm_arena *arena, struct prm_world **world,
                                 const struct prm_world_spec *spec);
void prm_world_destroy(struct prm_world *world);

/* Obstacles in which two worlds differ: of the one before, and of the one after. Disabled ones
 * count for nothing. Borrowed. */
struct prm_difference {
    const struct prm_obstacle *gone, *come; /* [gone_count], [come_count] */
    uint32_t gone_count, come_count;
};

/* The same for a world that is to last no longer than `from` and differs from it as told; the other
 * obstacles are as they are in `from`, in the same order. It keeps to the local frame, nothing can
 * be built in it (`fixed` is `all`), and where the difference has no distances of its own it shares
 * those of `from`, which take most of the time that worlds of grids and fields are made in; else it
 * makes all of them anew. */
enum prm_status prm_world_derive(struct prm_arena *arena, struct prm_world **world,
                                 const struct prm_world_spec *spec, const struct prm_world *from,
                                 const struct prm_difference *difference);

/* Device bytes of a resident world. */
size_t prm_world_bytes(const struct prm_world *world);

#endif
