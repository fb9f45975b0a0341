/* Breadth-first walks on the host that bound the longest shortest path. */
#include "roadmap/weight_scale.h"

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

/* The state of walks: a vertex has been seen by walk `epoch` when seen[v] == epoch, by none when it
 * is 0. */
struct walk {
    const struct prm_host_graph *graph;
    uint32_t *queue, *seen, *parent;
    double *distance; /* along the tree */
    uint32_t epoch;
};

/* Walks the component of `root` breadth first; returns the vertex farthest along the tree. */
static uint32_t walk_from(struct walk *walk, uint32_t root)
{
    const struct prm_host_graph *graph = walk->graph;
    uint32_t head = 0, tail = 0, farthest = root;

    walk->epoch++;
    walk->seen[root] = walk->epoch;
    walk->parent[root] = root;
    walk->distance[root] = 0.0;
    walk->queue[tail++] = root;
    while (head < tail) {
        const uint32_t v = walk->queue[head++];
        if (walk->distance[v] > walk->distance[farthest])
            farthest = v;
        for (uint32_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            const uint32_t u = graph->arcs[i].target;
            if (walk->seen[u] == walk->epoch)
                continue;
            walk->seen[u] = walk->epoch;
            walk->parent[u] = v;
            walk->distance[u] = walk->distance[v] + (double)graph->lengths[graph->arcs[i].weight];
            walk->queue[tail++] = u;
        }
    }
    return farthest;
}

/* Twice the eccentricity, along the tree, of the vertex halfway down the longest branch. */
static double bound_from_middle(struct walk *walk, uint32_t root)
{
    const uint32_t one_end = walk_from(walk, root);
    const uint32_t other_end = walk_from(walk, one_end);
    const double half_way = walk->distance[other_end] / 2;
    uint32_t middle = other_end;
    while (walk->distance[middle] > half_way)
        middle = walk->parent[middle];
    const uint32_t farthest = walk_from(walk, middle);
    return 2 * walk->distance[farthest];
}

/* The largest power of two with longest * scale <= COST_END. */
static double scale_for(double longest)
{
    int exponent;
    frexp(COST_END / fmax(longest, LONGEST_LEAST), &exponent);
    return ldexp(1.0, exponent - 1);
}

/* Upper bound of the shortest paths' lengths; no better one than `fine` is wanted. */
static double longest_path(struct walk *walk, double fine)
{
    double longest = 0.0;
    for (uint32_t v = 0; v < walk->graph->vertex_count; v++) {
        if (walk->seen[v] != 0)
            continue;
        const uint32_t farthest = walk_from(walk, v);
        double bound = 2 * walk->distance[farthest];
        if (bound > longest && bound > fine)
            bound = fmin(bound, bound_from_middle(walk, v));
        longest = fmax(longest, bound);
    }
    return longest;
}

void prm_host_graph_maxima(const struct prm_host_graph *graph, uint32_t *degree_max,
                           double *length_max)
{
    *degree_max = 0;
    *length_max = 0.0;
    for (uint32_t v = 0; v < graph->vertex_count; v++) {
        const uint32_t degree = graph->offsets[v + 1] - graph->offsets[v];
        if (degree > *degree_max)
            *degree_max = degree;
    }
    for (uint32_t i = 0; i < graph->arc_count; i++)
        *length_max = fmax(*length_max, (double)graph->lengths[graph->arcs[i].weight]);
}

enum prm_status prm_weight_scale(double *scale, const struct prm_host_graph *graph,
                                 double link_length)
{
    const size_t n = graph->vertex_count;
    enum prm_status status = PRM_OK;
    struct walk walk = {.graph = graph};
    double sum = 0.0;

    walk.queue = calloc(n + 1, sizeof(*walk.queue));
    walk.seen = calloc(n + 1, sizeof(*walk.seen));
    walk.parent = calloc(n + 1, sizeof(*walk.parent));
    walk.distance = calloc(n + 1, sizeof(*walk.distance));
    if (!walk.queue || !walk.seen || !walk.parent || !walk.distance) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory to walk %zu milestones", n);
        goto cleanup;
    }
    for (uint32_t i = 0; i < graph->arc_count; i++)
        sum += (double)graph->lengths[graph->arcs[i].weight];
    const double mean = graph->arc_count > 0 ? sum / graph->arc_count : 1.0;
    const double fine = COST_END * mean / FINE_ENOUGH / 2;
    *scale = scale_for(longest_path(&walk, fine) + 2 * link_length);
cleanup:
    free(walk.queue);
    free(walk.seen);
    free(walk.parent);
    free(walk.distance);
    return status;
}
