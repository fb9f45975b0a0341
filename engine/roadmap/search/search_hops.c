/* Fewest edges: a query at a time where landmarks lead, and breadth-first for the others. */
#include "device/launch.h"
#include "device/try.h"
#include "kernels/hop_types.h"
#include "kernels/search_control.h"
#include "roadmap/search/hop_rows.h"
#include "roadmap/search/search_methods.h"

/* Vertices that a query may have expanded before it is left to a breadth-first search of many
 * queries, which looks at some of all vertices for each. */
enum { CREDIT_LEAST = 64, VERTICES_PER_CREDIT = 32 };

/* Whether the rows are there and made for this machine: on a GPU work-items would wait for the
 * longest of their searches. */
static bool is_led(const struct prm_context *context, const struct prm_search_problem *problem)
{
    return prm_context_profile(context)->shape == PRM_SHAPE_CPU &&
           problem->extraction == PRM_EXTRACT_AUTO && problem->landmarks &&
           problem->landmarks->hops && !problem->landmarks->hops->work;
}

/* Searches a query a work-item, one work-item a core; left: u32[query_count]. */
static enum prm_status led(struct prm_arena *arena, const struct prm_search_run *run,
                           struct prm_buffer left)
{
    enum { LISTS = 3 };
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_search_problem *problem = run->problem;
    const struct prm_graph *graph = problem->graph;
    const struct prm_hop_rows *rows = problem->landmarks->hops;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t n = problem->query_count;
    const uint32_t items = n < profile->compute_units ? n : profile->compute_units;
    const uint32_t credit = CREDIT_LEAST + graph->vertex_count / VERTICES_PER_CREDIT;
    struct prm_buffer scratch;

    TRY(prm_arena_take(arena, &scratch,
                       (size_t)items * LISTS * graph->vertex_count * sizeof(uint32_t)));
    TRY(prm_launch(context, PRM_KERNEL_HOPS_SEARCH, NULL, items, profile->workgroup,
                   ARGS(SEARCH_ARGS(run), ARG_BUFFER(left), ARG_U32(n), ARG_BUFFER(rows->table),
                        ARG_U32(rows->count / HOP_LANES), ARG_U32(rows->shift), ARG_BUFFER(scratch),
                        ARG_U32(credit), ARG_U32(items))));

cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_search_hops(struct prm_arena *arena, const struct prm_search_run *run)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    const uint32_t n = run->problem->query_count;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    struct prm_search_left left = {.count = n};

    if (n == 0)
        return PRM_OK;
    if (is_led(context, run->problem)) {
        const size_t count_at = SEARCH_LEFT * sizeof(uint32_t);
        TRY(prm_arena_take(arena, &left.queries, n * sizeof(uint32_t)));
        TRY(prm_buffer_fill_u32(context, run->control, count_at, 0, 1));
        TRY(led(arena, run, left.queries));
        // read-back: is anything left to search?
        TRY(prm_buffer_read(context, run->control, count_at, &left.count, sizeof(left.count)));
        TRY(prm_buffer_fill_u32(context, run->control, SEARCH_TAKEN * sizeof(uint32_t), 0, 1));
    }
    if (left.count > 0)
        TRY(prm_search_bfs(arena, run, &left));

cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}
