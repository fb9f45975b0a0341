/* A path made shorter, one motion after the other: shorten_propose() says which motion is to be
 * checked next, shorten_settle() what follows from its being free or not. So the check is called
 * from one place, and every motion of the path that is left has passed it or is a part of one that
 * has.
 *
 * First way-points are chosen from the path's own. Where a check costs little, by galloping: from
 * each chosen point the farthest that is found in view by doubling the stride and halving it again,
 * 2 log₂ checks. Where it costs much (robots with spheres) and the path is short: the shortest way
 * through all its points, pairs that were not checked taken as free, the longest such motion on
 * that way checked, and again, until all of the way is proven (Bohlin & Kavraki's lazy roadmap,
 * 2000, of the path alone).
 *
 * Then the corners are pulled taut in sweeps. A corner slides along the motion to one neighbour, as
 * far as the other neighbour sees it, by bisection; then the same the other way. About the corner
 * of an obstacle two slides meet at that corner itself. Every other sweep cuts corners in two,
 * where the cut is free, so that the way can bend about what is round. A corner that could gain
 * little, or that was tried among the same neighbours before, is left alone. Nothing makes the way
 * longer: each step replaces two sides of a triangle by the third.
 *
 * What is left of a motion when a corner slides along it or is cut is a part of one that is proven,
 * but for the rounding of its new end. For robots with spheres the margin has room for eight such
 * roundings of every joint (robot_pairs.c), and the world's own beside: there such a part is not
 * checked again, which spares a fifth of the work.
 *
 * -D ROW, DOF … of metric.h; BODIES of kinematics.h.
 */
#ifndef KERNELS_SHORTEN_H
#define KERNELS_SHORTEN_H

#include "language.h"
#include "metric.h"

/* Points of a path whose pairs are all considered, where that is done. */
#define SHORTEN_PAIRS_POINTS 32u
/* Sweeps over the corners at most; the share of the length that two must gain for more, and that a
 * corner must promise to be tried. */
#define SHORTEN_SWEEPS_MAX 7u
#define SHORTEN_GAIN_LEAST 1e-3f
#define SHORTEN_CORNER_LEAST 1e-3f
/* Bisections of a slide at most. Motions that all but touch take robots with spheres the longest.
 */
#ifdef BODIES
#define SHORTEN_BISECTIONS 3u
#else
#define SHORTEN_BISECTIONS 4u
#endif
/* Whether a part of a motion that is proven is proven; the last motion of a cut that is checked. */
#if defined(BODIES) && !defined(EDGE_SAMPLED)
#define SHORTEN_PARTS_PROVEN
#define SHORTEN_CUT_LAST SHORTEN_CUTTING
#else
#define SHORTEN_CUT_LAST SHORTEN_CUT_SECOND
#endif
/* Where a corner is cut, as a share of the motions beside it. */
#define SHORTEN_CUT 0.5f

enum shorten_stage {
    SHORTEN_GALLOPING,
    SHORTEN_CHOOSING,
    SHORTEN_SLIDING,   /* the corner's new place seen from the neighbour it leaves */
    SHORTEN_SLID,      /* and from the one it nears */
    SHORTEN_CUTTING,   /* the cut itself */
    SHORTEN_CUT_FIRST, /* what is left of the motions beside it */
    SHORTEN_CUT_SECOND,
    SHORTEN_DONE,
};

/* One path in the making. */
struct shortening {
    GLOBAL f32 *points;  /* [capacity][ROW] */
    GLOBAL u32 *changed; /* [capacity]: the last sweep that moved the point */
    u32 count, capacity;
    enum shorten_stage stage;

    /* choosing way-points: the motion to be checked, by the points' places */
    u32 from, to;
    /* galloping: points[0 … kept - 1] are chosen; the farthest point in view, and the nearest known
     * not to be, or `count` */
    u32 kept, place, seen, hidden;
#ifdef BODIES
    /* bit i of member j > i: the motion from point i to point j was checked, and is free or not */
    u32 proven[SHORTEN_PAIRS_POINTS], hit[SHORTEN_PAIRS_POINTS];
#endif

    /* sweeps */
    u32 sweep, corner, bisections;
    bool backwards;     /* the corner slides towards the point before it */
    f32 length, gained; /* of the path when the sweeps began; by the last two sweeps */
    /* of a slide: the fraction on trial, the largest that is free, the least that is not */
    f32 fraction, free, blocked;
};

