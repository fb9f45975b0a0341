/* Runners that may be long and go in parts: nearest neighbours, graph search. */
#include "device/try.h"
#include "primitives/graph_search.h"
#include "roadmap/nearest/neighbors.h"
#include "service/compute/compute_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- nearest neighbours ---- */

/* A part is about two milliseconds of brute force: so many coordinate differences; of an index so
 * many lists. */
#define PART_DIFFERENCES 8e6
enum { PART_LISTS = 4096, PART_LISTS_MIN = 64 };

/* Points or queries whose lists are compared with brute force. */
enum { RECALL_SAMPLES = 256 };

struct knn {
    struct prm_embedding rows;            /* as they are */
    struct prm_buffer points;             /* f32[points][row], resident as all here */
    struct prm_buffer indices, distances; /* u32, f32 [points][k]: without queries */
    struct prm_neighbor_index *index;
    bool filled;    /* the index answers */
    size_t at;      /* lists made */
    uint32_t *near; /* [lists][k] of the reply; the run's */
    float *far;
};

static void knn_destroy(struct compute_run *run)
{
    struct knn *knn = run->state;
    prm_neighbor_index_destroy(knn->index);
    prm_buffer_destroy(run->context, &knn->points);
    prm_buffer_destroy(run->context, &knn->indices);
    prm_buffer_destroy(run->context, &knn->distances);
    free(knn);
}

/* Rows of a request's array from `first` on, every `stride`-th, as the device has them: times the
 * weights, zeros in the pad. The caller frees; NULL: no memory. */
static float *pack_rows(const struct compute_request *request, const struct prm_embedding *layout,
                        const struct compute_array *array, size_t first, size_t stride,
                        size_t count)
{
    const float *from = array->data;
    const float *weights = request->weights.rows == layout->dof ? request->weights.data : NULL;
    float *rows = calloc(count * layout->row + 1, sizeof(*rows));
    for (size_t i = 0; rows && i < count; i++) {
        const float *state = from + (first + i * stride) * array->columns;
        for (uint32_t c = 0; c < layout->dof; c++)
            rows[i * layout->row + c] = weights ? state[c] * weights[c] : state[c];
    }
    return rows;
}

/* The same, written to a buffer, which has its memory. */
static enum prm_status write_rows(struct compute_run *run, struct prm_buffer buffer,
                                  const struct prm_embedding *layout,
                                  const struct compute_array *array, size_t first, size_t stride,
                                  size_t count)
{
    float *rows = pack_rows(run->request, layout, array, first, stride, count);
    if (!rows)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu rows", count);
    const enum prm_status status =
        prm_buffer_write(run->context, buffer, 0, rows, count * layout->row * sizeof(float));
    free(rows);
    return status;
}

/* Plain Euclidean rows: weights are in them. Without points queries decide on the dimension. */
static struct prm_embedding rows_of(const struct compute_request *request)
{
    const size_t columns =
        request->points.rows > 0 ? request->points.columns : request->queries.columns;
    return prm_embedding_flat(columns > 0 ? (uint32_t)columns : 1);
}

static struct prm_neighbor_options knn_options(const struct compute_request *request)
{
    static const enum prm_neighbor_method METHODS[] = {
        [COMPUTE_KNN_AUTO] = PRM_NEIGHBOR_AUTO,
        [COMPUTE_KNN_LSH] = PRM_NEIGHBOR_LSH,
        [COMPUTE_KNN_TILES] = PRM_NEIGHBOR_TILES,
        [COMPUTE_KNN_EXACT] = PRM_NEIGHBOR_EXACT,
    };
    return (struct prm_neighbor_options){
        .method = METHODS[request->knn_method],
        .k = request->k,
        .radius = request->radius,
        .tables = request->tables,
        .projections = request->projections,
        .width = request->width,
        .target_recall = request->target_recall,
        .seed = request->seed,
    };
}

static size_t list_count(const struct compute_request *request)
{
    return request->queries.present ? request->queries.rows : request->points.rows;
}

