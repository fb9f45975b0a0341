/* Breadth-first walks on the host that bound the longest shortest path. */
#include "roadmap/build/weight_scale.h"

#include "device/try.h"
#include "kernels/types.h"

#include <math.h>
#include <stdlib.h>

/* No path costs more than this, but for a unit an edge by rounding up. */
#define COST_END 2147483648.0
/* A mean edge rounded by less than one part in so many needs no better bound. */
#define FINE_ENOUGH 1048576.0
/* Shorter paths than this are taken as this long, metres. */
#define LONGEST_LEAST 1e-9

/* What is being done: the lengths are looked through, then from the lowest vertex of each component
 * a walk, and where that bounds its paths too loosely one from the end that it found and one from
 * the middle between that and the opposite end. */
enum phase { LENGTHS, NEXT_COMPONENT, FROM_LOWEST, FROM_END, FROM_MIDDLE, FINISHED };

/* A vertex in the tree of the present walk. */
struct branch {
    uint32_t parent;
    double distance; /* along the tree */
};

/* A vertex has been seen by walk `epoch` when seen[v] == epoch, by none when it is 0. */
struct prm_scale_walk {
    struct prm_host_graph graph;
    double link_length;
    enum phase phase;
    uint32_t next; /* milestone whose lengths, or component, come next */
    uint32_t *queue, *seen;
    struct branch *branches;
    uint32_t epoch, head, tail, farthest; /* of the present walk */
    double sum;                           /* of lengths */
    double fine;                          /* no better bound of the longest path is wanted */
    double bound, longest;                /* of paths in this component, and in all so far */
    struct prm_graph_scale scale;
};

static void start_walk(struct prm_scale_walk *walk, uint32_t root, enum phase phase)
{
    walk->phase = phase;
    walk->epoch++;
    walk->seen[root] = walk->epoch;
    walk->branches[root] = (struct branch){.parent = root};
    walk->queue[0] = walk->farthest = root;
    walk->head = 0;
    walk->tail = 1;
}

static uint32_t milestone_of(const struct prm_host_graph *graph, uint32_t vertex)
{
    return graph->ids ? graph->ids[vertex] : vertex;
}

static uint32_t vertex_of(const struct prm_host_graph *graph, uint32_t milestone)
{
    return graph->places ? graph->places[milestone] : milestone;
}

/* Takes the next vertex of a breadth-first walk; its number of arcs. */
static uint32_t walk_on(struct prm_scale_walk *walk)
{
    const struct prm_host_graph *graph = &walk->graph;
    const uint32_t v = walk->queue[walk->head++];
    const double distance = walk->branches[v].distance;

    if (distance > walk->branches[walk->farthest].distance)
        walk->farthest = v;
    for (uint32_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
        const uint32_t u = graph->arcs[i].target;
        if (walk->seen[u] == walk->epoch)
            continue;
        walk->seen[u] = walk->epoch;
        walk->branches[u] =
            (struct branch){v, distance + (double)graph->lengths[graph->arcs[i].weight]};
        walk->queue[walk->tail++] = u;
    }
    return graph->offsets[v + 1] - graph->offsets[v];
}

/* The vertex halfway down the branch that ends in `end`. */
static uint32_t middle_of(const struct prm_scale_walk *walk, uint32_t end)
{
    const double half_way = walk->branches[end].distance / 2;
    while (walk->branches[end].distance > half_way)
        end = walk->branches[end].parent;
    return end;
}

/* What a walk through a component has told: twice an eccentricity bounds its paths. */
static void end_walk(struct prm_scale_walk *walk)
{
    const double bound = 2 * walk->branches[walk->farthest].distance;
    switch (walk->phase) {
    case FROM_LOWEST:
        walk->bound = bound;
        if (bound > walk->longest && bound > walk->fine) {
            start_walk(walk, walk->farthest, FROM_END);
            return;
        }
        break;
    case FROM_END:
        start_walk(walk, middle_of(walk, walk->farthest), FROM_MIDDLE);
        return;
    case FROM_MIDDLE:
        walk->bound = fmin(walk->bound, bound);
        break;
    case LENGTHS:
    case NEXT_COMPONENT:
    case FINISHED:
        break;
    }
    walk->longest = fmax(walk->longest, walk->bound);
    walk->phase = NEXT_COMPONENT;
}

