#include "fake_engine.h"

#include "device/clock.h"
#include "roadmap/collision/validate.h"
#include "roadmap/plan/matrix.h"
#include "roadmap/plan/plan.h"
#include "roadmap/robot/kinematics.h"
#include "roadmap/snapshot/snapshot.h"
#include "service/compute/compute_run.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORLD_BYTES = 1000, ROADMAP_BYTES = 10000, VALIDITY_BYTES = 100, LIMIT_BYTES = 1 << 30 };

/* Marks of objects that live. */
static const double ALIVE = 1234.5;

struct fake_engine fake_engine;

static atomic_uint alive;
static atomic_ullong resident_bytes;
static struct prm_device_info info = {.platform = "Fake", .name = "fake device", .driver = "1"};

struct prm_context {
    pthread_t owner;
    bool owned;
};

struct prm_arena {
    struct prm_context *context;
};

struct prm_planner {
    struct prm_context *context;
};

struct prm_expansion {
    struct prm_context *context;
    struct prm_plan_results *results;
    double deadline_ms; /* of the last query */
};

struct prm_build {
    struct prm_context *context;
    const struct prm_world *world;
    struct prm_roadmap *roadmap;
    int step, steps;
};

void fake_engine_reset(void)
{
    atomic_store(&fake_engine.build_steps, 5);
    atomic_store(&fake_engine.step_us, 0);
    atomic_store(&fake_engine.build_status, PRM_OK);
    atomic_store(&fake_engine.validity_status, PRM_OK);
    atomic_store(&fake_engine.revision_steps, 1);
    atomic_store(&fake_engine.read_status, PRM_OK);
    atomic_store(&fake_engine.warm_up_status, PRM_OK);
    atomic_store(&fake_engine.warm_up_held, false);
    atomic_store(&fake_engine.compute_steps, 1);
    atomic_store(&fake_engine.compute_status, PRM_OK);
    atomic_store(&fake_engine.refine_status, PRM_OK);
    atomic_store(&fake_engine.refinements_held, false);
    atomic_store(&fake_engine.refined, 0);
    atomic_store(&fake_engine.plans_held, false);
    atomic_store(&fake_engine.expansions_held, false);
    atomic_store(&fake_engine.expand_status, PRM_OK);
    atomic_store(&fake_engine.expand_samples, 0);
    atomic_store(&fake_engine.batch_max, 0);
    atomic_store(&fake_engine.plans_entered, 0);
    atomic_store(&fake_engine.plans_run, 0);
    atomic_store(&fake_engine.steps_run, 0);
}

unsigned fake_engine_alive(void)
{
    return atomic_load(&alive);
}

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fake engine: %s\n", what);
    abort();
}

static void pause_us(int microseconds)
{
    const struct timespec time = {.tv_nsec = 1000L * microseconds};
    if (microseconds > 0)
        nanosleep(&time, NULL);
}

void fake_engine_until_entered(unsigned before)
{
    for (int i = 0; i < 10000 && atomic_load(&fake_engine.plans_entered) <= before; i++)
        pause_us(1000);
    require(atomic_load(&fake_engine.plans_entered) > before, "no plan came to the device");
}

static void born(size_t size)
{
    atomic_fetch_add(&alive, 1);
    atomic_fetch_add(&resident_bytes, size);
}

static void died(size_t size)
{
    atomic_fetch_sub(&alive, 1);
    atomic_fetch_sub(&resident_bytes, size);
}

/* The first to work on the device owns it. */
static void check_thread(struct prm_context *context)
{
    if (!context->owned) {
        context->owner = pthread_self();
        context->owned = true;
    }
    require(pthread_equal(context->owner, pthread_self()), "the device is used by two threads");
}

/* ---- device ---- */

enum prm_status prm_device_list(struct prm_device_info **devices, size_t *count)
{
    *devices = malloc(sizeof(info));
    **devices = info;
    *count = 1;
    return PRM_OK;
}

enum prm_status prm_context_open(struct prm_context **context,
                                 const struct prm_context_options *options)
{
    *context = NULL;
    if (options->device && strcmp(options->device, "none") == 0)
        return prm_fault_set(PRM_NO_DEVICE, "no device is called none");
    *context = calloc(1, sizeof(**context));
    return PRM_OK;
}

void prm_context_close(struct prm_context *context)
{
    free(context);
}

const struct prm_device_info *prm_context_device(const struct prm_context *context)
{
    (void)context;
    return &info;
}

struct prm_memory_use prm_context_memory(const struct prm_context *context)
{
    (void)context;
    return (struct prm_memory_use){.resident_bytes = atomic_load(&resident_bytes),
                                   .limit_bytes = LIMIT_BYTES};
}

