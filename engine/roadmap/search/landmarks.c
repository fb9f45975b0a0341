/* Rounds of searches and choices: distances from a few landmarks at once, their columns of the
 * table, the next few. */
#include "roadmap/search/landmarks.h"

#include "device/launch.h"
#include "device/try.h"
#include "kernels/landmark_types.h"
#include "kernels/types.h"
#include "roadmap/search/hop_rows.h"

#include <inttypes.h>
#include <stdlib.h>

/* A landmark is worth so many vertices, at least. */
enum { VERTICES_PER_LANDMARK = 4 };
/* The table takes at most so much, and at most this share of the device's limit. */
#define TABLE_BYTES_MAX ((uint64_t)96 << 20)
enum { TABLE_LIMIT_SHARE = 16 };

/* What is about two milliseconds' work: heap entries that one source takes, sweeps of all vertices,
 * vertices entered. */
enum { ENTRIES_PER_STEP = 1 << 14, SWEEPS_PER_STEP = 16, VERTICES_PER_STEP = 1 << 17 };

/* Work-items that look for the farthest vertex: enough to fill a device, few enough to be looked
 * through. */
enum { SHARES_CPU = 4, SHARES_GPU = 2048 };

enum { HEAP_ENTRIES_PER_VERTEX = 2, HEAP_ENTRIES_MORE = 16 };

/* The greatest quantised distance that is meant to occur; the rest is left to the costs of links.
 */
#define ENTRY_MAX 60000

enum phase { PHASE_SEED, PHASE_SEARCH, PHASE_STORE, PHASE_CHOOSE, PHASE_HOPS };

/* What making them takes. */
struct landmarks_work {
    const struct prm_graph *graph;
    enum phase phase;
    bool from_root;         /* the first round is from the root, which is no landmark */
    uint32_t width;         /* sources of a round at most */
    uint32_t sources_count; /* of this round */
    uint32_t column;        /* landmarks before this round */
    uint32_t chosen;        /* sources of the next round chosen so far */
    uint32_t cursor;        /* vertices that the store or choice at hand has done */
    uint32_t shares;        /* work-items that look for the farthest vertex */
    uint32_t heap_capacity;
    struct prm_buffer sources;       /* u32[width] */
    struct prm_buffer vertices;      /* u32[count]: the landmarks */
    struct prm_buffer distances[2];  /* u32[width][V]; the second for sweeps */
    struct prm_buffer heaps;         /* u64[width][heap_capacity] */
    struct prm_buffer heap_counts;   /* u32[width]; with sweeps the first is the flag of changes */
    struct prm_buffer gaps, chances; /* u32[V] */
    struct prm_buffer farthest;      /* u64[shares] */
    struct prm_buffer gap;           /* u32: of the vertex chosen last */
};

static bool by_sweeps(const struct prm_landmarks *landmarks)
{
    return prm_context_profile(landmarks->context)->shape == PRM_SHAPE_GPU;
}

/* Landmarks for so many vertices: whole vectors of them. */
static uint32_t landmark_count(const struct prm_context *context, uint32_t vertex_count)
{
    const uint64_t limit = prm_context_memory(context).limit_bytes / TABLE_LIMIT_SHARE;
    const uint64_t bytes = limit < TABLE_BYTES_MAX ? limit : TABLE_BYTES_MAX;
    const uint64_t vector_bytes = (uint64_t)vertex_count * LANDMARK_LANES * sizeof(uint16_t);
    const uint64_t fit = bytes / vector_bytes;
    const uint32_t per_vector = VERTICES_PER_LANDMARK * LANDMARK_LANES;
    uint32_t vectors = (vertex_count - 1) / per_vector + 1;

    if (vectors > fit)
        vectors = (uint32_t)fit;
    if (vectors > LANDMARK_VECTORS_MAX)
        vectors = LANDMARK_VECTORS_MAX;
    return (vectors > 0 ? vectors : 1) * LANDMARK_LANES;
}

static void work_destroy(struct prm_context *context, struct landmarks_work *work)
{
    if (!work)
        return;
    struct prm_buffer *buffers[] = {
        &work->sources,     &work->vertices, &work->distances[0], &work->distances[1], &work->heaps,
        &work->heap_counts, &work->gaps,     &work->chances,      &work->farthest,     &work->gap};
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
        prm_buffer_destroy(context, buffers[i]);
    free(work);
}

