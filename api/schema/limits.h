/* What a request may ask for at most. Every limit is a flag of the daemon and listed at GET
 * /v1/limits: LIMIT(member, flag, default, most, what it bounds), where `most` is the highest value
 * that the flag takes: what the engine can do, else what a count or a number of bytes may be. */
#ifndef SCHEMA_LIMITS_H
#define SCHEMA_LIMITS_H

#include <stdint.h>

#define LIMIT_COUNTS_MAX INT32_MAX
#define LIMIT_BYTES_MAX (UINT64_C(1) << 50)
/* What the engine can do. */
enum {
    LIMIT_NEIGHBORS_MAX = 128,
    LIMIT_DOF_MAX = 32,
    LIMIT_LINKS_MAX = 128,
    LIMIT_SPHERES_MAX = 16384,
};

#define LIMITS(LIMIT)                                                                              \
    LIMIT(body_bytes, "--max-body-bytes", 256u << 20, LIMIT_BYTES_MAX, "bytes of a request body")  \
    LIMIT(queries, "--max-queries", 1000000, LIMIT_COUNTS_MAX, "queries of a plan request")        \
    LIMIT(goals, "--max-goals", 256, LIMIT_COUNTS_MAX, "goals of a query")                         \
    LIMIT(matrix_pairs, "--max-matrix-pairs", 1000000, LIMIT_COUNTS_MAX,                           \
          "pairs of a matrix request")                                                             \
    LIMIT(obstacles, "--max-obstacles", 100000, LIMIT_COUNTS_MAX, "obstacles of a world")          \
    LIMIT(polygon_points, "--max-polygon-points", 10000, LIMIT_COUNTS_MAX, "points of a polygon")  \
    LIMIT(points, "--max-points", 4000000, LIMIT_COUNTS_MAX,                                       \
          "points of an obstacle, or vertices of its mesh")                                        \
    LIMIT(triangles, "--max-triangles", 4000000, LIMIT_COUNTS_MAX, "triangles of an obstacle")     \
    LIMIT(boxes, "--max-boxes", 4000000, LIMIT_COUNTS_MAX, "boxes of an obstacle")                 \
    LIMIT(grid_cells, "--max-grid-cells", 64u << 20, LIMIT_COUNTS_MAX, "cells of a grid")          \
    LIMIT(expand_samples, "--max-expand-samples", 100000, LIMIT_COUNTS_MAX,                        \
          "samples of trees a query")                                                              \
    LIMIT(waypoints, "--max-waypoints", 64u << 20, LIMIT_COUNTS_MAX, "way-points of an answer")    \
    LIMIT(milestones, "--max-milestones", 2000000, LIMIT_COUNTS_MAX, "milestones of a roadmap")    \
    LIMIT(neighbors, "--max-neighbors", 128, LIMIT_NEIGHBORS_MAX, "neighbors of a milestone")      \
    LIMIT(dof, "--max-dof", 32, LIMIT_DOF_MAX, "degrees of freedom of a robot")                    \
    LIMIT(states, "--max-states", 10000, LIMIT_COUNTS_MAX,                                         \
          "states or motions that a request asks about")                                           \
    LIMIT(links, "--max-links", 128, LIMIT_LINKS_MAX, "links of a robot")                          \
    LIMIT(spheres, "--max-spheres", 4096, LIMIT_SPHERES_MAX, "spheres of a robot")                 \
    LIMIT(robot_file_bytes, "--max-robot-file-bytes", 4u << 20, LIMIT_BYTES_MAX,                   \
          "bytes of a robot's file")                                                               \
    LIMIT(compute_elements, "--max-compute-elements", 16u << 20, LIMIT_COUNTS_MAX,                 \
          "elements of an array to compute with")                                                  \
    LIMIT(worlds, "--max-worlds", 1000, LIMIT_COUNTS_MAX, "worlds held")                           \
    LIMIT(robots, "--max-robots", 1000, LIMIT_COUNTS_MAX, "robots held")                           \
    LIMIT(roadmaps, "--max-roadmaps", 1000, LIMIT_COUNTS_MAX, "roadmaps held")                     \
    LIMIT(jobs, "--max-jobs", 64, LIMIT_COUNTS_MAX, "jobs queued or running")                      \
    LIMIT(queued_requests, "--max-queued-requests", 1024, LIMIT_COUNTS_MAX,                        \
          "plan requests waiting for the device")                                                  \
    LIMIT(connections, "--max-connections", 4096, LIMIT_COUNTS_MAX, "HTTP connections")            \
    LIMIT(connections_per_address, "--max-connections-per-address", 0, LIMIT_COUNTS_MAX,           \
          "HTTP connections from one address; 0: as many as there may be")                         \
    LIMIT(wait_s, "--max-wait-s", 600, LIMIT_COUNTS_MAX,                                           \
          "seconds that a request may wait for a job")                                             \
    LIMIT(host_bytes, "--max-host-bytes", 4ull << 30, LIMIT_BYTES_MAX,                             \
          "bytes of requests and answers in flight")                                               \
    LIMIT(device_bytes, "--max-device-bytes", 0, LIMIT_BYTES_MAX,                                  \
          "device memory, bytes; 0: three quarters of the device's")

struct limits {
#define LIMIT(member, flag, value, most, text) uint64_t member;
    LIMITS(LIMIT)
#undef LIMIT
};

/* A limit by number, for whoever reports that it was hit. */
enum limit_id {
#define LIMIT(member, flag, value, most, text) LIMIT_##member,
    LIMITS(LIMIT)
#undef LIMIT
        LIMIT_COUNT
};

struct limit_row {
    const char *member, *flag, *text;
    uint64_t most;
};

extern const struct limit_row limit_table[LIMIT_COUNT];

/* All defaults. */
struct limits limits_default(void);

/* All as high as their flags go: for what was accepted before and is read again. */
struct limits limits_highest(void);

uint64_t limits_value(const struct limits *limits, enum limit_id limit);
void limits_set(struct limits *limits, enum limit_id limit, uint64_t value);

#endif
