/* What a request may ask for at most. Every limit is a flag of the daemon and listed at GET
 * /v1/limits: LIMIT(member, flag, default, what it bounds). */
#ifndef SCHEMA_LIMITS_H
#define SCHEMA_LIMITS_H

#include <stdint.h>

#define LIMITS(LIMIT)                                                                              \
    LIMIT(body_bytes, "--max-body-bytes", 256u << 20, "bytes of a request body")                   \
    LIMIT(queries, "--max-queries", 1000000, "queries of a plan request")                          \
    LIMIT(goals, "--max-goals", 256, "goals of a query")                                           \
    LIMIT(matrix_pairs, "--max-matrix-pairs", 1000000, "pairs of a matrix request")                \
    LIMIT(obstacles, "--max-obstacles", 100000, "obstacles of a world")                            \
    LIMIT(polygon_points, "--max-polygon-points", 10000, "points of a polygon")                    \
    LIMIT(points, "--max-points", 4000000, "points of an obstacle, or vertices of its mesh")       \
    LIMIT(triangles, "--max-triangles", 4000000, "triangles of an obstacle")                       \
    LIMIT(boxes, "--max-boxes", 4000000, "boxes of an obstacle")                                   \
    LIMIT(grid_cells, "--max-grid-cells", 64u << 20, "cells of a grid")                            \
    LIMIT(expand_samples, "--max-expand-samples", 100000, "samples of trees a query")              \
    LIMIT(waypoints, "--max-waypoints", 64u << 20, "way-points of an answer")                      \
    LIMIT(milestones, "--max-milestones", 2000000, "milestones of a roadmap")                      \
    LIMIT(neighbors, "--max-neighbors", 128, "neighbors of a milestone")                           \
    LIMIT(dof, "--max-dof", 32, "degrees of freedom of a robot")                                   \
    LIMIT(states, "--max-states", 10000, "states or motions that a request asks about")            \
    LIMIT(links, "--max-links", 128, "links of a robot")                                           \
    LIMIT(spheres, "--max-spheres", 4096, "spheres of a robot")                                    \
    LIMIT(robot_file_bytes, "--max-robot-file-bytes", 4u << 20, "bytes of a robot's file")         \
    LIMIT(compute_elements, "--max-compute-elements", 16u << 20,                                   \
          "elements of an array to compute with")                                                  \
    LIMIT(worlds, "--max-worlds", 1000, "worlds held")                                             \
    LIMIT(robots, "--max-robots", 1000, "robots held")                                             \
    LIMIT(roadmaps, "--max-roadmaps", 1000, "roadmaps held")                                       \
    LIMIT(jobs, "--max-jobs", 64, "jobs queued or running")                                        \
    LIMIT(queued_requests, "--max-queued-requests", 1024, "plan requests waiting for the device")  \
    LIMIT(connections, "--max-connections", 4096, "HTTP connections")                              \
    LIMIT(connections_per_address, "--max-connections-per-address", 0,                             \
          "HTTP connections from one address; 0: as many as there may be")                         \
    LIMIT(wait_s, "--max-wait-s", 600, "seconds that a request may wait for a job")                \
    LIMIT(host_bytes, "--max-host-bytes", 4ull << 30, "bytes of requests and answers in flight")   \
    LIMIT(device_bytes, "--max-device-bytes", 0,                                                   \
          "device memory, bytes; 0: three quarters of the device's")

struct limits {
#define LIMIT(member, flag, value, text) uint64_t member;
    LIMITS(LIMIT)
#undef LIMIT
};

/* A limit by number, for whoever reports that it was hit. */
enum limit_id {
#define LIMIT(member, flag, value, text) LIMIT_##member,
    LIMITS(LIMIT)
#undef LIMIT
        LIMIT_COUNT
};

struct limit_row {
    const char *member, *flag, *text;
};

extern const struct limit_row limit_table[LIMIT_COUNT];

/* All defaults. */
struct limits limits_default(void);

/* All as high as any flag sets them: for what was accepted before and is read again. */
struct limits limits_highest(void);

uint64_t limits_value(const struct limits *limits, enum limit_id limit);
void limits_set(struct limits *limits, enum limit_id limit, uint64_t value);

#endif
