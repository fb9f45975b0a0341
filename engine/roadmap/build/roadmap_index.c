#include "roadmap/build/roadmap_index.h"

#include "device/try.h"
#include "roadmap/nearest/neighbors.h"

enum prm_status prm_roadmap_embed(struct prm_roadmap *roadmap)
{
    const struct prm_embedding embedding = prm_embedding_of(&roadmap->space);
    const size_t n = roadmap->milestone_count;
    enum prm_status status = PRM_OK;

    if (prm_embedding_is_flat(&embedding))
        return PRM_OK;
    TRY(prm_buffer_create(roadmap->context, &roadmap->embedded, n * embedding.row * sizeof(float)));
    TRY(prm_embedding_write(roadmap->context, roadmap->embedded, roadmap->states, &roadmap->space,
                            n));
cleanup:
    return status;
}

enum prm_status prm_roadmap_index_begin(struct prm_arena *arena, struct prm_neighbor_index **index,
                                        const struct prm_roadmap *roadmap,
                                        enum prm_neighbor_method method, double target_recall)
{
    const struct prm_roadmap_params *params = &roadmap->params;
    const struct prm_embedding embedding = prm_embedding_of(&roadmap->space);
    const bool flat = prm_embedding_is_flat(&embedding);
    const struct prm_neighbor_options options = {.method = method,
                                                 .k = params->k,
                                                 .radius = params->radius,
                                                 .tables = params->tables,
                                                 .projections = params->projections,
                                                 .width = params->width,
                                                 .target_recall = target_recall,
                                                 .seed = params->seed};
    return prm_neighbor_index_begin(arena, index, &embedding,
                                    flat ? roadmap->states : roadmap->embedded,
                                    roadmap->milestone_count, &options);
}
