/* Robots with spheres as they cross the bus: bodies, links, the balls about them, pairs of links.
 *
 * A body is all links that no joint moves against each other; what its joint does is about or along
 * its own z axis. Body 0 stands where the base stands. Every number of links here counts those that
 * have spheres. */
#ifndef KERNELS_ROBOT_TYPES_H
#define KERNELS_ROBOT_TYPES_H

#include "language.h"

/* Up to so many obstacles are all tried; beyond, those in the tiles that a link's ball touches. */
#define BODIES_OBSTACLES_FEW 48u

enum body_motion {
    BODY_FIXED = 0, /* as its parent */
    BODY_TURNS,     /* about z */
    BODY_SLIDES,    /* along z */
    BODY_PLANAR,    /* rows x, y, θ */
    BODY_FREE       /* rows x, y, z and a quaternion */
};

/* Where a body is in its parent: first translated and rotated by constants, then moved by
 * multiplier · row[coordinate] + offset. */
struct body {
    f32 rotation[9]; /* rows; own frame -> the parent's */
    f32 translation[3];
    u32 parent; /* a body before it */
    u32 motion; /* enum body_motion */
    u32 coordinate;
    f32 multiplier, offset;
    f32 scale[3];          /* planar, free: of the rows' first coordinates, in metres */
    f32 center[3], radius; /* of the ball about all its spheres; radius < 0: it has none */
};

/* A ball in the frame of a body: a sphere of the robot, or one about several that lie together.
 * Those of a link come parents first: one about all, then each group's with its spheres. */
struct body_ball {
    f32 center[3], radius;
    u32 level;  /* 0: about all of a link */
    u32 next;   /* the first ball after it that is not within it */
    u32 sphere; /* number within the link in the specification; NONE_U32: a ball about others */
    f32 spread; /* about others: how far the middles of its spheres are from its own */
};
#define BALL_LEVELS 3

/* A link with spheres. */
struct body_link {
    u32 body;
    u32 ball_first, ball_end;
    u32 link; /* its number in the specification */
};

/* Two of struct body_link that may collide with each other. */
struct link_pair {
    u32 a, b;
};

/* Two bodies with links that may collide with each other. Where no more than two coordinates move
 * them against each other there is a table of how far their links keep apart, at least, in each
 * cell of these coordinates: in steps, at most so many. */
#define CLEARANCE_STEP 1e-3f
#define CLEARANCE_MAX 255u
struct body_pair {
    u32 first, end;    /* its pairs of links */
    u32 a, b;          /* the bodies, a before b */
    u32 table;         /* its first value among those of all tables; NONE_U32: it has none */
    u32 coordinate[2]; /* of the table's columns and rows; twice the same where there is but one */
    u32 size[2];
    f32 origin[2], inverse_edge[2]; /* of the cells, in rows of states */
    f32 slack;                      /* metres that links move within half a cell, and rounding */
    f32 spread; /* how far the middles of b's spheres are from that of its ball; below 0: b does not
                   hang on a */
    u32 pad;
};

/* The least clearance of a configuration, for reports. */
struct clearance {
    f32 value;      /* metres; negative: depth of penetration */
    u32 obstacle;   /* index in the world's list; NONE_U32: none is near, or other_link is meant */
    u32 link;       /* number of the link, 0 of robots without links */
    u32 sphere;     /* number within the link */
    u32 other_link; /* of a self-collision; else NONE_U32 */
};

#ifndef __OPENCL_VERSION__
_Static_assert(sizeof(struct body) == 96, "struct body crosses the bus");
_Static_assert(sizeof(struct body_link) == 16, "struct body_link crosses the bus");
_Static_assert(sizeof(struct body_ball) == 32, "struct body_ball crosses the bus");
_Static_assert(sizeof(struct link_pair) == 8, "struct link_pair crosses the bus");
_Static_assert(sizeof(struct body_pair) == 64, "struct body_pair crosses the bus");
_Static_assert(sizeof(struct clearance) == 20, "struct clearance crosses the bus");
#endif

#endif