enum prm_status prm_arena_create(struct prm_context *context, struct prm_arena **arena)
{
    *arena = calloc(1, sizeof(**arena));
    (*arena)->context = context;
    return PRM_OK;
}

void prm_arena_destroy(struct prm_arena *arena)
{
    free(arena);
}

enum prm_status prm_planner_create(struct prm_context *context, struct prm_planner **planner)
{
    *planner = calloc(1, sizeof(**planner));
    (*planner)->context = context;
    return PRM_OK;
}

void prm_planner_destroy(struct prm_planner *planner)
{
    free(planner);
}

enum prm_status prm_planner_warm_up(struct prm_planner *planner, uint32_t dof)
{
    (void)dof;
    check_thread(planner->context);
    while (atomic_load(&fake_engine.warm_up_held))
        pause_us(200);
    const enum prm_status status = (enum prm_status)atomic_load(&fake_engine.warm_up_status);
    return status == PRM_OK ? PRM_OK : prm_fault_set(status, "the fake warm-up fails");
}

enum prm_status prm_planner_rehearse(struct prm_planner *planner, const struct prm_roadmap *roadmap,
                                     const struct prm_validity *validity,
                                     const struct prm_world *world)
{
    (void)validity;
    (void)world;
    check_thread(planner->context);
    require(roadmap->statistics.margin == ALIVE, "a roadmap is rehearsed after its end");
    return PRM_OK;
}

/* ---- worlds ---- */

enum prm_status prm_world_check(const struct prm_world_spec *spec)
{
    for (uint32_t i = 0; i < spec->obstacle_count; i++)
        if (spec->obstacles[i].radius > 100)
            return prm_fault_set(PRM_INVALID_ARGUMENT, "obstacle %u: radius", i);
    return PRM_OK;
}

struct prm_precision prm_world_precision(const struct prm_world_spec *spec)
{
    // as large as the world, and as fine as its obstacles
    struct prm_precision precision = {.margin = spec->upper[0] * 1e-6, .finest = INFINITY};
    for (uint32_t i = 0; i < spec->obstacle_count; i++)
        precision.finest = fmin(precision.finest, 2 * spec->obstacles[i].radius);
    return precision;
}

enum prm_status prm_world_create(struct prm_arena *arena, struct prm_world **world,
                                 const struct prm_world_spec *spec)
{
    check_thread(arena->context);
    *world = calloc(1, sizeof(**world));
    (*world)->context = arena->context;
    (*world)->dimension = spec->dimension;
    (*world)->margin = ALIVE;
    for (uint32_t i = 0; i < spec->obstacle_count; i++)
        (*world)->all.shape_count += !spec->obstacles[i].disabled;
    born(WORLD_BYTES);
    return PRM_OK;
}

enum prm_status prm_world_derive(struct prm_arena *arena, struct prm_world **world,
                                 const struct prm_world_spec *spec, const struct prm_world *from,
                                 const struct prm_difference *difference)
{
    require(from->margin == ALIVE, "a world is used after its end");
    require(difference->gone_count <= spec->obstacle_count, "more is gone than there was");
    return prm_world_create(arena, world, spec);
}

size_t prm_world_bytes(const struct prm_world *world)
{
    require(world->margin == ALIVE, "a world is used after its end");
    return WORLD_BYTES;
}

bool prm_world_is_centered(const struct prm_world *world, const double *center)
{
    return world->center[0] == center[0] && world->center[1] == center[1] &&
           world->center[2] == center[2];
}

void prm_world_destroy(struct prm_world *world)
{
    if (!world)
        return;
    require(world->margin == ALIVE, "a world is destroyed twice");
    world->margin = 0;
    free(world);
    died(WORLD_BYTES);
}

/* ---- kinematics ---- */

enum prm_status prm_robot_forward(struct prm_arena *arena, struct prm_frame *frames,
                                  const struct prm_robot_spec *spec, const double *states,
                                  uint32_t count)
{
    check_thread(arena->context);
    const enum prm_status status = (enum prm_status)atomic_load(&fake_engine.compute_status);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t l = 0; l < spec->link_count; l++)
            frames[i * spec->link_count + l] =
                (struct prm_frame){{l, states[i * spec->dof], 0}, {0, 0, 0, 1}};
    return status == PRM_OK ? status : prm_fault_set(status, "the fake kinematics fails");
}

/* ---- builds ---- */

