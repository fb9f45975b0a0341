/* Which of several configurations of a robot with spheres hit something, or may while they move by
 * stated bounds.
 *
 * Balls first: the ball about a link against an obstacle, then those about groups of spheres, then
 * the spheres; pairs of bodies and of their links in the same way, those that two joints move
 * against each other by a table. A ball is left with all within it as soon as it is
 * near in no lane. Where the vicinity is known, a link's ball is looked up there first: most
 * are surely free of all solids. A ball hits what is not farther than its radius, the margin, the
 * obstacle's padding and what it may move. Of motions it matters which lanes hit something, and
 * whether one does without moving, which ends the check: a lane that hits goes on at rest, so that
 * one pass tells both. Obstacles are all tried where they are few, else those in the tiles that the
 * balls touch. Distances are those of points to solids in lanes; polygons, triangles, grids and
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
#include "field.h"
#include "geometry.h"
#include "grid.h"
#include "kinematics.h"
#include "scene.h"
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

/* Takes the lanes in which a sphere hits something. *moved: what it may move; where a lane is known
 * to hit something moving, it is asked for at rest from then on. Returns whether the same sphere is
 * to be asked for again: it may be that it hits at rest. */
static inline int findings_take(struct findings *found, lane_i32 near, lane_f32 *moved)
{
    const int struck = !found->each && lane_any(near & found->hit);
    found->hit |= near;
    found->struck |= struck;
    if (found->each || struck)
        return 0;
    *moved = lane_select(*moved, 0.0f, found->hit);
    return 1;
}

/* p of the local frame in the shape's own frame. */
static inline struct lane_vec3 shape_own_lanes(GLOBAL const struct shape *shape, struct lane_vec3 p)
{
    GLOBAL const f32 *m = shape->rotation;
    const lane_f32 x = p.x - shape->center[0], y = p.y - shape->center[1],
                   z = p.z - shape->center[2];
    struct lane_vec3 own;
    own.x = m[0] * x + m[3] * y + m[6] * z;
    own.y = m[1] * x + m[4] * y + m[7] * z;
    own.z = m[2] * x + m[5] * y + m[8] * z;
    return own;
}

/* Whether one point keeps more than `reach` from a padded shape that has no form in lanes. home:
 * the robot's reference point, whose class of terrain it keeps to. */
static inline int shape_point_is_clear(const struct scene *scene, GLOBAL const struct shape *shape,
                                       struct vec3 p, f32 reach, struct vec3 home)
{
    if (shape->kind == SHAPE_FIELD)
        return field_point_is_clear(scene->fields + shape->first, scene->field_values, p, reach);
    if (shape->kind == SHAPE_GRID) {
        GLOBAL const struct grid *grid = scene->grids + shape->first;
        const struct vec3 at = grid_own(grid, p), from = grid_own(grid, home);
        const u32 kind =
            grid_class(grid, scene->cells, (i32)f32_floor(from.x), (i32)f32_floor(from.y));
        return grid_class(grid, scene->cells, (i32)f32_floor(at.x), (i32)f32_floor(at.y)) == kind &&
               grid_point_is_clear(grid, scene->cells, scene->field_values, p, reach);
    }
    return shape_segment_distance(shape, scene->polygons, p, p, reach) > reach;
}

/* The active lanes in which p is not farther than `reach` from the padded shape, lane by lane. */
static inline lane_i32 shape_near_each(const struct scene *scene, GLOBAL const struct shape *shape,
                                       struct lane_vec3 p, lane_f32 reach, struct lane_vec3 home,
                                       lane_i32 active)
{
    f32 x[BODY_LANES], y[BODY_LANES], z[BODY_LANES], r[BODY_LANES], u[BODY_LANES], v[BODY_LANES],
        near[BODY_LANES];
    const u32 bits = lane_bits(active);
    lane_store(p.x, x);
    lane_store(p.y, y);
    lane_store(p.z, z);
    lane_store(reach, r);
    lane_store(home.x, u);
    lane_store(home.y, v);
    for (u32 lane = 0; lane < BODY_LANES; lane++) {
        near[lane] = 0.0f;
        if ((bits >> lane) & 1u)
            near[lane] = shape_point_is_clear(scene, shape, vec3_make(x[lane], y[lane], z[lane]),
                                              r[lane], vec3_make(u[lane], v[lane], 0.0f))
                             ? 0.0f
                             : 1.0f;
    }
    return active & (lane_load(near) > 0.0f);
}

/* The active lanes in which p is not farther than `reach` from the padded shape. Squares are
 * compared: their rounding is within the robot's margin. */
static inline lane_i32 shape_near(const struct scene *scene, GLOBAL const struct shape *shape,
                                  struct lane_vec3 p, lane_f32 reach, struct lane_vec3 home,
                                  lane_i32 active)
{
    const struct lane_vec3 own = shape_own_lanes(shape, p);
    const lane_f32 ax = lane_abs(own.x), ay = lane_abs(own.y), az = lane_abs(own.z);
    const lane_f32 padded = reach + shape->padding;
    const lane_f32 limit = padded + shape->rounding * lane_max(lane_max(ax, ay), az);
    lane_f32 x = ax, y = ay, z = az, within = limit + shape->radius;

    switch (shape->kind) {
    case SHAPE_SPHERE:
        break;
    case SHAPE_CAPSULE:
        z = lane_max(az - shape->half_size[2], 0.0f);
        break;
    case SHAPE_CYLINDER:
        x = lane_max(f32_sqrt(ax * ax + ay * ay) - shape->radius, 0.0f);
        y = x * 0.0f;
        z = lane_max(az - shape->half_size[2], 0.0f);
        within = limit;
        break;
    case SHAPE_BOX:
        x = lane_max(ax - shape->half_size[0], 0.0f);
        y = lane_max(ay - shape->half_size[1], 0.0f);
        z = lane_max(az - shape->half_size[2], 0.0f);
        within = limit;
        break;
    default:
        return shape_near_each(scene, shape, p, padded, home, active);
    }
    return active & (x * x + y * y + z * z <= within * within);
}

