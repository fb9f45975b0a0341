/* The build of a roadmap: admitted, then run stage by stage (build_stages.h), step by step, until
 * it is done.
 *
 * Threads: the context's.
 */
#include "roadmap/build/build_stages.h"

#include "device/clock.h"
#include "device/try.h"
#include "roadmap/build/params.h"
#include "roadmap/build/validity.h"
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/collision/vicinity.h"
#include "roadmap/robot/robot_clearances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Embedded rows and bytes of the device that a milestone takes at most, and bytes of a neighbour
 * slot, scratch of sorting included. A row is stored as a state or beside it, in a tile and while
 * it is put there. */
enum { ROWS_PER_MILESTONE = 3, BYTES_PER_MILESTONE = 72, BYTES_PER_SLOT = 64 };
/* Vicinities at most: of samples, and of all that stands in the world. */
enum { VICINITIES = 2 };

/* Refuses to certify what rounding hides. */
static enum prm_status check_margin(const struct prm_roadmap_params *params,
                                    const struct prm_world *world)
{
    if (params->edge_check != PRM_EDGE_CERTIFIED || world->margin <= world->finest)
        return PRM_OK;
    return prm_fault_set_at(
        PRM_INVALID_ARGUMENT, "edges/check", NULL, 0.0,
        "edges.check certified: in a world so large the rounding margin is %g, more than the "
        "narrowest obstacle's %g; make the bounds smaller, or say sampled",
        world->margin, world->finest);
}

/* Refuses up front what the device has no room for. */
static enum prm_status check_memory(const struct prm_build *build)
{
    const struct prm_roadmap *roadmap = build->roadmap;
    const struct prm_memory_use use = prm_context_memory(build->context);
    const struct prm_embedding embedding = prm_embedding_of(&roadmap->space);
    const uint64_t n = build->sampler.capacity, k = roadmap->params.k;
    const uint64_t floats =
        roadmap->space.row +
        (prm_embedding_is_flat(&embedding) ? ROWS_PER_MILESTONE - 1 : ROWS_PER_MILESTONE) *
            embedding.row;
    const uint64_t tables = roadmap->robot->body_count == 0
                                ? 0
                                : (uint64_t)VICINITIES * PRM_VICINITY_BYTES_MAX +
                                      (uint64_t)roadmap->robot->body_pair_count *
                                          PRM_CLEARANCE_CELLS * PRM_CLEARANCE_CELLS;
    const uint64_t needed =
        n * (sizeof(float) * floats + BYTES_PER_MILESTONE) + n * k * BYTES_PER_SLOT + tables;
    const uint64_t used = use.resident_bytes + use.scratch_bytes;

    if (n * k > INT32_MAX)
        return prm_fault_set_at(PRM_LIMIT_EXCEEDED, "neighbors/k", NULL,
                                floor(INT32_MAX / (double)n),
                                "%llu milestones of %llu neighbours are more than %d edges",
                                (unsigned long long)n, (unsigned long long)k, INT32_MAX);
    if (used + needed > use.limit_bytes)
        return prm_fault_set(
            PRM_DEVICE_MEMORY,
            "the build needs about %llu bytes of device memory; %llu of %llu are in use",
            (unsigned long long)needed, (unsigned long long)used,
            (unsigned long long)use.limit_bytes);
    return PRM_OK;
}

/* What may touch, on the device. */
static enum prm_status keep_allowed(struct prm_roadmap *roadmap,
                                    const struct prm_roadmap_params *params)
{
    roadmap->allowed_count = params->allowed_count;
    if (params->allowed_count == 0)
        return PRM_OK;
    return prm_buffer_upload(roadmap->context, &roadmap->allowed, params->allowed,
                             prm_words(2 * (size_t)params->allowed_count));
}

