/* What all parts of growing trees share (expand.cl): a query's trees, the round in work, and the
 * samples that a round draws.
 *
 * -D TEAM=1 … EXPAND_BATCH, a power of two: the work-items of a group. -D ROW, DOF of metric.h.
 */
#ifndef KERNELS_EXPAND_TREE_H
#define KERNELS_EXPAND_TREE_H

#include "edges.h"
#include "expand_types.h"
#include "sample.h"
#include "types.h"

#if !defined(TEAM) || TEAM < 1 || TEAM > 16 || (TEAM & (TEAM - 1)) != 0
#error "TEAM must be the work-items of a group, a power of two up to EXPAND_BATCH"
#endif
/* Samples that a work-item draws before it looks at them. */
#if defined(BODIES) && BODY_LANES > 1
#define SHARE (EXPAND_BATCH / TEAM)
#else
#define SHARE 1
#endif

/* Standard deviations of samples about nodes, in ranges, by turns. */
#define LOCAL_WIDE 0.8f
#define LOCAL_NARROW 0.3f
/* The fourth counter word of Philox that no other use has, and the block that chooses a node. */
#define STREAM 5u
#define BLOCK_OF_CHOICE 255u

/* The roadmap that trees are attached to. */
struct roadmap {
    __global const f32 *states;
    __global const u32 *components, *edges, *first_low, *first_high, *by_high;
};

/* One query in the growing. Of tree t: nodes[t * capacity …], and so on. */
struct expander {
    const struct scene *scene;
    const struct expand_options *options;
    const struct roadmap *roadmap;
    __global const f32 *limits; /* [2][ROW] */
    __global struct expand_state *state;
    __global f32 *nodes;   /* [2][capacity][ROW] */
    __global u32 *parents; /* [2][capacity]; a root's: EXPAND_ROOT | end */
    __global u32 *near;    /* [2][capacity]: the nearest milestone known, NONE_U32: none */
    __global f32 *domains; /* [2][capacity]: samples beyond are rejected */
    __global struct expand_try *tries; /* [EXPAND_BATCH] */
    __global f32 *try_rows;            /* [EXPAND_BATCH][EXPAND_TRY_ROWS][ROW] */
};

/* A round as it began: what its samples may look at. */
struct round {
    u32 tree, drawn;
    u32 counts[EXPAND_TREES];
    u32 wanted[1 + EXPAND_REACH], wanted_count; /* components to attach to */
    u32 joining[EXPAND_REACH], joining_count;   /* those that the other tree reaches */
};

/* The random words of a sample, of which block BLOCK_OF_CHOICE chooses a node. */
static inline void expand_words(const struct expander *e, u32 *words, u32 sample, u32 block)
{
    random_philox(words, sample, block, 0, STREAM, e->state->seed_low, e->state->seed_high);
}

/* Anywhere within the limits, or about a node of the tree, normally distributed; by turns. */
static void draw_sample(const struct expander *e, const struct round *round, f32 *x, u32 sample)
{
    u32 words[SAMPLE_WORDS], choice[4];
    for (u32 block = 0; block < SAMPLE_WORDS / 4; block++)
        expand_words(e, words + 4 * block, sample, block);
    if (sample % 2 == 0) {
        f32 units[SAMPLE_WORDS];
        for (u32 i = 0; i < SAMPLE_WORDS; i++)
            units[i] = random_unit(words[i]);
        sample_uniform_row(x, units, e->limits);
    } else {
        const f32 sigma = e->options->range * (sample / 2 % 2 == 0 ? LOCAL_WIDE : LOCAL_NARROW);
        expand_words(e, choice, sample, BLOCK_OF_CHOICE);
        const u32 node = (u32)(((u64)choice[0] * round->counts[round->tree]) >> 32);
        row_load(x, e->nodes, round->tree * e->options->capacity + node);
        sample_near_row(x, x, words, sigma, e->limits);
    }
}

/* The node of a tree nearest to x, the lowest of equals; squared: its distance. */
static u32 nearest_node(const struct expander *e, u32 tree, u32 count, const f32 *x, f32 *squared)
{
    __global const f32 *nodes = e->nodes + (size_t)tree * e->options->capacity * ROW;
    u32 nearest = 0;
    *squared = INFINITY;
    for (u32 node = 0; node < count; node++) {
        f32 row[ROW];
        row_load(row, nodes, node);
        const f32 other = metric_squared(row, x);
        if (other < *squared) {
            *squared = other;
            nearest = node;
        }
    }
    return nearest;
}

#endif