/* The active lanes in which two points are not farther apart than `reach`. */
static inline lane_i32 points_near(struct lane_vec3 p, struct lane_vec3 q, lane_f32 reach,
                                   lane_i32 active)
{
    const lane_f32 x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
    return active & (x * x + y * y + z * z <= reach * reach);
}

static inline struct lane_vec3 ball_center(const struct frame *frame,
                                           GLOBAL const struct body_ball *ball)
{
    return frame_point(frame, ball->center[0], ball->center[1], ball->center[2]);
}

/* Finds the active lanes in which the link hits shape `index`. c: the centre of the ball about it;
 * *moved: what the link may move. */
static inline void link_hits_shape(const struct scene *scene, struct findings *found, u32 index,
                                   GLOBAL const struct body_link *link, const struct frame *frame,
                                   struct lane_vec3 c, lane_f32 *moved, struct lane_vec3 home,
                                   lane_i32 active)
{
    GLOBAL const struct shape *shape = scene->shapes + index;
    const f32 about_link = scene->balls[link->ball_first].radius;
    lane_i32 near[BALL_LEVELS + 1];
    struct lane_vec3 about;
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
        near[level + 1] = shape_near(scene, shape, p, scene->margin + *moved + ball->radius, home,
                                     findings_asked(found, near[level]));
        if (!lane_any(near[level + 1])) {
            b = ball->next;
            continue;
        }
        if (level == 0 && is_allowed(scene, link->link, shape->obstacle))
            return;
        if (ball->sphere != NONE_U32 && findings_take(found, near[level + 1], moved))
            continue;
        if (found->struck)
            return;
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
                                   GLOBAL const struct body_link *link, f32 radius,
                                   const struct frame *frame, struct lane_vec3 c, lane_f32 moved,
                                   struct lane_vec3 home, lane_i32 active, lane_i32 unsure)
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
            link_hits_shape(scene, found, untiled ? m : scene->tile_members[m], link, frame, c,
                            &moved, home, findings_asked(found, asked));
            if (found->struck)
                return;
        }
    }
}

/* Finds the lanes in which a sphere at p touches link b, of those in which it is near its ball.
 * *moved: what they may move against each other. */
static inline void sphere_touches(const struct scene *scene, struct findings *found,
                                  struct lane_vec3 p, f32 radius, GLOBAL const struct body_link *b,
                                  const struct frame *frame, lane_f32 *moved, lane_i32 active)
{
    lane_i32 near[BALL_LEVELS + 1];
    near[0] = active;
    for (u32 i = b->ball_first; i < b->ball_end;) {
        GLOBAL const struct body_ball *ball = scene->balls + i;
        const u32 level = ball->level;
        near[level + 1] = findings_asked(found, near[level]);
        if (level > 0 || ball->sphere != NONE_U32)
            near[level + 1] =
                points_near(p, ball_center(frame, ball),
                            scene->margin + *moved + (radius + ball->radius), near[level + 1]);
        if (!lane_any(near[level + 1])) {
            i = ball->next;
            continue;
        }
        if (ball->sphere != NONE_U32 && findings_take(found, near[level + 1], moved))
            continue;
        if (found->struck)
            return;
        i++;
    }
}

/* Finds the lanes in which two links touch, of those in which the balls about them do. q: the
 * centre of b's; moved: what they may move against each other. */
static inline void links_touch(const struct scene *scene, struct findings *found,
                               const struct pose *pose, GLOBAL const struct body_link *a,
                               GLOBAL const struct body_link *b, struct lane_vec3 q, lane_f32 moved,
                               lane_i32 active)
{
    const struct frame *frame = &pose->frames[a->body];
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
            sphere_touches(scene, found, p, ball->radius, b, &pose->frames[b->body], &moved,
                           near[level + 1]);
        i++;
    }
}

/* Finds the active lanes in which links of two bodies touch while they move at most `width` of
 * their travel against each other, and at most `most`. centers: of the balls about links. */
static inline void bodies_touch(const struct scene *scene, struct findings *found,
                                const struct pose *pose, GLOBAL const struct body_pair *bodies,
                                const struct lane_vec3 *centers, const struct travel *travel,
                                lane_f32 width, lane_f32 most, lane_i32 active)
{
    for (u32 p = bodies->first; p < bodies->end && !found->struck; p++) {
        const u32 first = scene->pairs[p].a, second = scene->pairs[p].b;
        GLOBAL const struct body_link *a = scene->links + first, *b = scene->links + second;
        const lane_f32 moved =
            lane_select(lane_min(travel->pairs[p] * width, most), 0.0f, found->hit);
        const f32 radii = scene->balls[a->ball_first].radius + scene->balls[b->ball_first].radius;
        const lane_i32 near =
            points_near(centers[first], centers[second], scene->margin + moved + radii,
                        findings_asked(found, active));
        if (lane_any(near))
            links_touch(scene, found, pose, a, b, centers[second], moved, near);
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
            bodies_touch(scene, found, moving->pose, scene->body_pairs + i, centers, moving->travel,
                         moving->width, most, near);
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
        link_hits_world(scene, found, link, ball->radius, frame, centers[l], moved, home, asked,
                        unsure);
        if (found->struck || !lane_any(findings_asked(found, active)))
            return;
    }
    bodies_hit_each_other(scene, found, &moving, row, centers, active);
}

#endif
