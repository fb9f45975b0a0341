/* What a roadmap that answers is asked besides plans: whether states and motions are valid, which
 * milestones are near, what its graph is, what ways between many states cost.
 *
 * A question is read where it comes in (a large one by a worker), answered in bounded steps on the
 * device thread, and written by a worker.
 */
#ifndef SERVICE_QUESTION_H
#define SERVICE_QUESTION_H

#include "schema/questions.h"
#include "service/internal.h"
#include "service/plans/overlay.h"
#include "service/roadmaps/roadmaps.h"

struct question;

struct question_kind {
    size_t bytes; /* of the struct that begins with a question, zeroed */
    /* Takes the call apart; false: faults are added. */
    bool (*read)(struct question *question);
    /* One bounded step on the device; *done: nothing is left. */
    enum prm_status (*step)(struct question *question, struct device *device, bool *done);
    /* Writes the answer's body and returns its media type. */
    const char *(*write)(struct question *question, struct text *out);
    void (*deinit)(struct question *question); /* at any point after the zeroes */
    /* The obstacles of its own that it has read, to be taken over; NULL: the kind has none. */
    struct overlay_document *(*overlay)(struct question *question);
};

struct question {
    struct device_task task; /* first */
    struct worker_task work;
    const struct question_kind *kind;
    struct service *service;
    struct call *call;
    struct roadmap_version *roadmap; /* with a model; taken */
    double seconds;                  /* on the device thread so far; negative: not begun */
    struct overlay overlay;          /* where it has obstacles of its own; else zeros */
    struct model *model;             /* that answers: the roadmap's, or the overlay's */
    struct question_space space;
};

/* Asks the roadmap in the call's URL. */
void question_call(struct service *service, struct call *call, const struct question_kind *kind);

/* So many of the states that are left in a step. */
uint32_t question_piece(uint32_t count, uint32_t done, uint32_t most);

/* The use cases: validate.c, nearest.c, graph.c, matrix.c */
void validate_call(struct service *service, struct call *call);
void nearest_call(struct service *service, struct call *call);
void graph_call(struct service *service, struct call *call);
void matrix_call(struct service *service, struct call *call);

#endif