/* Takes the memory of the whole and begins the index. */
static enum prm_status knn_begin(struct compute_run *run)
{
    const struct compute_request *request = run->request;
    const struct compute_array *points = &request->points;
    const struct prm_neighbor_options options = knn_options(request);
    const size_t cells = list_count(request) * request->k;
    enum prm_status status = PRM_OK;
    void *near, *far;

    struct knn *knn = calloc(1, sizeof(*knn));
    if (!knn)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a search");
    run->state = knn;
    run->state_destroy = knn_destroy;
    knn->rows = rows_of(request);
    TRY(compute_own(run, &near, cells * sizeof(uint32_t)));
    TRY(compute_own(run, &far, cells * sizeof(float)));
    knn->near = near;
    knn->far = far;
    TRY(prm_buffer_create(run->context, &knn->points,
                          points->rows * knn->rows.row * sizeof(float)));
    TRY(write_rows(run, knn->points, &knn->rows, points, 0, 1, points->rows));
    if (!request->queries.present) {
        TRY(prm_buffer_create(run->context, &knn->indices, cells * sizeof(uint32_t)));
        TRY(prm_buffer_create(run->context, &knn->distances, cells * sizeof(float)));
    }
    TRY(prm_neighbor_index_begin(run->arena, &knn->index, &knn->rows, knn->points, points->rows,
                                 &options));
cleanup:
    return status;
}

/* Lists of a part, that it is about as long as a step should be. */
static size_t part_lists(const struct knn *knn, const struct compute_request *request)
{
    if (prm_neighbor_statistics(knn->index).method != PRM_NEIGHBOR_EXACT)
        return PART_LISTS;
    const double differences = fmax(1, (double)request->points.rows * knn->rows.dof);
    return (size_t)fmax(PART_LISTS_MIN, PART_DIFFERENCES / differences);
}

/* The lists of foreign rows `first`, `first` + stride …, by an index, to the host. */
static enum prm_status find_foreign(struct compute_run *run, const struct prm_neighbor_index *index,
                                    size_t first, size_t stride, size_t count, uint32_t *near,
                                    float *far)
{
    const struct knn *knn = run->state;
    const uint32_t k = run->request->k;
    const struct prm_arena_mark mark = prm_arena_mark(run->arena);
    enum prm_status status = PRM_OK;
    struct prm_buffer rows, indices, distances;

    TRY(compute_take(run, &rows, count * knn->rows.row));
    TRY(compute_take(run, &indices, count * k));
    TRY(compute_take(run, &distances, count * k));
    TRY(write_rows(run, rows, &knn->rows, &run->request->queries, first, stride, count));
    TRY(prm_neighbors_foreign(run->arena, indices, distances, index, rows, count, 0, 0));
    TRY(prm_buffer_read(run->context, indices, 0, near, count * k * sizeof(uint32_t)));
    TRY(prm_buffer_read(run->context, distances, 0, far, count * k * sizeof(float)));
cleanup:
    prm_arena_rewind(run->arena, mark);
    return status;
}

/* One part of the lists. */
static enum prm_status knn_part(struct compute_run *run, size_t count)
{
    struct knn *knn = run->state;
    const size_t at = knn->at * run->request->k;
    enum prm_status status = PRM_OK;
    if (run->request->queries.present)
        TRY(find_foreign(run, knn->index, knn->at, 1, count, knn->near + at, knn->far + at));
    else
        TRY(prm_neighbors_self(run->arena, knn->indices, knn->distances, knn->index, knn->at,
                               count));
    // enqueued is not done: what comes next must not wait for it
    TRY(prm_context_finish(run->context));
    knn->at += count;
cleanup:
    return status;
}

/* Makes the index and the lists, as far as there is time. *done: all of them. */
static enum prm_status knn_advance(struct compute_run *run, bool *done)
{
    struct knn *knn = run->state;
    const size_t lists = list_count(run->request);
    enum prm_status status = PRM_OK;
    do {
        if (!knn->filled) {
            TRY(prm_neighbor_index_step(run->arena, knn->index, &knn->filled));
        } else {
            const size_t part = part_lists(knn, run->request);
            TRY(knn_part(run, part < lists - knn->at ? part : lists - knn->at));
        }
        *done = knn->filled && knn->at == lists;
    } while (!*done && !device_should_yield(run->device, run->began));
cleanup:
    return status;
}