enum prm_status prm_build_create(struct prm_context *context, struct prm_build **build,
                                 const struct prm_world *world, const struct prm_robot_spec *robot,
                                 const struct prm_roadmap_params *params)
{
    enum prm_status status = PRM_OK;
    struct prm_build *made = calloc(1, sizeof(*made));
    struct prm_roadmap *roadmap = calloc(1, sizeof(*roadmap));

    *build = NULL;
    if (made == NULL || roadmap == NULL) {
        free(roadmap);
        free(made);
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a build");
    }
    made->context = context;
    made->world = world;
    made->roadmap = roadmap;
    roadmap->context = context;
    roadmap->params = *params;
    TRY(prm_params_check(params));
    TRY(check_margin(params, world));
    TRY(prm_space_init(&roadmap->space, robot, world));
    memcpy(roadmap->center, world->center, sizeof(roadmap->center));
    const double diagonal = prm_space_diagonal(&roadmap->space);
    if (params->edge_resolution == 0.0)
        roadmap->params.edge_resolution = diagonal / PRM_SAMPLES_ACROSS;
    TRY(prm_params_check_resolution(&roadmap->params, diagonal));
    TRY(prm_robot_create(context, &roadmap->robot, robot, &roadmap->space, world->center));
    TRY(keep_allowed(roadmap, params));
    made->all = prm_roadmap_scene(roadmap, world);
    made->fixed = made->all;
    made->fixed.obstacles = &world->fixed;
    TRY(prm_sampler_init(&made->sampler, &made->fixed, params));
    roadmap->params.anchors = NULL;
    roadmap->params.allowed = NULL;
    TRY(check_memory(made));
    if (prm_vicinity_pays(&roadmap->params))
        TRY(prm_robot_measure_clearances(roadmap->robot, &roadmap->space, PRM_CLEARANCE_CELLS));
    TRY(prm_arena_create(context, &made->arena));
    *build = made;
    made = NULL;
cleanup:
    prm_build_destroy(made);
    return status;
}

enum prm_status prm_build_step(struct prm_build *build, bool *done)
{
    struct prm_roadmap_statistics *statistics = &build->roadmap->statistics;
    struct prm_stage_time *time = &statistics->stages[build->stage];
    const double begin = prm_clock_ms();
    enum prm_status status = PRM_OK;
    bool stage_done = false;

    *done = build->stage == STAGE_COUNT;
    if (*done)
        return PRM_OK;
    build->next = build->stage + 1;
    TRY(prm_build_stages[build->stage].run(build, &stage_done));
    // other work may go between steps: leave the queue empty
    TRY(prm_context_finish(build->context));
    time->name = prm_build_stages[build->stage].name;
    time->milliseconds += prm_clock_ms() - begin;
    if (stage_done) {
        build->stage = build->next;
        build->cursor = 0;
        build->share = 0.0;
        statistics->stage_count = build->stage;
    }
    *done = build->stage == STAGE_COUNT;
cleanup:
    return status;
}

struct prm_progress prm_build_progress(const struct prm_build *build)
{
    double fraction = 0.0;
    for (uint32_t i = 0; i < build->stage; i++)
        fraction += prm_build_stages[i].work;
    if (build->stage == STAGE_COUNT)
        return (struct prm_progress){"done", 1.0};
    fraction += prm_build_stages[build->stage].work * fmin(build->share, 1.0);
    return (struct prm_progress){prm_build_stages[build->stage].name, fmin(fraction, 1.0)};
}

enum prm_status prm_build_finish(struct prm_build *build, struct prm_roadmap **roadmap,
                                 struct prm_validity **validity)
{
    *roadmap = NULL;
    *validity = NULL;
    if (build->stage != STAGE_COUNT)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "the build is not done: it is at stage %s",
                             prm_build_stages[build->stage].name);
    *roadmap = build->roadmap;
    *validity = build->validity;
    build->roadmap = NULL;
    build->validity = NULL;
    return PRM_OK;
}

void prm_build_destroy(struct prm_build *build)
{
    if (build == NULL)
        return;
    prm_sampler_deinit(&build->sampler);
    prm_buffer_destroy(build->context, &build->vicinity);
    prm_neighbor_index_destroy(build->index);
    prm_digesting_destroy(build->digesting);
    prm_validity_destroy(build->validity);
    prm_roadmap_destroy(build->roadmap);
    prm_arena_destroy(build->arena);
    free(build);
}

enum prm_status prm_roadmap_create(struct prm_context *context, struct prm_roadmap **roadmap,
                                   struct prm_validity **validity, const struct prm_world *world,
                                   const struct prm_robot_spec *robot,
                                   const struct prm_roadmap_params *params)
{
    enum prm_status status = PRM_OK;
    struct prm_build *build = NULL;

    *roadmap = NULL;
    *validity = NULL;
    TRY(prm_build_create(context, &build, world, robot, params));
    for (bool done = false; !done;)
        TRY(prm_build_step(build, &done));
    TRY(prm_build_finish(build, roadmap, validity));
cleanup:
    prm_build_destroy(build);
    return status;
}
