/* The ends of a piece linked to the roadmap, those that are the same once: many queries begin at
 * one place or lead to one. */
#include "device/try.h"
#include "roadmap/plan/equal_ends.h"
#include "roadmap/plan/plan_piece.h"

#include <stdlib.h>
#include <string.h>

/* Links of an arm's end into the largest component that are enough where nothing is said: more make
 * no path shorter once it is simplified. */
enum { ARM_ENOUGH = 2 };

/* Links into the largest component that are enough for an end; 0: all. */
static uint32_t plan_enough(const struct plan_batch *batch)
{
    if (batch->options->connect_enough > 0)
        return batch->options->connect_enough;
    return batch->roadmap->robot->kind == PRM_ROBOT_ARM ? ARM_ENOUGH : 0;
}

enum prm_status prm_plan_upload_ends(struct plan_piece *piece)
{
    enum prm_status status = PRM_OK;
    struct prm_arena *arena = piece->batch->arena;
    struct prm_context *context = prm_arena_context(arena);
    const size_t n = piece->count, ends = piece->end_count;
    const size_t row_bytes = piece->batch->roadmap->space.row * sizeof(float);

    piece->ends.count = piece->end_count;
    TRY(prm_arena_take(arena, &piece->ends.states, ends * row_bytes));
    TRY(prm_arena_take(arena, &piece->flags_device, ends * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &piece->asked_device, n * sizeof(struct query)));
    TRY(prm_buffer_write(context, piece->ends.states, 0, piece->rows, ends * row_bytes));
    TRY(prm_buffer_write(context, piece->flags_device, 0, piece->flags, ends * sizeof(uint32_t)));
    TRY(prm_buffer_write(context, piece->asked_device, 0, piece->asked, n * sizeof(struct query)));

cleanup:
    return status;
}

/* Links the different ends among those of the piece, and all others as these. */
static enum prm_status connect_different(struct plan_piece *piece,
                                         const struct prm_equal_ends *equal,
                                         const struct prm_connect_options *options)
{
    enum prm_status status = PRM_OK;
    struct prm_arena *arena = piece->batch->arena;
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_space *space = &piece->batch->roadmap->space;
    const size_t row_bytes = space->row * sizeof(float), n = equal->count;
    const size_t link_bytes = (size_t)piece->end_count * options->k * sizeof(uint32_t);
    struct prm_endpoints *all = &piece->ends, ends = {.count = equal->count};
    struct prm_buffer flags, which;
    float *rows = malloc(n * (row_bytes + sizeof(uint32_t)));

    if (!rows)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu ends", n);
    uint32_t *own_flags = (uint32_t *)(rows + n * space->row);
    for (size_t i = 0; i < n; i++) {
        memcpy(rows + i * space->row, piece->rows + (size_t)equal->first[i] * space->row,
               row_bytes);
        own_flags[i] = piece->flags[equal->first[i]];
    }
    all->k = options->k;
    TRY(prm_arena_take(arena, &all->vertices, link_bytes));
    TRY(prm_arena_take(arena, &all->costs, link_bytes));
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    TRY(prm_arena_take(arena, &ends.states, n * row_bytes));
    TRY(prm_arena_take(arena, &flags, n * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &which, piece->end_count * sizeof(uint32_t)));
    TRY(prm_buffer_write(context, ends.states, 0, rows, n * row_bytes));
    TRY(prm_buffer_write(context, flags, 0, own_flags, n * sizeof(uint32_t)));
    TRY(prm_buffer_write(context, which, 0, equal->which, piece->end_count * sizeof(uint32_t)));
    TRY(prm_connect_ends(arena, &ends, flags, options));
    const struct prm_links found = {ends.vertices, ends.costs, flags};
    const struct prm_links copies = {all->vertices, all->costs, piece->flags_device};
    TRY(prm_connect_copy(context, space, &copies, &found, which, options->k, 0, all->count));
    prm_arena_rewind(arena, mark);

cleanup:
    free(rows);
    return status;
}

enum prm_status prm_plan_connect(struct plan_piece *piece)
{
    enum prm_status status = PRM_OK;
    struct prm_equal_ends equal = {0};
    const struct plan_batch *batch = piece->batch;
    const struct prm_connect_options options = {
        .roadmap = batch->roadmap,
        .validity = batch->validity,
        .scene = &batch->scene,
        .index = batch->index,
        .k = batch->connect_k,
        .radius = batch->options->connect_radius,
        .enough = plan_enough(batch),
    };

    TRY(prm_plan_upload_ends(piece));
    TRY(prm_equal_ends_init(&equal, piece->rows, batch->roadmap->space.row, piece->flags,
                            piece->end_count));
    if (equal.count < piece->end_count)
        TRY(connect_different(piece, &equal, &options));
    else
        TRY(prm_connect_ends(batch->arena, &piece->ends, piece->flags_device, &options));

cleanup:
    prm_equal_ends_deinit(&equal);
    return status;
}

/* Read-back: the links. */
enum prm_status prm_plan_keep_links(struct plan_piece *piece)
{
    const struct prm_endpoints *ends = &piece->ends;
    const size_t count = (size_t)ends->count * ends->k, bytes = count * sizeof(uint32_t);

    piece->links = malloc(2 * bytes + 1);
    if (!piece->links)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu links", count);
    const struct prm_read reads[] = {
        {ends->vertices, piece->links, bytes},
        {ends->costs, piece->links + count, bytes},
    };
    return prm_buffer_read_all(prm_arena_context(piece->batch->arena), reads,
                               sizeof(reads) / sizeof(reads[0]));
}

enum prm_status prm_plan_link_again(struct plan_piece *piece)
{
    enum prm_status status = PRM_OK;
    struct prm_arena *arena = piece->batch->arena;
    struct prm_context *context = prm_arena_context(arena);
    struct prm_endpoints *ends = &piece->ends;
    const size_t count = (size_t)piece->end_count * piece->batch->connect_k;
    const size_t bytes = count * sizeof(uint32_t);

    TRY(prm_plan_upload_ends(piece));
    ends->k = piece->batch->connect_k;
    TRY(prm_arena_take(arena, &ends->vertices, bytes));
    TRY(prm_arena_take(arena, &ends->costs, bytes));
    TRY(prm_buffer_write(context, ends->vertices, 0, piece->links, bytes));
    TRY(prm_buffer_write(context, ends->costs, 0, piece->links + count, bytes));

cleanup:
    return status;
}
