/* Robots: what moves. A robot in a world has a configuration space (metric.h) and a set of bodies.
 */
#ifndef PRM_ROADMAP_ROBOT_H
#define PRM_ROADMAP_ROBOT_H

#include "device/status.h"

enum prm_robot_kind { PRM_ROBOT_POINT, PRM_ROBOT_BALL };

struct prm_robot {
    enum prm_robot_kind kind;
    double radius; /* ball, metres, > 0; point: 0 */
};

/* PRM_INVALID_ARGUMENT names the member. */
enum prm_status prm_robot_check(const struct prm_robot *robot);

#endif