static struct prm_validity *make_validity(const struct prm_roadmap *roadmap,
                                          const struct prm_world *world)
{
    struct prm_validity *validity = calloc(1, sizeof(*validity));
    validity->roadmap = roadmap;
    validity->length_max = ALIVE;
    validity->valid_edges = roadmap->edge_count;
    validity->largest_size = roadmap->milestone_count;
    validity->component_count = 1;
    validity->largest_component = world->all.shape_count;
    born(VALIDITY_BYTES);
    return validity;
}

/* Tells lists of pairs apart. */
static double pairs_mark(const struct prm_roadmap_params *params)
{
    uint32_t mark = 1;
    for (uint32_t i = 0; i < 2 * params->allowed_count; i++)
        mark = 31 * mark + params->allowed[i];
    return mark;
}

enum prm_status prm_build_create(struct prm_context *context, struct prm_build **build,
                                 const struct prm_world *world, const struct prm_robot_spec *robot,
                                 const struct prm_roadmap_params *params)
{
    check_thread(context);
    require(world->margin == ALIVE, "a world is used after its end");
    struct prm_roadmap *roadmap = calloc(1, sizeof(*roadmap));
    roadmap->context = context;
    (void)robot;
    roadmap->params = *params;
    roadmap->params.anchors = NULL;
    roadmap->params.allowed = NULL;
    roadmap->allowed_count = params->allowed_count;
    roadmap->weight_scale = pairs_mark(params);
    roadmap->space.dof = world->dimension;
    for (uint32_t i = 0; i < world->dimension; i++)
        snprintf(roadmap->space.coordinates[i].name, PRM_COORDINATE_NAME_MAX, "%c",
                 (char)('x' + (int)i));
    roadmap->milestone_count = params->sample_count;
    roadmap->statistics = (struct prm_roadmap_statistics){
        .milestones = params->sample_count,
        .recall = 1,
        .margin = ALIVE,
        .stages = {{"sample", 1}, {"neighbors", 2}},
        .stage_count = 2,
        .free_fraction = 1,
    };
    snprintf(roadmap->digest, sizeof(roadmap->digest), "%064llu", (unsigned long long)params->seed);
    *build = calloc(1, sizeof(**build));
    **build = (struct prm_build){.context = context,
                                 .world = world,
                                 .roadmap = roadmap,
                                 .steps = atomic_load(&fake_engine.build_steps)};
    born(ROADMAP_BYTES);
    return PRM_OK;
}

enum prm_status prm_build_step(struct prm_build *build, bool *done)
{
    check_thread(build->context);
    require(build->world->margin == ALIVE, "a world is used after its end");
    require(build->step < build->steps, "a finished build is stepped");
    pause_us(atomic_load(&fake_engine.step_us));
    atomic_fetch_add(&fake_engine.steps_run, 1);
    build->step++;
    *done = build->step == build->steps;
    const enum prm_status status = (enum prm_status)atomic_load(&fake_engine.build_status);
    if (*done && status != PRM_OK)
        return prm_fault_set(status, "the fake build fails");
    return PRM_OK;
}

struct prm_progress prm_build_progress(const struct prm_build *build)
{
    return (struct prm_progress){.stage = "sample", .fraction = (double)build->step / build->steps};
}

enum prm_status prm_build_finish(struct prm_build *build, struct prm_roadmap **roadmap,
                                 struct prm_validity **validity)
{
    require(build->step == build->steps, "an unfinished build is finished");
    *roadmap = build->roadmap;
    *validity = make_validity(build->roadmap, build->world);
    build->roadmap = NULL;
    return PRM_OK;
}

void prm_build_destroy(struct prm_build *build)
{
    if (!build)
        return;
    check_thread(build->context);
    prm_roadmap_destroy(build->roadmap);
    free(build);
}

enum prm_status prm_roadmap_create(struct prm_context *context, struct prm_roadmap **roadmap,
                                   struct prm_validity **validity, const struct prm_world *world,
                                   const struct prm_robot_spec *robot,
                                   const struct prm_roadmap_params *params)
{
    struct prm_build *build;
    enum prm_status status = prm_build_create(context, &build, world, robot, params);
    for (bool done = false; status == PRM_OK && !done;)
        status = prm_build_step(build, &done);
    if (status == PRM_OK)
        status = prm_build_finish(build, roadmap, validity);
    prm_build_destroy(build);
    return status;
}

void prm_roadmap_destroy(struct prm_roadmap *roadmap)
{
    if (!roadmap)
        return;
    require(roadmap->statistics.margin == ALIVE, "a roadmap is destroyed twice");
    roadmap->statistics.margin = 0;
    free(roadmap);
    died(ROADMAP_BYTES);
}

