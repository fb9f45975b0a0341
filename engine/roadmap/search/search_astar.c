/* The launches of A* in its two forms: a query a work-item, one work-item a core, or a query a
 * group, in tables that grow where they have to. */
#include "device/launch.h"
#include "device/try.h"
#include "kernels/landmark_types.h"
#include "kernels/search_control.h"
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/robot/embedding.h"
#include "roadmap/search/search_methods.h"

#include <math.h>
#include <stdio.h>

/* A distance in float32 may come out longer than the sum of rounded edge lengths along a path; so
 * much less than it is surely no more. */
#define HEURISTIC_MARGIN 1e-5
/* The same where turns and orientations are measured, whose float32 has errors of its own. */
#define HEURISTIC_MARGIN_CURVED 1e-4

enum { HEAP_ENTRIES_PER_VERTEX = 2, HEAP_ENTRIES_MORE = 16 };

/* Of a group: its work-items, and how many groups a compute unit holds at once. */
enum { GROUP_MAX = 32, GROUPS_PER_UNIT = 32 };

/* The children of an entry of a group's heap, as kernels/group_heap.h has it. */
enum { GROUP_HEAP_ARITY = 32 };

/* Slots of a query's first table, for each of √V, and how much larger the next one is. */
enum { SLOTS_PER_ROOT = 16, SLOTS_GROWTH = 8, SLOT_WORDS = 4 };

/* What the kernels are told of the heuristic; what a variant does not look at is any buffer. */
struct heuristic {
    char options[PRM_SCENE_OPTIONS_MAX + 64];
    struct prm_buffer ids, states, end_states, table;
    uint32_t vectors, shift;
    float scale;
};

static struct heuristic heuristic_make(const struct prm_search_problem *problem)
{
    const struct prm_graph *graph = problem->graph;
    const struct prm_landmarks *landmarks = problem->landmarks;
    const struct prm_space *space = problem->space;
    const struct prm_buffer any = graph->offsets;
    struct heuristic h = {.ids = any, .states = any, .end_states = any, .table = any};

    if (landmarks) {
        h.table = landmarks->table;
        h.vectors = landmarks->count / LANDMARK_LANES;
        h.shift = landmarks->shift;
        snprintf(h.options, sizeof(h.options), "-DHEURISTIC_LANDMARKS");
    } else if (space) {
        const struct prm_embedding embedding = prm_embedding_of(space);
        const double margin =
            prm_embedding_is_flat(&embedding) ? HEURISTIC_MARGIN : HEURISTIC_MARGIN_CURVED;
        char metric[PRM_SCENE_OPTIONS_MAX];
        if (graph->ids.memory)
            h.ids = graph->ids;
        h.states = problem->states;
        h.end_states = problem->endpoints->states;
        h.scale = (float)(problem->weight_scale * (1 - margin));
        prm_space_options(metric, space);
        snprintf(h.options, sizeof(h.options), "-DHEURISTIC_METRIC %s%s", metric,
                 graph->ids.memory ? " -DNUMBERED" : "");
    }
    return h;
}

/* ---- a query a work-item ---- */

static enum prm_status by_items(struct prm_arena *arena, const struct prm_search_run *run,
                                const struct heuristic *h)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_search_problem *problem = run->problem;
    const struct prm_graph *graph = problem->graph;
    const size_t vertex_count = graph->vertex_count;
    const uint32_t n = problem->query_count,
                   items = n < profile->compute_units ? n : profile->compute_units;
    const size_t heap_entries = HEAP_ENTRIES_PER_VERTEX * vertex_count + HEAP_ENTRIES_MORE;
    struct prm_buffer vertices, goal_cost, touched, heap;

    TRY(prm_arena_take(arena, &vertices, items * vertex_count * 2 * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &goal_cost, items * vertex_count * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &touched, items * vertex_count * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &heap, items * heap_entries * sizeof(uint64_t)));
    TRY(prm_launch(context, PRM_KERNEL_ASTAR_SEARCH, h->options, items, profile->workgroup,
                   ARGS(SEARCH_ARGS(run), ARG_U32(n), ARG_BUFFER(h->ids), ARG_BUFFER(vertices),
                        ARG_BUFFER(goal_cost), ARG_BUFFER(touched), ARG_BUFFER(heap),
                        ARG_U32((uint32_t)heap_entries), ARG_U32(items), ARG_BUFFER(h->states),
                        ARG_BUFFER(h->end_states), ARG_F32(h->scale), ARG_BUFFER(h->table),
                        ARG_U32(h->vectors), ARG_U32(h->shift))));

cleanup:
    return status;
}

/* ---- a query a group ---- */

/* The scratch of one launch's groups. */
struct tables {
    uint32_t slots, limit; /* of a table, a power of two; that may be taken */
    uint32_t heap_entries;
};

/* Tables of at least so many slots, for all vertices where that is not much more. */
static struct tables tables_make(uint64_t slots, uint32_t vertex_count)
{
    enum { LIMIT_NUMERATOR = 3, LIMIT_DENOMINATOR = 4, SLOTS_LEAST = 4 };
    uint64_t all = SLOTS_LEAST, fit = SLOTS_LEAST;

