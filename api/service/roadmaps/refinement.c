#include "service/roadmaps/refinement.h"

#include "schema/clock.h"

#include <stdlib.h>

struct refinement {
    struct device_task task; /* first */
    struct service *service;
    struct model *model; /* taken */
    double seconds;      /* of its steps */
};

static void drop(struct device_task *task)
{
    struct refinement *refinement = (struct refinement *)task;
    resident_release(&refinement->model->resident);
    free(refinement);
}

static enum device_step step(struct device_task *task, struct device *device)
{
    struct refinement *refinement = (struct refinement *)task;
    struct service *service = refinement->service;
    const double began = clock_steady();
    enum prm_status status = PRM_OK;
    bool done = !resident_is_shared(&refinement->model->resident);

    while (status == PRM_OK && !done) {
        status = prm_validity_refine(refinement->model->validity, &done);
        if (device_should_yield(device, began))
            break;
    }
    refinement->seconds += clock_steady() - began;
    if (status == PRM_OK && !done)
        return DEVICE_AGAIN;

    if (status == PRM_OK)
        metrics_stage(service->metrics, "landmarks", refinement->seconds);
    else
        service_log(service, "refinement_failed", "%s", prm_fault_last()->detail);
    drop(task);
    return DEVICE_DONE;
}

void refinement_begin(struct service *service, struct model *model)
{
    if (model->validity->landmarks)
        return;
    struct refinement *refinement = malloc(sizeof(*refinement));
    if (!refinement)
        return;
    *refinement = (struct refinement){
        .task = {.step = step, .drop = drop}, .service = service, .model = model};
    resident_take(&model->resident);
    if (!device_thread_submit(service->device, DEVICE_LANE_REFINE, &refinement->task))
        drop(&refinement->task);
}