struct prm_revision {
    const struct prm_roadmap *roadmap;
    const struct prm_world *world;
    const struct prm_validity *previous;
    struct prm_validity *validity;
    int steps;
};

enum prm_status prm_revision_create(struct prm_revision **revision,
                                    const struct prm_roadmap *roadmap,
                                    const struct prm_world *world,
                                    const struct prm_validity *previous)
{
    check_thread(roadmap->context);
    *revision = malloc(sizeof(**revision));
    **revision = (struct prm_revision){roadmap, world, previous, NULL, 0};
    return PRM_OK;
}

enum prm_status
prm_revision_create_between(struct prm_revision **revision, const struct prm_roadmap *roadmap,
                            const struct prm_world *world, const struct prm_validity *previous,
                            const struct prm_world *before, const struct prm_difference *difference)
{
    require(before->margin == ALIVE, "a world is used after its end");
    require(difference->come_count > 0, "an overlay changes nothing");
    return prm_revision_create(revision, roadmap, world, previous);
}

enum prm_status prm_revision_step(struct prm_arena *arena, struct prm_revision *revision,
                                  bool *done)
{
    check_thread(arena->context);
    require(revision->roadmap->statistics.margin == ALIVE && revision->world->margin == ALIVE &&
                revision->previous->length_max == ALIVE,
            "something is used after its end");
    pause_us(atomic_load(&fake_engine.step_us));
    const enum prm_status status = (enum prm_status)atomic_load(&fake_engine.validity_status);
    if (status != PRM_OK)
        return prm_fault_set(status, "the fake validity fails");
    // held by a count of steps that it does not reach
    *done = ++revision->steps >= atomic_load(&fake_engine.revision_steps);
    atomic_fetch_add(&fake_engine.steps_run, 1);
    if (*done) {
        revision->validity = make_validity(revision->roadmap, revision->world);
        revision->validity->edges_off = 7;
    }
    return PRM_OK;
}

enum prm_status prm_validity_create(struct prm_arena *arena, struct prm_validity **validity,
                                    const struct prm_roadmap *roadmap,
                                    const struct prm_world *world,
                                    const struct prm_validity *previous)
{
    (void)previous;
    check_thread(arena->context);
    *validity = make_validity(roadmap, world);
    return PRM_OK;
}

struct prm_validity *prm_revision_take(struct prm_revision *revision)
{
    struct prm_validity *validity = revision->validity;
    revision->validity = NULL;
    return validity;
}

void prm_revision_destroy(struct prm_revision *revision)
{
    if (!revision)
        return;
    prm_validity_destroy(revision->validity);
    free(revision);
}

void prm_validity_destroy(struct prm_validity *validity)
{
    if (!validity)
        return;
    require(validity->length_max == ALIVE, "a validity is destroyed twice");
    require(validity->roadmap->statistics.margin == ALIVE, "a roadmap dies before its validity");
    validity->length_max = 0;
    free(validity);
    died(VALIDITY_BYTES);
}

/* A fake landmark is a mark. */
static struct prm_landmarks *const REFINED = (struct prm_landmarks *)&ALIVE;

enum prm_status prm_validity_refine(struct prm_validity *validity, bool *done)
{
    check_thread(validity->roadmap->context);
    require(validity->length_max == ALIVE, "a validity is refined after its end");
    const enum prm_status status = (enum prm_status)atomic_load(&fake_engine.refine_status);
    if (status != PRM_OK)
        return prm_fault_set(status, "the fake refinement fails");
    pause_us(atomic_load(&fake_engine.step_us));
    *done = !atomic_load(&fake_engine.refinements_held);
    if (*done) {
        validity->landmarks = REFINED;
        atomic_fetch_add(&fake_engine.refined, 1);
    }
    return PRM_OK;
}

enum prm_status prm_graph_copy_init(struct prm_graph_copy *copy, const struct prm_roadmap *roadmap,
                                    const struct prm_validity *validity)
{
    check_thread(roadmap->context);
    require(validity->length_max == ALIVE, "a validity is used after its end");
    const uint32_t count = roadmap->milestone_count, dof = roadmap->space.dof;
    *copy = (struct prm_graph_copy){.milestone_count = count, .dof = dof};
    copy->states = calloc((size_t)count * dof + 1, sizeof(double));
    for (size_t i = 0; i < (size_t)count * dof; i++)
        copy->states[i] = (double)(i % 10);
    copy->components = calloc((size_t)count + 1, sizeof(*copy->components));
    return PRM_OK;
}