    while (all < vertex_count)
        all *= 2;
    while (fit < slots)
        fit *= 2;
    const bool whole = fit >= all / 2;
    struct tables t = {.slots = (uint32_t)(whole ? all : fit)};
    t.limit = whole ? UINT32_MAX : t.slots / LIMIT_DENOMINATOR * LIMIT_NUMERATOR;
    // stale entries have half as much room again as all that can be live
    t.heap_entries = t.slots + t.slots / 2 + GROUP_MAX + GROUP_HEAP_ARITY;
    return t;
}

static uint32_t first_slots(const struct prm_search_problem *problem)
{
    if (problem->table_slots > 0)
        return problem->table_slots;
    return (uint32_t)(SLOTS_PER_ROOT * sqrt(problem->graph->vertex_count));
}

/* Groups of a launch for n queries: as many as the device holds at once and memory allows. */
static uint32_t group_count(const struct prm_profile *profile, const struct tables *t, uint32_t n)
{
    const size_t bytes = (size_t)t->slots * (SLOT_WORDS + 1) * sizeof(uint32_t) +
                         (size_t)t->heap_entries * sizeof(uint64_t);
    const size_t fit = PRM_SEARCH_SCRATCH_BYTES / bytes,
                 held = (size_t)profile->compute_units * GROUPS_PER_UNIT;
    size_t groups = n;

    if (groups > held)
        groups = held;
    if (groups > fit)
        groups = fit;
    return groups > 0 ? (uint32_t)groups : 1;
}

/* Searches the n queries `asked` (no memory: the first n) in tables of one size; those that find no
 * room in them are left. */
static enum prm_status group_launch(struct prm_arena *arena, const struct prm_search_run *run,
                                    const struct heuristic *h, const struct tables *t,
                                    struct prm_buffer asked, struct prm_buffer left, uint32_t n)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t group = profile->workgroup < GROUP_MAX ? profile->workgroup : GROUP_MAX;
    const size_t groups = group_count(profile, t, n), slots = groups * t->slots;
    struct prm_buffer table, touched, heap;
    char options[sizeof(h->options) + 32];

    snprintf(options, sizeof(options), "-DGROUP=%u %s", group, h->options);
    TRY(prm_arena_take(arena, &table, slots * SLOT_WORDS * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &touched, slots * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &heap, groups * t->heap_entries * sizeof(uint64_t)));
    TRY(prm_launch(context, PRM_KERNEL_ASTAR_GROUP, options, groups * group, group,
                   ARGS(SEARCH_ARGS(run), ARG_BUFFER(asked.memory ? asked : left), ARG_BUFFER(left),
                        ARG_U32(!asked.memory), ARG_U32(n), ARG_BUFFER(h->ids), ARG_BUFFER(table),
                        ARG_BUFFER(touched), ARG_BUFFER(heap), ARG_U32(t->slots), ARG_U32(t->limit),
                        ARG_U32(t->heap_entries), ARG_BUFFER(h->states), ARG_BUFFER(h->end_states),
                        ARG_F32(h->scale), ARG_BUFFER(h->table), ARG_U32(h->vectors),
                        ARG_U32(h->shift))));

cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

static enum prm_status by_groups(struct prm_arena *arena, const struct prm_search_run *run,
                                 const struct heuristic *h)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    const size_t taken_at = SEARCH_TAKEN * sizeof(uint32_t),
                 left_at = SEARCH_LEFT * sizeof(uint32_t);
    const uint32_t all = run->problem->query_count;
    struct prm_buffer lists[2], asked = PRM_NO_BUFFER;
    uint64_t slots = first_slots(run->problem);
    uint32_t n = all;

    TRY(prm_arena_take(arena, &lists[0], prm_words(all)));
    TRY(prm_arena_take(arena, &lists[1], prm_words(all)));
    for (int round = 0; n > 0; round++) {
        const struct tables t = tables_make(slots, run->problem->graph->vertex_count);
        TRY(prm_buffer_fill_u32(context, run->control, left_at, 0, 1));
        TRY(group_launch(arena, run, h, &t, asked, lists[round % 2], n));
        TRY(prm_buffer_fill_u32(context, run->control, taken_at, 0, 1));
        // what has room for all vertices leaves nothing
        if (t.limit == UINT32_MAX)
            break;
        // read-back: are there queries that need larger tables?
        TRY(prm_buffer_read(context, run->control, left_at, &n, sizeof(n)));
        asked = lists[round % 2];
        slots = (uint64_t)t.slots * SLOTS_GROWTH;
    }

cleanup:
    return status;
}

enum prm_status prm_search_astar(struct prm_arena *arena, const struct prm_search_run *run)
{
    const bool gpu = prm_context_profile(prm_arena_context(arena))->shape == PRM_SHAPE_GPU;
    const struct heuristic h = heuristic_make(run->problem);
    const struct prm_arena_mark mark = prm_arena_mark(arena);

    const enum prm_status status = gpu ? by_groups(arena, run, &h) : by_items(arena, run, &h);
    prm_arena_rewind(arena, mark);
    return status;
}
