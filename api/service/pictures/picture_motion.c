#include "service/pictures/picture_motion.h"

#include "device/try.h"
#include "roadmap/robot/kinematics.h"
#include "schema/rotation.h"
#include "service/translate_robot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- states along a path ---- */

/* MOTION_STATES states, evenly along the way-points. */
static void states_along(double *states, const struct prm_space *space,
                         const struct plan_result *result, const double *waypoints)
{
    const double *path = waypoints + result->waypoint_first * space->dof;
    for (size_t i = 0; i < MOTION_STATES; i++) {
        const double place = (double)i * (double)(result->waypoint_count - 1) / (MOTION_STATES - 1);
        const size_t segment = (size_t)place,
                     next = segment + (segment + 1 < result->waypoint_count);
        prm_space_interpolate(space, states + i * space->dof, path + segment * space->dof,
                              path + next * space->dof, place - (double)segment);
    }
}

/* ---- where bodies are ---- */

/* The frame of a rigid robot. */
static struct prm_frame rigid_frame(const double *state, uint32_t dimension)
{
    struct prm_frame frame = {.quaternion = {0, 0, 0, 1}};
    memcpy(frame.xyz, state, dimension * sizeof(*state));
    if (dimension == 2) {
        frame.quaternion[2] = sin(state[2] / 2);
        frame.quaternion[3] = cos(state[2] / 2);
    } else {
        memcpy(frame.quaternion, state + dimension, sizeof(frame.quaternion));
    }
    return frame;
}

/* Appends the spheres of a link, every so-manyth of all; returns the place behind them. */
static struct motion_sphere *put_spheres(struct motion_sphere *at,
                                         const struct prm_robot_spec *spec, uint32_t first,
                                         uint32_t count, const struct prm_frame *frame)
{
    const uint32_t stride = spec->sphere_count / MOTION_SPHERES_MAX + 1;
    for (uint32_t i = first; i < first + count; i++) {
        const struct prm_sphere *sphere = &spec->spheres[i];
        if (i % stride != 0)
            continue;
        at->radius = sphere->radius;
        rotation_apply(at->center, frame->quaternion, sphere->center);
        for (unsigned axis = 0; axis < 3; axis++)
            at->center[axis] += frame->xyz[axis];
        at++;
    }
    return at;
}

/* A path's line and poses from the frames of its states. frames: [MOTION_STATES][links]. */
static void fill_path(struct motion_path *path, const struct prm_robot_spec *spec,
                      const struct prm_frame *frames, uint32_t links)
{
    const uint32_t last = spec->joint_count ? spec->joints[spec->joint_count - 1].child : 0;
    struct motion_sphere *at = path->spheres;
    for (size_t i = 0; i < MOTION_STATES; i++) {
        const struct prm_frame *frame = &frames[i * links];
        memcpy(path->line[i], frame[last].xyz, sizeof(path->line[i]));
        if (i % ((MOTION_STATES - 1) / (MOTION_POSES - 1)) != 0)
            continue;
        if (spec->kind != PRM_ROBOT_ARM)
            at = put_spheres(at, spec, 0, spec->sphere_count, frame);
        for (uint32_t link = 0; link < spec->link_count; link++)
            at = put_spheres(at, spec, spec->links[link].sphere_first,
                             spec->links[link].sphere_count, &frame[link]);
    }
}

/* ---- all paths ---- */

/* The next path that is solved, with room for its spheres; NULL: no memory. */
static struct motion_path *add_path(struct picture_motion *motion)
{
    struct motion_path *path = &motion->paths[motion->path_count];
    path->spheres = calloc((size_t)MOTION_POSES * motion->sphere_count + 1, sizeof(*path->spheres));
    if (!path->spheres)
        return NULL;
    motion->path_count++;
    return path;
}

enum prm_status picture_motion_init(struct picture_motion *motion, struct prm_arena *arena,
                                    const struct robot_document *robot, uint32_t dimension,
                                    const struct prm_space *space,
                                    const struct plan_result *results, uint32_t result_count,
                                    const double *waypoints)
{
    enum prm_status status = PRM_OK;
    struct robot_spec spec = {.spheres = NULL};
    double *states = NULL;
    struct prm_frame *frames = NULL;
    *motion = (struct picture_motion){.is_arm = robot->type == ROBOT_ARM};
    if (!motion->is_arm && robot->type != ROBOT_RIGID)
        return PRM_OK;

    // as many spheres as put_spheres() leaves
    TRY(robot_spec_init(&spec, robot));
    const uint32_t links = spec.spec.link_count ? spec.spec.link_count : 1;
    const uint32_t stride = spec.spec.sphere_count / MOTION_SPHERES_MAX + 1;
    motion->sphere_count = (spec.spec.sphere_count + stride - 1) / stride;
    motion->paths = calloc(MOTION_PATHS_MAX, sizeof(*motion->paths));
    states = calloc((size_t)MOTION_STATES * space->dof, sizeof(*states));
    frames = calloc((size_t)MOTION_STATES * links, sizeof(*frames));
    if (!motion->paths || !states || !frames) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for a picture");
        goto cleanup;
    }

    for (uint32_t i = 0; i < result_count && motion->path_count < MOTION_PATHS_MAX; i++) {
        if (results[i].status != PLAN_STATUS_SOLVED || results[i].waypoint_count == 0)
            continue;
        struct motion_path *path = add_path(motion);
        if (!path) {
            status = prm_fault_set(PRM_HOST_MEMORY, "no memory for a picture");
            goto cleanup;
        }
        states_along(states, space, &results[i], waypoints);
        if (motion->is_arm)
            TRY(prm_robot_forward(arena, frames, &spec.spec, states, MOTION_STATES));
        for (size_t j = 0; j < MOTION_STATES && !motion->is_arm; j++)
            frames[j] = rigid_frame(states + j * space->dof, dimension);
        fill_path(path, &spec.spec, frames, links);
    }
cleanup:
    robot_spec_deinit(&spec);
    free(states);
    free(frames);
    if (status != PRM_OK)
        picture_motion_deinit(motion);
    return status;
}

void picture_motion_deinit(struct picture_motion *motion)
{
    for (uint32_t i = 0; motion->paths && i < MOTION_PATHS_MAX; i++)
        free(motion->paths[i].spheres);
    free(motion->paths);
    *motion = (struct picture_motion){.paths = NULL};
}