static enum prm_status work_create(struct prm_landmarks *landmarks, const struct prm_graph *graph,
                                   uint32_t root)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = landmarks->context;
    const struct prm_profile *profile = prm_context_profile(context);
    const size_t n = graph->vertex_count;
    struct landmarks_work *work = calloc(1, sizeof(*work));

    if (!work)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for landmarks");
    landmarks->work = work;
    work->graph = graph;
    work->from_root = true;
    work->sources_count = 1;
    work->width = by_sweeps(landmarks) || profile->compute_units > LANDMARK_ROUND_MAX
                      ? LANDMARK_ROUND_MAX
                      : profile->compute_units;
    work->shares = by_sweeps(landmarks) ? SHARES_GPU : SHARES_CPU * profile->compute_units;
    if (work->shares > n)
        work->shares = (uint32_t)n;
    work->shares += profile->workgroup - 1 - (work->shares - 1) % profile->workgroup;
    // sweeps seed a heap, too, and leave it
    work->heap_capacity =
        by_sweeps(landmarks) ? 1 : (uint32_t)(HEAP_ENTRIES_PER_VERTEX * n + HEAP_ENTRIES_MORE);

    TRY(prm_buffer_create(context, &work->sources, prm_words(work->width)));
    TRY(prm_buffer_create(context, &work->vertices, prm_words(landmarks->count)));
    TRY(prm_buffer_create(context, &work->distances[0], work->width * prm_words(n)));
    if (by_sweeps(landmarks))
        TRY(prm_buffer_create(context, &work->distances[1], work->width * prm_words(n)));
    TRY(prm_buffer_create(context, &work->heaps,
                          sizeof(uint64_t) * work->width * work->heap_capacity));
    TRY(prm_buffer_create(context, &work->heap_counts, prm_words(work->width)));
    TRY(prm_buffer_create(context, &work->gaps, prm_words(n)));
    TRY(prm_buffer_create(context, &work->chances, prm_words(n)));
    TRY(prm_buffer_create(context, &work->farthest, work->shares * sizeof(uint64_t)));
    TRY(prm_buffer_create(context, &work->gap, prm_words(1)));
    TRY(prm_buffer_fill_u32(context, work->sources, 0, root, 1));
    TRY(prm_buffer_fill_u32(context, work->gaps, 0, NONE_U32, n));

cleanup:
    return status;
}

enum prm_status prm_landmarks_create(struct prm_context *context, struct prm_landmarks **landmarks,
                                     const struct prm_graph *graph, uint32_t root)
{
    enum prm_status status = PRM_OK;
    const uint32_t n = graph->vertex_count;

    *landmarks = NULL;
    if (root >= n)
        return prm_fault_set(PRM_INVALID_ARGUMENT,
                             "vertex %" PRIu32 " is none of a graph of %" PRIu32, root, n);
    struct prm_landmarks *made = calloc(1, sizeof(*made));
    if (!made)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for landmarks");
    made->context = context;
    made->holders = 1;
    made->vertex_count = n;
    made->count = landmark_count(context, n);
    // columns still to come are equal for all vertices: they tell nothing
    const size_t table_bytes = (size_t)n * made->count * sizeof(uint16_t);
    TRY(prm_buffer_create(context, &made->table, table_bytes));
    TRY(prm_buffer_fill_u32(context, made->table, 0, 0, table_bytes / sizeof(uint32_t)));
    TRY(work_create(made, graph, root));
    *landmarks = made;
    made = NULL;

cleanup:
    prm_landmarks_destroy(made);
    return status;
}

/* ---- steps ---- */

static enum prm_status run_seed(struct prm_landmarks *landmarks)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = landmarks->context;
    struct landmarks_work *work = landmarks->work;
    const uint32_t n = landmarks->vertex_count;

    TRY(prm_buffer_fill_u32(context, work->distances[0], 0, NONE_U32,
                            (size_t)work->sources_count * n));
    TRY(prm_launch(context, PRM_KERNEL_LANDMARKS_SEED, NULL, work->sources_count,
                   prm_context_profile(context)->workgroup,
                   ARGS(ARG_BUFFER(work->distances[0]), ARG_BUFFER(work->heaps),
                        ARG_BUFFER(work->heap_counts), ARG_BUFFER(work->vertices),
                        ARG_BUFFER(work->sources), ARG_U32(work->column), ARG_U32(n),
                        ARG_U32(work->heap_capacity), ARG_U32(work->sources_count))));
    work->phase = PHASE_SEARCH;

cleanup:
    return status;
}

