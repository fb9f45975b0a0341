/* Certified motions of robots with spheres: intervals that are proven free as a whole.
 *
 * A motion is cut into intervals of about INTERVAL_LONG metres of movement. An interval is free
 * when the robot at its middle, every link grown by what it moves until the interval's ends and
 * every pair of links by what they move against each other, hits nothing: how far a link moves is
 * bounded through the chain of joints (robot.c). An interval that is not proven and whose middle is
 * free is cut into four. What is not proven when nothing moves by more than INTERVAL_SHORT counts
 * as hit, so nothing is ever passed over, and a motion that keeps more than that from everything is
 * free. One motion fills the lanes: its intervals are near each other, so balls reject them
 * together.
 *
 * With -D of bodies.h. Cost: one to two vectors of sixteen intervals a motion that is free.
 */
#ifndef KERNELS_INTERVALS_H
#define KERNELS_INTERVALS_H

#include "bodies.h"

/* Metres that any link moves within the first intervals, and within the last ones. */
#define INTERVAL_LONG 0.2f
#define INTERVAL_SHORT 1e-4f
/* First intervals come in multiples of this, and are tested so many abreast. */
#define INTERVALS_ABREAST 16u
#define INTERVALS_FIRST_MAX (1u << 14)
#define INTERVAL_PARTS 4u
#define INTERVAL_LEVELS_MAX 8u
/* Intervals of a motion at most; one that takes more is not free. */
#define INTERVALS_MAX (1u << 17)
/* Rounding of a fraction of the way. */
#define FRACTION_ROUNDING 1.2e-7f
/* Intervals that wait: of all levels but the last each lane leaves at most 3 of 4 parts behind. */
#define INTERVALS_WAITING (INTERVAL_PARTS * INTERVAL_LEVELS_MAX * (u32)BODY_LANES)

/* A motion cut up. */
struct motion {
    f32 from[ROW], way[ROW]; /* row at fraction t: from + t · way; a quaternion by its two ends */
#ifdef QUATERNION
    f32 to[ROW], half_angle;
#endif
    struct travel travel;
    u32 first;  /* intervals of level 0 */
    u32 levels; /* the last level */
};

/* An interval: its number among those of its level. */
struct interval {
    u32 number, level;
};

/* How far links and pairs move over the whole motion; returns the most. */
static inline f32 motion_travel(const struct scene *scene, struct motion *motion)
{
    f32 most = 0.0f;
    for (u32 l = 0; l < LINKS; l++) {
        GLOBAL const f32 *reach = scene->link_reach + (size_t)l * DOF;
        f32 moved = 0.0f;
#ifdef RIGID
        // the reference point's way, and the turn about it
        f32 squared = 0.0f;
        for (u32 c = 0; c < RIGID; c++)
            squared += motion->way[c] * reach[c] * (motion->way[c] * reach[c]);
        moved = f32_sqrt(squared);
#ifdef QUATERNION
        moved += 2.0f * motion->half_angle * reach[QUATERNION];
#else
        moved += f32_abs(motion->way[RIGID]) * reach[RIGID];
#endif
#else
        for (u32 c = 0; c < DOF; c++)
            moved += f32_abs(motion->way[c]) * reach[c];
#endif
        motion->travel.links[l] = moved;
        most = f32_max(most, moved);
    }
    for (u32 p = 0; p < PAIRS; p++) {
        GLOBAL const f32 *reach = scene->pair_reach + (size_t)p * DOF;
        f32 moved = 0.0f;
        for (u32 c = 0; c < DOF; c++)
            moved += f32_abs(motion->way[c]) * reach[c];
        motion->travel.pairs[p] = moved;
        most = f32_max(most, moved);
    }
    for (u32 i = 0; i < scene->body_pair_count; i++) {
        f32 moved = 0.0f;
        for (u32 p = scene->body_pairs[i].first; p < scene->body_pairs[i].end; p++)
            moved = f32_max(moved, motion->travel.pairs[p]);
        motion->travel.together[i] = moved;
    }
    return most;
}

