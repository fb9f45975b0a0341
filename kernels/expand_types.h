/* What growing trees from the ends of queries and its host agree on. */
#ifndef KERNELS_EXPAND_TYPES_H
#define KERNELS_EXPAND_TYPES_H

#include "language.h"

enum {
    EXPAND_TREES = 2,  /* of the start, and of all goals */
    EXPAND_BATCH = 16, /* samples of a round: each extends a tree as it was when the round began */
    EXPAND_STEPS = 8,  /* motions towards a new node from the other tree at most */
    EXPAND_ATTACH = 8, /* milestones that a new node is tried to be attached to at most */
    EXPAND_WALK = 16,  /* milestones that the walk to the nearest keeps in view */
    EXPAND_REACH = 8,  /* components that a tree is known to reach at most */
    EXPAND_DRAWS = 4,  /* draws for each sample that is to be kept at most */
    EXPAND_TRY_ROWS = 1 + EXPAND_STEPS, /* a sample's own node, and those of the other tree */
};

enum expand_outcome {
    EXPAND_NEW,       /* nothing is grown yet */
    EXPAND_GROWING,   /* there are samples left */
    EXPAND_MET,       /* the trees meet: a way without the roadmap */
    EXPAND_JOINED,    /* both trees reach one component */
    EXPAND_EXHAUSTED, /* no samples or no room left */
};

/* A component that a tree reaches: by a motion from `node` to milestone `vertex`, or, with node
 * NONE_U32, by a link that an end has had before. */
struct expand_reach {
    u32 component, vertex, node;
};

/* A root's parent: this and the number of the end that it is. */
#define EXPAND_ROOT 0x80000000u

struct expand_tree {
    u32 count, reach_count;
    struct expand_reach reach[EXPAND_REACH];
};

/* One query's growth, from launch to launch. */
struct expand_state {
    u32 query;
    u32 place; /* whose memory it has */
    u32 seed_low, seed_high;
    u32 outcome;     /* enum expand_outcome */
    u32 drawn, kept; /* samples so far, and those that have become nodes */
    struct expand_tree trees[EXPAND_TREES];
    /* found: each tree's end that the way leads from, and where its approach is, the nodes between
     * that end and the roadmap (or the other tree), from the end on */
    u32 ends[EXPAND_TREES];
    u32 first[EXPAND_TREES], counts[EXPAND_TREES];
};

/* What became of one sample; rows beside it. */
struct expand_try {
    u32 kind;       /* enum expand_try_kind */
    u32 parent;     /* the node that it extends */
    u32 near;       /* the nearest milestone known, NONE_U32: none */
    u32 vertex;     /* the milestone that it is attached to, NONE_U32: none */
    u32 other;      /* the node of the other tree that came towards it */
    u32 step_count; /* in so many steps */
    u32 outcome;    /* EXPAND_MET, EXPAND_JOINED or EXPAND_GROWING */
};

enum expand_try_kind {
    EXPAND_DRAWN,    /* its motions are yet to be checked */
    EXPAND_REJECTED, /* outside of the domain of the nearest node */
    EXPAND_BLOCKED,  /* the motion to it is not free */
    EXPAND_ADDED,
};

/* The numbers of a launch. */
struct expand_options {
    u32 capacity;    /* nodes of a tree */
    u32 rounds;      /* of this launch */
    u32 samples_max; /* of a query, to become nodes */
    u32 links;       /* a row of the ends' links */
    u32 largest;     /* component */
    f32 range;       /* longest motion of a tree, metric */
    f32 weight_scale;
    u32 pad;
};

#ifndef __OPENCL_VERSION__
_Static_assert(sizeof(struct expand_tree) == 104, "struct expand_tree crosses the bus");
_Static_assert(sizeof(struct expand_state) == 260, "struct expand_state crosses the bus");
_Static_assert(sizeof(struct expand_try) == 28, "struct expand_try crosses the bus");
_Static_assert(sizeof(struct expand_options) == 32, "struct expand_options crosses the bus");
#endif

#endif
