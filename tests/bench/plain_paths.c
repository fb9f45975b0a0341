#include "plain_paths.h"
#include "bench.h"
#include "threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS_MAX = 128 };

/* The graph by rows, milestones by columns. */
struct rows {
    uint32_t vertices, dof;
    float *columns; /* [dof][vertices] */
    uint32_t *offsets, *targets;
    float *lengths;
};

struct entry {
    float estimate;
    uint32_t vertex;
};

/* What one thread searches with. */
struct searcher {
    float *distances, *cost, *goal_cost; /* [vertices]; the latter two INFINITY between queries */
    struct entry *heap;
    size_t heap_count, heap_capacity;
    uint32_t *touched; /* vertices with a cost */
    uint32_t touched_count;
    double search_ms, length;
    uint32_t solved;
};

struct job {
    const struct rows *rows;
    const struct prm_query *queries;
    uint32_t count, k;
    struct searcher searchers[THREADS_MAX];
};

static void rows_init(struct rows *rows, const struct prm_graph_copy *graph)
{
    const uint32_t n = graph->milestone_count;
    *rows = (struct rows){.vertices = n, .dof = graph->dof};
    rows->columns = bench_memory((size_t)n * graph->dof * sizeof(float));
    rows->offsets = bench_memory(((size_t)n + 1) * sizeof(uint32_t));
    rows->targets = bench_memory(2 * (size_t)graph->edge_count * sizeof(uint32_t));
    rows->lengths = bench_memory(2 * (size_t)graph->edge_count * sizeof(float));
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t c = 0; c < graph->dof; c++)
            rows->columns[(size_t)c * n + v] = (float)graph->states[(size_t)v * graph->dof + c];

    // counted, summed, filled from the end of each row
    memset(rows->offsets, 0, ((size_t)n + 1) * sizeof(uint32_t));
    for (uint32_t e = 0; e < graph->edge_count; e++)
        for (unsigned end = 0; end < 2 && graph->valid[e]; end++)
            rows->offsets[graph->edges[2 * (size_t)e + end]]++;
    for (uint32_t v = 0, sum = 0; v <= n; v++) {
        sum += v < n ? rows->offsets[v] : 0;
        rows->offsets[v] = sum;
    }
    for (uint32_t e = 0; e < graph->edge_count; e++)
        for (unsigned end = 0; end < 2 && graph->valid[e]; end++) {
            const uint32_t at = --rows->offsets[graph->edges[2 * (size_t)e + end]];
            rows->targets[at] = graph->edges[2 * (size_t)e + 1 - end];
            rows->lengths[at] = graph->lengths[e];
        }
}

static void rows_deinit(struct rows *rows)
{
    free(rows->columns);
    free(rows->offsets);
    free(rows->targets);
    free(rows->lengths);
}

static float distance_to(const struct rows *rows, uint32_t vertex, const double *state)
{
    float sum = 0;
    for (uint32_t c = 0; c < rows->dof; c++) {
        const float d = rows->columns[(size_t)c * rows->vertices + vertex] - (float)state[c];
        sum += d * d;
    }
    return sqrtf(sum);
}

/* The k milestones nearest to a state, ascending; returns how many. */
static uint32_t nearest(const struct rows *rows, struct searcher *s, const double *state,
                        uint32_t k, uint32_t *ids, float *distances)
{
    const uint32_t n = rows->vertices;
    uint32_t found = 0;
    if (k == 0)
        return 0;
    memset(s->distances, 0, n * sizeof(float));
    for (uint32_t i = 0; i < k; i++)
        distances[i] = INFINITY;
    for (uint32_t c = 0; c < rows->dof; c++) {
        const float *column = rows->columns + (size_t)c * n, value = (float)state[c];
        for (uint32_t v = 0; v < n; v++)
            s->distances[v] += (column[v] - value) * (column[v] - value);
    }
    for (uint32_t v = 0; v < n; v++) {
        if (!(s->distances[v] < distances[k - 1]))
            continue;
        found += found < k;
        uint32_t at = found - 1;
        for (; at > 0 && distances[at - 1] > s->distances[v]; at--) {
            distances[at] = distances[at - 1];
            ids[at] = ids[at - 1];
        }
        distances[at] = s->distances[v];
        ids[at] = v;
    }
    for (uint32_t i = 0; i < found; i++)
        distances[i] = sqrtf(distances[i]);
    return found;
}