/* The largest power of two with longest * scale <= COST_END. */
static double scale_for(double longest)
{
    int exponent;
    frexp(COST_END / fmax(longest, LONGEST_LEAST), &exponent);
    return ldexp(1.0, exponent - 1);
}

/* Looks at the lengths of the next milestone's edges, each at its lower end; its number of arcs. */
static uint32_t look_at_lengths(struct prm_scale_walk *walk)
{
    const struct prm_host_graph *graph = &walk->graph;
    const uint32_t m = walk->next++, v = vertex_of(graph, m);
    const uint32_t degree = graph->offsets[v + 1] - graph->offsets[v];
    if (degree > walk->scale.degree_max)
        walk->scale.degree_max = degree;
    for (uint32_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
        if (milestone_of(graph, graph->arcs[i].target) < m)
            continue;
        const double length = (double)graph->lengths[graph->arcs[i].weight];
        walk->sum += length;
        walk->scale.length_max = fmax(walk->scale.length_max, length);
    }
    return degree;
}

static void end_lengths(struct prm_scale_walk *walk)
{
    const uint32_t arcs = walk->graph.arc_count;
    const double mean = arcs > 0 ? 2 * walk->sum / arcs : 1.0;
    walk->fine = COST_END * mean / FINE_ENOUGH / 2;
    walk->next = 0;
    walk->phase = NEXT_COMPONENT;
}

/* Looks whether the next milestone is the lowest of a component. */
static void look_for_component(struct prm_scale_walk *walk)
{
    if (walk->next == walk->graph.vertex_count) {
        walk->phase = FINISHED;
        return;
    }
    const uint32_t v = vertex_of(&walk->graph, walk->next++);
    if (walk->seen[v] == 0)
        start_walk(walk, v, FROM_LOWEST);
}

enum prm_status prm_scale_walk_begin(struct prm_scale_walk **walk,
                                     const struct prm_host_graph *graph, double link_length)
{
    const size_t n = graph->vertex_count;
    struct prm_scale_walk *made = calloc(1, sizeof(*made));
    *walk = NULL;
    if (made != NULL) {
        *made = (struct prm_scale_walk){.graph = *graph, .link_length = link_length};
        made->queue = malloc((n + 1) * sizeof(*made->queue));
        made->seen = calloc(n + 1, sizeof(*made->seen));
        made->branches = malloc((n + 1) * sizeof(*made->branches));
    }
    if (made == NULL || !made->queue || !made->seen || !made->branches) {
        prm_scale_walk_destroy(made);
        return prm_fault_set(PRM_HOST_MEMORY, "no memory to walk %zu milestones", n);
    }
    *walk = made;
    return PRM_OK;
}

bool prm_scale_walk_step(struct prm_scale_walk *walk, uint32_t arcs, struct prm_graph_scale *scale)
{
    // a vertex counts as an arc more, so that those without any take their time too
    for (uint32_t done = 0; done < arcs && walk->phase != FINISHED; done++) {
        if (walk->phase == NEXT_COMPONENT)
            look_for_component(walk);
        else if (walk->phase == LENGTHS && walk->next == walk->graph.vertex_count)
            end_lengths(walk);
        else if (walk->phase == LENGTHS)
            done += look_at_lengths(walk);
        else if (walk->head == walk->tail)
            end_walk(walk);
        else
            done += walk_on(walk);
    }
    if (walk->phase != FINISHED)
        return false;
    walk->scale.scale = scale_for(walk->longest + 2 * walk->link_length);
    *scale = walk->scale;
    return true;
}

void prm_scale_walk_destroy(struct prm_scale_walk *walk)
{
    if (walk == NULL)
        return;
    free(walk->queue);
    free(walk->seen);
    free(walk->branches);
    free(walk);
}

enum prm_status prm_weight_scale(struct prm_graph_scale *scale, const struct prm_host_graph *graph,
                                 double link_length)
{
    struct prm_scale_walk *walk;
    const enum prm_status status = prm_scale_walk_begin(&walk, graph, link_length);
    if (status != PRM_OK)
        return status;
    while (!prm_scale_walk_step(walk, UINT32_MAX, scale))
        continue;
    prm_scale_walk_destroy(walk);
    return PRM_OK;
}