/* The motion between two rows, the same both ways. */
static inline void motion_make(const struct scene *scene, struct motion *motion, const f32 *a,
                               const f32 *b)
{
    u32 c = 0;
    while (c + 1 < DOF && a[c] == b[c])
        c++;
    const f32 *from = a[c] > b[c] ? b : a, *to = a[c] > b[c] ? a : b;
    for (c = 0; c < ROW; c++) {
        motion->from[c] = from[c];
        motion->way[c] = c < SCALARS ? metric_short(c, to[c] - from[c]) : 0.0f;
    }
#ifdef QUATERNION
    for (c = 0; c < ROW; c++)
        motion->to[c] = to[c];
    motion->half_angle = 0.5f * rotation_between(from + QUATERNION, to + QUATERNION);
#endif
    const f32 most = motion_travel(scene, motion);
    const f32 wanted =
        f32_min(most / INTERVAL_LONG, (f32)(INTERVALS_FIRST_MAX - INTERVALS_ABREAST));
    motion->first = ((u32)wanted / INTERVALS_ABREAST + 1) * INTERVALS_ABREAST;
    motion->levels = 0;
    for (f32 moved = most / (f32)motion->first;
         moved > INTERVAL_SHORT && motion->levels < INTERVAL_LEVELS_MAX; motion->levels++)
        moved /= (f32)INTERVAL_PARTS;
#ifdef BY_SPEED
    const f32 parts = (f32)motion->first * (f32)(1u << (2 * motion->levels));
    travel_rates(&motion->travel, scene->bodies, motion->way, 0.5f / parts + FRACTION_ROUNDING);
#endif
}

/* The rows at fractions t. row: lane_f32[DOF]. */
static inline void motion_rows(lane_f32 *row, const struct motion *motion, lane_f32 t)
{
    for (u32 c = 0; c < SCALARS; c++)
        row[c] = motion->from[c] + t * motion->way[c];
#ifdef QUATERNION
    f32 dot = 0.0f;
    for (u32 i = QUATERNION; i < QUATERNION + 4; i++)
        dot += motion->from[i] * motion->to[i];
    const f32 sine = f32_sin(motion->half_angle), sign = dot < 0.0f ? -1.0f : 1.0f;
    lane_f32 from = 1.0f - t, to = t, unused;
    if (sine > 1e-4f) {
        lane_sincos((1.0f - t) * motion->half_angle, &from, &unused);
        lane_sincos(t * motion->half_angle, &to, &unused);
        from /= sine;
        to /= sine;
    }
    for (u32 i = QUATERNION; i < QUATERNION + 4; i++)
        row[i] = from * motion->from[i] + to * (sign * motion->to[i]);
#endif
}

/* Takes up to BODY_LANES intervals, waiting ones before new ones; returns how many. started: first
 * intervals begun with so far, one from each sixteenth of the motion in turn. */
static inline u32 intervals_take(struct interval *taken, struct interval *waiting,
                                 u32 *waiting_count, u32 *started, const struct motion *motion)
{
    u32 count = 0;
    while (count<BODY_LANES && * waiting_count> 0)
        taken[count++] = waiting[--*waiting_count];
    for (; count < BODY_LANES && *started < motion->first; ++*started) {
        const u32 apart = motion->first / INTERVALS_ABREAST;
        taken[count].number = *started % INTERVALS_ABREAST * apart + *started / INTERVALS_ABREAST;
        taken[count++].level = 0;
    }
    return count;
}

/* Whether every interval of the motion is proven free. */
static inline int motion_is_free(const struct scene *scene, const struct motion *motion)
{
    struct interval waiting[INTERVALS_WAITING], taken[BODY_LANES];
    u32 waiting_count = 0, started = 0, tested = 0;
    struct pose pose;
    lane_f32 row[DOF];

    for (;;) {
        f32 middles[BODY_LANES], widths[BODY_LANES];
        const u32 count = intervals_take(taken, waiting, &waiting_count, &started, motion);
        if (count == 0)
            return 1;
        tested += count;
        if (tested > INTERVALS_MAX)
            return 0;
        for (u32 lane = 0; lane < BODY_LANES; lane++) {
            const struct interval interval = taken[lane < count ? lane : 0];
            const f32 parts = (f32)(motion->first << (2 * interval.level));
            middles[lane] = ((f32)interval.number + 0.5f) / parts;
            widths[lane] = 0.5f / parts + FRACTION_ROUNDING;
        }

        // proven, free in the middle at least, or struck
        motion_rows(row, motion, lane_load(middles));
        pose_of(&pose, scene->bodies, row);
        struct findings found = {lane_first(0), 0, 0};
        bodies_hit(scene, &found, &pose, row, &motion->travel, lane_load(widths),
                   lane_first(count));
        if (found.struck)
            return 0;

        const u32 bits = lane_bits(found.hit);
        for (u32 lane = 0; lane < count; lane++) {
            if (!((bits >> lane) & 1u))
                continue;
            if (taken[lane].level == motion->levels ||
                waiting_count + INTERVAL_PARTS > INTERVALS_WAITING)
                return 0;
            for (u32 part = 0; part < INTERVAL_PARTS; part++) {
                waiting[waiting_count].number = taken[lane].number * INTERVAL_PARTS + part;
                waiting[waiting_count++].level = taken[lane].level + 1;
            }
        }
    }
}

#endif