/* The share of the true neighbours of some queries that their lists hold. */
static enum prm_status foreign_recall(struct compute_run *run, double *recall)
{
    const struct compute_request *request = run->request;
    struct knn *knn = run->state;
    const size_t lists = request->queries.rows, k = request->k;
    const size_t samples = lists < RECALL_SAMPLES ? lists : RECALL_SAMPLES;
    const size_t stride = samples > 0 ? lists / samples : 1;
    struct prm_neighbor_options options = knn_options(request);
    struct prm_neighbor_index *exact = NULL;
    enum prm_status status = PRM_OK;
    size_t wanted = 0, held = 0;
    uint32_t *near = malloc((samples * k + 1) * sizeof(*near));
    float *far = malloc((samples * k + 1) * sizeof(*far));

    if (!near || !far) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu lists", samples);
        goto cleanup;
    }
    options.method = PRM_NEIGHBOR_EXACT;
    TRY(prm_neighbor_index_create(run->arena, &exact, &knn->rows, knn->points, request->points.rows,
                                  &options));
    TRY(find_foreign(run, exact, 0, stride, samples, near, far));
    for (size_t i = 0; i < samples; i++) {
        // what is as near as the last true one counts, whichever it is
        const size_t list = i * stride * k;
        size_t true_count = 0, found = 0;
        while (true_count < k && near[i * k + true_count] != UINT32_MAX)
            true_count++;
        const float last = true_count > 0 ? far[i * k + true_count - 1] : 0;
        while (found < true_count && knn->near[list + found] != UINT32_MAX &&
               knn->far[list + found] <= last)
            found++;
        wanted += true_count;
        held += found;
    }
    *recall = wanted > 0 ? (double)held / (double)wanted : 1;
cleanup:
    prm_neighbor_index_destroy(exact);
    free(near);
    free(far);
    return status;
}

/* Reads the lists back, measures the recall, makes the reply. */
static enum prm_status knn_finish(struct compute_run *run)
{
    const struct compute_request *request = run->request;
    struct knn *knn = run->state;
    const size_t lists = list_count(request), cells = lists * request->k;
    enum prm_status status = PRM_OK;
    void *recall;

    TRY(compute_own(run, &recall, sizeof(double)));
    *(double *)recall = 1;
    if (!request->queries.present) {
        TRY(prm_buffer_read(run->context, knn->indices, 0, knn->near, cells * sizeof(uint32_t)));
        TRY(prm_buffer_read(run->context, knn->distances, 0, knn->far, cells * sizeof(float)));
    }
    if (prm_neighbor_statistics(knn->index).method != PRM_NEIGHBOR_EXACT)
        TRY(request->queries.present ? foreign_recall(run, recall)
                                     : prm_neighbors_recall(run->arena, recall, knn->index,
                                                            knn->indices, RECALL_SAMPLES));
    for (size_t i = 0; i < cells; i++)
        knn->far[i] = knn->near[i] == UINT32_MAX ? INFINITY : knn->far[i];
    compute_reply_rows(&run->reply, "indices", COMPUTE_U32, knn->near, lists, request->k)->none =
        COMPUTE_NONE_CUT;
    compute_reply_rows(&run->reply, "distances", COMPUTE_F32, knn->far, lists, request->k)->none =
        COMPUTE_NONE_CUT;
    compute_reply_number(&run->reply, "recall", COMPUTE_F64, recall);
cleanup:
    return status;
}

enum prm_status compute_knn(struct compute_run *run, bool *done)
{
    enum prm_status status = PRM_OK;
    *done = false;
    if (!run->state)
        TRY(knn_begin(run));
    TRY(knn_advance(run, done));
    if (*done)
        TRY(knn_finish(run));
cleanup:
    return status;
}

/* ---- graph search ---- */

/* Arcs and vertices that a part of the sources walks over: some milliseconds. */
#define PART_VISITS 1e6

