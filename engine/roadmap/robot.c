/* Robots: what is allowed. */
#include "roadmap/robot.h"

#include <math.h>

enum prm_status prm_robot_check(const struct prm_robot *robot)
{
    switch (robot->kind) {
    case PRM_ROBOT_POINT:
        if (robot->radius != 0.0)
            return prm_fault_set(PRM_INVALID_ARGUMENT, "radius is %g: a point has none",
                                 robot->radius);
        return PRM_OK;
    case PRM_ROBOT_BALL:
        if (!(robot->radius > 0.0) || !isfinite(robot->radius))
            return prm_fault_set(PRM_INVALID_ARGUMENT, "radius is %g, not a number above 0",
                                 robot->radius);
        return PRM_OK;
    }
    return prm_fault_set(PRM_INVALID_ARGUMENT, "kind of robot %d is not known", (int)robot->kind);
}
