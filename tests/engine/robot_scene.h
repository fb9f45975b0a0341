/* Random robots with spheres among random obstacles: an arm of turning, continuous, sliding, locked
 * and mimicking joints that branches, and rigid robots. */
#ifndef TESTS_ROBOT_SCENE_H
#define TESTS_ROBOT_SCENE_H

#include "roadmap/collision/collide.h"
#include "support/support.h"

enum { SCENE_LINKS = 9, SCENE_LINK_SPHERES = 8, SCENE_OBSTACLES = 12 };

struct robot_scene {
    struct prm_obstacle obstacles[SCENE_OBSTACLES];
    struct prm_world_spec world_spec;
    struct prm_world *world;
    struct prm_sphere spheres[SCENE_LINKS * SCENE_LINK_SPHERES];
    struct prm_link links[SCENE_LINKS];
    struct prm_joint joints[SCENE_LINKS];
    struct prm_robot_coordinate coordinates[SCENE_LINKS];
    uint32_t ignored[2];
    struct prm_robot_spec spec;
    struct prm_space space;
    struct prm_robot *robot;
    struct prm_scene scene;
};

/* kind: PRM_ROBOT_RIGID, or PRM_ROBOT_ARM in 3 dimensions. The caller deinitialises it. */
void robot_scene_init(struct robot_scene *f, struct test_random *random, enum prm_robot_kind kind,
                      uint32_t dimension);
void robot_scene_deinit(struct robot_scene *f);

/* A uniform state. state: double[dof]. */
void robot_scene_state(const struct robot_scene *f, struct test_random *random, double *state);

#endif
