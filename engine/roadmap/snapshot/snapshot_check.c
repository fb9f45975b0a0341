/* What a decoded snapshot must satisfy, robot and world unknown, and what follows from it. Host
 * code alone. */
#include "roadmap/snapshot/snapshot_format.h"

#include "device/try.h"
#include "kernels/types.h"
#include "roadmap/build/digest.h"
#include "roadmap/build/params.h"
#include "roadmap/build/validity.h"
#include "roadmap/build/weight_scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lengths may differ from what double precision says by so much: of themselves; of the weight of
 * turns and orientations, which the device wraps and measures in float32; and as numbers vanish. */
#define LENGTH_SHARE 1e-4
#define LENGTH_CURVED 1e-5
#define LENGTH_LEAST 1e-18
/* Rows may be beyond limits by the tolerance of states, and by a float's rounding. */
#define ROW_SHARE 1e-6
/* A unit quaternion's square in float32. */
#define UNIT_TOLERANCE 1e-4
/* What another machine may round the default resolution by. */
#define RESOLUTION_SHARE 1e-12

static enum prm_status damaged(const char *what)
{
    return prm_fault_set(PRM_INVALID_ARGUMENT, "the snapshot is damaged: %s", what);
}

/* Kinds stand where the metric expects them; limits and weights can be. */
static enum prm_status check_space(const struct prm_space *space)
{
    uint32_t quaternions = 0;

    for (uint32_t c = 0; c < space->dof; c++) {
        const struct prm_coordinate *coordinate = &space->coordinates[c];
        if (coordinate->kind == PRM_COORDINATE_QUATERNION)
            quaternions++;
        else if (quaternions > 0)
            return damaged("a coordinate follows an orientation");
        if (coordinate->kind == PRM_COORDINATE_QUATERNION &&
            coordinate->weight != space->coordinates[space->dof - 1].weight)
            return damaged("an orientation has several weights");
        if (!(coordinate->weight > 0.0) || !(coordinate->lower <= coordinate->upper))
            return damaged("a coordinate's limits or weight cannot be");
    }
    if (quaternions != 0 && quaternions != 4)
        return damaged("an orientation has not four coordinates");
    return PRM_OK;
}

static enum prm_status check_params(const struct prm_snapshot *snapshot)
{
    const double diagonal = prm_space_diagonal(&snapshot->space);
    enum prm_status status = PRM_OK;
    int exponent;

    TRY(prm_params_check(&snapshot->params));
    TRY(prm_params_check_resolution(&snapshot->params, diagonal));
    if (!isfinite(diagonal) || !(snapshot->params.edge_resolution >= 0.0))
        return damaged("its space is not finite");
    if (!(snapshot->weight_scale > 0.0) || frexp(snapshot->weight_scale, &exponent) != 0.5 ||
        !isnormal((float)snapshot->weight_scale))
        return damaged("the scale of weights is no power of two");
cleanup:
    return status;
}

/* A milestone's row is a state within the limits. */
static bool is_state(const struct prm_space *space, const float *limits, const float *row)
{
    const float *lower = limits, *upper = limits + space->row;
    double squared = 0.0;

    for (uint32_t c = 0; c < space->dof; c++) {
        const struct prm_coordinate *coordinate = &space->coordinates[c];
        const double value = (double)row[c], low = (double)lower[c], high = (double)upper[c];
        const double slack =
            coordinate->weight * PRM_LIMIT_TOLERANCE + ROW_SHARE * (fabs(low) + fabs(high));
        const bool bounded = coordinate->limited || coordinate->kind != PRM_COORDINATE_LINEAR;
        if (!isfinite(value) || (bounded && !(value >= low - slack && value <= high + slack)))
            return false;
        if (coordinate->kind == PRM_COORDINATE_QUATERNION)
            squared += value * value;
    }
    const bool turns = space->coordinates[space->dof - 1].kind == PRM_COORDINATE_QUATERNION;
    return !turns || fabs(squared - 1.0) <= UNIT_TOLERANCE;
}

static enum prm_status check_states(const struct prm_snapshot *snapshot)
{
    const struct prm_space *space = &snapshot->space;
    float limits[2 * PRM_DOF_MAX];

    prm_space_limits(space, limits);
    for (uint32_t i = 0; i < snapshot->info.milestone_count; i++)
        if (!is_state(space, limits, snapshot->states + (size_t)i * space->row))
            return damaged("a milestone is no state within the limits");
    return PRM_OK;
}

/* Edges ascend by both ends, which are milestones; sets the lower ends. */
static enum prm_status check_edges(struct prm_snapshot *snapshot)
{
    const uint32_t n = snapshot->info.milestone_count, edges = snapshot->info.edge_count;
    const uint32_t *first = snapshot->first_low;

