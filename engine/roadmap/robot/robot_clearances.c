/* Launches of kernels/clearances.cl. */
#include "roadmap/robot/robot_clearances.h"

#include "device/context.h"
#include "device/try.h"
#include "kernels/robot_types.h"
#include "roadmap/collision/scene_arguments.h"

#include <math.h>
#include <stdlib.h>

/* Errors of a sphere's place that a clearance of a table may be off by: of two spheres, when it was
 * made and when it is asked for. */
#define TABLE_ROUNDINGS 4.0
/* By how much a table is wider than its coordinate's range, as a share, and the narrowest. */
#define TABLE_ROUNDING 1e-3
#define TABLE_NARROWEST 1e-6

/* One table a launch. */
static enum prm_status fill(struct prm_robot *robot, const struct body_pair *pairs,
                            const char *options)
{
    struct prm_context *context = robot->context;
    enum prm_status status = PRM_OK;

    for (uint32_t i = 0; i < robot->body_pair_count; i++) {
        const uint32_t cells = pairs[i].size[0] * pairs[i].size[1];
        if (pairs[i].table == NONE_U32)
            continue;
        const struct prm_share share = prm_share_of(context, cells);
        TRY(prm_launch(context, PRM_KERNEL_CLEARANCES_FILL, options, share.items, share.group,
                       ARGS(ARG_BUFFER(robot->clearances), ARG_BUFFER(robot->body_pairs),
                            ARG_U32(i), ARG_BUFFER(robot->bodies), ARG_BUFFER(robot->links),
                            ARG_BUFFER(robot->balls), ARG_BUFFER(robot->pairs), ARG_U32(cells))));
    }
cleanup:
    return status;
}

/* Lays the tables out one behind the other; returns how many values they have. reach:
 * float[pair_count][dof]. */
static uint32_t lay_out(const struct prm_robot *robot, const struct prm_space *space,
                        struct body_pair *pairs, const float *reach, uint32_t cells)
{
    float limits[2 * PRM_DOF_MAX];
    uint32_t values = 0;

    prm_space_limits(space, limits);
    for (uint32_t i = 0; i < robot->body_pair_count; i++) {
        struct body_pair *pair = &pairs[i];
        double slack = TABLE_ROUNDINGS * robot->rounding;
        if (pair->table == NONE_U32)
            continue;
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t c = pair->coordinate[k];
            const double width =
                fmax((double)limits[space->row + c] - (double)limits[c], TABLE_NARROWEST);
            const bool single = k == 1 && c == pair->coordinate[0];
            float most = 0.0f;
            pair->size[k] = single ? 1 : cells;
            pair->origin[k] = limits[c];
            pair->inverse_edge[k] = (float)(pair->size[k] / (width * (1 + TABLE_ROUNDING)));
            for (uint32_t p = pair->first; p < pair->end; p++)
                most = fmaxf(most, reach[(size_t)p * space->dof + c]);
            // a bit more than half a cell, so that rounding moves none beyond
            if (!single)
                slack += (0.5 + TABLE_ROUNDING) * (double)most / (double)pair->inverse_edge[k];
        }
        pair->slack = prm_round_up(slack);
        pair->table = values;
        values += pair->size[0] * pair->size[1];
    }
    return values;
}

enum prm_status prm_robot_measure_clearances(struct prm_robot *robot, const struct prm_space *space,
                                             uint32_t cells)
{
    struct prm_context *context = robot->context;
    const size_t bytes = robot->body_pair_count * sizeof(struct body_pair),
                 reach_bytes = (size_t)robot->pair_count * space->dof * sizeof(float);
    enum prm_status status = PRM_OK;
    char options[PRM_SCENE_OPTIONS_MAX];

    if (robot->body_pair_count == 0)
        return PRM_OK;
    struct body_pair *pairs = malloc(bytes);
    float *reach = malloc(reach_bytes);
    if (pairs == NULL || reach == NULL) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %u pairs of bodies",
                               robot->body_pair_count);
        goto cleanup;
    }
    TRY(prm_buffer_read(context, robot->body_pairs, 0, pairs, bytes));
    TRY(prm_buffer_read(context, robot->pair_reach, 0, reach, reach_bytes));
    const uint32_t values = lay_out(robot, space, pairs, reach, cells);
    if (values > 0) {
        prm_robot_options(options, context, robot, space);
        TRY(prm_buffer_write(context, robot->body_pairs, 0, pairs, bytes));
        TRY(prm_buffer_create(context, &robot->clearances, values));
        TRY(fill(robot, pairs, options));
    }
cleanup:
    free(pairs);
    free(reach);
    return status;
}
