/* Matrices: costs from many states to many others, POST …/matrix (api page, section 6).
 *
 *     {"states": [state …], "sources": [i …], "targets": [i …], options as of a plan}
 *     -> {"coordinates", "sources", "targets", "costs": [[length or null …] …], "hops": [[…] …],
 *         "states": [{"status", "reason"} …]}
 *
 * A state is an array, or an object by coordinate name. Without `sources` or `targets` all states
 * are. Each pair costs what a plan without simplification finds.
 */
#ifndef SCHEMA_MATRIX_H
#define SCHEMA_MATRIX_H

#include "schema/questions.h"

struct matrix_request {
    struct plan_request options; /* without queries */
    double *states;              /* [state_count][dof], owned */
    uint32_t state_count;
    uint32_t *sources, *targets; /* [source_count], [target_count], owned */
    uint32_t source_count, target_count;
};

/* false: `problem` says all that is wrong; nothing is left to deinit. */
bool matrix_request_read(struct matrix_request *request, const struct question_space *space,
                         const char *body, size_t bytes, const struct limits *limits,
                         struct problem *problem);
void matrix_request_deinit(struct matrix_request *request);

/* What there is to say of a state: X(constant, wire text). */
#define MATRIX_STATUSES(X)                                                                         \
    X(OK, "ok")                                                                                    \
    X(OUT_OF_BOUNDS, "out_of_bounds")                                                              \
    X(IN_COLLISION, "in_collision")                                                                \
    X(NOT_CONNECTED, "not_connected")                                                              \
    X(DEADLINE_EXCEEDED, "deadline_exceeded")

enum matrix_status {
#define X(constant, text) MATRIX_STATUS_##constant,
    MATRIX_STATUSES(X)
#undef X
};

struct matrix_state {
    enum matrix_status status;
    struct plan_reason reason; /* kind NULL: none */
};

/* All that an answer says; borrowed. */
struct matrix_answer {
    const char *roadmap, *fingerprint;
    uint64_t revision, world_revision;
    const struct question_space *space;
    const struct matrix_request *request;
    const double *lengths; /* [source_count][target_count], NaN: no path */
    const uint32_t *hops;
    const struct matrix_state *states; /* [state_count] */
    size_t solved, late;               /* pairs; late: for which there was no time */
    const struct plan_warning *warnings;
    uint32_t warning_count;
    struct plan_times times;
};

void matrix_write(const struct matrix_answer *answer, struct text *out);

#endif
