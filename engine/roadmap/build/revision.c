/* The same roadmap in another world: a new validity, made in steps between which the device is free
 * for other work. */
#include "device/try.h"
#include "primitives/compact.h"
#include "roadmap/build/validity.h"
#include "roadmap/collision/changes.h"
#include "roadmap/collision/vicinity.h"

#include <stdlib.h>

enum revision_stage {
    REVISION_MARK,
    REVISION_LIST,
    REVISION_CHECK,
    REVISION_LINK,
    REVISION_LABEL,
    REVISION_WEIGH,
    REVISION_SUMMARISE,
    REVISION_LANDMARKS,
    REVISION_DONE
};

struct prm_revision {
    const struct prm_roadmap *roadmap;
    const struct prm_world *world;
    const struct prm_validity *previous;
    struct prm_validity *validity;
    enum revision_stage stage;
    uint32_t cursor; /* edges marked, then checked */
    uint32_t checks; /* edges to check */

    /* of a difference that does not concern all edges */
    bool is_local;
    struct prm_changes changes;
    struct prm_buffer marks; /* u32[edge_count], until they are listed */
    struct prm_buffer list;  /* u32[edge_count]: the edges to check */
};

enum prm_status prm_revision_create(struct prm_revision **revision,
                                    const struct prm_roadmap *roadmap,
                                    const struct prm_world *world,
                                    const struct prm_validity *previous)
{
    enum prm_status status = PRM_OK;
    struct prm_revision *made = calloc(1, sizeof(*made));

    *revision = NULL;
    if (made == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a revision");
    *made = (struct prm_revision){.roadmap = roadmap, .world = world, .previous = previous};
    made->stage = REVISION_CHECK;
    made->checks = roadmap->edge_count;
    for (int c = 0; c < 3; c++) {
        if (world->center[c] != roadmap->center[c]) {
            status = prm_fault_set(PRM_INVALID_ARGUMENT,
                                   "the world's local frame is about %g, the roadmap's about %g",
                                   world->center[c], roadmap->center[c]);
            goto cleanup;
        }
    }
    TRY(prm_validity_begin(&made->validity, roadmap));
    *revision = made;
    made = NULL;
cleanup:
    prm_revision_destroy(made);
    return status;
}

enum prm_status
prm_revision_create_between(struct prm_revision **revision, const struct prm_roadmap *roadmap,
                            const struct prm_world *world, const struct prm_validity *previous,
                            const struct prm_world *before, const struct prm_difference *difference)
{
    struct prm_context *context = roadmap->context;
    enum prm_status status = PRM_OK;
    struct prm_revision *made = NULL;

    *revision = NULL;
    TRY(prm_revision_create(&made, roadmap, world, previous));
    if (prm_changes_are_local(before, world, difference)) {
        made->is_local = true;
        made->stage = REVISION_MARK;
        TRY(prm_changes_init(&made->changes, world, difference));
        TRY(prm_buffer_create(context, &made->marks, prm_words(roadmap->edge_count)));
        TRY(prm_buffer_create(context, &made->list, prm_words(roadmap->edge_count)));
    }
    *revision = made;
    made = NULL;
cleanup:
    prm_revision_destroy(made);
    return status;
}

void prm_revision_destroy(struct prm_revision *revision)
{
    if (revision == NULL)
        return;
    struct prm_context *context = revision->roadmap->context;
    prm_changes_deinit(context, &revision->changes);
    prm_buffer_destroy(context, &revision->marks);
    prm_buffer_destroy(context, &revision->list);
    prm_validity_destroy(revision->validity);
    free(revision);
}

/* The next piece of `count` edges, at most so many. */
static uint32_t next_piece(struct prm_revision *revision, uint32_t count, uint32_t most)
{
    const uint32_t left = count - revision->cursor;
    return left < most ? left : most;
}

/* Marks one piece of the edges that the difference concerns. */
static enum prm_status mark_piece(struct prm_revision *revision, bool *done)
{
    const struct prm_roadmap *roadmap = revision->roadmap;
    const struct prm_scene scene = prm_roadmap_scene(roadmap, revision->world);
    const uint32_t n = next_piece(revision, roadmap->edge_count,
                                  prm_changes_per_step(&revision->changes, roadmap));
    const enum prm_status status =
        prm_changes_mark(&revision->changes, revision->marks, revision->previous->edge_valid,
                         roadmap, &scene, revision->cursor, n);
    revision->cursor += n;
    *done = revision->cursor == roadmap->edge_count;
    return status;
}

/* Lists the marked edges; of the others what is known holds. One read-back: how many they are. */
static enum prm_status list_marked(struct prm_arena *arena, struct prm_revision *revision)
{
    const struct prm_roadmap *roadmap = revision->roadmap;
    struct prm_context *context = roadmap->context;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const size_t bytes = prm_words(roadmap->edge_count);
    enum prm_status status = PRM_OK;
    struct prm_buffer survivors;

    TRY(prm_buffer_copy(context, revision->validity->edge_valid, 0, revision->previous->edge_valid,
                        0, bytes));
    TRY(prm_arena_take(arena, &survivors, sizeof(uint32_t)));
    TRY(prm_compact_indices(arena, revision->list, survivors, revision->marks,
                            roadmap->edge_count));
    TRY(prm_buffer_read(context, survivors, 0, &revision->checks, sizeof(revision->checks)));
    prm_buffer_destroy(context, &revision->marks);
    revision->cursor = 0;
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* Checks one piece of the edges against all that stands in the world. */
static enum prm_status check_piece(struct prm_arena *arena, struct prm_revision *revision,
                                   bool *done)
{
    const struct prm_roadmap *roadmap = revision->roadmap;
    const uint32_t first = revision->cursor,
                   n = next_piece(revision, revision->checks, prm_edges_per_step(roadmap));
    enum prm_status status = PRM_OK;
    struct prm_scene scene = prm_roadmap_scene(roadmap, revision->world);

    // a few edges are checked sooner without
    if (first == 0 && revision->checks >= PRM_VICINITY_PAYS)
        TRY(prm_vicinity_create(&revision->validity->vicinity, &scene, PRM_VICINITY_ACROSS));
    scene.vicinity = revision->validity->vicinity;
    if (revision->is_local)
        TRY(prm_changes_check(arena, revision->validity->edge_valid, revision->list, roadmap,
                              &scene, first, n));
    else
        TRY(prm_validity_check(arena, revision->validity, &scene, first, n));
    revision->cursor += n;
    *done = revision->cursor == revision->checks;
cleanup:
    return status;
}

uint32_t prm_revision_checks(const struct prm_revision *revision)
{
    return revision->checks;
}

enum prm_status prm_revision_step(struct prm_arena *arena, struct prm_revision *revision,
                                  bool *done)
{
    const struct prm_roadmap *roadmap = revision->roadmap;
    struct prm_validity *validity = revision->validity;
    enum prm_status status = PRM_OK;
    bool stage_done = true;

    switch (revision->stage) {
    case REVISION_MARK:
        TRY(mark_piece(revision, &stage_done));
        break;
    case REVISION_LIST:
        TRY(list_marked(arena, revision));
        break;
    case REVISION_CHECK:
        TRY(check_piece(arena, revision, &stage_done));
        break;
    case REVISION_LINK:
        TRY(prm_validity_link(arena, validity));
        break;
    case REVISION_LABEL:
        TRY(prm_validity_label(validity, &stage_done));
        break;
    case REVISION_WEIGH:
        TRY(prm_validity_weigh(validity, prm_space_diagonal(&revision->roadmap->space),
                               roadmap->weight_scale, &stage_done));
        break;
    case REVISION_SUMMARISE:
        TRY(prm_validity_summarise(arena, validity, revision->previous));
        break;
    case REVISION_LANDMARKS:
        if (revision->previous != NULL)
            TRY(prm_validity_share_landmarks(arena, validity, revision->previous));
        break;
    case REVISION_DONE:
        break;
    }
    // other work may go between steps: leave the queue empty
    TRY(prm_context_finish(roadmap->context));
    if (stage_done && revision->stage != REVISION_DONE)
        revision->stage++;
    *done = revision->stage == REVISION_DONE;
cleanup:
    return status;
}

struct prm_validity *prm_revision_take(struct prm_revision *revision)
{
    struct prm_validity *validity = revision->validity;
    revision->validity = NULL;
    return validity;
}

enum prm_status prm_validity_create(struct prm_arena *arena, struct prm_validity **validity,
                                    const struct prm_roadmap *roadmap,
                                    const struct prm_world *world,
                                    const struct prm_validity *previous)
{
    enum prm_status status = PRM_OK;
    struct prm_revision *revision = NULL;

    *validity = NULL;
    TRY(prm_revision_create(&revision, roadmap, world, previous));
    for (bool done = false; !done;)
        TRY(prm_revision_step(arena, revision, &done));
    *validity = prm_revision_take(revision);
cleanup:
    prm_revision_destroy(revision);
    return status;
}
