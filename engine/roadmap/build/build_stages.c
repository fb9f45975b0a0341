#include "roadmap/build/build_stages.h"

#include "device/try.h"
#include "roadmap/build/roadmap_index.h"
#include "roadmap/build/validity.h"
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/collision/vicinity.h"
#include "roadmap/search/numbering.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points whose neighbours are measured against brute force. */
enum { RECALL_SAMPLES = 256 };
/* What a step of neighbour search does: coordinate differences of brute force, candidates of lsh,
 * cells. */
#define DIFFERENCES_PER_STEP 4e7
enum { TILES_DOF = 3 }; /* dimensions in which QUERIES_MOST of tiles are a step */
enum { CANDIDATES_PER_STEP = 1 << 17, QUERIES_LEAST = 64, QUERIES_MOST = 1 << 13 };
/* Draws, until there are milestones enough; then keeps what there is. */
static enum prm_status run_sample(struct prm_build *build, bool *done)
{
    struct prm_roadmap *roadmap = build->roadmap;
    struct prm_sampler *sampler = &build->sampler;
    const size_t row_bytes = roadmap->space.row * sizeof(float);
    enum prm_status status = PRM_OK;
    struct prm_buffer kept = PRM_NO_BUFFER;

    if (roadmap->states.memory == NULL) {
        if (prm_vicinity_pays(&build->roadmap->params))
            TRY(prm_vicinity_create(&build->vicinity, &build->fixed, PRM_VICINITY_ACROSS));
        build->fixed.vicinity = build->vicinity;
        TRY(prm_sampler_begin(build->arena, sampler));
        TRY(prm_buffer_create(build->context, &roadmap->states, sampler->capacity * row_bytes));
    }
    TRY(prm_sampler_step(build->arena, sampler, roadmap->states, done));
    build->share = prm_sampler_share(sampler);
    if (!*done)
        goto cleanup;

    if (roadmap->params.milestones_max > 0 && sampler->accepted > roadmap->params.milestones_max) {
        status = prm_fault_set_at(PRM_LIMIT_EXCEEDED, "samples/method", "milestones",
                                  roadmap->params.milestones_max,
                                  "the lattice has %u free cells, milestones may be %u",
                                  sampler->accepted, roadmap->params.milestones_max);
        goto cleanup;
    }

    // no larger than what was found
    roadmap->milestone_count = sampler->accepted;
    roadmap->statistics.samples_drawn = sampler->drawn;
    roadmap->statistics.free_fraction = (double)sampler->even_free / (double)sampler->even;
    memcpy(roadmap->statistics.samples, sampler->counts, sizeof(sampler->counts));
    const size_t bytes = sampler->accepted * row_bytes;
    if (sampler->accepted < sampler->capacity) {
        TRY(prm_buffer_create(build->context, &kept, bytes));
        TRY(prm_buffer_copy(build->context, kept, 0, roadmap->states, 0, bytes));
        prm_buffer_destroy(build->context, &roadmap->states);
        roadmap->states = kept;
        kept = PRM_NO_BUFFER;
    }
    roadmap->host_states = malloc(bytes);
    if (roadmap->host_states == NULL) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %u milestones", sampler->accepted);
        goto cleanup;
    }
    TRY(prm_buffer_read(build->context, roadmap->states, 0, roadmap->host_states, bytes));
    TRY(prm_roadmap_embed(roadmap));
cleanup:
    prm_buffer_destroy(build->context, &kept);
    return status;
}

/* Begins an index of the given method in place of *index. */
static enum prm_status begin_index(struct prm_build *build, struct prm_neighbor_index **index,
                                   enum prm_neighbor_method method, double target_recall)
{
    prm_neighbor_index_destroy(*index);
    *index = NULL;
    return prm_roadmap_index_begin(build->arena, index, build->roadmap, method, target_recall);
}

/* Makes the index, one table a step; a lattice needs none, but recall is measured by one. */
static enum prm_status run_index(struct prm_build *build, bool *done)
{
    const struct prm_roadmap_params *params = &build->roadmap->params;
    const bool lattice = params->sample_method == PRM_SAMPLE_LATTICE;
    const size_t slots = (size_t)build->roadmap->milestone_count * params->k;
    enum prm_status status = PRM_OK;

    if (build->index == NULL) {
        TRY(begin_index(build, &build->index,
                        lattice ? PRM_NEIGHBOR_EXACT : params->neighbor_method,
                        params->target_recall));
        TRY(prm_arena_take(build->arena, &build->lists, slots * sizeof(uint32_t)));
        if (lattice)
            TRY(prm_lattice_begin(build->arena, &build->sampler, params->k, params->radius));
    }
    TRY(prm_neighbor_index_step(build->arena, build->index, done));
cleanup:
    return status;
}

