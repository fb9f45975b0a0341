/* A part of a batch, taken out as if it had been planned alone: many requests share a batch. */
#include "device/try.h"
#include "roadmap/plan/plan_piece.h"

#include <stdlib.h>
#include <string.h>

/* Where the way-points and nodes of some queries lie; those of a batch that has just begun follow
 * each other in the order of its queries. */
struct extent {
    size_t waypoint_first, waypoint_count;
    size_t node_first, node_count;
};

static struct extent extent_of(const struct prm_plan_result *results, uint32_t count)
{
    struct extent extent = {0};
    for (uint32_t q = 0; q < count; q++) {
        if (extent.waypoint_count == 0)
            extent.waypoint_first = results[q].waypoint_first;
        if (extent.node_count == 0)
            extent.node_first = results[q].node_first;
        extent.waypoint_count += results[q].waypoint_count;
        extent.node_count += results[q].node_count;
    }
    return extent;
}

enum prm_status prm_plan_part(struct prm_plan_results *part, struct prm_expansion **left_part,
                              const struct prm_plan_results *whole,
                              const struct prm_expansion *left, uint32_t first, uint32_t count)
{
    enum prm_status status = PRM_OK;
    const struct extent extent = extent_of(whole->results + first, count);
    const size_t waypoint_bytes = extent.waypoint_count * whole->dof * sizeof(double);
    const size_t node_bytes = extent.node_count * sizeof(uint32_t);

    *left_part = NULL;
    *part = (struct prm_plan_results){
        .count = count,
        .dof = whole->dof,
        .results = malloc(((size_t)count + 1) * sizeof(*part->results)),
        .waypoints = malloc(waypoint_bytes + 1),
        .waypoint_count = extent.waypoint_count,
        .nodes = malloc(node_bytes + 1),
        .node_count = extent.node_count,
        .times = whole->times,
    };
    if (!part->results || !part->waypoints || !part->nodes) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %u results", count);
        goto cleanup;
    }
    for (uint32_t q = 0; q < count; q++) {
        struct prm_plan_result *result = &part->results[q];
        *result = whole->results[first + q];
        result->waypoint_first -= result->waypoint_count > 0 ? extent.waypoint_first : 0;
        result->node_first -= result->node_count > 0 ? extent.node_first : 0;
        part->solved += result->status == PRM_SOLVED;
    }
    if (waypoint_bytes > 0)
        memcpy(part->waypoints, whole->waypoints + extent.waypoint_first * whole->dof,
               waypoint_bytes);
    if (node_bytes > 0)
        memcpy(part->nodes, whole->nodes + extent.node_first, node_bytes);
    if (left)
        TRY(prm_expansion_part(left_part, left, part, first, count));

cleanup:
    if (status != PRM_OK)
        prm_plan_results_deinit(part);
    return status;
}
