/* Connected components: rounds of kernels/components.cl until no edge hooks. */
#include "roadmap/components.h"

#include "device/try.h"
#include "roadmap/scene_arguments.h"

enum prm_status prm_components_label(struct prm_arena *arena, struct prm_buffer labels,
                                     struct prm_buffer sizes, struct prm_buffer pairs,
                                     struct prm_buffer valid, uint32_t edges, uint32_t vertices)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const struct prm_share by_vertex = prm_share_of(context, vertices);
    const struct prm_share by_edge = prm_share_of(context, edges);
    enum prm_status status = PRM_OK;
    const size_t bytes = vertices * sizeof(uint32_t);
    struct prm_buffer changed, hooks;
    uint32_t hooked = edges > 0;

    TRY(prm_arena_take(arena, &changed, sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &hooks, bytes));
    TRY(prm_launch(context, PRM_KERNEL_COMPONENTS_BEGIN, NULL, by_vertex.items, by_vertex.group,
                   ARGS(ARG_BUFFER(labels), ARG_BUFFER(sizes), ARG_U32(vertices))));
    while (hooked) {
        TRY(prm_buffer_fill_u32(context, changed, 0, 0, 1));
        TRY(prm_buffer_copy(context, hooks, 0, labels, 0, bytes));
        TRY(prm_launch(context, PRM_KERNEL_COMPONENTS_HOOK, NULL, by_edge.items, by_edge.group,
                       ARGS(ARG_BUFFER(hooks), ARG_BUFFER(changed), ARG_BUFFER(labels),
                            ARG_BUFFER(pairs), ARG_BUFFER(valid), ARG_U32(edges))));
        TRY(prm_launch(context, PRM_KERNEL_COMPONENTS_JUMP, NULL, by_vertex.items, by_vertex.group,
                       ARGS(ARG_BUFFER(labels), ARG_BUFFER(hooks), ARG_U32(vertices))));
        // read-back: whether another round is needed
        TRY(prm_buffer_read(context, changed, 0, &hooked, sizeof(hooked)));
    }
    TRY(prm_launch(context, PRM_KERNEL_COMPONENTS_COUNT, NULL, by_vertex.items, by_vertex.group,
                   ARGS(ARG_BUFFER(sizes), ARG_BUFFER(labels), ARG_U32(vertices))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}
