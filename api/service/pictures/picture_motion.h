/* Robots with spheres along the paths of a picture: where their spheres are at some states, and the
 * line that an arm's last link moves on. */
#ifndef SERVICE_PICTURE_MOTION_H
#define SERVICE_PICTURE_MOTION_H

#include "device/arena.h"
#include "roadmap/robot/metric.h"
#include "schema/plan.h"
#include "schema/robot.h"

enum {
    MOTION_PATHS_MAX = 8, /* the first that are solved; further ones are drawn as without robots */
    MOTION_STATES = 65,   /* of a path, evenly along its way-points: the line's points */
    MOTION_POSES = 5,     /* of these: the start, between, the goal */
    MOTION_SPHERES_MAX = 600 /* drawn of a robot; beyond, every so-manyth */
};

/* A sphere in the world, or a circle of a flat one. */
struct motion_sphere {
    double center[3], radius;
};

struct motion_path {
    double line[MOTION_STATES][3]; /* of the last link's frame, or of a rigid robot's */
    struct motion_sphere *spheres; /* [MOTION_POSES][sphere_count], owned */
};

/* All zero: a robot without spheres, whose paths are lines. */
struct picture_motion {
    struct motion_path *paths; /* owned */
    uint32_t path_count, sphere_count;
    bool is_arm; /* whose states are no places */
};

/* waypoints: double[][space->dof], of `results`. Waits for the device where the robot is an arm.
 * PRM_HOST_MEMORY and the faults of prm_robot_forward(); then nothing is left to deinit. */
enum prm_status picture_motion_init(struct picture_motion *motion, struct prm_arena *arena,
                                    const struct robot_document *robot, uint32_t dimension,
                                    const struct prm_space *space,
                                    const struct plan_result *results, uint32_t result_count,
                                    const double *waypoints);
void picture_motion_deinit(struct picture_motion *motion);

#endif
