/* Forward kinematics: launches of kernels/kinematics.cl, and links from bodies. */
#include "roadmap/robot/kinematics.h"

#include "device/try.h"
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/robot/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_FLOATS = 12 /* rows of the rotation, and the origin */ };

/* q of a rotation, by the largest of its four numbers (Shepperd 1978); w >= 0. */
static void quaternion_of(const double m[9], double q[4])
{
    const double squares[4] = {1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8],
                               1 - m[0] - m[4] + m[8], 1 + m[0] + m[4] + m[8]};
    // 4 q[i] q[j] of each pair
    const double xy = m[1] + m[3], xz = m[2] + m[6], yz = m[5] + m[7];
    const double xw = m[7] - m[5], yw = m[2] - m[6], zw = m[3] - m[1];
    const double rows[4][4] = {{squares[0], xy, xz, xw},
                               {xy, squares[1], yz, yw},
                               {xz, yz, squares[2], zw},
                               {xw, yw, zw, squares[3]}};
    int largest = 0;
    double norm = 0;
    for (int i = 1; i < 4; i++)
        if (squares[i] > squares[largest])
            largest = i;
    for (int i = 0; i < 4; i++)
        norm += rows[largest][i] * rows[largest][i];
    norm = sqrt(norm) * (rows[largest][3] < 0 ? -1 : 1);
    for (int i = 0; i < 4; i++)
        q[i] = rows[largest][i] / norm;
}

/* A link from its place in a body, and the body's place about the center. */
static struct prm_frame link_frame(const struct prm_link_place *place, const float *body,
                                   const double *center)
{
    struct prm_frame frame;
    double rotation[9];
    for (int r = 0; r < 3; r++) {
        frame.xyz[r] = center[r] + (double)body[9 + r];
        for (int c = 0; c < 3; c++) {
            frame.xyz[r] += (double)body[3 * r + c] * place->translation[c];
            rotation[3 * r + c] = 0;
            for (int k = 0; k < 3; k++)
                rotation[3 * r + c] += (double)body[3 * r + k] * place->rotation[3 * k + c];
        }
    }
    quaternion_of(rotation, frame.quaternion);
    return frame;
}

/* The frames of all bodies at all states, read back. bodies: float[count][body_count][12]. */
static enum prm_status run(struct prm_arena *arena, float *bodies, const struct prm_robot *robot,
                           const struct prm_space *space, const float *rows, uint32_t count)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const struct prm_share share = prm_share_of(context, count);
    const size_t row_bytes = (size_t)count * space->row * sizeof(float);
    const size_t frame_bytes = (size_t)count * robot->body_count * FRAME_FLOATS * sizeof(float);
    enum prm_status status = PRM_OK;
    struct prm_buffer states, frames;
    char options[PRM_SCENE_OPTIONS_MAX];

    prm_space_options(options, space);
    const size_t length = strlen(options);
    snprintf(options + length, sizeof(options) - length, " -DBODIES=%u -DBODY_LANES=1",
             robot->body_count);
    TRY(prm_arena_take(arena, &states, row_bytes));
    TRY(prm_arena_take(arena, &frames, frame_bytes));
    TRY(prm_buffer_write(context, states, 0, rows, row_bytes));
    TRY(prm_launch(
        context, PRM_KERNEL_KINEMATICS_FRAMES, options, share.items, share.group,
        ARGS(ARG_BUFFER(frames), ARG_BUFFER(states), ARG_U32(count), ARG_BUFFER(robot->bodies))));
    TRY(prm_buffer_read(context, frames, 0, bodies, frame_bytes));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_robot_forward(struct prm_arena *arena, struct prm_frame *frames,
                                  const struct prm_robot_spec *spec, const double *states,
                                  uint32_t count)
{
    // an arm's coordinates need nothing of a world but that it has 3 dimensions
    const struct prm_world nowhere = {.dimension = 3};
    const double *center = spec->base.xyz;
    enum prm_status status = PRM_OK;
    struct prm_space space;
    struct prm_robot *robot = NULL;
    float *rows = NULL, *bodies = NULL;

    if (spec->kind != PRM_ROBOT_ARM)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "only arms have links to be looked for");
    if (count == 0)
        return PRM_OK;
    TRY(prm_space_init(&space, spec, &nowhere));
    TRY(prm_robot_create(prm_arena_context(arena), &robot, spec, &space, center));
    rows = calloc((size_t)count * space.row, sizeof(*rows));
    bodies = calloc((size_t)count * robot->body_count * FRAME_FLOATS, sizeof(*bodies));
    if (rows == NULL || bodies == NULL) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %u states", count);
        goto cleanup;
    }
    for (uint32_t i = 0; i < count; i++)
        prm_space_to_row(&space, rows + (size_t)i * space.row, states + (size_t)i * space.dof);
    TRY(run(arena, bodies, robot, &space, rows, count));
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t l = 0; l < spec->link_count; l++) {
            const struct prm_link_place *place = &robot->places[l];
            const size_t body = (size_t)i * robot->body_count + place->body;
            frames[(size_t)i * spec->link_count + l] =
                link_frame(place, bodies + body * FRAME_FLOATS, center);
        }
cleanup:
    free(rows);
    free(bodies);
    prm_robot_destroy(robot);
    return status;
}
