/* The world resource: wire document <-> plain struct (api page, section 3). */
#ifndef SCHEMA_WORLD_H
#define SCHEMA_WORLD_H

#include "schema/limits.h"
#include "schema/problem.h"

enum obstacle_type {
    OBSTACLE_SPHERE,
    OBSTACLE_BOX,
    OBSTACLE_CYLINDER,
    OBSTACLE_CAPSULE,
    OBSTACLE_CIRCLE,
    OBSTACLE_RECTANGLE,
    OBSTACLE_POLYGON,
    OBSTACLE_GRID,
};

/* A grid as sent: rows top-down as drawn, one char a cell (. G S ground, W water, T trees, @ O blocked). */
struct grid_document {
    uint32_t width, height;
    double resolution;
    double origin[3]; /* x, y, yaw */
    char *rows;       /* [height][width], owned */
    bool passable_trees, passable_water; /* classes freed apart from the ground */
};

struct obstacle_document {
    char id[129]; /* given, or made: "obstacle-N" */
    enum obstacle_type type;
    bool dynamic, enabled;
    bool has_padding;
    double padding; /* its own */
    double center[3], size[3], radius, length, angle;
    double quaternion[4]; /* x y z w, as given or from rpy, normalised */
    bool has_quaternion, has_rpy;
    double rpy[3];
    double *points; /* polygon [point_count][2], owned */
    uint32_t point_count;
    struct grid_document grid;
};

struct world_document {
    uint32_t dimension;
    bool has_bounds;
    double lower[3], upper[3]; /* given, or of the grid's box */
    double padding;
    struct obstacle_document *obstacles; /* owned; a member `grid` of the document becomes the first, id "grid" */
    uint32_t obstacle_count, obstacle_capacity;
};

/* Parses and validates a body. false: `problem` says all that is wrong; `world` needs no deinit then. */
bool world_read(struct world_document *world, const char *body, size_t bytes, const struct limits *limits,
                struct problem *problem);
void world_deinit(struct world_document *world);

/* Appends the document's members (no braces, no trailing comma) in canonical order: PUT of the result gives
 * an equal world, so that it is also what the fingerprint is taken of. */
void world_write_members(const struct world_document *world, struct text *out);

/* One obstacle by itself: PUT /v1/worlds/{name}/obstacles/{id}. */
bool obstacle_read(struct obstacle_document *obstacle, uint32_t dimension, const char *body, size_t bytes,
                   const struct limits *limits, struct problem *problem);
void obstacle_deinit(struct obstacle_document *obstacle);
void obstacle_write(const struct obstacle_document *obstacle, struct text *out);

/* PATCH {"put":[…],"set":[{"id","enabled"|"dynamic"…}],"remove":[…]} applied to a copy of `world`: all or nothing. */
bool world_patch(struct world_document *patched, const struct world_document *world, const char *body,
                 size_t bytes, const struct limits *limits, struct problem *problem);

/* Puts a moved obstacle into a copy of `world`, replacing the one of the same id whole. */
bool world_with_obstacle(struct world_document *changed, const struct world_document *world,
                         struct obstacle_document *obstacle, const struct limits *limits,
                         struct problem *problem);
bool world_without_obstacle(struct world_document *changed, const struct world_document *world,
                            const char *id, struct problem *problem);

#endif
