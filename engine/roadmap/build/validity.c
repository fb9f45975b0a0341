/* What a world allows of a roadmap: validity bits, the graph of valid edges, components,
 * statistics. */
#include "roadmap/build/validity.h"

#include "device/try.h"
#include "kernels/types.h"
#include "primitives/histogram.h"
#include "primitives/scan.h"
#include "roadmap/build/components.h"
#include "roadmap/build/weight_scale.h"
#include "roadmap/collision/edges.h"
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/search/landmarks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Edges that one step checks: about two milliseconds' work; of sampled ones, at
 * PRM_SAMPLES_ACROSS. */
enum { EDGES_PER_STEP = 1 << 14 };
/* What the check of a robot with spheres costs more. */
enum { BODIES_COST = 16 };
/* Arcs that one step of the walks for the scale of weights goes along, likewise. */
enum { ARCS_PER_STEP = 1 << 15 };
/* The end of a histogram's range where all values are 0. */
#define RANGE_LEAST 1e-30f

enum prm_status prm_validity_begin(struct prm_validity **validity,
                                   const struct prm_roadmap *roadmap)
{
    struct prm_context *context = roadmap->context;
    const size_t n = roadmap->milestone_count;
    enum prm_status status = PRM_OK;
    struct prm_validity *made = calloc(1, sizeof(*made));

    if (made == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a validity");
    made->roadmap = roadmap;
    made->graph.vertex_count = roadmap->milestone_count;
    TRY(prm_buffer_create(context, &made->edge_valid, prm_words(roadmap->edge_count)));
    TRY(prm_buffer_create(context, &made->graph.offsets, prm_words(n + 1)));
    TRY(prm_buffer_create(context, &made->components, prm_words(n)));
    TRY(prm_buffer_create(context, &made->component_sizes, prm_words(n)));
    *validity = made;
    made = NULL;
cleanup:
    prm_validity_destroy(made);
    return status;
}

/* The graph on the host, being walked. */
struct prm_weighing {
    uint32_t *offsets, *ids, *places;
    struct arc *arcs;
    struct prm_scale_walk *walk;
};

static void end_weighing(struct prm_validity *validity)
{
    struct prm_weighing *weighing = validity->weighing;
    if (weighing == NULL)
        return;
    prm_scale_walk_destroy(weighing->walk);
    free(weighing->offsets);
    free(weighing->ids);
    free(weighing->places);
    free(weighing->arcs);
    free(weighing);
    validity->weighing = NULL;
}

static void end_labelling(struct prm_validity *validity)
{
    if (validity->labelling != NULL)
        prm_labelling_deinit(validity->roadmap->context, validity->labelling);
    free(validity->labelling);
    validity->labelling = NULL;
}

void prm_validity_destroy(struct prm_validity *validity)
{
    if (validity == NULL)
        return;
    struct prm_context *context = validity->roadmap->context;
    end_labelling(validity);
    end_weighing(validity);
    prm_buffer_destroy(context, &validity->edge_valid);
    prm_buffer_destroy(context, &validity->graph.offsets);
    prm_buffer_destroy(context, &validity->graph.arcs);
    prm_buffer_destroy(context, &validity->components);
    prm_buffer_destroy(context, &validity->component_sizes);
    prm_buffer_destroy(context, &validity->vicinity);
    prm_landmarks_destroy(validity->landmarks);
    prm_landmarks_destroy(validity->coming);
    free(validity);
}

enum prm_status prm_validity_check(struct prm_arena *arena, struct prm_validity *validity,
                                   const struct prm_scene *scene, uint32_t first, uint32_t count)
{
    const struct prm_roadmap *roadmap = validity->roadmap;
    return prm_edges_check_piece(arena, validity->edge_valid, scene, roadmap->states,
                                 roadmap->states, roadmap->edges, first, count);
}

enum prm_status prm_validity_link(struct prm_arena *arena, struct prm_validity *validity)
{
    const struct prm_roadmap *roadmap = validity->roadmap;
    struct prm_context *context = roadmap->context;
    struct prm_graph *graph = &validity->graph;
    const uint32_t n = graph->vertex_count;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const struct prm_share share = prm_share_of(context, n);
    enum prm_status status = PRM_OK;
    char options[PRM_SCENE_OPTIONS_MAX];
    struct prm_buffer degrees;

    graph->ids = roadmap->ids;
    graph->places = roadmap->places;
    prm_space_options(options, &roadmap->space);
    TRY(prm_arena_take(arena, &degrees, prm_words(n)));
    TRY(prm_launch(context, PRM_KERNEL_ROADMAP_DEGREES, options, share.items, share.group,
                   ARGS(ARG_BUFFER(degrees), ARG_BUFFER(validity->edge_valid),
                        ARG_BUFFER(roadmap->first_low), ARG_BUFFER(roadmap->first_high),
                        ARG_BUFFER(roadmap->by_high), ARG_BUFFER(graph->ids), ARG_U32(n))));
    TRY(prm_scan_exclusive(arena, graph->offsets, degrees, n, PRM_SCAN_AUTO));
    // read-back: the arcs, to size their array
    TRY(prm_buffer_read(context, graph->offsets, prm_words(n), &graph->arc_count,
                        sizeof(uint32_t)));
    validity->valid_edges = graph->arc_count / 2;
    TRY(prm_buffer_create(context, &graph->arcs, graph->arc_count * sizeof(struct arc)));
    TRY(prm_launch(context, PRM_KERNEL_ROADMAP_LINK, options, share.items, share.group,
                   ARGS(ARG_BUFFER(graph->arcs), ARG_BUFFER(graph->offsets),
                        ARG_BUFFER(validity->edge_valid), ARG_BUFFER(roadmap->edges),
                        ARG_BUFFER(roadmap->first_low), ARG_BUFFER(roadmap->first_high),
                        ARG_BUFFER(roadmap->by_high), ARG_BUFFER(graph->ids),
                        ARG_BUFFER(graph->places), ARG_U32(n))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

static enum prm_status begin_labelling(struct prm_validity *validity)
{
    const struct prm_roadmap *roadmap = validity->roadmap;
    validity->labelling = malloc(sizeof(*validity->labelling));
    if (validity->labelling == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory to label components");
    *validity->labelling = (struct prm_labelling){.labels = validity->components,
                                                  .sizes = validity->component_sizes,
                                                  .pairs = roadmap->edges,
                                                  .valid = validity->edge_valid,
                                                  .edges = roadmap->edge_count,
                                                  .vertices = roadmap->milestone_count};
    return PRM_OK;
}

/* Counts components and finds the largest. One read-back: their sizes. */
static enum prm_status survey_components(struct prm_validity *validity)
{
    const struct prm_roadmap *roadmap = validity->roadmap;
    const uint32_t n = roadmap->milestone_count;
    enum prm_status status = PRM_OK;
    uint32_t *sizes = malloc(prm_words(n) + 1);

    if (sizes == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u component sizes", n);
    TRY(prm_buffer_read(roadmap->context, validity->component_sizes, 0, sizes, prm_words(n)));
    for (uint32_t v = 0; v < n; v++) {
        validity->component_count += sizes[v] > 0;
        if (sizes[v] > validity->largest_size) {
            validity->largest_size = sizes[v];
            validity->largest_component = v;
        }
    }
cleanup:
    free(sizes);
    return status;
}

enum prm_status prm_validity_label(struct prm_validity *validity, bool *done)
{
    enum prm_status status = PRM_OK;

    if (validity->labelling == NULL)
        TRY(begin_labelling(validity));
    TRY(prm_labelling_step(validity->roadmap->context, validity->labelling, done));
    if (*done) {
        TRY(survey_components(validity));
        end_labelling(validity);
    }
cleanup:
    return status;
}

enum prm_status prm_validity_weigh_as(struct prm_validity *validity, double scale,
                                      uint32_t degree_max, double length_max)
{
    const struct prm_roadmap *roadmap = validity->roadmap;
    const struct prm_graph *graph = &validity->graph;
    const struct prm_share share = prm_share_of(roadmap->context, graph->arc_count);
    char options[PRM_SCENE_OPTIONS_MAX];

    validity->weight_scale = scale;
    validity->degree_max = degree_max;
    validity->length_max = length_max;
    prm_space_options(options, &roadmap->space);
    return prm_launch(roadmap->context, PRM_KERNEL_ROADMAP_WEIGH_ARCS, options, share.items,
                      share.group,
                      ARGS(ARG_BUFFER(graph->arcs), ARG_BUFFER(roadmap->lengths),
                           ARG_F32((float)scale), ARG_U32(graph->arc_count)));
}

static enum prm_status begin_weighing(struct prm_validity *validity, double link_length)
{
    const struct prm_roadmap *roadmap = validity->roadmap;
    struct prm_context *context = roadmap->context;
    const struct prm_graph *graph = &validity->graph;
    const size_t offset_bytes = prm_words(graph->vertex_count + 1u);
    const size_t vertex_bytes = prm_words(graph->vertex_count);
    const size_t arc_bytes = graph->arc_count * sizeof(struct arc);
    enum prm_status status = PRM_OK;
    struct prm_weighing *weighing = calloc(1, sizeof(*weighing));

    validity->weighing = weighing;
    if (weighing != NULL) {
        weighing->offsets = malloc(offset_bytes);
        weighing->ids = malloc(vertex_bytes);
        weighing->places = malloc(vertex_bytes);
        weighing->arcs = malloc(arc_bytes + 1);
    }
    if (weighing == NULL || !weighing->offsets || !weighing->ids || !weighing->places ||
        !weighing->arcs)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a graph of %u arcs", graph->arc_count);
    // read-back: the graph, whose longest paths decide the scale
    const struct prm_read reads[] = {
        {graph->offsets, weighing->offsets, offset_bytes},
        {graph->arcs, weighing->arcs, arc_bytes},
        {graph->ids, weighing->ids, vertex_bytes},
        {graph->places, weighing->places, vertex_bytes},
    };
    TRY(prm_buffer_read_all(context, reads, sizeof(reads) / sizeof(reads[0])));
    const struct prm_host_graph host = {.vertex_count = graph->vertex_count,
                                        .arc_count = graph->arc_count,
                                        .offsets = weighing->offsets,
                                        .arcs = weighing->arcs,
                                        .lengths = roadmap->host_lengths,
                                        .ids = weighing->ids,
                                        .places = weighing->places};
    TRY(prm_scale_walk_begin(&weighing->walk, &host, link_length));
cleanup:
    return status;
}

enum prm_status prm_validity_weigh(struct prm_validity *validity, double link_length,
                                   double scale_max, bool *done)
{
    struct prm_graph_scale found;
    enum prm_status status = PRM_OK;

    *done = false;
    if (validity->weighing == NULL)
        return begin_weighing(validity, link_length);
    if (!prm_scale_walk_step(validity->weighing->walk, ARCS_PER_STEP, &found))
        return PRM_OK;
    end_weighing(validity);
    if (scale_max > 0.0 && found.scale > scale_max)
        found.scale = scale_max;
    TRY(prm_validity_weigh_as(validity, found.scale, found.degree_max, found.length_max));
    *done = true;
cleanup:
    return status;
}

enum prm_status prm_validity_count_changes(struct prm_arena *arena,
                                           const struct prm_roadmap *roadmap, uint32_t *on,
                                           uint32_t *off, struct prm_buffer before,
                                           struct prm_buffer after)
{
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const struct prm_share share = prm_share_of(roadmap->context, roadmap->edge_count);
    enum prm_status status = PRM_OK;
    char options[PRM_SCENE_OPTIONS_MAX];
    struct prm_buffer changed;
    uint32_t counts[2] = {0, 0};

    prm_space_options(options, &roadmap->space);
    TRY(prm_arena_take(arena, &changed, sizeof(counts)));
    TRY(prm_buffer_fill_u32(roadmap->context, changed, 0, 0, 2));
    TRY(prm_launch(roadmap->context, PRM_KERNEL_ROADMAP_COUNT_CHANGES, options, share.items,
                   share.group,
                   ARGS(ARG_BUFFER(changed), ARG_BUFFER(before), ARG_BUFFER(after),
                        ARG_U32(roadmap->edge_count))));
    TRY(prm_buffer_read(roadmap->context, changed, 0, counts, sizeof(counts)));
    *on = counts[0];
    *off = counts[1];
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* bins[b] of `values` in equal bins from 0 to the maximum; lower values do not count. */
static enum prm_status histogram(struct prm_arena *arena, uint32_t *bins, struct prm_buffer values,
                                 uint32_t count, double maximum)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;
    struct prm_buffer counts;

    TRY(prm_arena_take(arena, &counts, prm_words(PRM_HISTOGRAM_BINS + 2)));
    TRY(prm_histogram_f32(arena, counts, values, count, 0.0f, fmaxf((float)maximum, RANGE_LEAST),
                          PRM_HISTOGRAM_BINS));
    TRY(prm_buffer_read(context, counts, 0, bins, prm_words(PRM_HISTOGRAM_BINS)));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_validity_summarise(struct prm_arena *arena, struct prm_validity *validity,
                                       const struct prm_validity *previous)
{
    const struct prm_roadmap *roadmap = validity->roadmap;
    struct prm_context *context = roadmap->context;
    const uint32_t n = roadmap->milestone_count, edges = roadmap->edge_count;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const struct prm_share by_edge = prm_share_of(context, edges),
                           by_vertex = prm_share_of(context, n);
    enum prm_status status = PRM_OK;
    char options[PRM_SCENE_OPTIONS_MAX];
    struct prm_buffer values;

    prm_space_options(options, &roadmap->space);
    TRY(prm_arena_take(arena, &values, prm_words(n > edges ? n : edges)));
    TRY(prm_launch(context, PRM_KERNEL_ROADMAP_VALID_LENGTHS, options, by_edge.items, by_edge.group,
                   ARGS(ARG_BUFFER(values), ARG_BUFFER(roadmap->lengths),
                        ARG_BUFFER(validity->edge_valid), ARG_U32(edges))));
    TRY(histogram(arena, validity->length_histogram, values, edges, validity->length_max));
    TRY(prm_launch(context, PRM_KERNEL_ROADMAP_FLOAT_DEGREES, options, by_vertex.items,
                   by_vertex.group,
                   ARGS(ARG_BUFFER(values), ARG_BUFFER(validity->graph.offsets), ARG_U32(n))));
    TRY(histogram(arena, validity->degree_histogram, values, n, validity->degree_max));
    if (previous != NULL)
        TRY(prm_validity_count_changes(arena, roadmap, &validity->edges_on, &validity->edges_off,
                                       previous->edge_valid, validity->edge_valid));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

uint32_t prm_edges_per_step(const struct prm_roadmap *roadmap)
{
    const struct prm_roadmap_params *params = &roadmap->params;
    const bool has_bodies = roadmap->robot->body_count > 0;
    const uint32_t most = has_bodies ? EDGES_PER_STEP / BODIES_COST : EDGES_PER_STEP;
    if (params->edge_check == PRM_EDGE_CERTIFIED)
        return most;
    const double across = prm_space_diagonal(&roadmap->space) / params->edge_resolution;
    return (uint32_t)(most * fmin(1.0, PRM_SAMPLES_ACROSS / across)) + 1;
}
