/* Roadmaps: the resource and its versions. Builds make them (builds.h), changes of worlds derive
 * them.
 *
 * A version says what the roadmap is made from, its state, and holds the model that answers. While
 * a roadmap that can answer is built anew, its version stays until the swap.
 */
#ifndef SERVICE_ROADMAPS_H
#define SERVICE_ROADMAPS_H

#include "schema/roadmap.h"
#include "service/jobs/jobs.h"
#include "service/resident.h"
#include "service/robots/robots.h"
#include "service/worlds/worlds.h"

/* The states of a roadmap: X(constant, wire text). */
#define ROADMAP_STATES(X)                                                                          \
    X(BUILDING, "building")                                                                        \
    X(READY, "ready")                                                                              \
    X(FAILED, "failed")                                                                            \
    X(STALE, "stale")                                                                              \
    X(LOADING, "loading")

enum roadmap_state {
#define X(constant, text) ROADMAP_##constant,
    ROADMAP_STATES(X)
#undef X
        ROADMAP_STATE_COUNT
};

extern const char *const roadmap_state_texts[ROADMAP_STATE_COUNT];

/* What parameters, world and robot make. */
struct roadmap_version {
    struct version version;
    struct roadmap_document document;
    char parameters[FINGERPRINT_BYTES]; /* fingerprint of the document */
    char built_in[FINGERPRINT_BYTES];   /* fingerprint of the world at the build */
    enum roadmap_state state;
    struct world_version *world;     /* that it answers for; taken */
    struct robot_version *robot;     /* taken */
    struct model *model;             /* taken; NULL: it cannot answer */
    struct problem_fault last_error; /* of the latest build; code PROBLEM_NONE: none */
};

/* A version that is to be built. NULL: no memory. */
struct roadmap_version *roadmap_version_create(const struct roadmap_document *document,
                                               struct world_version *world,
                                               struct robot_version *robot);

/* A version that was built in another life of the process, in the world of that fingerprint, and is
 * to be loaded. NULL: no memory. */
struct roadmap_version *roadmap_version_restore(const struct roadmap_document *document,
                                                const char *built_in, struct world_version *world,
                                                struct robot_version *robot);

/* The version that follows: another state, model (NULL: none) and world; all else as before. */
struct roadmap_version *roadmap_version_derive(const struct roadmap_version *from,
                                               enum roadmap_state state, struct model *model,
                                               struct world_version *world,
                                               const struct problem_fault *last_error);

/* Whether both are made from the same parameters, world and robot. */
bool roadmap_same_content(const struct roadmap_version *a, const struct roadmap_version *b);

/* What the resource shows besides its version, and the mark of it in the ETag; zeros: nothing. */
struct roadmap_around {
    char job[JOB_ID_BYTES]; /* id of the build under way; "": none is */
    bool robot_changed;     /* the robot's name stands for another one now */
    char mark[JOB_ID_BYTES + 4];
};

/* The lock is held. */
struct roadmap_around roadmap_around(struct service *service, const char *name,
                                     const struct roadmap_version *roadmap);

/* Whether the call's conditions allow a change of a roadmap (NULL: there is none); else adds the
 * fault. The lock is held. */
bool roadmap_may_change(struct call *call, const char *name, const struct roadmap_version *roadmap);

/* Appends the resource as a JSON object. roadmap_body.c */
void roadmap_write(const char *name, const struct roadmap_version *roadmap,
                   const struct roadmap_around *around, struct text *out);

/* The roadmap in the call's URL where it can answer, taken; NULL: the call's problem says why not.
 */
struct roadmap_version *roadmap_take_answering(struct service *service, struct call *call);

/* Adds the fault roadmap_stale where the roadmap is stale and that is not allowed; false then. */
bool roadmap_may_answer(const struct roadmap_version *roadmap, bool allow_stale,
                        struct problem *problem);

/* Whether an answer of the roadmap has to say that it is stale, by *warning. */
struct plan_warning;
bool roadmap_warns_stale(const struct roadmap_version *roadmap, struct plan_warning *warning);

/* What keeps a world or a robot from being deleted. */
enum used { USED_WORLD, USED_ROBOT };

/* Where roadmaps name it, adds the fault in_use that lists them. The lock is held. */
bool roadmaps_refuse_in_use(struct call *call, enum used used, const char *name);

void roadmap_list(struct service *service, struct call *call);
void roadmap_get(struct service *service, struct call *call);
void roadmap_delete(struct service *service, struct call *call);

#endif
