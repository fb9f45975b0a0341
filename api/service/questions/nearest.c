/* POST of a roadmap's nearest: the milestones near to states. */
#include "roadmap/collision/validate.h"

#include "service/questions/question.h"

#include <stdlib.h>

/* So many a step: about a millisecond. */
enum { STATES_A_STEP = 256 };

struct nearest {
    struct question question; /* first */
    struct nearest_request request;
    uint32_t *ids;    /* [state_count][k] */
    float *distances; /* [state_count][k] */
    double *states;   /* [state_count][k][dof] */
    uint32_t done;    /* states that are */
};

static bool read_request(struct question *question)
{
    struct nearest *nearest = (struct nearest *)question;
    struct nearest_request *request = &nearest->request;
    struct call *call = question->call;
    if (!nearest_read(request, &question->space, call_body(call), call->body_bytes,
                      &question->service->limits, &call->problem))
        return false;
    const size_t count = (size_t)request->state_count * request->k;
    nearest->ids = calloc(count + 1, sizeof(*nearest->ids));
    nearest->distances = calloc(count + 1, sizeof(*nearest->distances));
    nearest->states = calloc(count * question->space.dof + 1, sizeof(*nearest->states));
    if (nearest->ids && nearest->distances && nearest->states)
        return true;
    problem_no_memory(&call->problem, "a request");
    return false;
}

static enum prm_status step(struct question *question, struct device *device, bool *done)
{
    struct nearest *nearest = (struct nearest *)question;
    const struct nearest_request *request = &nearest->request;
    const uint32_t count = question_piece(request->state_count, nearest->done, STATES_A_STEP);
    const size_t first = nearest->done;
    const enum prm_status status = prm_nearest_milestones(
        device->arena, nearest->ids + first * request->k, nearest->distances + first * request->k,
        nearest->states + first * request->k * question->space.dof,
        question->roadmap->model->topology->roadmap, request->states + first * question->space.dof,
        count, request->k);
    nearest->done += count;
    *done = nearest->done == request->state_count;
    return status;
}

static const char *write(struct question *question, struct text *out)
{
    const struct nearest *nearest = (const struct nearest *)question;
    const struct nearest_request *request = &nearest->request;
    const struct nearest_answer answer = {
        .roadmap = question->call->segments[0],
        .revision = question->roadmap->version.revision,
        .space = &question->space,
        .request = request,
        .ids = nearest->ids,
        .distances = nearest->distances,
        .states = nearest->states,
    };
    nearest_write(&answer, out);
    return NULL;
}

static void deinit(struct question *question)
{
    struct nearest *nearest = (struct nearest *)question;
    nearest_deinit(&nearest->request);
    free(nearest->ids);
    free(nearest->distances);
    free(nearest->states);
}

void nearest_call(struct service *service, struct call *call)
{
    static const struct question_kind KIND = {
        sizeof(struct nearest), read_request, step, write, deinit, NULL};
    question_call(service, call, &KIND);
}
