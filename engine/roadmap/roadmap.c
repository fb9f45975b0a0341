/* Roadmaps as objects: their end, and copies of their graph for the host. */
#include "roadmap/roadmap.h"

#include "device/try.h"
#include "roadmap/nearest/neighbors.h"

#include <stdlib.h>

void prm_roadmap_destroy(struct prm_roadmap *roadmap)
{
    if (roadmap == NULL)
        return;
    struct prm_context *context = roadmap->context;
    prm_neighbor_index_destroy(roadmap->index);
    prm_robot_destroy(roadmap->robot);
    prm_buffer_destroy(context, &roadmap->allowed);
    prm_buffer_destroy(context, &roadmap->states);
    prm_buffer_destroy(context, &roadmap->embedded);
    prm_buffer_destroy(context, &roadmap->edges);
    prm_buffer_destroy(context, &roadmap->lengths);
    prm_buffer_destroy(context, &roadmap->first_low);
    prm_buffer_destroy(context, &roadmap->first_high);
    prm_buffer_destroy(context, &roadmap->by_high);
    prm_buffer_destroy(context, &roadmap->ids);
    prm_buffer_destroy(context, &roadmap->places);
    free(roadmap->host_states);
    free(roadmap->host_lengths);
    free(roadmap->stage_names);
    free(roadmap);
}

uint64_t prm_roadmap_device_bytes(const struct prm_roadmap *roadmap)
{
    return prm_neighbor_statistics(roadmap->index).device_bytes + prm_robot_bytes(roadmap->robot) +
           roadmap->states.bytes + roadmap->embedded.bytes + roadmap->edges.bytes +
           roadmap->lengths.bytes + roadmap->first_low.bytes + roadmap->first_high.bytes +
           roadmap->by_high.bytes + roadmap->ids.bytes + roadmap->places.bytes;
}

uint64_t prm_roadmap_host_bytes(const struct prm_roadmap *roadmap)
{
    const uint64_t floats =
        (uint64_t)roadmap->milestone_count * roadmap->space.row + roadmap->edge_count;
    return sizeof(*roadmap) + floats * sizeof(float);
}

enum prm_status prm_graph_copy_init(struct prm_graph_copy *copy, const struct prm_roadmap *roadmap,
                                    const struct prm_validity *validity)
{
    const size_t n = roadmap->milestone_count, edges = roadmap->edge_count;
    const uint32_t dof = roadmap->space.dof;
    enum prm_status status = PRM_OK;
    uint32_t *valid = malloc(edges * sizeof(*valid) + 1);

    *copy = (struct prm_graph_copy){roadmap->milestone_count,
                                    roadmap->edge_count,
                                    dof,
                                    malloc(n * dof * sizeof(double) + 1),
                                    malloc(2 * edges * sizeof(uint32_t) + 1),
                                    malloc(edges * sizeof(float) + 1),
                                    malloc(edges + 1),
                                    malloc(n * sizeof(uint32_t) + 1)};
    if (!valid || !copy->states || !copy->edges || !copy->lengths || !copy->valid ||
        !copy->components) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for a copy of %zu milestones", n);
        goto cleanup;
    }
    TRY(prm_buffer_read(roadmap->context, roadmap->edges, 0, copy->edges,
                        2 * edges * sizeof(uint32_t)));
    TRY(prm_buffer_read(roadmap->context, validity->edge_valid, 0, valid, edges * sizeof(*valid)));
    TRY(prm_buffer_read(roadmap->context, validity->components, 0, copy->components,
                        n * sizeof(uint32_t)));
    for (size_t i = 0; i < n; i++)
        prm_space_from_row(&roadmap->space, copy->states + i * dof,
                           roadmap->host_states + i * roadmap->space.row);
    for (size_t e = 0; e < edges; e++) {
        copy->valid[e] = (uint8_t)valid[e];
        copy->lengths[e] = roadmap->host_lengths[e];
    }
cleanup:
    free(valid);
    if (status != PRM_OK)
        prm_graph_copy_deinit(copy);
    return status;
}

void prm_graph_copy_deinit(struct prm_graph_copy *copy)
{
    free(copy->states);
    free(copy->edges);
    free(copy->lengths);
    free(copy->valid);
    free(copy->components);
    *copy = (struct prm_graph_copy){0};
}
