/* Which of several configurations of a robot with spheres hit something, or may while they move by
 * stated bounds.
 *
 * Balls first: the ball about a link against an obstacle, then those about groups of spheres, then
 * the spheres; pairs of bodies and of their links in the same way, those that two joints move
 * against each other by a table. A ball is left with all within it as soon as it is
 * near in no lane. Where the vicinity is known, a link's ball is looked up there first: most
 * are surely free of all solids. A ball hits what is not farther than its radius, the margin, the
 * obstacle's padding and what it may move. Of motions it matters which lanes hit something, and
 * whether one does without moving, which ends the check: a sphere that may hit something is asked
 * for at rest, too, so that one pass tells both, and then by its velocity (travel.h). A lane that
 * hits goes on at rest. Obstacles are all tried where they are few, else those in the tiles that
 * the balls touch. Distances are those of points to solids in lanes; polygons, triangles, grids and
 * fields are asked lane by lane.
 *
 * OpenCL compilers for CPUs copy each function to every place that it is called from, so each of
 * these is called from one.
 *
 * With -D LINKS, PAIRS … of travel.h.
 */
#ifndef KERNELS_BODIES_H
#define KERNELS_BODIES_H

#include "broad_phase.h"
#include "clearances.h"
#include "kinematics.h"
#include "scene.h"
#include "shape_lanes.h"
#include "travel.h"
#include "vicinity.h"

/* What is found of the lanes as the robot is checked against one thing after another. */
struct findings {
    lane_i32 hit; /* lanes that hit something while they move as they may */
    int each;     /* whether each lane's is asked for; else nothing matters once a lane is struck */
    int struck;   /* whether a lane hits something without moving */
};

/* The active lanes that are still asked for. */
static inline lane_i32 findings_asked(const struct findings *found, lane_i32 active)
{
    return found->each ? active & lane_not(found->hit) : active;
}

/* Takes lanes in which something is hit at rest; returns whether that ends the check. */
static inline int findings_strike(struct findings *found, lane_i32 at_rest)
{
    if (found->each || !lane_any(at_rest))
        return 0;
    found->hit |= at_rest;
    found->struck = 1;
    return 1;
}

static inline struct lane_vec3 ball_center(const struct frame *frame,
                                           GLOBAL const struct body_ball *ball)
{
    return frame_point(frame, ball->center[0], ball->center[1], ball->center[2]);
}

/* Of the lanes in which a sphere of link l at p, of so much reach, is near a shape though it does
 * not hit it at rest, those in which it may while it moves. */
static inline lane_i32 shape_nears(const struct scene *scene, const struct moving *moving,
                                   GLOBAL const struct shape *shape, u32 l, struct lane_vec3 p,
                                   f32 reach, lane_i32 near)
{
#ifdef BY_SPEED
    const u32 body = scene->links[l].body;
    if (!moving->travel->moves || shape->kind > SHAPE_CAPSULE)
        return near;
    const struct lane_vec3 own = shape_own_lanes(shape, p),
                           v = speed_at(&moving->speeds[body], &moving->pose->frames[body], p);
    const lane_f32 largest = lane_max(lane_max(lane_abs(own.x), lane_abs(own.y)), lane_abs(own.z));
    const f32 rounded =
        shape->kind == SHAPE_SPHERE || shape->kind == SHAPE_CAPSULE ? shape->radius : 0.0f;
    near &= lane_not(stretch_keeps_clear(
        &moving->stretch, shape_away(shape, own), shape_own_direction(shape, v.x, v.y, v.z),
        (reach + shape->padding + rounded) + shape->rounding * largest, moving->travel->links[l],
        moving->travel->angles[body]));
#endif
    return near;
}

/* Finds the active lanes in which link l hits shape `index`. c: the centre of the ball about it;
 * *moved: what the link may move; lanes that hit something go on at rest. */
