/* The robot resource: wire document <-> plain struct (docs/api.md, "Robots"). */
#ifndef SCHEMA_ROBOT_H
#define SCHEMA_ROBOT_H

#include "schema/limits.h"
#include "schema/problem.h"

enum robot_type { ROBOT_POINT, ROBOT_BALL, ROBOT_RIGID, ROBOT_ARM };

enum { ROBOT_NAME_BYTES_MAX = 63, ROBOT_WEIGHTS_MAX = 4 };

/* No joint, no coordinate. */
#define ROBOT_NONE UINT32_MAX

/* In the frame of its link or body. A negative radius switches it off. */
struct robot_sphere {
    double center[3], radius;
};

/* A pose; `rpy` is kept as sent. */
struct robot_frame {
    double xyz[3], rpy[3];
    double quaternion[4]; /* x y z w, unit: as given, or from rpy */
    bool has_rpy, has_quaternion;
};

enum joint_type { JOINT_FIXED, JOINT_REVOLUTE, JOINT_CONTINUOUS, JOINT_PRISMATIC };

/* The child's frame is the parent's · origin · the motion along or about the axis. */
struct robot_joint {
    char name[ROBOT_NAME_BYTES_MAX + 1];
    enum joint_type type;
    uint32_t parent, child; /* links */
    struct robot_frame origin;
    double axis[3]; /* unit, but for fixed joints */
    bool has_limits;
    double lower, upper; /* of revolute and prismatic joints that follow no other */
    double weight;

    /* follows another: value = multiplier · the other's + offset; after robot_settle() that one
     * follows none */
    uint32_t mimic; /* joint, or ROBOT_NONE */
    double multiplier, offset;
    uint32_t coordinate; /* made: its own, or that of the joint it follows; ROBOT_NONE: fixed */
};

struct robot_link {
    char name[ROBOT_NAME_BYTES_MAX + 1];
    uint32_t sphere_first, sphere_count;
};

/* A robot. Members that its type has no use for are 0. */
struct robot_document {
    enum robot_type type;
    double radius; /* ball */

    /* rigid: all its spheres; arm: those of its links, link after link; owned */
    struct robot_sphere *spheres;
    uint32_t sphere_count, sphere_capacity;

    /* rigid */
    uint32_t dimension;                /* of the worlds that it fits: 2, 3, or 0: both */
    double weights[ROBOT_WEIGHTS_MAX]; /* x y θ, or x y z and the orientation */
    uint32_t weight_count;             /* 0: all are 1 */

    /* arm; arrays are owned */
    struct robot_frame base;
    struct robot_link *links;
    uint32_t link_count, link_capacity;
    struct robot_joint *joints; /* in the order given: that of the coordinates */
    uint32_t joint_count;
    uint32_t (*ignored)[2]; /* pairs of links */
    uint32_t ignored_count, ignored_capacity;

    /* arm, made by robot_settle(); owned */
    uint32_t root;         /* link */
    uint32_t *order;       /* [joint_count]: joints, parents first */
    uint32_t *coordinates; /* [dof]: the joint of each */
    bool *moved;           /* [link_count]: by any joint */
    uint32_t dof;

    /* what became of the reading, not part of what the robot is */
    double cover_excess;  /* metres; negative: nothing was covered */
    struct text warnings; /* objects of a JSON array, owned */
};

/* false: `problem` says all that is wrong; `robot` then needs no deinit. */
bool robot_read(struct robot_document *robot, const char *body, size_t bytes,
                const struct limits *limits, struct problem *problem);
void robot_deinit(struct robot_document *robot);

/* Members without braces, canonical: see world_write_members. Covers are written as their spheres.
 */
void robot_write_members(const struct robot_document *robot, struct text *out);

/* What replies add: coordinates and dof where the world has no say in them, the excess of covers,
 * warnings. */
void robot_write_derived(const struct robot_document *robot, struct text *out);

/* What a list says of it: type, size, dof. */
void robot_write_summary(const struct robot_document *robot, struct text *out);

/* Coordinates of the robot in a world of this dimension; of an arm in any. */
uint32_t robot_dof(const struct robot_document *robot, uint32_t dimension);

/* The name of one of them, borrowed. */
const char *robot_coordinate_name(const struct robot_document *robot, uint32_t dimension,
                                  uint32_t coordinate);

/* Adds a warning. */
void robot_warn(struct robot_document *robot, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
