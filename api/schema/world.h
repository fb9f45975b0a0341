/* The world resource: wire document <-> plain struct (api page, section 3). */
#ifndef SCHEMA_WORLD_H
#define SCHEMA_WORLD_H

#include "schema/limits.h"
#include "schema/problem.h"

/* The longest length and farthest place, and the least size of bounds and of a grid's cells. */
#define LENGTH_MAX 1e9
#define LENGTH_LEAST 1e-9

enum obstacle_type {
    OBSTACLE_SPHERE,
    OBSTACLE_BOX,
    OBSTACLE_CYLINDER,
    OBSTACLE_CAPSULE,
    OBSTACLE_CIRCLE,
    OBSTACLE_RECTANGLE,
    OBSTACLE_POLYGON,
    OBSTACLE_GRID,
    OBSTACLE_BOXES,
    OBSTACLE_POINTS,
    OBSTACLE_MESH,
};

/* A grid as sent: rows top-down as drawn, one char a cell (. G S ground, W water, T trees, @ O
 * blocked). */
struct grid_document {
    uint32_t width, height;
    double resolution;
    double origin[3];                    /* x, y, yaw */
    char *rows;                          /* [height][width], owned */
    bool passable_trees, passable_water; /* classes freed apart from the ground */
};

enum { OBSTACLE_ID_BYTES_MAX = 128 };

/* One obstacle. Members that its type has no use for are 0. */
struct obstacle_document {
    char id[OBSTACLE_ID_BYTES_MAX + 1]; /* given, or made: "obstacle-N" */
    enum obstacle_type type;
    bool dynamic, enabled;
    bool has_padding;
    double padding; /* its own, instead of the world's */
    double center[3], size[3], radius, length, angle;
    double quaternion[4]; /* x y z w, as given or from rpy, normalised */
    bool has_quaternion, has_rpy;
    double rpy[3];
    /* Rows of obstacle_point_width() numbers, owned. Polygon: x y, no point twice in a row, nor the
     * first again as last. Points, and a mesh's vertices: x y z. Boxes: centre and full sizes. But
     * for a polygon's they are in the obstacle's frame, and there may be none: no obstacle then. */
    double *points;
    uint32_t point_count;
    uint32_t *triangles; /* mesh: [triangle_count][3], rows of points, owned */
    uint32_t triangle_count;
    double resolution; /* edge of the cubes that many elements are kept as; 0: not given */
    struct grid_document grid;
};

struct world_document {
    uint32_t dimension;
    bool has_bounds;           /* lower and upper hold: always after a reader */
    bool bounds_of_grid;       /* they are the box of the world's grids, and follow it */
    double lower[3], upper[3]; /* given, or of the grids' box */
    double padding;
    struct obstacle_document
        *obstacles; /* owned; a member `grid` of the document becomes the first, id "grid" */
    uint32_t obstacle_count, obstacle_capacity;
};

/* Numbers in a row of an obstacle's points; 0: the type has none. */
uint32_t obstacle_point_width(enum obstacle_type type);

/* Dimensions of the worlds that such obstacles stand in. */
uint32_t obstacle_dimension(enum obstacle_type type);

/* Parses and validates a body. false: `problem` says all that is wrong; `world` needs no deinit
 * then. */
bool world_read(struct world_document *world, const char *body, size_t bytes,
                const struct limits *limits, struct problem *problem);
void world_deinit(struct world_document *world);

/* Makes a 2D world of one grid, which is taken over with its rows, id "grid". false: a fault, and
 * the grid is freed. */
bool world_of_grid(struct world_document *world, struct grid_document *grid,
                   const struct limits *limits, struct problem *problem);

/* Appends an obstacle, which is taken over; false: no memory, and it is freed. */
bool world_append(struct world_document *world, struct obstacle_document *obstacle);

/* Appends the document's members (no braces, no trailing comma) in canonical order: PUT of the
 * result gives an equal world, so that it is also what the fingerprint is taken of. */
void world_write_members(const struct world_document *world, struct text *out);

/* One obstacle by itself: PUT /v1/worlds/{name}/obstacles/{id}. An id that the body lacks stays
 * empty, for the caller to set from the URL. */
bool obstacle_read(struct obstacle_document *obstacle, uint32_t dimension, const char *body,
                   size_t bytes, const struct limits *limits, struct problem *problem);
void obstacle_deinit(struct obstacle_document *obstacle);
void obstacle_write(const struct obstacle_document *obstacle, struct text *out);

/* PATCH {"put":[…],"set":[{"id","enabled","dynamic","padding"}],"remove":[…]} applied to a copy of
 * `world`, in that order: all or nothing. `put` replaces the obstacle of its id whole, or adds one.
 */
bool world_patch(struct world_document *patched, const struct world_document *world,
                 const char *body, size_t bytes, const struct limits *limits,
                 struct problem *problem);

/* Puts an obstacle into a copy of `world`, replacing the one of the same id whole. The obstacle is
 * taken over, also where this fails. */
bool world_with_obstacle(struct world_document *changed, const struct world_document *world,
                         struct obstacle_document *obstacle, const struct limits *limits,
                         struct problem *problem);
bool world_without_obstacle(struct world_document *changed, const struct world_document *world,
                            const char *id, struct problem *problem);

#endif
