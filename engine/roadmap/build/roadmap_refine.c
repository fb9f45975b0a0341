/* Landmarks of validities: made when there is time, shared with what follows from a change of the
 * world. */
#include "roadmap/build/validity.h"

#include "device/try.h"
#include "roadmap/search/landmarks.h"

/* The validity's landmarks are complete: they note which edges they know of, and guide from now on.
 */
static enum prm_status adopt(struct prm_validity *validity)
{
    enum prm_status status = PRM_OK;
    struct prm_landmarks *landmarks = validity->coming;
    struct prm_context *context = validity->roadmap->context;
    const size_t bytes = validity->roadmap->edge_count * sizeof(uint32_t);

    TRY(prm_buffer_create(context, &landmarks->edge_valid, bytes));
    TRY(prm_buffer_copy(context, landmarks->edge_valid, 0, validity->edge_valid, 0, bytes));
    landmarks->weight_scale = validity->weight_scale;
    validity->landmarks = landmarks;
    validity->coming = NULL;

cleanup:
    return status;
}

/* Begins the landmarks of the largest component. One read-back: its first vertex. */
static enum prm_status begin(struct prm_validity *validity)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = validity->roadmap->context;
    uint32_t root;

    TRY(prm_buffer_read(context, validity->graph.places, prm_words(validity->largest_component),
                        &root, prm_words(1)));
    TRY(prm_landmarks_create(context, &validity->coming, &validity->graph, root));

cleanup:
    return status;
}

enum prm_status prm_validity_refine(struct prm_validity *validity, bool *done)
{
    enum prm_status status = PRM_OK;
    bool complete = false;

    *done = validity->landmarks != NULL;
    if (*done)
        return PRM_OK;
    if (!validity->coming)
        return begin(validity);
    TRY(prm_landmarks_step(validity->coming, &complete));
    if (complete)
        TRY(adopt(validity));
    *done = complete;

cleanup:
    if (status != PRM_OK) {
        prm_landmarks_destroy(validity->coming);
        validity->coming = NULL;
    }
    return status;
}

enum prm_status prm_validity_share_landmarks(struct prm_arena *arena, struct prm_validity *validity,
                                             const struct prm_validity *previous)
{
    enum prm_status status = PRM_OK;
    struct prm_landmarks *landmarks = previous->landmarks;
    uint32_t on, off;

    if (!landmarks || landmarks->weight_scale != validity->weight_scale)
        return PRM_OK;
    TRY(prm_validity_count_changes(arena, validity->roadmap, &on, &off, landmarks->edge_valid,
                                   validity->edge_valid));
    if (on == 0)
        validity->landmarks = prm_landmarks_share(landmarks);

cleanup:
    return status;
}