static inline f32 shorten_distance(const struct shortening *s, u32 i, u32 j)
{
    return metric_distance_rows(s->points + (u64)i * ROW, s->points + (u64)j * ROW);
}

static inline void shorten_move(struct shortening *s, u32 to, u32 from)
{
    f32 row[ROW];
    row_load(row, s->points, from);
    row_store(s->points, to, row);
}

/* row = the state at fraction t of the motion from point i to point j. */
static inline void shorten_between(const struct shortening *s, f32 *row, u32 i, u32 j, f32 t)
{
    f32 other[ROW];
    row_load(row, s->points, i);
    row_load(other, s->points, j);
    metric_interpolate(row, row, other, t);
}

/* ---- corners ---- */

static inline u32 shorten_toward(const struct shortening *s)
{
    return s->backwards ? s->corner - 1 : s->corner + 1;
}

static inline u32 shorten_away(const struct shortening *s)
{
    return s->backwards ? s->corner + 1 : s->corner - 1;
}

static inline void shorten_slide(struct shortening *s, bool backwards)
{
    s->stage = SHORTEN_SLIDING;
    s->backwards = backwards;
    s->bisections = 0;
    s->free = 0.0f;
    s->blocked = 1.0f;
    s->fraction = 0.5f;
}

/* What the path loses in length when the corner slides to fraction t. */
static inline f32 shorten_slide_gain(const struct shortening *s, f32 t)
{
    f32 corner[ROW], away[ROW], row[ROW];
    row_load(corner, s->points, s->corner);
    row_load(away, s->points, shorten_away(s));
    shorten_between(s, row, s->corner, shorten_toward(s), t);
    return metric_distance(away, corner) + metric_distance(corner, row) -
           metric_distance(away, row);
}

/* Whether the present corner is worth a try. */
static inline bool shorten_is_due(const struct shortening *s)
{
    const u32 i = s->corner;
    const f32 promised = shorten_distance(s, i - 1, i) + shorten_distance(s, i, i + 1) -
                         shorten_distance(s, i - 1, i + 1);
    u32 changed = s->changed[i];
    for (u32 beside = i - 1; beside <= i + 1; beside += 2)
        changed = s->changed[beside] > changed ? s->changed[beside] : changed;
    // sweeps of a kind come every second time
    return promised >= SHORTEN_CORNER_LEAST * s->length && changed + 2 > s->sweep;
}

/* Goes on to the next corner, of this sweep or of another one. */
static inline void shorten_next(struct shortening *s)
{
    for (;;) {
        s->corner++;
        while (s->corner + 1 >= s->count) {
            const bool slid = s->sweep % 2 == 0;
            const bool idle = s->sweep > 0 && s->gained < SHORTEN_GAIN_LEAST * s->length;
            s->sweep++;
            if (s->count < 3 || s->sweep == SHORTEN_SWEEPS_MAX || (slid && idle)) {
                s->stage = SHORTEN_DONE;
                return;
            }
            s->gained = slid ? 0.0f : s->gained;
            s->corner = 1;
        }
        if (!shorten_is_due(s))
            continue;
        if (s->sweep % 2 == 0) {
            shorten_slide(s, false);
            return;
        }
        if (s->count < s->capacity) {
            s->stage = SHORTEN_CUTTING;
            return;
        }
    }
}

static inline void shorten_sweep(struct shortening *s)
{
    s->length = 0.0f;
    for (u32 i = 0; i < s->count; i++) {
        s->changed[i] = 0;
        s->length += i > 0 ? shorten_distance(s, i - 1, i) : 0.0f;
    }
    s->sweep = s->corner = 0;
    s->gained = 0.0f;
    shorten_next(s);
}

/* The other slide of the corner, or the next corner. */
static inline void shorten_slide_end(struct shortening *s)
{
    if (s->backwards)
        shorten_next(s);
    else
        shorten_slide(s, true);
}

/* The corner has come to its neighbour: one of them is left. */
static inline void shorten_drop(struct shortening *s)
{
    s->gained += shorten_slide_gain(s, 1.0f);
    s->count--;
    for (u32 i = s->corner; i < s->count; i++) {
        shorten_move(s, i, i + 1);
        s->changed[i] = s->changed[i + 1];
    }
    s->corner--;
    s->changed[s->corner] = s->changed[s->corner + 1] = s->sweep;
    shorten_next(s);
}