/* Queries that one step of neighbour search takes. */
static uint32_t queries_per_step(const struct prm_build *build)
{
    const struct prm_roadmap *roadmap = build->roadmap;
    const struct prm_neighbor_statistics statistics = prm_neighbor_statistics(build->index);
    double queries = DIFFERENCES_PER_STEP / roadmap->space.dof / roadmap->milestone_count;
    if (roadmap->params.sample_method == PRM_SAMPLE_LATTICE)
        queries = QUERIES_MOST;
    else if (statistics.method == PRM_NEIGHBOR_TILES)
        queries = QUERIES_MOST * (double)TILES_DOF / roadmap->space.dof;
    else if (statistics.method == PRM_NEIGHBOR_LSH)
        queries = CANDIDATES_PER_STEP / fmax(roadmap->params.k * statistics.tables, 1.0);
    return (uint32_t)fmin(fmax(queries, QUERIES_LEAST), QUERIES_MOST);
}

/* The neighbours of one piece of the milestones. */
static enum prm_status run_neighbors(struct prm_build *build, bool *done)
{
    const struct prm_roadmap *roadmap = build->roadmap;
    const struct prm_roadmap_params *params = &roadmap->params;
    const struct prm_arena_mark mark = prm_arena_mark(build->arena);
    const uint32_t first = build->cursor, left = roadmap->milestone_count - first;
    const uint32_t step = queries_per_step(build), n = left < step ? left : step;
    const size_t row_bytes = params->k * sizeof(uint32_t);
    enum prm_status status = PRM_OK;
    struct prm_buffer piece;

    if (params->sample_method == PRM_SAMPLE_LATTICE) {
        TRY(prm_arena_take(build->arena, &piece, n * row_bytes));
        TRY(prm_lattice_neighbors(build->arena, piece, &build->sampler, roadmap->states, params->k,
                                  params->radius, first, n));
        TRY(prm_buffer_copy(build->context, build->lists, first * row_bytes, piece, 0,
                            n * row_bytes));
    } else {
        TRY(prm_neighbors_self(build->arena, build->lists, PRM_NO_BUFFER, build->index, first, n));
    }
    build->cursor += n;
    build->share = (double)build->cursor / roadmap->milestone_count;
    *done = build->cursor == roadmap->milestone_count;
cleanup:
    prm_arena_rewind(build->arena, mark);
    return status;
}

/* Measures recall; `auto` that missed the target starts over exactly. */
static enum prm_status run_recall(struct prm_build *build, bool *done)
{
    struct prm_roadmap *roadmap = build->roadmap;
    struct prm_roadmap_statistics *statistics = &roadmap->statistics;
    const uint32_t n = roadmap->milestone_count;
    enum prm_status status = PRM_OK;

    TRY(prm_neighbors_recall(build->arena, &statistics->recall, build->index, build->lists,
                             RECALL_SAMPLES));
    const struct prm_neighbor_statistics index = prm_neighbor_statistics(build->index);
    statistics->recall_samples = n < RECALL_SAMPLES ? n : RECALL_SAMPLES;
    statistics->neighbor_method = index.method;
    statistics->tables = index.tables;
    statistics->projections = index.projections;
    statistics->width = index.width;
    statistics->cuckoo_attempts = index.cuckoo_attempts;
    if (roadmap->params.neighbor_method == PRM_NEIGHBOR_AUTO &&
        statistics->recall < roadmap->params.target_recall) {
        TRY(begin_index(build, &build->index, PRM_NEIGHBOR_TILES, 1.0));
        build->next = STAGE_INDEX;
    }
    *done = true;
cleanup:
    return status;
}

/* The index that connections ask: the milestones' own where it is of tiles, else one beside it; and
 * the numbers of vertices by it. */
static enum prm_status run_connections(struct prm_build *build, bool *done)
{
    struct prm_roadmap *roadmap = build->roadmap;
    enum prm_status status = PRM_OK;

    if (roadmap->index == NULL) {
        if (prm_neighbor_statistics(build->index).method == PRM_NEIGHBOR_TILES) {
            roadmap->index = build->index;
            build->index = NULL;
        } else {
            TRY(begin_index(build, &roadmap->index, PRM_NEIGHBOR_TILES, 1.0));
        }
    }
    TRY(prm_neighbor_index_step(build->arena, roadmap->index, done));
    if (*done)
        TRY(prm_roadmap_number(build->arena, roadmap));
cleanup:
    return status;
}

static enum prm_status run_candidates(struct prm_build *build, bool *done)
{
    struct prm_roadmap *roadmap = build->roadmap;
    enum prm_status status = PRM_OK;