static inline void link_hits_shape(const struct scene *scene, struct findings *found,
                                   const struct moving *moving, u32 index, u32 l,
                                   struct lane_vec3 c, lane_f32 *moved, struct lane_vec3 home,
                                   lane_i32 active)
{
    GLOBAL const struct shape *shape = scene->shapes + index;
    GLOBAL const struct body_link *link = scene->links + l;
    const struct frame *frame = &moving->pose->frames[link->body];
    const f32 about_link = scene->balls[link->ball_first].radius;
    lane_i32 near[BALL_LEVELS + 1], waiting = active;
    struct lane_vec3 about;
    int at_rest = 0; // whether the same sphere is asked for again, at rest
    about.x = shape->center[0], about.y = shape->center[1], about.z = shape->center[2];
    // most are far: the ball about the shape is asked first
    near[0] = points_near(
        c, about, scene->margin + *moved + (about_link + shape->padding + shape->around), active);
    if (!lane_any(near[0]))
        return;
    for (u32 b = link->ball_first; b < link->ball_end;) {
        GLOBAL const struct body_ball *ball = scene->balls + b;
        const u32 level = ball->level;
        const struct lane_vec3 p = level == 0 ? c : ball_center(frame, ball);
        const lane_f32 may_move = at_rest ? *moved * 0.0f : *moved;
        lane_i32 hit = shape_near(scene, shape, p, scene->margin + may_move + ball->radius, home,
                                  at_rest ? waiting : findings_asked(found, near[level]));
        near[level + 1] = hit;
        if (!at_rest && !lane_any(hit)) {
            b = ball->next;
            continue;
        }
        if (!at_rest && level == 0 && is_allowed(scene, link->link, shape->obstacle))
            return;
        if (ball->sphere != NONE_U32) {
            if (!found->each && !at_rest) {
                waiting = hit;
                at_rest = 1;
                continue;
            }
            if (findings_strike(found, hit))
                return;
            if (at_rest)
                hit =
                    shape_nears(scene, moving, shape, l, p, scene->margin + ball->radius, waiting);
            at_rest = 0;
            found->hit |= hit;
            *moved = lane_select(*moved, 0.0f, found->hit);
        }
        b++;
    }
}

/* The tiles about the link's ball in the active lanes. */
static inline void balls_tiles(struct tile_box *box, GLOBAL const struct tile_grid *tiles,
                               struct lane_vec3 c, lane_f32 reach, lane_i32 active)
{
    f32 x[BODY_LANES], y[BODY_LANES], z[BODY_LANES], r[BODY_LANES];
    const u32 bits = lane_bits(active);
    struct vec3 low = vec3_make(GEOMETRY_INFINITY, GEOMETRY_INFINITY, GEOMETRY_INFINITY);
    struct vec3 high = vec3_make(-GEOMETRY_INFINITY, -GEOMETRY_INFINITY, -GEOMETRY_INFINITY);
    lane_store(c.x, x);
    lane_store(c.y, y);
    lane_store(c.z, z);
    lane_store(reach, r);
    for (u32 lane = 0; lane < BODY_LANES; lane++) {
        if (!((bits >> lane) & 1u))
            continue;
        low.x = f32_min(low.x, x[lane] - r[lane]);
        low.y = f32_min(low.y, y[lane] - r[lane]);
        low.z = f32_min(low.z, z[lane] - r[lane]);
        high.x = f32_max(high.x, x[lane] + r[lane]);
        high.y = f32_max(high.y, y[lane] + r[lane]);
        high.z = f32_max(high.z, z[lane] + r[lane]);
    }
    tile_box_about(box, tiles, low, high, 0.0f);
}

/* Finds the active lanes in which the link, which may move by `moved`, hits the world. Obstacles
 * come in rows of tiles, and one row of those that are in no tile: grids and fields, or all where
 * they are few, or those that the vicinity knows to be near. unsure: those of the active lanes in
 * which it can hit a solid. */
static inline void link_hits_world(const struct scene *scene, struct findings *found,
                                   const struct moving *moving, u32 l, f32 radius,
                                   struct lane_vec3 c, lane_f32 moved, struct lane_vec3 home,
                                   lane_i32 active, lane_i32 unsure)
{
    const u32 solids = scene->shape_count - scene->grid_count;
    const int few = solids <= BODIES_OBSTACLES_FEW, near_any = lane_any(unsure);
    struct tile_box box;
    u32 rows = 0, wide = 1;
    u64 near = 0;
    const int known =
        near_any && scene->has_vicinity &&
        vicinity_near(&near, scene->vicinity, c, scene->margin + moved + radius, unsure);
    if (!few && !known && near_any) {
        balls_tiles(&box, scene->tiles, c, scene->margin + moved + radius, unsure);
        wide = box.high[1] - box.low[1] + 1;
        rows = wide * (box.high[2] - box.low[2] + 1);
    }

    for (u32 r = 0; r <= rows; r++) {
        const int untiled = r == rows;
        u32 from = (few || known) && near_any ? 0 : solids,
            to = scene->shape_count + scene->field_count;
        if (!untiled) {
            const u32 row = tile_row(scene->tiles, box.low[1] + r % wide, box.low[2] + r / wide);
            from = scene->tile_offsets[row + box.low[0]];
            to = scene->tile_offsets[row + box.high[0] + 1];
        }
        for (u32 m = from; m < to; m++) {
            // on to the next that is near
            if (known && m < solids) {
                m = near >> m ? m + vicinity_lowest(near >> m) : solids;
                if (m >= to)
                    break;
            }
            const lane_i32 asked = untiled && m >= solids ? active : unsure;
            link_hits_shape(scene, found, moving, untiled ? m : scene->tile_members[m], l, c,
                            &moved, home, findings_asked(found, asked));
            if (found->struck)
                return;
        }
    }
}