struct bfs {
    struct prm_arcs arcs;
    size_t at;        /* sources searched from */
    uint32_t *values; /* levels, or costs as bits: [sources][vertices], the run's */
    uint32_t *parents;
};

static void bfs_destroy(struct compute_run *run)
{
    struct bfs *bfs = run->state;
    prm_arcs_deinit(run->context, &bfs->arcs);
    free(bfs);
}

static enum prm_status bfs_begin(struct compute_run *run)
{
    const struct compute_request *request = run->request;
    const size_t cells = request->sources.rows * request->vertices;
    enum prm_status status = PRM_OK;
    struct prm_buffer edges, weights = PRM_NO_BUFFER;
    void *values, *parents;

    struct bfs *bfs = calloc(1, sizeof(*bfs));
    if (!bfs)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a search");
    run->state = bfs;
    run->state_destroy = bfs_destroy;
    TRY(compute_own(run, &values, cells * sizeof(uint32_t)));
    TRY(compute_own(run, &parents, cells * sizeof(uint32_t)));
    bfs->values = values;
    bfs->parents = parents;
    TRY(compute_upload(run, &edges, &request->edges));
    if (request->objective == COMPUTE_LENGTH)
        TRY(compute_upload(run, &weights, &request->weights));
    TRY(prm_arcs_init(run->arena, &bfs->arcs, edges, weights, request->edges.rows,
                      request->vertices));
cleanup:
    return status;
}

/* Searches from the next `count` sources. */
static enum prm_status bfs_part(struct compute_run *run, size_t count)
{
    const struct compute_request *request = run->request;
    struct bfs *bfs = run->state;
    const struct prm_arena_mark mark = prm_arena_mark(run->arena);
    const size_t first = bfs->at * request->vertices, cells = count * request->vertices;
    const uint32_t *source = request->sources.data;
    enum prm_status status = PRM_OK;
    struct prm_buffer sources, values, parents;

    TRY(compute_take(run, &sources, count));
    TRY(compute_take(run, &values, cells));
    TRY(compute_take(run, &parents, cells));
    TRY(prm_buffer_write(run->context, sources, 0, source + bfs->at, count * sizeof(*source)));
    TRY(request->objective == COMPUTE_LENGTH
            ? prm_graph_costs(run->arena, values, parents, &bfs->arcs, sources, count)
            : prm_graph_levels(run->arena, values, parents, &bfs->arcs, sources, count));
    TRY(prm_buffer_read(run->context, values, 0, bfs->values + first, cells * sizeof(uint32_t)));
    TRY(prm_buffer_read(run->context, parents, 0, bfs->parents + first, cells * sizeof(uint32_t)));
    bfs->at += count;
cleanup:
    prm_arena_rewind(run->arena, mark);
    return status;
}

enum prm_status compute_bfs(struct compute_run *run, bool *done)
{
    const struct compute_request *request = run->request;
    const size_t sources = request->sources.rows;
    const double visits = 1.0 + request->vertices + 2.0 * (double)request->edges.rows;
    const size_t part = (size_t)fmax(1, PART_VISITS / visits);
    enum prm_status status = PRM_OK;

    *done = false;
    if (!run->state)
        TRY(bfs_begin(run));
    struct bfs *bfs = run->state;
    do {
        TRY(bfs_part(run, part < sources - bfs->at ? part : sources - bfs->at));
        *done = bfs->at == sources;
    } while (!*done && !device_should_yield(run->device, run->began));
    if (!*done)
        goto cleanup;
    if (request->objective == COMPUTE_LENGTH)
        compute_reply_rows(&run->reply, "costs", COMPUTE_F32, bfs->values, sources,
                           request->vertices)
            ->none = COMPUTE_NONE_NULL;
    else
        compute_reply_rows(&run->reply, "levels", COMPUTE_U32, bfs->values, sources,
                           request->vertices)
            ->none = COMPUTE_NONE_NULL;
    compute_reply_rows(&run->reply, "parents", COMPUTE_U32, bfs->parents, sources,
                       request->vertices)
        ->none = COMPUTE_NONE_NULL;
cleanup:
    return status;
}