/* Some sweeps; whether any of them changed anything is the first count. */
static enum prm_status sweep(struct prm_landmarks *landmarks)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = landmarks->context;
    struct landmarks_work *work = landmarks->work;
    const uint64_t items = (uint64_t)work->sources_count * landmarks->vertex_count;

    TRY(prm_buffer_fill_u32(context, work->heap_counts, 0, 0, work->sources_count));
    for (int i = 0; i < SWEEPS_PER_STEP; i++)
        TRY(prm_launch(context, PRM_KERNEL_LANDMARKS_RELAX, NULL, items,
                       prm_context_profile(context)->workgroup,
                       ARGS(ARG_BUFFER(work->distances[(i + 1) % 2]),
                            ARG_BUFFER(work->distances[i % 2]), ARG_BUFFER(work->heap_counts),
                            ARG_BUFFER(work->graph->offsets), ARG_BUFFER(work->graph->arcs),
                            ARG_U32(landmarks->vertex_count), ARG_U64(items))));

cleanup:
    return status;
}
_Static_assert(SWEEPS_PER_STEP % 2 == 0, "a step's last sweep fills the first buffer");

static enum prm_status expand(struct prm_landmarks *landmarks)
{
    struct landmarks_work *work = landmarks->work;
    return prm_launch(landmarks->context, PRM_KERNEL_LANDMARKS_EXPAND, NULL, work->sources_count,
                      prm_context_profile(landmarks->context)->workgroup,
                      ARGS(ARG_BUFFER(work->distances[0]), ARG_BUFFER(work->heaps),
                           ARG_BUFFER(work->heap_counts), ARG_BUFFER(work->graph->offsets),
                           ARG_BUFFER(work->graph->arcs), ARG_U32(landmarks->vertex_count),
                           ARG_U32(work->heap_capacity), ARG_U32(ENTRIES_PER_STEP),
                           ARG_U32(work->sources_count)));
}

static enum prm_status run_search(struct prm_landmarks *landmarks)
{
    enum prm_status status = PRM_OK;
    struct landmarks_work *work = landmarks->work;
    uint32_t counts[LANDMARK_ROUND_MAX] = {0};

    TRY(by_sweeps(landmarks) ? sweep(landmarks) : expand(landmarks));
    // read-back: are all distances known?
    TRY(prm_buffer_read(landmarks->context, work->heap_counts, 0, counts,
                        prm_words(work->sources_count)));
    bool done = true;
    for (uint32_t s = 0; s < work->sources_count; s++)
        done &= counts[s] == 0;
    if (done)
        work->phase = PHASE_STORE;

cleanup:
    return status;
}

/* The vertices of a piece, from the cursor on. */
static uint32_t piece_length(const struct prm_landmarks *landmarks)
{
    const uint32_t left = landmarks->vertex_count - landmarks->work->cursor;
    return left < VERTICES_PER_STEP ? left : VERTICES_PER_STEP;
}

/* Moves the cursor over a piece; whether it was the last. */
static bool piece_done(struct prm_landmarks *landmarks, uint32_t length)
{
    struct landmarks_work *work = landmarks->work;
    work->cursor += length;
    if (work->cursor < landmarks->vertex_count)
        return false;
    work->cursor = 0;
    return true;
}

/* The farthest vertex becomes the next source. */
static enum prm_status choose(struct prm_landmarks *landmarks)
{
    struct landmarks_work *work = landmarks->work;
    const uint32_t at = work->chosen++;
    return prm_launch(landmarks->context, PRM_KERNEL_LANDMARKS_CHOOSE, NULL, 1,
                      prm_context_profile(landmarks->context)->workgroup,
                      ARGS(ARG_BUFFER(work->sources), ARG_BUFFER(work->gap),
                           ARG_BUFFER(work->farthest), ARG_U32(at), ARG_U32(work->shares)));
}

/* No two vertices are farther apart than twice what the root's farthest is away. */
static enum prm_status set_shift(struct prm_landmarks *landmarks)
{
    enum prm_status status = PRM_OK;
    uint32_t farthest = 0;

    // read-back: the root's farthest vertex
    TRY(prm_buffer_read(landmarks->context, landmarks->work->gap, 0, &farthest, prm_words(1)));
    while (2 * (uint64_t)farthest >> landmarks->shift > ENTRY_MAX)
        landmarks->shift++;

cleanup:
    return status;
}

static void end(struct prm_landmarks *landmarks)
{
    work_destroy(landmarks->context, landmarks->work);
    landmarks->work = NULL;
}

/* What follows when all columns are in the table: rows of edges, where searches go by them. */
static enum prm_status tables_end(struct prm_landmarks *landmarks)
{
    struct landmarks_work *work = landmarks->work;

    if (by_sweeps(landmarks)) {
        end(landmarks);
        return PRM_OK;
    }
    work->phase = PHASE_HOPS;
    return prm_hop_rows_create(landmarks->context, &landmarks->hops, work->graph, work->vertices,
                               landmarks->count);
}

/* What follows when a round's columns are in the table and the first source of the next is chosen.
 */