/* Two links that may touch: what they move against each other over the whole motion, and the
 * radians that joints between them turn (travel.h). */
struct approach {
    const struct moving *moving;
    u32 body_a; /* the first one's body */
    f32 whole, angle;
};

/* Finds the lanes in which a sphere of link a at p touches link b, of those in which it is near its
 * ball. *moved: what they may move against each other. */
static inline void sphere_touches(const struct scene *scene, struct findings *found,
                                  const struct approach *approach, struct lane_vec3 p, f32 radius,
                                  GLOBAL const struct body_link *b, lane_f32 *moved,
                                  lane_i32 active)
{
    const struct moving *moving = approach->moving;
    const struct frame *frame = &moving->pose->frames[b->body];
    lane_i32 near[BALL_LEVELS + 1];
    near[0] = active;
    for (u32 i = b->ball_first; i < b->ball_end;) {
        GLOBAL const struct body_ball *ball = scene->balls + i;
        const u32 level = ball->level;
        const struct lane_vec3 q = ball_center(frame, ball);
        const f32 radii = radius + ball->radius;
        lane_i32 hit = findings_asked(found, near[level]);
        if (level > 0 || ball->sphere != NONE_U32)
            hit = points_near(p, q, scene->margin + *moved + radii, hit);
        near[level + 1] = hit;
        if (!lane_any(hit)) {
            i = ball->next;
            continue;
        }
        if (ball->sphere != NONE_U32) {
            if (findings_strike(found,
                                points_near(p, q, scene->margin + *moved * 0.0f + radii, hit)))
                return;
#ifdef BY_SPEED
            const u32 body = approach->body_a;
            if (moving->travel->moves) {
                const struct lane_vec3 v =
                    lane_minus(speed_at(&moving->speeds[body], &moving->pose->frames[body], p),
                               speed_at(&moving->speeds[b->body], frame, q));
                hit &= lane_not(stretch_keeps_clear(&moving->stretch, lane_minus(p, q), v,
                                                    scene->margin + radii + *moved * 0.0f,
                                                    approach->whole, approach->angle));
            }
#endif
            found->hit |= hit;
            *moved = lane_select(*moved, 0.0f, found->hit);
        }
        i++;
    }
}

/* Finds the lanes in which two links touch, of those in which the balls about them do. q: the
 * centre of b's; moved: what they may move against each other. */
static inline void links_touch(const struct scene *scene, struct findings *found,
                               const struct approach *approach, GLOBAL const struct body_link *a,
                               GLOBAL const struct body_link *b, struct lane_vec3 q, lane_f32 moved,
                               lane_i32 active)
{
    const struct frame *frame = &approach->moving->pose->frames[a->body];
    const f32 about_b = scene->balls[b->ball_first].radius;
    lane_i32 near[BALL_LEVELS + 1];
    near[0] = active;
    for (u32 i = a->ball_first; i < a->ball_end && !found->struck;) {
        GLOBAL const struct body_ball *ball = scene->balls + i;
        const u32 level = ball->level;
        const struct lane_vec3 p = ball_center(frame, ball);
        near[level + 1] = findings_asked(found, near[level]);
        if (level > 0)
            near[level + 1] = points_near(p, q, scene->margin + moved + (ball->radius + about_b),
                                          near[level + 1]);
        if (!lane_any(near[level + 1])) {
            i = ball->next;
            continue;
        }
        if (ball->sphere != NONE_U32)
            sphere_touches(scene, found, approach, p, ball->radius, b, &moved, near[level + 1]);
        i++;
    }
}

/* Finds the active lanes in which links of two bodies touch while they move against each other at
 * most their share of the whole travel, and at most `most`. centers: of the balls about links. */
static inline void bodies_touch(const struct scene *scene, struct findings *found,
                                const struct moving *moving, GLOBAL const struct body_pair *bodies,
                                const struct lane_vec3 *centers, lane_f32 most, lane_i32 active)
{
    struct approach approach;
    approach.moving = moving;
#ifdef BY_SPEED
    const f32 *angles = moving->travel->angles;
    approach.angle = bodies->spread >= 0.0f ? angles[bodies->b] - angles[bodies->a]
                                            : angles[bodies->b] + angles[bodies->a];
#endif
    for (u32 p = bodies->first; p < bodies->end && !found->struck; p++) {
        const u32 first = scene->pairs[p].a, second = scene->pairs[p].b;
        GLOBAL const struct body_link *a = scene->links + first, *b = scene->links + second;
        approach.whole = moving->travel->pairs[p];
        approach.body_a = a->body;
        const lane_f32 moved =
            lane_select(lane_min(approach.whole * moving->width, most), 0.0f, found->hit);
        const f32 radii = scene->balls[a->ball_first].radius + scene->balls[b->ball_first].radius;
        const lane_i32 near =
            points_near(centers[first], centers[second], scene->margin + moved + radii,
                        findings_asked(found, active));
        if (lane_any(near))
            links_touch(scene, found, &approach, a, b, centers[second], moved, near);
    }
}

