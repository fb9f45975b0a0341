/* A robot while it is made on the host. Internal to robot_bodies.c and robot_pairs.c. */
#ifndef PRM_ROADMAP_ROBOT_MAKER_H
#define PRM_ROADMAP_ROBOT_MAKER_H

#include "kernels/robot_types.h"
#include "roadmap/robot/metric.h"
#include "roadmap/robot/robot.h"

struct prm_robot_maker {
    const struct prm_robot_spec *spec;
    const struct prm_space *space;
    struct body bodies[PRM_LINKS_MAX + 1];
    double slides[PRM_LINKS_MAX + 1]; /* how far a body slides from its place at 0, at most */
    uint32_t body_count;
    struct prm_link_place places[PRM_LINKS_MAX];
    struct body_link *links;
    struct body_ball *balls;
    struct body_ball *spheres; /* of the link at hand */
    struct link_pair *pairs;
    struct body_pair *body_pairs;
    float *link_reach, *pair_reach;
    uint32_t link_count, ball_count, pair_count, body_pair_count;
    double rounding;
    double reach; /* as struct prm_robot has it */
    uint32_t pair_capacity;
};

/* reach[c] += metres that the link moves at most per unit of row coordinate c, by the joints of
 * bodies that `counts` has (NULL: all). Returns the rounding of its place. */
double prm_robot_add_reach(struct prm_robot_maker *maker, float *reach,
                           const struct body_link *link, const bool *counts);

/* That of a rigid robot: a unit of position in metres, a radian of orientation by the farthest
 * centre. */
void prm_robot_rigid_reach(struct prm_robot_maker *maker);

/* How far the middles of the spheres among `balls` are from the centre, at most. */
float prm_robot_spread(const float *center, const struct body_ball *balls, uint32_t count);

/* The pairs of links that may collide, how far each moves, and the pairs of bodies with their
 * tables. false: no memory. */
bool prm_robot_make_pairs(struct prm_robot_maker *maker);

#endif
