#include "plan_fixture.h"

const double plan_fixture_middle[3] = {3, 5, -2};

void plan_fixture_init(struct plan_fixture *f, uint32_t dimension, bool rigid, uint64_t seed,
                       double *states, uint32_t count)
{
    const double *middle = plan_fixture_middle;
    struct test_random random = {seed};
    struct prm_world_spec spec = {.dimension = dimension,
                                  .bounded = true,
                                  .obstacles = f->obstacles,
                                  .obstacle_count = PLAN_FIXTURE_OBSTACLES};
    for (int b = 0; b < 3; b++)
        f->balls[b] = (struct prm_sphere){{0.3 * (b - 1), 0, 0}, 0.15};
    const struct prm_robot_spec rod = {
        .kind = PRM_ROBOT_RIGID, .spheres = f->balls, .sphere_count = 3};
    const struct prm_robot_spec ball = {.kind = PRM_ROBOT_BALL, .radius = 0.2};
    const struct prm_roadmap_params params = {.seed = seed,
                                              .sample_count = (uint32_t)test_size(300, 30),
                                              .neighbor_method = PRM_NEIGHBOR_EXACT,
                                              .k = 6};
    for (uint32_t i = 0; i < PLAN_FIXTURE_OBSTACLES; i++)
        f->obstacles[i] = oracle_random_obstacle(&random, dimension, middle, 8, f->points[i],
                                                 PLAN_FIXTURE_POINTS);
    for (uint32_t c = 0; c < dimension; c++) {
        spec.lower[c] = middle[c] - 8;
        spec.upper[c] = middle[c] + 8;
    }
    assert_ok(prm_world_create(test_arena, &f->world, &spec));
    assert_ok(prm_roadmap_create(test_context, &f->roadmap, &f->validity, f->world,
                                 rigid ? &rod : &ball, &params));
    assert_ok(prm_planner_create(test_context, &f->planner));

    // anywhere: some in obstacles, some in pockets that no edge leads out of
    const struct prm_space *space = &f->roadmap->space;
    for (uint32_t s = 0; s < count; s++)
        for (uint32_t c = 0; c < space->dof; c++)
            states[s * space->dof + c] =
                (double)test_random_f32(&random, -7.9f, 7.9f) + (c < dimension ? middle[c] : 0);
    prm_space_from_row(space, states + space->dof, f->roadmap->host_states);
    states[2 * space->dof] = middle[0] + 9;
}

void plan_fixture_deinit(struct plan_fixture *f)
{
    prm_planner_destroy(f->planner);
    prm_validity_destroy(f->validity);
    prm_roadmap_destroy(f->roadmap);
    prm_world_destroy(f->world);
}