/* The active lanes in which two bodies may touch, by their table of clearances or by the balls
 * about them. middles: of these; *most: how far they move against each other, at most. */
static inline lane_i32 bodies_near(const struct scene *scene, const struct findings *found,
                                   const struct moving *moving, u32 number, const lane_f32 *row,
                                   const struct lane_vec3 *middles, lane_f32 *most, lane_i32 active)
{
    GLOBAL const struct body_pair *pair = scene->body_pairs + number;
    const int by_table = scene->has_clearances && pair->table != NONE_U32;
    const f32 radii = scene->bodies[pair->a].radius + scene->bodies[pair->b].radius;
    const f32 whole = moving->travel->together[number];
    lane_f32 clearance = moving->width;
    lane_i32 near = findings_asked(found, active);
    if (by_table)
        clearance = clearance_known(scene->clearances, pair, row);
    *most = whole * moving->width;

    // speeds are asked for where the whole travel is not enough
    for (u32 asked = 0; asked < 2 && lane_any(near); asked++) {
        if (asked == 1) {
#ifdef BY_SPEED
            const struct travel *travel = moving->travel;
            if (!travel->moves || !(pair->spread >= 0.0f))
                return near;
            *most = moves_against(&moving->stretch, moving->speeds, moving->pose, pair->a, pair->b,
                                  middles[pair->b], pair->spread, whole,
                                  travel->angles[pair->b] - travel->angles[pair->a]);
#else
            return near;
#endif
        }
        const lane_f32 grown = scene->margin + lane_select(*most, 0.0f, found->hit);
        if (by_table)
            near &= clearance <= grown;
        else
            near = points_near(middles[pair->a], middles[pair->b], grown + radii, near);
    }
    return near;
}

/* Finds the active lanes in which the robot hits itself: the tables of clearances first, then the
 * balls about bodies. centers: of the balls about links. */
static inline void bodies_hit_each_other(const struct scene *scene, struct findings *found,
                                         const struct moving *moving, const lane_f32 *row,
                                         const struct lane_vec3 *centers, lane_i32 active)
{
    struct lane_vec3 middles[BODIES];
    for (u32 b = 0; b < BODIES; b++) {
        GLOBAL const f32 *center = scene->bodies[b].center;
        middles[b] = frame_point(&moving->pose->frames[b], center[0], center[1], center[2]);
    }
    for (u32 i = 0; i < scene->body_pair_count && !found->struck; i++) {
        lane_f32 most;
        const lane_i32 near = bodies_near(scene, found, moving, i, row, middles, &most, active);
        if (lane_any(near))
            bodies_touch(scene, found, moving, scene->body_pairs + i, centers, most, near);
    }
}

/* Finds the active lanes whose robot hits the world or itself while each link moves at most
 * travel.links[l] · width, and each pair against each other travel.pairs[p] · width. row: what the
 * pose is of; found: with `each` set or not, and nothing found. */
static inline void bodies_hit(const struct scene *scene, struct findings *found,
                              const struct pose *pose, const lane_f32 *row,
                              const struct travel *travel, lane_f32 width, lane_i32 active)
{
    const struct lane_vec3 home = pose->frames[BODIES - 1].origin;
    struct lane_vec3 centers[LINKS + 1];
    struct moving moving;
    moving.pose = pose;
    moving.travel = travel;
    moving.width = width;
    moving_make(&moving, scene->bodies);

    // links at the far end first: they hit most often
    for (u32 l = LINKS; l-- > 0;) {
        GLOBAL const struct body_link *link = scene->links + l;
        GLOBAL const struct body_ball *ball = scene->balls + link->ball_first;
        const struct frame *frame = &pose->frames[link->body];
        centers[l] = ball_center(frame, ball);
        if (link->body == 0)
            continue;
        const lane_f32 moved =
            lane_select(link_moves(&moving, link, l, ball, centers[l]), 0.0f, found->hit);
        const lane_i32 asked = findings_asked(found, active);
        lane_i32 unsure = asked;
        if (scene->has_vicinity)
            unsure = vicinity_unsure(scene->vicinity, centers[l],
                                     scene->margin + moved + ball->radius, asked);
        link_hits_world(scene, found, &moving, l, ball->radius, centers[l], moved, home, asked,
                        unsure);
        if (found->struck || !lane_any(findings_asked(found, active)))
            return;
    }
    bodies_hit_each_other(scene, found, &moving, row, centers, active);
}

#endif