static enum prm_status round_end(struct prm_landmarks *landmarks)
{
    enum prm_status status = PRM_OK;
    struct landmarks_work *work = landmarks->work;

    work->phase = PHASE_SEED;
    if (work->from_root) {
        // gaps are from landmarks alone; bounds need a landmark: the first one is alone
        TRY(set_shift(landmarks));
        TRY(prm_buffer_fill_u32(landmarks->context, work->gaps, 0, NONE_U32,
                                landmarks->vertex_count));
        work->from_root = false;
        work->sources_count = 1;
        goto cleanup;
    }
    work->column += work->sources_count;
    const uint32_t left = landmarks->count - work->column;
    work->sources_count = left < work->width ? left : work->width;
    if (left == 0)
        TRY(tables_end(landmarks));
    else if (work->sources_count > 1)
        work->phase = PHASE_CHOOSE;

cleanup:
    return status;
}

static enum prm_status run_store(struct prm_landmarks *landmarks)
{
    enum prm_status status = PRM_OK;
    struct landmarks_work *work = landmarks->work;
    const uint32_t length = piece_length(landmarks);
    const uint32_t columns = work->from_root ? 0 : landmarks->count;

    TRY(prm_launch(landmarks->context, PRM_KERNEL_LANDMARKS_STORE, NULL, work->shares,
                   prm_context_profile(landmarks->context)->workgroup,
                   ARGS(ARG_BUFFER(landmarks->table), ARG_BUFFER(work->gaps),
                        ARG_BUFFER(work->farthest), ARG_BUFFER(work->distances[0]),
                        ARG_U32(work->sources_count), ARG_U32(columns), ARG_U32(work->column),
                        ARG_U32(landmarks->shift), ARG_U32(landmarks->vertex_count),
                        ARG_U32(work->cursor), ARG_U32(length))));
    if (!piece_done(landmarks, length))
        return PRM_OK;
    work->chosen = 0;
    TRY(choose(landmarks));
    TRY(round_end(landmarks));

cleanup:
    return status;
}

static enum prm_status run_choose(struct prm_landmarks *landmarks)
{
    enum prm_status status = PRM_OK;
    struct landmarks_work *work = landmarks->work;
    const uint32_t length = piece_length(landmarks);

    TRY(prm_launch(landmarks->context, PRM_KERNEL_LANDMARKS_SPREAD, NULL, work->shares,
                   prm_context_profile(landmarks->context)->workgroup,
                   ARGS(ARG_BUFFER(work->chances), ARG_BUFFER(work->farthest),
                        ARG_BUFFER(work->gaps), ARG_BUFFER(landmarks->table),
                        ARG_BUFFER(work->sources), ARG_U32(work->chosen),
                        ARG_U32(landmarks->count / LANDMARK_LANES), ARG_U32(landmarks->shift),
                        ARG_U32(work->cursor), ARG_U32(length))));
    if (!piece_done(landmarks, length))
        return PRM_OK;
    TRY(choose(landmarks));
    if (work->chosen == work->sources_count)
        work->phase = PHASE_SEED;

cleanup:
    return status;
}

static enum prm_status run_hops(struct prm_landmarks *landmarks)
{
    bool done;
    const enum prm_status status = prm_hop_rows_step(landmarks->hops, &done);

    if (!done)
        return status;
    if (landmarks->hops->too_deep) {
        prm_hop_rows_destroy(landmarks->hops);
        landmarks->hops = NULL;
    }
    end(landmarks);
    return status;
}

enum prm_status prm_landmarks_step(struct prm_landmarks *landmarks, bool *done)
{
    static enum prm_status (*const RUN[])(struct prm_landmarks * landmarks) = {
        [PHASE_SEED] = run_seed,     [PHASE_SEARCH] = run_search, [PHASE_STORE] = run_store,
        [PHASE_CHOOSE] = run_choose, [PHASE_HOPS] = run_hops,
    };
    enum prm_status status = PRM_OK;

    if (landmarks->work) {
        TRY(RUN[landmarks->work->phase](landmarks));
        TRY(prm_context_finish(landmarks->context));
    }

cleanup:
    *done = !landmarks->work;
    return status;
}

struct prm_landmarks *prm_landmarks_share(struct prm_landmarks *landmarks)
{
    landmarks->holders++;
    return landmarks;
}

void prm_landmarks_destroy(struct prm_landmarks *landmarks)
{
    if (!landmarks || --landmarks->holders > 0)
        return;
    work_destroy(landmarks->context, landmarks->work);
    prm_hop_rows_destroy(landmarks->hops);
    prm_buffer_destroy(landmarks->context, &landmarks->table);
    prm_buffer_destroy(landmarks->context, &landmarks->edge_valid);
    free(landmarks);
}
