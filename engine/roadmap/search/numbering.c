/* Slots of the index to numbers. */
#include "roadmap/search/numbering.h"

#include "device/launch.h"
#include "device/try.h"
#include "primitives/compact.h"
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/nearest/neighbors.h"

enum prm_status prm_roadmap_number(struct prm_arena *arena, struct prm_roadmap *roadmap)
{
    struct prm_context *context = roadmap->context;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t n = roadmap->milestone_count;
    struct prm_buffer slots, flags, order, survivors;
    size_t count;
    enum prm_status status = PRM_OK;

    TRY(prm_neighbor_slots(&slots, &count, roadmap->index));
    const struct prm_share by_slot = prm_share_of(context, count),
                           by_vertex = prm_share_of(context, n);
    TRY(prm_buffer_create(context, &roadmap->ids, prm_words(n)));
    TRY(prm_buffer_create(context, &roadmap->places, prm_words(n)));
    TRY(prm_arena_take(arena, &flags, prm_words(count)));
    TRY(prm_arena_take(arena, &order, prm_words(count)));
    TRY(prm_arena_take(arena, &survivors, prm_words(1)));
    TRY(prm_launch(context, PRM_KERNEL_NUMBERING_FLAG, NULL, by_slot.items, by_slot.group,
                   ARGS(ARG_BUFFER(flags), ARG_BUFFER(slots), ARG_U32((uint32_t)count))));
    TRY(prm_compact_values(arena, order, PRM_NO_BUFFER, survivors, slots, flags, count));
    TRY(prm_buffer_copy(context, roadmap->ids, 0, order, 0, prm_words(n)));
    TRY(prm_launch(context, PRM_KERNEL_NUMBERING_INVERT, NULL, by_vertex.items, by_vertex.group,
                   ARGS(ARG_BUFFER(roadmap->places), ARG_BUFFER(roadmap->ids), ARG_U32(n))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}
