/* Questions about states on a roadmap: POST …/validate and POST …/nearest.
 *
 *     {"states": [state …], "edges": [[i, j] …], "paths": [[state …] …]}
 *     -> {"coordinates", "states": [item …], "edges": [item …], "paths": [item …]}
 *        item: {"valid", "clearance", "reason"}; of motions "fraction", of paths "segment"
 *     {"states": [state …], "k": 1} -> {"coordinates", "neighbors": [[{"id", "state",
 * "distance"}]]}
 *
 * A state is an array, or an object by coordinate name. Edges are pairs of indices into `states`.
 */
#ifndef SCHEMA_QUESTIONS_H
#define SCHEMA_QUESTIONS_H

#include "schema/plan.h"

/* What states are made of. */
struct question_space {
    const char *const *coordinates; /* names, [dof]; borrowed */
    uint32_t dof;
    uint32_t quaternion; /* the first of the four that are an orientation; UINT32_MAX: none */
};

/* A path's segments, as motions; a path of one state has one, from the state to itself. */
struct question_path {
    uint32_t first, count;
};

/* Motions are the edges, then the paths' segments. Owned. */
struct validate_request {
    uint32_t listed;      /* of the states, those of `states`; the paths' follow */
    uint32_t state_count; /* together at most limits->states, as edges are */
    double *states;       /* [state_count][dof] */
    uint32_t edge_count, motion_count;
    uint32_t *motions; /* [motion_count][2]: states */
    uint32_t path_count;
    struct question_path *paths;
};

/* false: `problem` says all that is wrong; nothing is left to deinit. */
bool validate_read(struct validate_request *request, const struct question_space *space,
                   const char *body, size_t bytes, const struct limits *limits,
                   struct problem *problem);
void validate_deinit(struct validate_request *request);

/* A judgement for the wire. */
struct validate_item {
    bool valid;
    double clearance;          /* NaN: null */
    double fraction;           /* of a motion */
    struct plan_reason reason; /* kind NULL: none */
};

/* All that an answer says; borrowed. */
struct validate_answer {
    const char *roadmap;
    uint64_t revision, world_revision;
    const struct question_space *space;
    const struct validate_request *request;
    const struct validate_item *states;  /* of those listed */
    const struct validate_item *motions; /* [request->motion_count] */
    uint32_t clamped;                    /* states and motions with a coordinate set to its limit */
};

void validate_write(const struct validate_answer *answer, struct text *out);

struct nearest_request {
    uint32_t state_count, k;
    double *states; /* owned */
};

/* As above. */
bool nearest_read(struct nearest_request *request, const struct question_space *space,
                  const char *body, size_t bytes, const struct limits *limits,
                  struct problem *problem);
void nearest_deinit(struct nearest_request *request);

struct nearest_answer {
    const char *roadmap;
    uint64_t revision;
    const struct question_space *space;
    const struct nearest_request *request;
    const uint32_t *ids;    /* [state_count][k], UINT32_MAX past the last */
    const float *distances; /* likewise */
    const double *states;   /* [state_count][k][dof] */
};

void nearest_write(const struct nearest_answer *answer, struct text *out);

#endif
