/* How far the parts of a robot move within a stretch of a motion, at most.
 *
 * Over a whole motion a part moves no farther than T, the sum over joints of what they move times
 * the greatest distance that the part can have from them (robot_pairs.c), and so within a stretch
 * of half-width w, in fractions of the way, no farther than w T from where it is in the middle. Of
 * arms less is known: from the middle a point gets no farther than w |v| + w² A / 2, with v its
 * velocity there, joint by joint, and A bounding its acceleration. Two joints that turn a point by
 * a and b radians accelerate it by a · b times its distance from the outer one, so A ≤ 2 Ω T, with
 * Ω the radians that all joints turn. That is two fifths of w T in the mean: joints do not all move
 * a point the same way, nor at their greatest distance.
 *
 * Where T would prove a stretch free only in pieces, v may prove it as a whole. So that verdicts
 * are those of T alone, what the last pieces move by T is added: a stretch that is proven by v then
 * has nothing but pieces that T proves.
 *
 * -D LINKS=n, -D PAIRS=n: of the robot (robot_types.h). With -D BODIES of kinematics.h. -D RIGID,
 * -D WHOLE_TRAVEL: T alone. Cost: some 50 multiplications a body, link and near pair of bodies.
 */
#ifndef KERNELS_TRAVEL_H
#define KERNELS_TRAVEL_H

#include "kinematics.h"

#if !defined(LINKS) || !defined(PAIRS)
#error "LINKS and PAIRS must be the numbers of the robot's links and of pairs of them"
#endif
#if !defined(RIGID) && !defined(WHOLE_TRAVEL)
#define BY_SPEED
#endif

/* Roundings of a speed and of what follows from it, as a share of T. */
#define SPEED_ROUNDING 1e-5f
/* Roundings of a distance, as a share. */
#define KEPT_ROUNDING 2e-6f

/* How far links move, and pairs of links against each other, over a whole motion: metres. */
struct travel {
    f32 links[LINKS + 1];
    f32 pairs[PAIRS + 1];
    f32 together[PAIRS + 1]; /* the most of a pair of bodies' */
#ifdef BY_SPEED
    int moves;          /* 0: nothing does, and the rest is not known */
    f32 rates[BODIES];  /* what each body's joint does: radians or metres */
    f32 angles[BODIES]; /* what all joints up to a body turn */
    f32 last;           /* half-width of the last pieces */
#endif
};

/* A robot that stands still. */
static inline void travel_nothing(struct travel *travel)
{
    for (u32 l = 0; l < LINKS; l++)
        travel->links[l] = 0.0f;
    for (u32 p = 0; p < PAIRS; p++)
        travel->pairs[p] = travel->together[p] = 0.0f;
#ifdef BY_SPEED
    travel->moves = 0;
#endif
}

#ifdef BY_SPEED

/* Velocities of a body's frame: angular, and linear of its origin; a whole way in a unit of time.
 */
struct speed {
    struct lane_vec3 turn, move;
};

/* Stretches: half-widths, their squares, and what is added of T. */
struct stretch {
    lane_f32 width, squared, added;
};

/* The bodies' part of a motion. way: f32[DOF]; last: of struct travel. */
static inline void travel_rates(struct travel *travel, GLOBAL const struct body *bodies,
                                const f32 *way, f32 last)
{
    travel->moves = 1;
    travel->last = last;
    travel->rates[0] = travel->angles[0] = 0.0f;
    for (u32 b = 1; b < BODIES; b++) {
        const f32 rate = way[bodies[b].coordinate] * bodies[b].multiplier;
        travel->rates[b] = rate;
        travel->angles[b] = travel->angles[bodies[b].parent] +
                            (bodies[b].motion == BODY_TURNS ? f32_abs(rate) : 0.0f);
    }
}

static inline void stretch_make(struct stretch *stretch, const struct travel *travel,
                                lane_f32 width)
{
    stretch->width = width;
    stretch->squared = width * width;
    stretch->added = travel->last + SPEED_ROUNDING * width;
}

static inline struct lane_vec3 lane_minus(struct lane_vec3 a, struct lane_vec3 b)
{
    struct lane_vec3 d;
    d.x = a.x - b.x, d.y = a.y - b.y, d.z = a.z - b.z;
    return d;
}