/* The corner is where it has slid to. */
static inline void shorten_slid(struct shortening *s)
{
    f32 row[ROW];
    s->gained += shorten_slide_gain(s, s->free);
    shorten_between(s, row, s->corner, shorten_toward(s), s->free);
    row_store(s->points, s->corner, row);
    s->changed[s->corner] = s->sweep;
}

static inline void shorten_settle_slide(struct shortening *s, bool is_free)
{
    if (is_free && s->fraction == 1.0f) {
        shorten_drop(s);
        return;
    }
    if (is_free)
        s->free = s->fraction;
    else
        s->blocked = s->fraction;
    const f32 tried = s->fraction, gain = s->free > 0.0f ? shorten_slide_gain(s, s->free) : 0.0f;
    s->fraction = 0.5f * (s->free + s->blocked);
    s->bisections++;

    // seen all the way, the corner may not be needed
    if (s->bisections == SHORTEN_BISECTIONS && s->blocked == 1.0f)
        s->fraction = 1.0f;
    else if (tried == 1.0f || s->bisections >= SHORTEN_BISECTIONS ||
             shorten_slide_gain(s, s->blocked) - gain < SHORTEN_CORNER_LEAST * s->length)
        s->stage = SHORTEN_SLID;
    if (s->stage != SHORTEN_SLID)
        return;
#ifdef SHORTEN_PARTS_PROVEN
    if (gain > 0.0f)
        shorten_slid(s);
    shorten_slide_end(s);
#else
    // what was gained is checked
    if (!(gain > 0.0f))
        shorten_slide_end(s);
#endif
}

/* Two corners in place of one. */
static inline void shorten_cut(struct shortening *s)
{
    const u32 i = s->corner;
    f32 corner[ROW], first[ROW], second[ROW];
    row_load(corner, s->points, i);
    shorten_between(s, first, i, i - 1, SHORTEN_CUT);
    shorten_between(s, second, i, i + 1, SHORTEN_CUT);
    s->gained += metric_distance(first, corner) + metric_distance(corner, second) -
                 metric_distance(first, second);
    for (u32 j = s->count; j > i + 1; j--) {
        shorten_move(s, j, j - 1);
        s->changed[j] = s->changed[j - 1];
    }
    row_store(s->points, i, first);
    row_store(s->points, i + 1, second);
    s->changed[i] = s->changed[i + 1] = s->sweep;
    s->count++;
    s->corner++;
}

/* ---- way-points chosen from the path's own ---- */

/* Chooses point `place` and looks on from there. */
static inline void shorten_gallop(struct shortening *s, u32 place)
{
    shorten_move(s, s->kept++, place);
    s->place = place;
    s->seen = place + 1;
    s->hidden = s->count;
    if (s->seen + 1 >= s->count) {
        if (s->seen < s->count)
            shorten_move(s, s->kept++, s->seen);
        s->count = s->kept;
        shorten_sweep(s);
    }
}

static inline void shorten_gallop_aim(struct shortening *s)
{
    const u32 stride = 2 * s->seen - s->place;
    s->from = s->kept - 1;
    s->to = s->hidden < s->count ? (s->seen + s->hidden) / 2
                                 : (stride < s->count - 1 ? stride : s->count - 1);
}

static inline void shorten_settle_gallop(struct shortening *s, bool is_free)
{
    if (is_free)
        s->seen = s->to;
    else
        s->hidden = s->to;
    if (s->seen + 1 == s->hidden || s->seen + 1 == s->count)
        shorten_gallop(s, s->seen);
}

#ifdef BODIES
/* The shortest way through the points, of pairs that are not known to be blocked: aims at the
 * longest motion on it that is not proven, or, without one, takes that way. */
