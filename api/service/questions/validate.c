/* POST of a roadmap's validate: states, edges and paths judged in the world that it answers for. */
#include "roadmap/collision/validate.h"

#include "service/questions/question.h"
#include "service/translate.h"

#include <stdlib.h>

/* So many a step: ten milliseconds of an arm's, whose clearances take about 40 µs each. */
enum { STATES_A_STEP = 256, MOTIONS_A_STEP = 8 };

struct validate {
    struct question question; /* first */
    struct validate_request request;
    struct prm_judgement *states, *motions; /* of those listed, and of all motions */
    uint32_t states_done, motions_done;
};

static bool read_request(struct question *question)
{
    struct validate *validate = (struct validate *)question;
    struct call *call = question->call;
    struct validate_request *request = &validate->request;
    if (question->roadmap->state == ROADMAP_STALE) {
        problem_add(&call->problem, PROBLEM_ROADMAP_STALE,
                    "the world's dimension, bounds or grid have changed since the build; build the "
                    "roadmap anew");
        return false;
    }
    if (!validate_read(request, &question->space, call_body(call), call->body_bytes,
                       &question->service->limits, &call->problem))
        return false;
    validate->states = calloc((size_t)request->listed + 1, sizeof(*validate->states));
    validate->motions = calloc((size_t)request->motion_count + 1, sizeof(*validate->motions));
    if (validate->states && validate->motions)
        return true;
    problem_no_memory(&call->problem, "a request");
    return false;
}

/* A piece of the states, then pieces of the motions. */
static enum prm_status step(struct question *question, struct device *device, bool *done)
{
    struct validate *validate = (struct validate *)question;
    const struct validate_request *request = &validate->request;
    const struct model *model = question->roadmap->model;
    const struct prm_roadmap *roadmap = model->topology->roadmap;
    enum prm_status status = PRM_OK;
    const uint32_t states = question_piece(request->listed, validate->states_done, STATES_A_STEP);
    const uint32_t motions =
        question_piece(request->motion_count, validate->motions_done, MOTIONS_A_STEP);
    if (states) {
        status = prm_validate_states(
            device->arena, validate->states + validate->states_done, roadmap, model->world->world,
            request->states + (size_t)validate->states_done * question->space.dof, states);
        validate->states_done += states;
    } else if (motions) {
        status = prm_validate_motions(
            device->arena, validate->motions + validate->motions_done, roadmap, model->world->world,
            request->states, request->motions + 2 * (size_t)validate->motions_done, motions);
        validate->motions_done += motions;
    }
    *done =
        validate->states_done == request->listed && validate->motions_done == request->motion_count;
    return status;
}

/* Judgements in the wire's words; NULL: no memory. */
static struct validate_item *translate(const struct question *question,
                                       const struct prm_judgement *judgements, uint32_t count,
                                       bool motions, uint32_t *clamped)
{
    const struct roadmap_version *roadmap = question->roadmap;
    struct validate_item *items = calloc((size_t)count + 1, sizeof(*items));
    for (uint32_t i = 0; items && i < count; i++) {
        items[i] = (struct validate_item){
            .valid = judgements[i].valid,
            .clearance = judgements[i].clearance,
            .fraction = judgements[i].fraction,
            .reason = reason_translate(&judgements[i].reason, &roadmap->world->document,
                                       &roadmap->robot->document, question->space.coordinates,
                                       question->space.dof),
        };
        // a state is neither start nor goal
        if (!motions)
            items[i].reason.at = NULL;
        *clamped += judgements[i].clamped;
    }
    return items;
}

static const char *write(struct question *question, struct text *out)
{
    const struct validate *validate = (const struct validate *)question;
    const struct validate_request *request = &validate->request;
    uint32_t clamped = 0;
    struct validate_item *states =
        translate(question, validate->states, request->listed, false, &clamped);
    struct validate_item *motions =
        translate(question, validate->motions, request->motion_count, true, &clamped);
    const struct validate_answer answer = {
        .roadmap = question->call->segments[0],
        .revision = question->roadmap->version.revision,
        .world_revision = question->roadmap->world->version.revision,
        .space = &question->space,
        .request = request,
        .states = states,
        .motions = motions,
        .clamped = clamped,
    };
    if (states && motions)
        validate_write(&answer, out);
    else
        out->failed = true;
    free(states);
    free(motions);
    return NULL;
}

static void deinit(struct question *question)
{
    struct validate *validate = (struct validate *)question;
    validate_deinit(&validate->request);
    free(validate->states);
    free(validate->motions);
}

void validate_call(struct service *service, struct call *call)
{
    static const struct question_kind KIND = {
        sizeof(struct validate), read_request, step, write, deinit, NULL};
    question_call(service, call, &KIND);
}
