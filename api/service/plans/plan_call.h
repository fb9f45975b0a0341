/* A plan request inside the service, shared by its three rooms and nobody else: plans.c is the way
 * in, plan_batch.c what happens on the device, plan_reply.c the way out. It goes from one to the
 * next; whoever has it may end it by plan_refuse() or plan_fail().
 */
#ifndef SERVICE_PLAN_CALL_H
#define SERVICE_PLAN_CALL_H

#include "schema/plan.h"
#include "service/internal.h"
#include "service/pictures/picture.h"
#include "service/plans/overlay.h"
#include "service/roadmaps/roadmaps.h"

struct plan {
    struct plan_task task;     /* first */
    struct device_task growth; /* of what is left */
    struct worker_task work;
    struct service *service;
    struct call *call;
    struct roadmap_version *roadmap; /* with a model; taken */

    /* from the way in */
    struct plan_request request;
    struct prm_plan_options options;
    struct overlay overlay; /* where the request has obstacles of its own; else zeros */
    struct model *model;    /* that answers: the roadmap's, or the overlay's; borrowed from it */

    /* from the device */
    double began; /* taken off the queue, steady clock */
    struct prm_plan_results planned;
    struct prm_expansion *left; /* queries that trees may yet answer; NULL: none */

    /* of the way out */
    struct plan_times times;
    struct plan_result *results; /* [request.query_count] */
    struct plan_warning *warnings;
    uint32_t warning_count;
    uint32_t unnamed;            /* clamped queries that the last warning counts alone */
    struct prm_graph_copy graph; /* for a picture */
    struct picture_motion motion;
};

static inline bool plan_is_picture(const struct plan *plan)
{
    return plan->call->route != ROUTE_ROADMAP_PLAN;
}

static inline const struct prm_space *plan_space(const struct plan *plan)
{
    return &plan->roadmap->model->topology->roadmap->space;
}

void plan_destroy(struct plan *plan);

/* Ends without an answer; the call's problem says why. */
void plan_refuse(struct plan *plan);

/* Ends with the engine's fault, that of the calling thread, as the answer. */
void plan_fail(struct plan *plan, enum prm_status status);

/* On the device thread: all that can be planned is; brings it into plain data and answers, by a
 * worker where that would take long. */
void plan_reply(struct plan *plan, struct device *device);

#endif