static inline lane_f32 lane_length(struct lane_vec3 v)
{
    return f32_sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

/* The velocity of p, a point of the frame. */
static inline struct lane_vec3 speed_at(const struct speed *speed, const struct frame *frame,
                                        struct lane_vec3 p)
{
    const struct lane_vec3 w = speed->turn, r = lane_minus(p, frame->origin);
    struct lane_vec3 v;
    v.x = speed->move.x + (w.y * r.z - w.z * r.y);
    v.y = speed->move.y + (w.z * r.x - w.x * r.z);
    v.z = speed->move.z + (w.x * r.y - w.y * r.x);
    return v;
}

/* The speeds of all bodies. rates: f32[BODIES]. */
static inline void speeds_of(struct speed *speeds, const struct pose *pose,
                             GLOBAL const struct body *bodies, const f32 *rates)
{
    const lane_f32 none = pose->frames[0].origin.x * 0.0f;
    speeds[0].turn.x = speeds[0].turn.y = speeds[0].turn.z = none;
    speeds[0].move = speeds[0].turn;
    for (u32 b = 1; b < BODIES; b++) {
        const u32 parent = bodies[b].parent;
        const struct frame *frame = &pose->frames[b];
        struct speed *speed = &speeds[b];
        speed->turn = speeds[parent].turn;
        speed->move = speed_at(&speeds[parent], &pose->frames[parent], frame->origin);
        struct lane_vec3 *along = bodies[b].motion == BODY_SLIDES ? &speed->move : &speed->turn;
        along->x += rates[b] * frame->z.x;
        along->y += rates[b] * frame->z.y;
        along->z += rates[b] * frame->z.z;
    }
}

/* How far what is within `spread` of a point moves within a stretch. v, turn: velocities; whole: T;
 * angle: Ω. */
static inline lane_f32 stretch_reach(const struct stretch *stretch, struct lane_vec3 v,
                                     struct lane_vec3 turn, f32 spread, f32 whole, f32 angle)
{
    const lane_f32 speed = lane_length(v) + lane_length(turn) * spread;
    return lane_min(whole * stretch->width,
                    speed * stretch->width + whole * (angle * stretch->squared + stretch->added));
}

/* The lanes in which what is `away` from something convex, with velocity v, keeps more than `reach`
 * from it throughout a stretch: its distance is convex along its straight way, so it falls by no
 * more than w |n · v|, n along `away`. Whatever passes along a wall is proven in far longer
 * stretches than by how far it goes. */
static inline lane_i32 stretch_keeps_clear(const struct stretch *stretch, struct lane_vec3 away,
                                           struct lane_vec3 v, lane_f32 reach, f32 whole, f32 angle)
{
    const lane_f32 squared = away.x * away.x + away.y * away.y + away.z * away.z,
                   nearer = away.x * v.x + away.y * v.y + away.z * v.z;
    const lane_f32 kept =
        (reach + whole * (angle * stretch->squared + stretch->added)) * (1.0f + KEPT_ROUNDING);
    const lane_f32 least = squared - stretch->width * lane_abs(nearer);
    return (least > 0.0f) & (least * least > kept * kept * squared);
}

/* How far p moves at most, a point of a body. */
static inline lane_f32 moves_at_most(const struct stretch *stretch, const struct speed *speed,
                                     const struct frame *frame, struct lane_vec3 p, f32 spread,
                                     f32 whole, f32 angle)
{
    return stretch_reach(stretch, speed_at(speed, frame, p), speed->turn, spread, whole, angle);
}

/* The same of a point of body b in the frame of body a, which b hangs on; Ω: of the joints between.
 */
static inline lane_f32 moves_against(const struct stretch *stretch, const struct speed *speeds,
                                     const struct pose *pose, u32 a, u32 b, struct lane_vec3 p,
                                     f32 spread, f32 whole, f32 angle)
{
    const struct lane_vec3 turn = lane_minus(speeds[b].turn, speeds[a].turn);
    const struct lane_vec3 v = lane_minus(speed_at(&speeds[b], &pose->frames[b], p),
                                          speed_at(&speeds[a], &pose->frames[a], p));
    return stretch_reach(stretch, v, turn, spread, whole, angle);
}

#endif

/* A robot and how it moves. */
struct moving {
    const struct pose *pose;
    const struct travel *travel;
    lane_f32 width; /* each link moves at most travel->links[l] · width, pairs likewise */
#ifdef BY_SPEED
    struct stretch stretch;
    struct speed speeds[BODIES];
#endif
};

static inline void moving_make(struct moving *moving, GLOBAL const struct body *bodies)
{
#ifdef BY_SPEED
    if (!moving->travel->moves)
        return;
    stretch_make(&moving->stretch, moving->travel, moving->width);
    speeds_of(moving->speeds, moving->pose, bodies, moving->travel->rates);
#endif
}

/* How far link l, of the ball `about` with centre c, moves at most. */
static inline lane_f32 link_moves(const struct moving *moving, GLOBAL const struct body_link *link,
                                  u32 l, GLOBAL const struct body_ball *about, struct lane_vec3 c)
{
    const f32 whole = moving->travel->links[l];
#ifdef BY_SPEED
    if (moving->travel->moves)
        return moves_at_most(&moving->stretch, &moving->speeds[link->body],
                             &moving->pose->frames[link->body], c, about->spread, whole,
                             moving->travel->angles[link->body]);
#endif
    return whole * moving->width;
}

#endif