static void push(struct searcher *s, float estimate, uint32_t vertex)
{
    if (s->heap_count == s->heap_capacity) {
        s->heap_capacity = 2 * s->heap_capacity + 1024;
        s->heap = realloc(s->heap, s->heap_capacity * sizeof *s->heap);
        if (!s->heap)
            exit(EXIT_FAILURE);
    }
    size_t at = s->heap_count++;
    for (; at > 0 && s->heap[(at - 1) / 2].estimate > estimate; at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = (struct entry){estimate, vertex};
}

static struct entry pop(struct searcher *s)
{
    const struct entry top = s->heap[0], last = s->heap[--s->heap_count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < s->heap_count; at = child) {
        if (child + 1 < s->heap_count && s->heap[child + 1].estimate < s->heap[child].estimate)
            child++;
        if (s->heap[child].estimate >= last.estimate)
            break;
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = last;
    return top;
}

static void reach(const struct rows *rows, struct searcher *s, uint32_t vertex, float cost,
                  const double *goal)
{
    if (cost >= s->cost[vertex])
        return;
    if (isinf(s->cost[vertex]))
        s->touched[s->touched_count++] = vertex;
    s->cost[vertex] = cost;
    push(s, cost + distance_to(rows, vertex, goal), vertex);
}

/* The length of the shortest path; INFINITY: there is none. */
static float search(const struct rows *rows, struct searcher *s, const double *goal)
{
    float best = INFINITY;
    while (s->heap_count > 0) {
        const struct entry top = pop(s);
        const float cost = s->cost[top.vertex];
        if (top.estimate >= best)
            break;
        // an older entry of a vertex that has been reached better
        if (top.estimate > cost + distance_to(rows, top.vertex, goal))
            continue;
        best = fminf(best, cost + s->goal_cost[top.vertex]);
        for (uint32_t a = rows->offsets[top.vertex]; a < rows->offsets[top.vertex + 1]; a++)
            reach(rows, s, rows->targets[a], cost + rows->lengths[a], goal);
    }
    return best;
}

static void query_run(const struct job *job, struct searcher *s, const struct prm_query *query)
{
    const struct rows *rows = job->rows;
    uint32_t starts[LINKS_MAX], goals[LINKS_MAX];
    float from[LINKS_MAX], to[LINKS_MAX];
    const uint32_t start_count = nearest(rows, s, query->start, job->k, starts, from);
    const uint32_t goal_count = nearest(rows, s, query->goals, job->k, goals, to);
    const double begin = bench_now_ms();
    for (uint32_t i = 0; i < goal_count; i++)
        s->goal_cost[goals[i]] = to[i];
    for (uint32_t i = 0; i < start_count; i++)
        reach(rows, s, starts[i], from[i], query->goals);
    const float length = search(rows, s, query->goals);
    if (!isinf(length)) {
        s->solved++;
        s->length += (double)length;
    }
    for (uint32_t i = 0; i < s->touched_count; i++)
        s->cost[s->touched[i]] = INFINITY;
    for (uint32_t i = 0; i < goal_count; i++)
        s->goal_cost[goals[i]] = INFINITY;
    s->touched_count = 0;
    s->heap_count = 0;
    s->search_ms += bench_now_ms() - begin;
}

static void work(void *data, unsigned thread, unsigned threads)
{
    struct job *job = data;
    struct searcher *s = &job->searchers[thread];
    const uint32_t n = job->rows->vertices;
    s->distances = bench_memory(n * sizeof(float));
    s->cost = bench_memory(n * sizeof(float));
    s->goal_cost = bench_memory(n * sizeof(float));
    s->touched = bench_memory(n * sizeof(uint32_t));
    for (uint32_t v = 0; v < n; v++)
        s->cost[v] = s->goal_cost[v] = INFINITY;
    for (size_t i = threads_begin(job->count, thread, threads);
         i < threads_begin(job->count, thread + 1, threads); i++)
        query_run(job, s, &job->queries[i]);
    free(s->distances);
    free(s->cost);
    free(s->goal_cost);
    free(s->touched);
    free(s->heap);
}

struct plain_paths plain_paths_run(const struct prm_graph_copy *graph,
                                   const struct prm_query *queries, uint32_t count, uint32_t k,
                                   unsigned threads)
{
    struct rows rows;
    struct plain_paths paths = {0};
    double search_ms = 0, length = 0;
    rows_init(&rows, graph);
    struct job job = {.rows = &rows, .queries = queries, .count = count, .k = k};
    const double begin = bench_now_ms();
    threads_run(threads, work, &job);
    paths.queries_per_s = 1e3 * count / (bench_now_ms() - begin);
    for (unsigned t = 0; t < threads; t++) {
        search_ms += job.searchers[t].search_ms;
        length += job.searchers[t].length;
        paths.solved += job.searchers[t].solved;
    }
    paths.search_us = 1e3 * search_ms / count;
    paths.mean_length = paths.solved > 0 ? length / paths.solved : 0;
    rows_deinit(&rows);
    return paths;
}
