/* POST of a roadmap's matrix: what the ways between many states cost. */
#include "schema/matrix.h"
#include "roadmap/plan/matrix.h"

#include "schema/clock.h"
#include "service/questions/question.h"
#include "service/translate.h"

#include <stdio.h>
#include <stdlib.h>

/* Warnings of a request: it is of a stale roadmap, states were clamped. */
enum { WARNINGS_MAX = 2 };

struct matrix {
    struct question question; /* first */
    struct matrix_request request;
    struct prm_matrix *matrix; /* while it is worked on, on the device thread */
    struct prm_matrix_results results;
    double parse_ms, began; /* began: the first step, steady clock; 0: not yet */
    double queue_ms, total_ms;
};

static bool read_request(struct question *question)
{
    struct matrix *matrix = (struct matrix *)question;
    struct call *call = question->call;
    const double began = clock_steady();
    if (!matrix_request_read(&matrix->request, &question->space, call_body(call), call->body_bytes,
                             &question->service->limits, &call->problem))
        return false;
    matrix->parse_ms = 1e3 * (clock_steady() - began);
    return roadmap_may_answer(question->roadmap, matrix->request.options.allow_stale,
                              &call->problem);
}

static struct overlay_document *overlay(struct question *question)
{
    return &((struct matrix *)question)->request.options.overlay;
}

/* Begins on the device. */
static enum prm_status begin(struct matrix *matrix)
{
    const struct question *question = &matrix->question;
    const struct matrix_request *request = &matrix->request;
    const struct model *model = question->model;
    const struct prm_roadmap *roadmap = model->topology->roadmap;
    const struct prm_plan_options options =
        plan_translate(&request->options, &question->service->limits, roadmap);
    const double deadline_ms = request->options.deadline_ms;
    const struct prm_matrix_input input = {
        .states = request->states,
        .state_count = request->state_count,
        .sources = request->sources,
        .targets = request->targets,
        .source_count = request->source_count,
        .target_count = request->target_count,
        .deadline_ms = deadline_ms > 0 ? 1e3 * question->call->received_s + deadline_ms : 0};
    matrix->began = clock_steady();
    matrix->queue_ms = 1e3 * (matrix->began - question->task.queued);
    return prm_matrix_create(&matrix->matrix, roadmap, model->validity, model->world->world, &input,
                             &options);
}

static enum prm_status step(struct question *question, struct device *device, bool *done)
{
    struct matrix *matrix = (struct matrix *)question;
    enum prm_status status = PRM_OK;
    if (!matrix->matrix)
        status = begin(matrix);
    if (status == PRM_OK)
        status = prm_matrix_step(device->planner, matrix->matrix, done);
    if (status == PRM_OK && *done) {
        matrix->results = prm_matrix_take(matrix->matrix);
        prm_matrix_destroy(matrix->matrix);
        matrix->matrix = NULL;
        matrix->total_ms = 1e3 * (clock_steady() - matrix->began);
    }
    return status;
}

/* A state's status in the wire's words. */
static enum matrix_status status_translate(enum prm_query_status status)
{
    switch (status) {
    case PRM_START_OUT_OF_BOUNDS:
        return MATRIX_STATUS_OUT_OF_BOUNDS;
    case PRM_START_IN_COLLISION:
        return MATRIX_STATUS_IN_COLLISION;
    case PRM_START_NOT_CONNECTED:
        return MATRIX_STATUS_NOT_CONNECTED;
    case PRM_DEADLINE_EXCEEDED:
        return MATRIX_STATUS_DEADLINE_EXCEEDED;
    case PRM_SOLVED:
    case PRM_NO_PATH:
    case PRM_GOAL_OUT_OF_BOUNDS:
    case PRM_GOAL_IN_COLLISION:
    case PRM_GOAL_NOT_CONNECTED:
    case PRM_QUERY_CANCELLED:
    case PRM_INVALID_QUERY:
        break;
    }
    return MATRIX_STATUS_OK;
}

/* What there is to say of the states, malloc'ed; NULL: no memory. *clamped: the first that was. */
static struct matrix_state *translate(const struct matrix *matrix, uint32_t *clamped)
{
    const struct question *question = &matrix->question;
    const uint32_t count = matrix->request.state_count;
    struct matrix_state *states = calloc((size_t)count + 1, sizeof(*states));
    *clamped = count;
    for (uint32_t s = 0; states && s < count; s++) {
        const struct prm_matrix_state *from = &matrix->results.states[s];
        states[s].status = status_translate(from->status);
        if (states[s].status != MATRIX_STATUS_OK)
            states[s].reason =
                reason_translate(&from->reason, &question->model->world->version->document,
                                 &question->roadmap->robot->document, question->space.coordinates,
                                 question->space.dof);
        // a state is neither start nor goal
        states[s].reason.at = NULL;
        states[s].reason.goal_index = UINT32_MAX;
        if (from->clamped && *clamped == count)
            *clamped = s;
    }
    return states;
}

static uint32_t warn(struct plan_warning *warnings, const struct matrix *matrix, uint32_t clamped)
{
    const struct roadmap_version *roadmap = matrix->question.roadmap;
    uint32_t count = roadmap_warns_stale(roadmap, warnings);
    if (clamped < matrix->request.state_count) {
        struct plan_warning *warning = &warnings[count++];
        *warning = (struct plan_warning){.code = "clamped", .query = -1};
        snprintf(warning->detail, sizeof(warning->detail),
                 "state %u, if no others: a coordinate within %g of its limit was set to the limit",
                 clamped, PRM_LIMIT_TOLERANCE);
    }
    return count;
}

static const char *write(struct question *question, struct text *out)
{
    const struct matrix *matrix = (const struct matrix *)question;
    const struct roadmap_version *roadmap = question->roadmap;
    const struct prm_plan_times *times = &matrix->results.times;
    struct plan_warning warnings[WARNINGS_MAX];
    uint32_t clamped;
    struct matrix_state *states = translate(matrix, &clamped);
    const struct matrix_answer answer = {
        .roadmap = question->call->segments[0],
        .fingerprint = roadmap->version.fingerprint,
        .revision = roadmap->version.revision,
        .world_revision = roadmap->world->version.revision,
        .space = &question->space,
        .request = &matrix->request,
        .lengths = matrix->results.lengths,
        .hops = matrix->results.hops,
        .states = states,
        .solved = matrix->results.solved,
        .late = matrix->results.late,
        .warnings = warnings,
        .warning_count = warn(warnings, matrix, clamped),
        .times = {.queue_ms = matrix->queue_ms,
                  .parse_ms = matrix->parse_ms,
                  .overlay_ms = 1e3 * question->overlay.seconds,
                  .connect_ms = times->connect_ms,
                  .expand_ms = times->expand_ms,
                  .search_ms = times->search_ms,
                  .extract_ms = times->extract_ms,
                  .total_ms = matrix->total_ms},
    };
    if (states)
        matrix_write(&answer, out);
    else
        out->failed = true;
    free(states);
    return NULL;
}

static void deinit(struct question *question)
{
    struct matrix *matrix = (struct matrix *)question;
    prm_matrix_destroy(matrix->matrix);
    prm_matrix_results_deinit(&matrix->results);
    matrix_request_deinit(&matrix->request);
}

void matrix_call(struct service *service, struct call *call)
{
    static const struct question_kind KIND = {
        sizeof(struct matrix), read_request, step, write, deinit, overlay};
    question_call(service, call, &KIND);
}