    prm_neighbor_index_destroy(build->index);
    build->index = NULL;
    if (!build->has_candidates) {
        TRY(prm_candidates_make(&build->candidates, build->arena, roadmap, build->lists,
                                roadmap->params.k, &build->has_candidates));
        goto cleanup;
    }
    const size_t bytes = roadmap->edge_count * sizeof(float);
    roadmap->host_lengths = malloc(bytes + 1);
    if (roadmap->host_lengths == NULL) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %u lengths", roadmap->edge_count);
        goto cleanup;
    }
    TRY(prm_buffer_read(build->context, roadmap->lengths, 0, roadmap->host_lengths, bytes));
    TRY(prm_validity_begin(&build->validity, roadmap));
    *done = true;
cleanup:
    return status;
}

/* The vicinity among all that stands in the world: that of samples where nothing is dynamic. */
static enum prm_status hand_vicinity(struct prm_build *build)
{
    enum prm_status status = PRM_OK;
    if (build->world->has_dynamic && prm_vicinity_pays(&build->roadmap->params)) {
        TRY(prm_vicinity_create(&build->validity->vicinity, &build->all, PRM_VICINITY_ACROSS));
    } else if (!build->world->has_dynamic) {
        build->validity->vicinity = build->vicinity;
        build->vicinity = PRM_NO_BUFFER;
    }
    build->all.vicinity = build->validity->vicinity;
cleanup:
    return status;
}

/* One piece of the candidate edges, against all that stands in the world. */
static enum prm_status run_check(struct prm_build *build, bool *done)
{
    const uint32_t edges = build->roadmap->edge_count, left = edges - build->cursor;
    const uint32_t step = prm_edges_per_step(build->roadmap), n = left < step ? left : step;
    enum prm_status status = PRM_OK;

    if (build->cursor == 0)
        TRY(hand_vicinity(build));
    TRY(prm_validity_check(build->arena, build->validity, &build->all, build->cursor, n));
    build->cursor += n;
    build->share = edges > 0 ? (double)build->cursor / edges : 1.0;
    *done = build->cursor == edges;
cleanup:
    return status;
}

static enum prm_status run_graph(struct prm_build *build, bool *done)
{
    *done = true;
    return prm_validity_link(build->arena, build->validity);
}

static enum prm_status run_components(struct prm_build *build, bool *done)
{
    return prm_validity_label(build->validity, done);
}

/* The scale of weights, and the weights of arcs. */
static enum prm_status run_weights(struct prm_build *build, bool *done)
{
    enum prm_status status = PRM_OK;

    TRY(prm_validity_weigh(build->validity, prm_space_diagonal(&build->roadmap->space), 0.0, done));
    build->roadmap->weight_scale = build->validity->weight_scale;
cleanup:
    return status;
}

static enum prm_status run_statistics(struct prm_build *build, bool *done)
{
    struct prm_roadmap *roadmap = build->roadmap;
    struct prm_roadmap_statistics *statistics = &roadmap->statistics;

    statistics->milestones = roadmap->milestone_count;
    statistics->candidate_edges = roadmap->edge_count;
    statistics->margin = build->world->margin;
    statistics->device_bytes = prm_roadmap_device_bytes(roadmap);
    statistics->host_bytes = prm_roadmap_host_bytes(roadmap);
    *done = true;
    return prm_validity_summarise(build->arena, build->validity, NULL);
}

static enum prm_status run_digest(struct prm_build *build, bool *done)
{
    return prm_roadmap_digest(&build->digesting, build->roadmap, done);
}

const struct build_stage prm_build_stages[STAGE_COUNT] = {
    [STAGE_SAMPLE] = {"sample", run_sample, 0.15},
    [STAGE_INDEX] = {"index", run_index, 0.04},
    [STAGE_NEIGHBORS] = {"neighbors", run_neighbors, 0.35},
    [STAGE_RECALL] = {"recall", run_recall, 0.02},
    [STAGE_CONNECTIONS] = {"connections", run_connections, 0.01},
    [STAGE_CANDIDATES] = {"candidates", run_candidates, 0.1},
    [STAGE_CHECK] = {"check", run_check, 0.25},
    [STAGE_GRAPH] = {"graph", run_graph, 0.02},
    [STAGE_COMPONENTS] = {"components", run_components, 0.02},
    [STAGE_WEIGHTS] = {"weights", run_weights, 0.02},
    [STAGE_STATISTICS] = {"statistics", run_statistics, 0.01},
    [STAGE_DIGEST] = {"digest", run_digest, 0.01},
};
_Static_assert((int)STAGE_COUNT <= (int)PRM_STAGES_MAX, "each stage has a time");