void prm_graph_copy_deinit(struct prm_graph_copy *copy)
{
    free(copy->states);
    free(copy->components);
    *copy = (struct prm_graph_copy){0};
}

/* ---- questions ---- */

/* What a step of a question ends with. */
static enum prm_status asked(const struct prm_arena *arena, const struct prm_roadmap *roadmap)
{
    check_thread(arena->context);
    require(roadmap->statistics.margin == ALIVE, "a roadmap is asked after its end");
    while (atomic_load(&fake_engine.plans_held))
        pause_us(200);
    const enum prm_status status = (enum prm_status)atomic_load(&fake_engine.compute_status);
    return status == PRM_OK ? status : prm_fault_set(status, "the fake question fails");
}

/* A state is valid where its first coordinate is not negative, and keeps as much. */
static struct prm_judgement judge(double first)
{
    return (struct prm_judgement){
        .valid = first >= 0,
        .clearance = first,
        .reason = {.kind = first >= 0 ? PRM_REASON_NONE : PRM_REASON_WORLD_COLLISION,
                   .obstacle = 0,
                   .depth = first >= 0 ? 0 : -first}};
}

enum prm_status prm_validate_states(struct prm_arena *arena, struct prm_judgement *judgements,
                                    const struct prm_roadmap *roadmap,
                                    const struct prm_world *world, const double *states,
                                    uint32_t count)
{
    require(world->margin == ALIVE, "a world is used after its end");
    for (uint32_t i = 0; i < count; i++)
        judgements[i] = judge(states[(size_t)i * roadmap->space.dof]);
    return asked(arena, roadmap);
}

enum prm_status prm_validate_motions(struct prm_arena *arena, struct prm_judgement *judgements,
                                     const struct prm_roadmap *roadmap,
                                     const struct prm_world *world, const double *states,
                                     const uint32_t *pairs, uint32_t count)
{
    require(world->margin == ALIVE, "a world is used after its end");
    for (uint32_t i = 0; i < count; i++) {
        const double from = states[(size_t)pairs[2 * i] * roadmap->space.dof];
        const double to = states[(size_t)pairs[2 * i + 1] * roadmap->space.dof];
        judgements[i] = judge(from < to ? from : to);
        judgements[i].fraction = from < to ? 0 : 1;
        judgements[i].reason.at = PRM_AT_EDGE;
    }
    return asked(arena, roadmap);
}

enum prm_status prm_nearest_milestones(struct prm_arena *arena, uint32_t *ids, float *distances,
                                       double *found, const struct prm_roadmap *roadmap,
                                       const double *states, uint32_t count, uint32_t k)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < k; j++) {
            ids[i * k + j] = j < roadmap->milestone_count ? j : UINT32_MAX;
            found[((size_t)i * k + j) * roadmap->space.dof] = j;
            distances[i * k + j] = (float)(states[(size_t)i * roadmap->space.dof] + j);
        }
    return asked(arena, roadmap);
}

/* ---- plans ---- */

enum prm_status prm_plan_begin(struct prm_planner *planner, struct prm_plan_results *results,
                               struct prm_expansion **left, const struct prm_roadmap *roadmap,
                               const struct prm_validity *validity, const struct prm_world *world,
                               const struct prm_query *queries, uint32_t count,
                               const struct prm_plan_options *options)
{
    bool unsolved = false;
    *left = NULL;
    atomic_store(&fake_engine.expand_samples, options->expand_samples);
    check_thread(planner->context);
    require(roadmap->statistics.margin == ALIVE && validity->length_max == ALIVE &&
                world->margin == ALIVE,
            "a model is used after its end");
    require(validity->roadmap == roadmap && validity->largest_component == world->all.shape_count,
            "a model is mixed of two versions");
    atomic_fetch_add(&fake_engine.plans_entered, 1);
    while (atomic_load(&fake_engine.plans_held))
        pause_us(200);
    atomic_fetch_add(&fake_engine.plans_run, 1);
    *results = (struct prm_plan_results){0};
    const unsigned batch_max = atomic_load(&fake_engine.batch_max);
    if (batch_max > 0 && count > batch_max)
        return prm_fault_set_at(PRM_LIMIT_EXCEEDED, "queries", "waypoints", batch_max,
                                "the fake batch is too large");

    const uint32_t dof = roadmap->space.dof;
    *results = (struct prm_plan_results){
        .count = count,
        .dof = dof,
        .results = calloc(count + 1u, sizeof(*results->results)),
        .waypoints = calloc(2u * count * dof + 1u, sizeof(double)),
        .waypoint_count = 2u * count,
    };
    for (uint32_t i = 0; i < count; i++) {
        struct prm_plan_result *result = &results->results[i];
        result->status = PRM_INVALID_QUERY;
        if (queries[i].invalid)
            continue;
        if (queries[i].deadline_ms > 0 && queries[i].deadline_ms <= prm_clock_ms()) {
            result->status = PRM_DEADLINE_EXCEEDED;
            continue;
        }
        const double x = queries[i].start[0];
        result->status = x < 0 ? PRM_START_OUT_OF_BOUNDS : x > 1000 ? PRM_NO_PATH : PRM_SOLVED;
        unsolved |= result->status == PRM_NO_PATH;
        result->length = (double)roadmap->params.seed;
        result->hops = world->all.shape_count;
        result->clamped = x == 0;
        result->waypoint_first = 2 * (size_t)i;
        result->waypoint_count = result->status == PRM_SOLVED ? 2 : 0;
        if (x < 0)
            result->reason = (struct prm_reason){.kind = PRM_REASON_BOUNDS, .value = x};
        memcpy(results->waypoints + 2 * (size_t)i * dof, queries[i].start, dof * sizeof(double));
        memcpy(results->waypoints + (2 * (size_t)i + 1) * dof, queries[i].goals,
               dof * sizeof(double));
    }
    if (unsolved && options->expand_samples > 0) {
        *left = calloc(1, sizeof(**left));
        **left = (struct prm_expansion){planner->context, results, queries[count - 1].deadline_ms};
        born(1);
    }
    return PRM_OK;
}