static inline void shorten_choose(struct shortening *s)
{
    f32 costs[SHORTEN_PAIRS_POINTS], longest = -1.0f;
    u32 before[SHORTEN_PAIRS_POINTS], next[SHORTEN_PAIRS_POINTS], kept = 0;
    const u32 last = s->count - 1;

    costs[0] = 0.0f;
    for (u32 j = 1; j <= last; j++) {
        // neighbours are joined by proven motions, so there is always a way
        before[j] = j - 1;
        costs[j] = costs[j - 1] + shorten_distance(s, j - 1, j);
        for (u32 i = 0; i + 1 < j; i++) {
            if ((s->hit[j] >> i) & 1u)
                continue;
            const f32 cost = costs[i] + shorten_distance(s, i, j);
            if (cost < costs[j]) {
                costs[j] = cost;
                before[j] = i;
            }
        }
    }
    for (u32 j = last; j > 0; j = before[j]) {
        const u32 i = before[j];
        next[i] = j;
        const f32 distance = shorten_distance(s, i, j);
        if (!((s->proven[j] >> i) & 1u) && distance > longest) {
            longest = distance;
            s->from = i;
            s->to = j;
        }
    }
    if (longest >= 0.0f)
        return;

    for (u32 i = 0;; i = next[i]) {
        shorten_move(s, kept++, i);
        if (i == last)
            break;
    }
    s->count = kept;
    shorten_sweep(s);
}

static inline void shorten_settle_choice(struct shortening *s, bool is_free)
{
    const u32 bit = 1u << s->from;
    if (is_free)
        s->proven[s->to] |= bit;
    else
        s->hit[s->to] |= bit;
    shorten_choose(s);
}
#endif

/* ---- motions ---- */

/* Begins with the points as they are; motions between neighbours are proven. */
static inline void shorten_begin(struct shortening *s)
{
    s->stage = SHORTEN_DONE;
    if (s->count < 3)
        return;
#ifdef BODIES
    if (s->count <= SHORTEN_PAIRS_POINTS) {
        s->stage = SHORTEN_CHOOSING;
        for (u32 j = 0; j < s->count; j++) {
            s->proven[j] = j > 0 ? 1u << (j - 1) : 0;
            s->hit[j] = 0;
        }
        shorten_choose(s);
        return;
    }
#endif
    s->stage = SHORTEN_GALLOPING;
    s->kept = 0;
    shorten_gallop(s, 0);
}

/* The motion to be checked next, from row a to row b; false: there is none, the path is done. */
static inline bool shorten_propose(struct shortening *s, f32 *a, f32 *b)
{
    const u32 i = s->corner;
    switch (s->stage) {
    case SHORTEN_GALLOPING:
        shorten_gallop_aim(s);
        row_load(a, s->points, s->from);
        row_load(b, s->points, s->to);
        return true;
    case SHORTEN_CHOOSING:
        row_load(a, s->points, s->from);
        row_load(b, s->points, s->to);
        return true;
    case SHORTEN_SLIDING:
        row_load(a, s->points, shorten_away(s));
        shorten_between(s, b, i, shorten_toward(s), s->fraction);
        return true;
    case SHORTEN_SLID:
        shorten_between(s, a, i, shorten_toward(s), s->free);
        row_load(b, s->points, shorten_toward(s));
        return true;
    case SHORTEN_CUTTING:
        shorten_between(s, a, i, i - 1, SHORTEN_CUT);
        shorten_between(s, b, i, i + 1, SHORTEN_CUT);
        return true;
    case SHORTEN_CUT_FIRST:
        row_load(a, s->points, i - 1);
        shorten_between(s, b, i, i - 1, SHORTEN_CUT);
        return true;
    case SHORTEN_CUT_SECOND:
        shorten_between(s, a, i, i + 1, SHORTEN_CUT);
        row_load(b, s->points, i + 1);
        return true;
    case SHORTEN_DONE:
        return false;
    }
    return false;
}

/* Goes on, the motion proposed being free or not. */
static inline void shorten_settle(struct shortening *s, bool is_free)
{
    switch (s->stage) {
    case SHORTEN_GALLOPING:
        shorten_settle_gallop(s, is_free);
        return;
    case SHORTEN_CHOOSING:
#ifdef BODIES
        shorten_settle_choice(s, is_free);
#endif
        return;
    case SHORTEN_SLIDING:
        shorten_settle_slide(s, is_free);
        return;
    case SHORTEN_SLID:
        if (is_free)
            shorten_slid(s);
        shorten_slide_end(s);
        return;
    case SHORTEN_CUTTING:
    case SHORTEN_CUT_FIRST:
    case SHORTEN_CUT_SECOND:
        if (is_free && s->stage != SHORTEN_CUT_LAST) {
            s->stage++;
            return;
        }
        if (is_free)
            shorten_cut(s);
        shorten_next(s);
        return;
    case SHORTEN_DONE:
        return;
    }
}

#endif
