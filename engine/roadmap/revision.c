/* The same roadmap in another world: a new validity, made in steps between which the device is free
 * for other work. */
#include "device/try.h"
#include "roadmap/validity.h"

#include <stdlib.h>

enum revision_stage {
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
    uint32_t cursor; /* edges checked */
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
    TRY(prm_validity_begin(&made->validity, roadmap));
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
    prm_validity_destroy(revision->validity);
    free(revision);
}

/* Checks one piece of the edges against all that stands in the world. */
static enum prm_status check_piece(struct prm_arena *arena, struct prm_revision *revision,
                                   bool *done)
{
    const struct prm_roadmap *roadmap = revision->roadmap;
    const struct prm_world *world = revision->world;
    const struct prm_scene scene = prm_roadmap_scene(roadmap, world);
    const uint32_t left = roadmap->edge_count - revision->cursor;
    const uint32_t most = prm_edges_per_step(roadmap), n = left < most ? left : most;
    const enum prm_status status =
        prm_validity_check(arena, revision->validity, &scene, revision->cursor, n);
    revision->cursor += n;
    *done = revision->cursor == roadmap->edge_count;
    return status;
}

enum prm_status prm_revision_step(struct prm_arena *arena, struct prm_revision *revision,
                                  bool *done)
{
    const struct prm_roadmap *roadmap = revision->roadmap;
    struct prm_validity *validity = revision->validity;
    enum prm_status status = PRM_OK;
    bool stage_done = true;

    switch (revision->stage) {
    case REVISION_CHECK:
        TRY(check_piece(arena, revision, &stage_done));
        break;
    case REVISION_LINK:
        TRY(prm_validity_link(arena, validity));
        break;
    case REVISION_LABEL:
        TRY(prm_validity_label(arena, validity));
        break;
    case REVISION_WEIGH:
        TRY(prm_validity_weigh(validity, prm_space_diagonal(&revision->roadmap->space),
                               roadmap->weight_scale));
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