enum prm_status prm_plan_part(struct prm_plan_results *part, struct prm_expansion **left_part,
                              const struct prm_plan_results *whole,
                              const struct prm_expansion *left, uint32_t first, uint32_t count)
{
    const size_t state_count = 2 * (size_t)count * whole->dof;
    bool unsolved = false;
    *left_part = NULL;
    *part = (struct prm_plan_results){
        .count = count,
        .dof = whole->dof,
        .results = malloc((count + 1u) * sizeof(*part->results)),
        .waypoints = malloc((state_count + 1) * sizeof(double)),
        .waypoint_count = 2u * count,
    };
    require(first + count <= whole->count, "a part is not of its whole");
    memcpy(part->results, whole->results + first, count * sizeof(*part->results));
    memcpy(part->waypoints, whole->waypoints + 2 * (size_t)first * whole->dof,
           state_count * sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        part->results[i].waypoint_first = 2 * (size_t)i;
        unsolved |= part->results[i].status == PRM_NO_PATH;
    }
    if (left && unsolved) {
        *left_part = malloc(sizeof(**left_part));
        **left_part = (struct prm_expansion){left->context, part, left->deadline_ms};
        born(1);
    }
    return PRM_OK;
}

enum prm_status prm_expansion_step(struct prm_expansion *expansion, bool *done)
{
    check_thread(expansion->context);
    pause_us(atomic_load(&fake_engine.step_us));
    if (expansion->deadline_ms > 0 && expansion->deadline_ms <= prm_clock_ms()) {
        for (uint32_t i = 0; i < expansion->results->count; i++)
            if (expansion->results->results[i].status == PRM_NO_PATH)
                expansion->results->results[i] =
                    (struct prm_plan_result){.status = PRM_DEADLINE_EXCEEDED};
        *done = true;
        return PRM_OK;
    }
    *done = !atomic_load(&fake_engine.expansions_held);
    if (!*done)
        return PRM_OK;
    const enum prm_status status = (enum prm_status)atomic_load(&fake_engine.expand_status);
    if (status != PRM_OK)
        return prm_fault_set(status, "the fake expansion fails");
    const struct prm_plan_results *results = expansion->results;
    for (uint32_t i = 0; i < results->count; i++) {
        struct prm_plan_result *result = &results->results[i];
        const double x = results->waypoints[2 * (size_t)i * results->dof];
        if (result->status != PRM_NO_PATH || !(x > 2000))
            continue;
        result->status = PRM_SOLVED;
        result->expanded = true;
        result->waypoint_count = 2;
    }
    return PRM_OK;
}

void prm_expansion_destroy(struct prm_expansion *expansion)
{
    if (!expansion)
        return;
    check_thread(expansion->context);
    free(expansion);
    died(1);
}

/* Every way costs the sum of its states' numbers, in one step. */
struct prm_matrix {
    struct prm_context *context;
    const struct prm_roadmap *roadmap;
    struct prm_matrix_input input;
    struct prm_matrix_results results;
};

