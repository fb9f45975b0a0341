/* A roadmap among random obstacles, and states about it, for tests of what plans on it. */
#ifndef TEST_PLAN_FIXTURE_H
#define TEST_PLAN_FIXTURE_H

#include "oracle_world.h"
#include "roadmap/plan/plan.h"

enum { PLAN_FIXTURE_OBSTACLES = 25, PLAN_FIXTURE_POINTS = 6, PLAN_FIXTURE_DOF_MOST = 3 };
/* In the middle of the bounds, which are 8 m to each side. */
extern const double plan_fixture_middle[3];

struct plan_fixture {
    struct prm_obstacle obstacles[PLAN_FIXTURE_OBSTACLES];
    double points[PLAN_FIXTURE_OBSTACLES][2 * PLAN_FIXTURE_POINTS];
    struct prm_sphere balls[3];
    struct prm_world *world;
    struct prm_roadmap *roadmap;
    struct prm_validity *validity;
    struct prm_planner *planner;
};

/* dimension 2 or 3 of a ball; with `rigid` a body in the plane that turns. states: double[count]
 * [dof], anywhere within the bounds, but for the second, which is a milestone, and the third, which
 * is out of bounds; count >= 3. */
void plan_fixture_init(struct plan_fixture *f, uint32_t dimension, bool rigid, uint64_t seed,
                       double *states, uint32_t count);
void plan_fixture_deinit(struct plan_fixture *f);

#endif
