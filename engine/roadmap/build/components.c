/* Connected components: rounds of kernels/components.cl until no edge hooks. */
#include "roadmap/build/components.h"

#include "device/try.h"
#include "roadmap/collision/scene_arguments.h"

/* Each vertex is a component of its own. */
static enum prm_status begin(struct prm_context *context, struct prm_labelling *labelling)
{
    const struct prm_share share = prm_share_of(context, labelling->vertices);
    enum prm_status status = PRM_OK;

    TRY(prm_buffer_create(context, &labelling->changed, prm_words(1)));
    TRY(prm_buffer_create(context, &labelling->hooks, prm_words(labelling->vertices)));
    TRY(prm_launch(context, PRM_KERNEL_COMPONENTS_BEGIN, NULL, share.items, share.group,
                   ARGS(ARG_BUFFER(labelling->labels), ARG_BUFFER(labelling->sizes),
                        ARG_U32(labelling->vertices))));
cleanup:
    return status;
}

/* Hooks the components that an edge joins; *hooked: there were some. */
static enum prm_status hook(struct prm_context *context, struct prm_labelling *labelling,
                            uint32_t *hooked)
{
    const struct prm_share by_vertex = prm_share_of(context, labelling->vertices);
    const struct prm_share by_edge = prm_share_of(context, labelling->edges);
    enum prm_status status = PRM_OK;

    TRY(prm_buffer_fill_u32(context, labelling->changed, 0, 0, 1));
    TRY(prm_buffer_copy(context, labelling->hooks, 0, labelling->labels, 0,
                        prm_words(labelling->vertices)));
    TRY(prm_launch(context, PRM_KERNEL_COMPONENTS_HOOK, NULL, by_edge.items, by_edge.group,
                   ARGS(ARG_BUFFER(labelling->hooks), ARG_BUFFER(labelling->changed),
                        ARG_BUFFER(labelling->labels), ARG_BUFFER(labelling->pairs),
                        ARG_BUFFER(labelling->valid), ARG_U32(labelling->edges))));
    TRY(prm_launch(context, PRM_KERNEL_COMPONENTS_JUMP, NULL, by_vertex.items, by_vertex.group,
                   ARGS(ARG_BUFFER(labelling->labels), ARG_BUFFER(labelling->hooks),
                        ARG_U32(labelling->vertices))));
    // read-back: whether another round is needed
    TRY(prm_buffer_read(context, labelling->changed, 0, hooked, sizeof(*hooked)));
cleanup:
    return status;
}

enum prm_status prm_labelling_step(struct prm_context *context, struct prm_labelling *labelling,
                                   bool *done)
{
    const struct prm_share share = prm_share_of(context, labelling->vertices);
    enum prm_status status = PRM_OK;
    uint32_t hooked = 0;

    if (labelling->changed.memory == NULL)
        TRY(begin(context, labelling));
    if (labelling->edges > 0)
        TRY(hook(context, labelling, &hooked));
    *done = hooked == 0;
    if (*done)
        TRY(prm_launch(context, PRM_KERNEL_COMPONENTS_COUNT, NULL, share.items, share.group,
                       ARGS(ARG_BUFFER(labelling->sizes), ARG_BUFFER(labelling->labels),
                            ARG_U32(labelling->vertices))));
cleanup:
    return status;
}

void prm_labelling_deinit(struct prm_context *context, struct prm_labelling *labelling)
{
    prm_buffer_destroy(context, &labelling->changed);
    prm_buffer_destroy(context, &labelling->hooks);
}