enum prm_status prm_matrix_create(struct prm_matrix **matrix, const struct prm_roadmap *roadmap,
                                  const struct prm_validity *validity,
                                  const struct prm_world *world,
                                  const struct prm_matrix_input *input,
                                  const struct prm_plan_options *options)
{
    check_thread(roadmap->context);
    (void)options;
    require(world->margin == ALIVE && validity->length_max == ALIVE,
            "something is used after its end");
    const size_t pairs = (size_t)input->source_count * input->target_count;
    *matrix = calloc(1, sizeof(**matrix));
    **matrix = (struct prm_matrix){.context = roadmap->context,
                                   .roadmap = roadmap,
                                   .input = *input,
                                   .results = {.lengths = calloc(pairs + 1, sizeof(double)),
                                               .hops = calloc(pairs + 1, sizeof(uint32_t)),
                                               .states = calloc((size_t)input->state_count + 1,
                                                                sizeof(struct prm_matrix_state)),
                                               .pairs = pairs,
                                               .solved = pairs}};
    return PRM_OK;
}

enum prm_status prm_matrix_step(struct prm_planner *planner, struct prm_matrix *matrix, bool *done)
{
    check_thread(planner->context);
    const struct prm_matrix_input *input = &matrix->input;
    for (uint32_t i = 0; i < input->source_count; i++)
        for (uint32_t j = 0; j < input->target_count; j++)
            matrix->results.lengths[i * input->target_count + j] =
                input->sources[i] + input->targets[j];
    *done = !atomic_load(&fake_engine.expansions_held);
    return PRM_OK;
}

struct prm_matrix_results prm_matrix_take(struct prm_matrix *matrix)
{
    const struct prm_matrix_results taken = matrix->results;
    matrix->results = (struct prm_matrix_results){0};
    return taken;
}

void prm_matrix_results_deinit(struct prm_matrix_results *results)
{
    free(results->lengths);
    free(results->hops);
    free(results->states);
    *results = (struct prm_matrix_results){0};
}

void prm_matrix_destroy(struct prm_matrix *matrix)
{
    if (!matrix)
        return;
    check_thread(matrix->context);
    prm_matrix_results_deinit(&matrix->results);
    free(matrix);
}

void prm_plan_results_deinit(struct prm_plan_results *results)
{
    free(results->results);
    free(results->waypoints);
    *results = (struct prm_plan_results){0};
}

/* ---- computations ---- */

static void run_ends(struct compute_run *run)
{
    check_thread(run->context);
    run->state = NULL;
    died(1);
}

enum prm_status compute_run_step(struct compute_run *run, struct device *device, bool *done)
{
    check_thread(device->context);
    while (atomic_load(&fake_engine.plans_held))
        pause_us(200);
    pause_us(atomic_load(&fake_engine.step_us));
    atomic_fetch_add(&fake_engine.steps_run, 1);
    if (!run->state) {
        run->context = device->context;
        run->state = run->owned[run->owned_count++] = calloc(1, sizeof(uint32_t));
        run->state_destroy = run_ends;
        born(1);
    }
    uint32_t *steps = run->state;
    ++*steps;
    *done = *steps >= (uint32_t)atomic_load(&fake_engine.compute_steps);
    if (!*done)
        return PRM_OK;
    const enum prm_status status = (enum prm_status)atomic_load(&fake_engine.compute_status);
    if (status != PRM_OK)
        return prm_fault_set(status, "the fake computation fails");
    compute_reply_number(&run->reply, "steps", COMPUTE_U32, steps);
    return PRM_OK;
}

void compute_run_deinit(struct compute_run *run)
{
    if (run->state)
        run->state_destroy(run);
    for (unsigned i = 0; i < run->owned_count; i++)
        free(run->owned[i]);
}

/* ---- snapshots: the roadmap's own struct, behind a mark ---- */

static const char SNAPSHOT_MARK[8] = "fakesnap";

struct prm_snapshot_writer {
    const struct prm_roadmap *roadmap;
    const struct prm_validity *validity;
};

struct prm_snapshot {
    struct prm_roadmap roadmap;
    uint32_t shapes; /* of the world of the validity */
    struct prm_snapshot_info info;
};

struct prm_snapshot_reader {
    struct prm_context *context;
    struct prm_snapshot *snapshot;
    const struct prm_world *world;
};

enum prm_status prm_snapshot_writer_create(struct prm_snapshot_writer **writer,
                                           const struct prm_roadmap *roadmap,
                                           const struct prm_validity *validity)
{
    check_thread(roadmap->context);
    *writer = malloc(sizeof(**writer));
    **writer = (struct prm_snapshot_writer){roadmap, validity};
    return PRM_OK;
}

