/* Collision checking of states: a robot's clearance in a world.
 *
 * The broad phase looks up the tiles that the robot's box touches; the narrow phase is exact for
 * each obstacle. Obstacles are closed: touching is colliding; decisions keep the world's rounding
 * margin.
 */
#ifndef PRM_ROADMAP_COLLIDE_H
#define PRM_ROADMAP_COLLIDE_H

#include "roadmap/roadmap.h"
#include "roadmap/robot/metric.h"

/* A robot among the obstacles that count: all that a check needs to know. Borrowed pointers. */
struct prm_scene {
    const struct prm_space *space;
    const struct prm_robot *robot;
    const struct prm_world *world;
    const struct prm_obstacle_set *obstacles; /* world->fixed or world->all */
    enum prm_edge_check edge_check;
    double edge_resolution;    /* sampled: metric distance between samples, > 0 */
    struct prm_buffer allowed; /* u32[allowed_count][2]: link and obstacle that may touch */
    uint32_t allowed_count;
    struct prm_buffer vicinity; /* of robot and obstacles (vicinity.h); no memory: checks do without
                                   it, and find the same */
    bool whole_travel; /* checks do without how fast arms move (kernels/travel.h), likewise */
};

/* A roadmap's robot among all that stands in a world. */
struct prm_scene prm_roadmap_scene(const struct prm_roadmap *roadmap,
                                   const struct prm_world *world);

/* The same, with the vicinity that the world's validity has. */
struct prm_scene prm_validity_scene(const struct prm_validity *validity,
                                    const struct prm_world *world);

/* free[i] = 1 where the robot at row i keeps more than the margin from every obstacle.
 * free: u32[count]; states: f32[count][row]; device. */
enum prm_status prm_collide_states(struct prm_arena *arena, struct prm_buffer free,
                                   const struct prm_scene *scene, struct prm_buffer states,
                                   size_t count);

/* The least clearance of each state and what it is from (of equals the lowest obstacle). Negative:
 * depth of penetration. Beyond what the broad phase sees the clearance is only a lower bound (one
 * tile edge). clearances: struct clearance[count] (kernels/robot_types.h). */
enum prm_status prm_collide_clearance(struct prm_arena *arena, struct prm_buffer clearances,
                                      const struct prm_scene *scene, struct prm_buffer states,
                                      size_t count);

#endif
