/* A piece of a level a launch; a step is a piece, or some levels of a small graph. */
#include "roadmap/search/hop_rows.h"

#include "device/launch.h"
#include "device/try.h"
#include "kernels/hop_types.h"
#include "roadmap/collision/scene_arguments.h"

#include <stdlib.h>

/* Vertices looked at in about two milliseconds, and levels of a step at most. */
enum { VERTICES_PER_STEP = 1 << 13, LEVELS_PER_STEP = 16 };

/* Deeper graphs have no rows: their making would take long, and such coarse entries lead badly. */
enum { SHIFT_MAX = 2 };

enum { WORD_BITS = 64 };

/* What making them takes. */
struct hop_rows_work {
    const struct prm_graph *graph;
    uint32_t words;                       /* of 64 landmarks */
    uint32_t level;                       /* edges that the search has come so far */
    uint32_t cursor;                      /* vertices of the level that have been looked at */
    struct prm_buffer seen, frontiers[2]; /* u64[V][words] */
    struct prm_buffer grown;              /* u32: not 0 where the level has come to vertices */
};

static void work_destroy(struct prm_context *context, struct hop_rows_work *work)
{
    if (!work)
        return;
    prm_buffer_destroy(context, &work->seen);
    prm_buffer_destroy(context, &work->frontiers[0]);
    prm_buffer_destroy(context, &work->frontiers[1]);
    prm_buffer_destroy(context, &work->grown);
    free(work);
}

static enum prm_status work_create(struct prm_hop_rows *rows, const struct prm_graph *graph,
                                   struct prm_buffer landmarks)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = rows->context;
    struct hop_rows_work *work = calloc(1, sizeof(*work));

    if (!work)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for landmarks");
    rows->work = work;
    work->graph = graph;
    work->words = (rows->count + WORD_BITS - 1) / WORD_BITS;
    const size_t bytes = (size_t)rows->vertex_count * work->words * sizeof(uint64_t);
    TRY(prm_buffer_create(context, &work->seen, bytes));
    TRY(prm_buffer_create(context, &work->frontiers[0], bytes));
    TRY(prm_buffer_create(context, &work->frontiers[1], bytes));
    TRY(prm_buffer_create(context, &work->grown, sizeof(uint32_t)));
    TRY(prm_buffer_fill_u32(context, work->seen, 0, 0, bytes / sizeof(uint32_t)));
    TRY(prm_buffer_fill_u32(context, work->frontiers[0], 0, 0, bytes / sizeof(uint32_t)));
    TRY(prm_launch(context, PRM_KERNEL_HOP_ROWS_SEED, NULL, 1, 1,
                   ARGS(ARG_BUFFER(rows->table), ARG_BUFFER(work->seen),
                        ARG_BUFFER(work->frontiers[0]), ARG_BUFFER(landmarks), ARG_U32(rows->count),
                        ARG_U32(work->words))));

cleanup:
    return status;
}

enum prm_status prm_hop_rows_create(struct prm_context *context, struct prm_hop_rows **rows,
                                    const struct prm_graph *graph, struct prm_buffer landmarks,
                                    uint32_t count)
{
    static const uint32_t FAR = HOP_FAR << 24 | HOP_FAR << 16 | HOP_FAR << 8 | HOP_FAR;
    enum prm_status status = PRM_OK;
    struct prm_hop_rows *made = calloc(1, sizeof(*made));

    *rows = NULL;
    if (!made)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for landmarks");
    made->context = context;
    made->vertex_count = graph->vertex_count;
    made->count = count;
    const size_t bytes = (size_t)graph->vertex_count * count;
    TRY(prm_buffer_create(context, &made->table, bytes));
    TRY(prm_buffer_fill_u32(context, made->table, 0, FAR, bytes / sizeof(uint32_t)));
    TRY(work_create(made, graph, landmarks));
    *rows = made;
    made = NULL;

cleanup:
    prm_hop_rows_destroy(made);
    return status;
}

/* Goes on to the next level, in coarser quanta if its entry would not fit. */
static enum prm_status begin_level(struct prm_hop_rows *rows)
{
    enum prm_status status = PRM_OK;
    const uint32_t entries = rows->vertex_count * rows->count;
    const struct prm_share all = prm_share_of(rows->context, entries);

    if (++rows->work->level >> rows->shift != HOP_FAR)
        return PRM_OK;
    rows->too_deep = rows->shift == SHIFT_MAX;
    if (rows->too_deep)
        return PRM_OK;
    TRY(prm_launch(rows->context, PRM_KERNEL_HOP_ROWS_HALVE, NULL, all.items, all.group,
                   ARGS(ARG_BUFFER(rows->table), ARG_U32(entries))));
    rows->shift++;

cleanup:
    return status;
}

/* Looks at vertices of the level. */
static enum prm_status pull(struct prm_hop_rows *rows)
{
    enum prm_status status = PRM_OK;
    struct hop_rows_work *work = rows->work;
    const uint32_t left = rows->vertex_count - work->cursor,
                   n = left < VERTICES_PER_STEP ? left : VERTICES_PER_STEP;

    if (work->cursor == 0)
        TRY(begin_level(rows));
    if (rows->too_deep)
        return PRM_OK;
    const uint32_t to = work->level % 2;
    const struct prm_share share = prm_share_of(rows->context, n);
    TRY(prm_launch(rows->context, PRM_KERNEL_HOP_ROWS_PULL, NULL, share.items, share.group,
                   ARGS(ARG_BUFFER(rows->table), ARG_BUFFER(work->seen),
                        ARG_BUFFER(work->frontiers[to]), ARG_BUFFER(work->frontiers[1 - to]),
                        ARG_BUFFER(work->grown), ARG_BUFFER(work->graph->offsets),
                        ARG_BUFFER(work->graph->arcs), ARG_U32(rows->count), ARG_U32(work->words),
                        ARG_U32(work->level >> rows->shift), ARG_U32(work->cursor), ARG_U32(n))));
    work->cursor = n < left ? work->cursor + n : 0;

cleanup:
    return status;
}

enum prm_status prm_hop_rows_step(struct prm_hop_rows *rows, bool *done)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = rows->context;
    struct hop_rows_work *work = rows->work;
    uint32_t grown = 1, levels = 0;

    *done = !work;
    if (!work)
        return PRM_OK;
    if (work->cursor == 0)
        TRY(prm_buffer_fill_u32(context, work->grown, 0, 0, 1));
    do
        TRY(pull(rows));
    while (work->cursor == 0 && !rows->too_deep && ++levels < LEVELS_PER_STEP &&
           (levels + 1) * (uint64_t)rows->vertex_count <= VERTICES_PER_STEP);
    // read-back: is there a vertex that landmarks may yet come to?
    if (work->cursor == 0)
        TRY(prm_buffer_read(context, work->grown, 0, &grown, sizeof(grown)));
    if (!grown || rows->too_deep) {
        work_destroy(context, work);
        rows->work = NULL;
        *done = true;
    }

cleanup:
    return status;
}

void prm_hop_rows_destroy(struct prm_hop_rows *rows)
{
    if (!rows)
        return;
    work_destroy(rows->context, rows->work);
    prm_buffer_destroy(rows->context, &rows->table);
    free(rows);
}