enum prm_status prm_snapshot_writer_step(struct prm_snapshot_writer *writer, bool *done)
{
    check_thread(writer->roadmap->context);
    require(writer->validity->length_max == ALIVE, "a validity is saved after its end");
    *done = true;
    return PRM_OK;
}

enum prm_status prm_snapshot_writer_finish(struct prm_snapshot_writer *writer,
                                           unsigned char **bytes, size_t *size)
{
    const uint32_t shapes = writer->validity->largest_component;
    struct prm_roadmap roadmap;
    // the same roadmap is the same bytes
    memcpy(&roadmap, writer->roadmap, sizeof(roadmap));
    roadmap.context = NULL;
    *size = sizeof(SNAPSHOT_MARK) + sizeof(struct prm_roadmap) + sizeof(shapes);
    *bytes = malloc(*size);
    memcpy(*bytes, SNAPSHOT_MARK, sizeof(SNAPSHOT_MARK));
    memcpy(*bytes + sizeof(SNAPSHOT_MARK), &roadmap, sizeof(roadmap));
    memcpy(*bytes + *size - sizeof(shapes), &shapes, sizeof(shapes));
    return PRM_OK;
}

void prm_snapshot_writer_destroy(struct prm_snapshot_writer *writer)
{
    free(writer);
}

enum prm_status prm_snapshot_decode(struct prm_snapshot **snapshot, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    *snapshot = NULL;
    if (size != sizeof(SNAPSHOT_MARK) + sizeof(struct prm_roadmap) + sizeof(uint32_t) ||
        memcmp(at, SNAPSHOT_MARK, sizeof(SNAPSHOT_MARK)) != 0)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "no fake snapshot");
    *snapshot = calloc(1, sizeof(**snapshot));
    memcpy(&(*snapshot)->roadmap, at + sizeof(SNAPSHOT_MARK), sizeof(struct prm_roadmap));
    memcpy(&(*snapshot)->shapes, at + size - sizeof(uint32_t), sizeof(uint32_t));
    memcpy((*snapshot)->info.center, (*snapshot)->roadmap.center, sizeof((*snapshot)->info.center));
    return PRM_OK;
}

void prm_snapshot_destroy(struct prm_snapshot *snapshot)
{
    free(snapshot);
}

const struct prm_snapshot_info *prm_snapshot_info_of(const struct prm_snapshot *snapshot)
{
    return &snapshot->info;
}

enum prm_status prm_snapshot_check_params(const struct prm_snapshot *snapshot,
                                          const struct prm_roadmap_params *params)
{
    const struct prm_roadmap *roadmap = &snapshot->roadmap;
    const bool same = roadmap->params.seed == params->seed &&
                      roadmap->params.sample_count == params->sample_count &&
                      roadmap->allowed_count == params->allowed_count &&
                      roadmap->weight_scale == pairs_mark(params) &&
                      roadmap->params.edge_check == params->edge_check;
    return same ? PRM_OK : prm_fault_set(PRM_INVALID_ARGUMENT, "the fake parameters differ");
}

enum prm_status prm_snapshot_reader_create(struct prm_context *context,
                                           struct prm_snapshot_reader **reader,
                                           struct prm_snapshot *snapshot,
                                           const struct prm_robot_spec *robot,
                                           const struct prm_world *world)
{
    (void)robot;
    check_thread(context);
    require(world->margin == ALIVE, "a world is used after its end");
    *reader = malloc(sizeof(**reader));
    **reader = (struct prm_snapshot_reader){context, snapshot, world};
    return PRM_OK;
}

enum prm_status prm_snapshot_reader_step(struct prm_snapshot_reader *reader, bool *done)
{
    check_thread(reader->context);
    const enum prm_status status = (enum prm_status)atomic_load(&fake_engine.read_status);
    *done = true;
    return status == PRM_OK ? status : prm_fault_set(status, "the fake reading fails");
}

enum prm_status prm_snapshot_reader_finish(struct prm_snapshot_reader *reader,
                                           struct prm_roadmap **roadmap,
                                           struct prm_validity **validity)
{
    *roadmap = malloc(sizeof(**roadmap));
    **roadmap = reader->snapshot->roadmap;
    (*roadmap)->context = reader->context;
    born(ROADMAP_BYTES);
    *validity = make_validity(*roadmap, reader->world);
    // what was saved, not what the world says
    (*validity)->largest_component = reader->snapshot->shapes;
    return PRM_OK;
}

void prm_snapshot_reader_destroy(struct prm_snapshot_reader *reader)
{
    free(reader);
}
