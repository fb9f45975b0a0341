/* The milestones near a new node of a tree: a walk along the roadmap's candidate edges from one
 * that is near the node's parent.
 *
 * Cost: some hundred milestones' rows a walk.
 */
#ifndef KERNELS_EXPAND_WALK_H
#define KERNELS_EXPAND_WALK_H

#include "expand_tree.h"

/* The walk looks about so many milestones at most. */
#define WALK_STEPS_MAX 64u
/* Marks milestones whose neighbours have been looked at. */
#define LOOKED 0x80000000u

/* Milestones in view of a walk, nearest first, ties by number. */
struct view {
    f32 squared[EXPAND_WALK];
    u32 vertices[EXPAND_WALK];
    u32 count, capacity;
};

/* Puts a milestone into the view if it is near enough and not there yet. */
static inline void view_offer(struct view *view, u32 vertex, f32 squared)
{
    if (view->count == view->capacity && !(squared < view->squared[view->count - 1]))
        return;
    u32 at = view->count;
    while (at > 0 &&
           (squared < view->squared[at - 1] ||
            (squared == view->squared[at - 1] && vertex < (view->vertices[at - 1] & ~LOOKED))))
        at--;
    if (at > 0 && (view->vertices[at - 1] & ~LOOKED) == vertex)
        return;
    view->count += view->count < view->capacity ? 1 : 0;
    for (u32 i = view->count - 1; i > at; i--) {
        view->squared[i] = view->squared[i - 1];
        view->vertices[i] = view->vertices[i - 1];
    }
    view->squared[at] = squared;
    view->vertices[at] = vertex;
}

static inline bool is_among(const u32 *list, u32 count, u32 value)
{
    for (u32 i = 0; i < count; i++) {
        if (list[i] == value)
            return true;
    }
    return false;
}

/* A milestone that the walk passes. */
static inline void pass_milestone(const struct expander *e, const struct round *round, const f32 *x,
                                  u32 vertex, struct view *view, struct view *wanted)
{
    f32 row[ROW];
    row_load(row, e->roadmap->states, vertex);
    const f32 squared = metric_squared(row, x);
    view_offer(view, vertex, squared);
    if (is_among(round->wanted, round->wanted_count, e->roadmap->components[vertex]))
        view_offer(wanted, vertex, squared);
}

/* Walks along candidate edges from milestone `from` to those nearest to x, always on from the
 * nearest one not looked at; returns the nearest. wanted: the nearest of wanted components on the
 * way. */
static u32 walk_to_milestones(const struct expander *e, const struct round *round, const f32 *x,
                              u32 from, struct view *wanted)
{
    const struct roadmap *roadmap = e->roadmap;
    struct view view = {.capacity = EXPAND_WALK};

    pass_milestone(e, round, x, from, &view, wanted);
    for (u32 step = 0; step < WALK_STEPS_MAX; step++) {
        u32 next = 0;
        while (next < view.count && (view.vertices[next] & LOOKED))
            next++;
        if (next == view.count)
            break;
        const u32 v = view.vertices[next];
        view.vertices[next] |= LOOKED;
        for (u32 i = roadmap->first_low[v]; i < roadmap->first_low[v + 1]; i++)
            pass_milestone(e, round, x, roadmap->edges[2 * (size_t)i + 1], &view, wanted);
        for (u32 i = roadmap->first_high[v]; i < roadmap->first_high[v + 1]; i++)
            pass_milestone(e, round, x, roadmap->edges[2 * (size_t)roadmap->by_high[i]], &view,
                           wanted);
    }
    return view.vertices[0] & ~LOOKED;
}

#endif