    if (first[0] != 0 || first[n] != edges)
        return damaged("the edges of milestones are not all edges");
    for (uint32_t v = 0; v < n; v++) {
        if (first[v] > first[v + 1] || first[v + 1] > edges)
            return damaged("the edges of milestones do not follow each other");
        uint32_t last = v;
        for (uint32_t e = first[v]; e < first[v + 1]; e++) {
            const uint32_t high = snapshot->edges[2 * (size_t)e + 1];
            if (high <= last || high >= n)
                return damaged("edges do not ascend");
            snapshot->edges[2 * (size_t)e] = v;
            last = high;
        }
    }
    return PRM_OK;
}

/* Lengths are the metric's. */
static enum prm_status check_lengths(const struct prm_snapshot *snapshot)
{
    // differences need no origin, and are more exact without
    struct prm_space space = snapshot->space;
    double a[PRM_DOF_MAX], b[PRM_DOF_MAX], curved = 0.0;
    uint32_t held = UINT32_MAX;

    for (uint32_t c = 0; c < space.dof; c++) {
        space.coordinates[c].origin = 0.0;
        if (space.coordinates[c].kind != PRM_COORDINATE_LINEAR)
            curved = fmax(curved, space.coordinates[c].weight);
    }
    for (uint32_t e = 0; e < snapshot->info.edge_count; e++) {
        const uint32_t *ends = snapshot->edges + 2 * (size_t)e;
        const double length = (double)snapshot->lengths[e];
        if (ends[0] != held)
            prm_space_from_row(&space, a, snapshot->states + (size_t)ends[0] * space.row);
        held = ends[0];
        prm_space_from_row(&space, b, snapshot->states + (size_t)ends[1] * space.row);
        const double is = prm_space_distance(&space, a, b);
        if (!(length >= 0.0) || !isfinite(length) ||
            !(fabs(length - is) <= LENGTH_SHARE * is + LENGTH_CURVED * curved + LENGTH_LEAST))
            return damaged("an edge has not the length that its ends have");
    }
    return PRM_OK;
}

static enum prm_status check_digest(const struct prm_snapshot *snapshot)
{
    const struct prm_digested content = {&snapshot->space,          snapshot->info.milestone_count,
                                         snapshot->info.edge_count, snapshot->states,
                                         snapshot->edges,           snapshot->lengths};
    char digest[65];
    const enum prm_status status = prm_digest_make(digest, &content);
    if (status == PRM_OK && strcmp(digest, snapshot->info.digest) != 0)
        return damaged("its digest is not that of its milestones and edges");
    return status;
}

/* The second order of edges: by the higher end, and so ascending by (high, low). */
static void order_by_high(struct prm_snapshot *snapshot)
{
    const uint32_t n = snapshot->info.milestone_count, edges = snapshot->info.edge_count;
    uint32_t *first = snapshot->first_high;

    // counts, one place on; then sums; placing an edge moves its end's beginning on, to the next's
    for (uint32_t e = 0; e < edges; e++)
        first[snapshot->edges[2 * (size_t)e + 1]]++;
    for (uint32_t v = 0, sum = 0; v <= n; v++) {
        const uint32_t count = first[v];
        first[v] = sum;
        sum += count;
    }
    for (uint32_t e = 0; e < edges; e++)
        snapshot->by_high[first[snapshot->edges[2 * (size_t)e + 1]]++] = e;
    for (uint32_t v = n; v > 0; v--)
        first[v] = first[v - 1];
    first[0] = 0;
}

/* The arcs of valid edges as prm_validity_link() orders them: those to lower ends first. */
static void link_valid(const struct prm_snapshot *snapshot, uint32_t *offsets, struct arc *arcs)
{
    const uint32_t n = snapshot->info.milestone_count;
    uint32_t at = 0;

    for (uint32_t v = 0; v < n; v++) {
        offsets[v] = at;
        for (uint32_t i = snapshot->first_high[v]; i < snapshot->first_high[v + 1]; i++) {
            const uint32_t e = snapshot->by_high[i];
            if (snapshot->valid[e])
                arcs[at++] = (struct arc){snapshot->edges[2 * (size_t)e], e};
        }
        for (uint32_t e = snapshot->first_low[v]; e < snapshot->first_low[v + 1]; e++)
            if (snapshot->valid[e])
                arcs[at++] = (struct arc){snapshot->edges[2 * (size_t)e + 1], e};
    }
    offsets[n] = at;
}

/* What prm_validity_weigh() finds out on the host. */
static enum prm_status weigh(struct prm_snapshot *snapshot)
{
    const uint32_t n = snapshot->info.milestone_count;
    uint32_t valid = 0;
    struct prm_graph_scale found;
    enum prm_status status = PRM_OK;

