/* Robots: what moves.
 *
 * A robot specification speaks double precision and the wire's terms. A `struct prm_robot` is the
 * same made resident for a device and a world's local frame: bodies, the balls about their links
 * and groups of spheres, the pairs of links that may collide, and how far each moves with each
 * coordinate (kernels/robot_types.h). It is immutable. */
#ifndef PRM_ROADMAP_ROBOT_H
#define PRM_ROADMAP_ROBOT_H

#include "device/buffer.h"
#include "device/status.h"

#include <stdbool.h>
#include <stdint.h>

enum prm_robot_kind { PRM_ROBOT_POINT, PRM_ROBOT_BALL, PRM_ROBOT_RIGID, PRM_ROBOT_ARM };

enum { PRM_DOF_MAX = 32, PRM_NAME_MAX = 128, PRM_LINKS_MAX = 128, PRM_SPHERES_MAX = 16384 };

/* In the frame of its link (rigid: of the robot); radius < 0: switched off. */
struct prm_sphere {
    double center[3], radius;
};

struct prm_frame {
    double xyz[3];
    double quaternion[4]; /* x y z w, unit */
};

enum prm_joint_kind {
    PRM_JOINT_FIXED,
    PRM_JOINT_REVOLUTE,
    PRM_JOINT_CONTINUOUS,
    PRM_JOINT_PRISMATIC
};

/* A joint's value is multiplier · q[coordinate] + offset; with coordinate UINT32_MAX it is locked
 * at offset. Radians, or metres of a prismatic one. */
struct prm_joint {
    enum prm_joint_kind kind;
    uint32_t parent, child;  /* links */
    struct prm_frame origin; /* of the child in the parent at value 0 */
    double axis[3];          /* in the joint's frame, any length but 0 */
    uint32_t coordinate;
    double multiplier, offset;
};

struct prm_link {
    char name[PRM_NAME_MAX];
    uint32_t sphere_first, sphere_count;
};

/* A coordinate of an arm. */
struct prm_robot_coordinate {
    char name[PRM_NAME_MAX];
    bool turn;           /* of a continuous joint: whole turns are the same state */
    double lower, upper; /* inclusive; of a turn not used */
    double weight;       /* in the metric, > 0 */
};

/* Members that a kind has no use for are 0. Pointers are borrowed. */
struct prm_robot_spec {
    enum prm_robot_kind kind;
    double radius; /* ball, metres, > 0 */
    const struct prm_sphere *spheres;
    uint32_t sphere_count;
    const struct prm_link *links; /* arm; the first is the root */
    uint32_t link_count;
    const struct prm_joint *joints; /* arm; parents before children */
    uint32_t joint_count;
    struct prm_frame base;                          /* arm: of the root link in the world */
    const struct prm_robot_coordinate *coordinates; /* arm */
    uint32_t dof;
    double weights[4];       /* rigid: x, y, z and the orientation; in the plane x, y, θ; 0: 1 */
    const uint32_t *ignored; /* arm: [ignored_count][2] links that may touch each other */
    uint32_t ignored_count;
};

/* PRM_INVALID_ARGUMENT names the member. */
enum prm_status prm_robot_check(const struct prm_robot_spec *spec);

/* Where a link of the specification is: in the frame of a body. */
struct prm_link_place {
    uint32_t body;
    double rotation[9]; /* rows; the link's frame -> the body's */
    double translation[3];
};

/* A robot on a device. */
struct prm_robot {
    struct prm_context *context;
    enum prm_robot_kind kind;
    double radius;                /* ball */
    double rounding;              /* error of a sphere's place in float32, metres */
    double base[3];               /* arm: its base in the local frame */
    double reach;                 /* that the middle of a ball has from there at most; rigid: from
                                     the reference point */
    uint32_t body_count;          /* 0: point and ball, whose motions are checked in closed form */
    uint32_t link_count;          /* that have spheres */
    uint32_t pair_count;          /* of links that may collide with each other */
    struct prm_buffer bodies;     /* struct body[body_count], parents first */
    struct prm_buffer links;      /* struct body_link[link_count] */
    struct prm_buffer balls;      /* struct body_ball[] */
    struct prm_buffer pairs;      /* struct link_pair[pair_count] */
    struct prm_buffer body_pairs; /* struct body_pair[body_pair_count], their pairs in turn */
    struct prm_buffer clearances; /* u8[]: of their tables (robot_clearances.h) */
    uint32_t body_pair_count;
    struct prm_buffer link_reach;  /* f32[link_count][dof] */
    struct prm_buffer pair_reach;  /* f32[pair_count][dof] */
    struct prm_link_place *places; /* arm: [place_count], every link of the specification */
    uint32_t place_count;
};

struct prm_space;

/* Makes `spec` resident, in the local frame about `center` and for rows of `space`. Faults as of
 * prm_robot_check(), PRM_HOST_MEMORY, PRM_DEVICE_MEMORY. */
enum prm_status prm_robot_create(struct prm_context *context, struct prm_robot **robot,
                                 const struct prm_robot_spec *spec, const struct prm_space *space,
                                 const double *center);

/* NULL is accepted. */
void prm_robot_destroy(struct prm_robot *robot);

size_t prm_robot_bytes(const struct prm_robot *robot);

#endif
