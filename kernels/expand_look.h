/* Motions of robots with spheres seen to be blocked before any is checked: states of many motions
 * fill the lanes, where a check of one motion would take as much for itself.
 *
 * Trees are grown in pockets, where most motions hit something, and most of these at their end or
 * about their middle. A motion that is left is checked as ever, so nothing is passed over. Cost:
 * one to two vectors of states for sixteen samples, one for the milestones about a node; on a GPU,
 * which has one lane, each look a state.
 */
#ifndef KERNELS_EXPAND_LOOK_H
#define KERNELS_EXPAND_LOOK_H

#include "expand_walk.h"

/* What is looked at of a motion, as fractions of its way; its end is the first. */
#define LOOKS 4u
CONSTANT const f32 look_fractions[LOOKS] = {1.0f, 0.5f, 0.25f, 0.75f};

/* A motion that is looked at. */
struct outlook {
    f32 from[ROW], to[ROW];
    u32 number; /* whose it is */
};

/* Keeps, in their order, those of `count` motions where no look from `first` to `end` hits
 * anything; returns how many: as many looks abreast as there are lanes. */
static u32 look_ahead(const struct expander *e, struct outlook *motions, u32 count, u32 first,
                      u32 end)
{
    struct travel still;
    travel_nothing(&still);

    // first the looks at one fraction of all motions, then those at the next
    const u32 asked = count * (end - first);
    u32 blocked = 0; // bit i: motion i
    for (u32 begun = 0; begun < asked; begun += BODY_LANES) {
        f32 values[DOF][BODY_LANES];
        struct pose pose;
        lane_f32 row[DOF];
        const u32 lanes = min(asked - begun, (u32)BODY_LANES);
        for (u32 lane = 0; lane < BODY_LANES; lane++) {
            const u32 state = begun + min(lane, lanes - 1);
            f32 x[ROW];
            metric_interpolate(x, motions[state % count].from, motions[state % count].to,
                               look_fractions[first + state / count]);
            for (u32 c = 0; c < DOF; c++)
                values[c][lane] = x[c];
        }
        for (u32 c = 0; c < DOF; c++)
            row[c] = lane_load(values[c]);
        pose_of(&pose, e->scene->bodies, row);
        struct findings found = {lane_first(0), 1, 0};
        bodies_hit(e->scene, &found, &pose, row, &still, row[0] * 0.0f, lane_first(lanes));
        const u32 hits = lane_bits(found.hit);
        for (u32 lane = 0; lane < lanes; lane++)
            blocked |= ((hits >> lane) & 1u) << (begun + lane) % count;
    }

    u32 left = 0;
    for (u32 i = 0; i < count; i++) {
        if (!((blocked >> i) & 1u))
            motions[left++] = motions[i];
    }
    return left;
}

/* Samples drawn from `first` to `end` whose motions are seen to hit something are blocked. */
static void look_at_draws(const struct expander *e, const struct round *round, u32 first, u32 end)
{
    struct outlook motions[SHARE];
    u32 count = 0;
    for (u32 j = first; j < end; j++) {
        if (e->tries[j].kind != EXPAND_DRAWN)
            continue;
        struct outlook *motion = &motions[count++];
        row_load(motion->from, e->nodes, round->tree * e->options->capacity + e->tries[j].parent);
        row_load(motion->to, e->try_rows, j * EXPAND_TRY_ROWS);
        motion->number = j;
        e->tries[j].kind = EXPAND_BLOCKED;
    }
    count = look_ahead(e, motions, count, 0, 1);
    count = look_ahead(e, motions, count, 1, LOOKS);
    for (u32 i = 0; i < count; i++)
        e->tries[motions[i].number].kind = EXPAND_DRAWN;
}

/* Of the milestones in view those stay towards which no motion from x is seen to hit something. */
static void look_at_view(const struct expander *e, const f32 *x, struct view *view)
{
    struct outlook motions[EXPAND_ATTACH];
    for (u32 i = 0; i < view->count; i++) {
        for (u32 c = 0; c < ROW; c++)
            motions[i].from[c] = x[c];
        row_load(motions[i].to, e->roadmap->states, view->vertices[i]);
        motions[i].number = view->vertices[i];
    }
    view->count = look_ahead(e, motions, view->count, 1, LOOKS);
    for (u32 i = 0; i < view->count; i++)
        view->vertices[i] = motions[i].number;
}

#endif