    for (uint32_t e = 0; e < snapshot->info.edge_count; e++)
        valid += snapshot->valid[e];
    uint32_t *offsets = malloc(prm_words((size_t)n + 1));
    struct arc *arcs = malloc(2 * (size_t)valid * sizeof(*arcs) + 1);
    if (offsets == NULL || arcs == NULL) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for a graph of %u edges", valid);
        goto cleanup;
    }
    link_valid(snapshot, offsets, arcs);
    const struct prm_host_graph graph = {.vertex_count = n,
                                         .arc_count = 2 * valid,
                                         .offsets = offsets,
                                         .arcs = arcs,
                                         .lengths = snapshot->lengths};
    TRY(prm_weight_scale(&found, &graph, prm_space_diagonal(&snapshot->space)));
    snapshot->validity_scale = fmin(found.scale, snapshot->weight_scale);
    snapshot->degree_max = found.degree_max;
    snapshot->length_max = found.length_max;
cleanup:
    free(offsets);
    free(arcs);
    return status;
}

/* A scale can be no coarser than a path through all edges, twice and with its links, asks for. */
static enum prm_status check_scale(const struct prm_snapshot *snapshot)
{
    double longest = 2 * prm_space_diagonal(&snapshot->space);
    for (uint32_t e = 0; e < snapshot->info.edge_count; e++)
        longest += 2 * (double)snapshot->lengths[e];
    if (snapshot->weight_scale * longest * 4 < (double)INT32_MAX)
        return damaged("the scale of weights is too coarse");
    return PRM_OK;
}

enum prm_status prm_snapshot_check(struct prm_snapshot *snapshot)
{
    enum prm_status status = PRM_OK;

    TRY(check_space(&snapshot->space));
    TRY(check_params(snapshot));
    TRY(check_states(snapshot));
    TRY(check_edges(snapshot));
    TRY(check_lengths(snapshot));
    TRY(check_digest(snapshot));
    TRY(check_scale(snapshot));
    order_by_high(snapshot);
    TRY(weigh(snapshot));
cleanup:
    return status;
}

/* ---- against what is told of it ---- */

static bool same_allowed(const struct prm_snapshot *snapshot,
                         const struct prm_roadmap_params *params)
{
    return snapshot->allowed_count == params->allowed_count &&
           (params->allowed_count == 0 ||
            memcmp(snapshot->allowed, params->allowed,
                   prm_words(2 * (size_t)params->allowed_count)) == 0);
}

/* Sampled edges are checked at the distance that a build of the parameters takes. */
static bool same_resolution(const struct prm_snapshot *snapshot,
                            const struct prm_roadmap_params *params)
{
    const double wanted = params->edge_resolution > 0.0
                              ? params->edge_resolution
                              : prm_space_diagonal(&snapshot->space) / PRM_SAMPLES_ACROSS;
    return params->edge_check != PRM_EDGE_SAMPLED ||
           fabs(snapshot->params.edge_resolution - wanted) <= RESOLUTION_SHARE * wanted;
}

enum prm_status prm_snapshot_check_params(const struct prm_snapshot *snapshot,
                                          const struct prm_roadmap_params *params)
{
    const struct prm_roadmap_params *is = &snapshot->params;
    const struct {
        const char *name;
        bool same;
    } rows[] = {
        {"seed", is->seed == params->seed},
        {"samples.count", is->sample_count == params->sample_count},
        {"samples.method", is->sample_method == params->sample_method},
        {"samples.spacing", is->lattice_spacing == params->lattice_spacing},
        {"anchors", is->anchor_count == params->anchor_count},
        {"allow", same_allowed(snapshot, params)},
        {"neighbors.method", is->neighbor_method == params->neighbor_method},
        {"neighbors.k", is->k == params->k},
        {"neighbors.radius", is->radius == params->radius},
        {"edges.check", is->edge_check == params->edge_check},
        {"edges.resolution", same_resolution(snapshot, params)},
    };
    const uint32_t milestones = snapshot->info.milestone_count;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!rows[i].same)
            return prm_fault_set(PRM_INVALID_ARGUMENT,
                                 "the roadmap's bytes are of other parameters than told: %s",
                                 rows[i].name);
    // of a lattice no parameter says how many there are
    if (params->sample_method == PRM_SAMPLE_LATTICE) {
        if (params->milestones_max > 0 && milestones > params->milestones_max)
            return prm_fault_set_at(PRM_LIMIT_EXCEEDED, "samples/method", "milestones",
                                    params->milestones_max,
                                    "the lattice has %u milestones, they may be %u", milestones,
                                    params->milestones_max);
    } else if (milestones > params->sample_count) {
        return prm_fault_set(PRM_INVALID_ARGUMENT,
                             "the roadmap's bytes have %u milestones where %u are told", milestones,
                             params->sample_count);
    }
    return PRM_OK;
}
