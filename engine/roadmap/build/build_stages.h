/* The stages of a build, in their order, and what they work on. */
#ifndef ROADMAP_BUILD_STAGES_H
#define ROADMAP_BUILD_STAGES_H

#include "roadmap/build/candidates.h"
#include "roadmap/build/digest.h"
#include "roadmap/nearest/neighbors.h"
#include "roadmap/sampling/sample.h"

struct prm_build {
    struct prm_context *context;
    const struct prm_world *world;
    struct prm_roadmap *roadmap; /* what is built: its robot, space and params are the build's */
    struct prm_validity *validity;
    struct prm_arena *arena;
    struct prm_scene fixed, all; /* without and with what is dynamic */
    struct prm_buffer vicinity;  /* of `fixed`, where that is not what the validity has */
    struct prm_sampler sampler;
    struct prm_neighbor_index *index;
    struct prm_buffer lists; /* u32[milestones][k], piece of the arena */
    struct prm_candidates candidates;
    bool has_candidates;
    struct prm_digesting *digesting;
    uint32_t stage;
    uint32_t next;   /* stage after this one */
    uint32_t cursor; /* how far the stage has come: points or edges */
    double share;    /* the same, 0 … 1 */
};

enum stage_number {
    STAGE_SAMPLE,
    STAGE_INDEX,
    STAGE_NEIGHBORS,
    STAGE_RECALL,
    STAGE_CONNECTIONS,
    STAGE_CANDIDATES,
    STAGE_CHECK,
    STAGE_GRAPH,
    STAGE_COMPONENTS,
    STAGE_WEIGHTS,
    STAGE_STATISTICS,
    STAGE_DIGEST,
    STAGE_COUNT
};

/* A stage: `run` is a step of it, about two milliseconds of device work but for sorts and a table
 * of lsh; *done, false before: it was the last. */
struct build_stage {
    const char *name;
    enum prm_status (*run)(struct prm_build *build, bool *done);
    double work; /* its rough share of the time, for progress */
};

extern const struct build_stage prm_build_stages[STAGE_COUNT];

#endif
