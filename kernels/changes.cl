/* Which edges a changed world concerns, and those alone taken out to be checked and put back.
 *
 * An edge is concerned where the robot, on its way along it, may come as near a box about what has
 * changed as a check looks. The way is taken in parts: of a reference point the box about the part,
 * of a robot with spheres the balls about its links in the middle of the part, grown by what they
 * move until its ends. What is told of an edge that is not concerned holds in both worlds, to the
 * last bit.
 *
 * Launch: any number of work-items, a stretch of edges each (share.h).
 * Traffic: two rows and the boxes an edge to mark; 12 bytes an edge to take out and put back.
 * -D ROW, DOF …: of edges.h.
 *
 * check: -DROW=2 -DDOF=2
 * check: -DROW=4 -DDOF=3 -DEDGE_SAMPLED
 * check: -DROW=8 -DDOF=7 -DBODIES=8 -DLINKS=9 -DPAIRS=20 -DBODY_LANES=16
 * check: -DROW=4 -DDOF=3 -DBODIES=2 -DLINKS=1 -DPAIRS=0 -DBODY_LANES=1 -DRIGID=2 -DTURNS=4u -DMETRIC_WEIGHTS=1.0f,1.0f,1.0f
 * check: -DROW=8 -DDOF=7 -DBODIES=2 -DLINKS=1 -DPAIRS=0 -DBODY_LANES=16 -DRIGID=3 -DQUATERNION=3 -DMETRIC_WEIGHTS=1.0f,1.0f,1.0f,1.0f,1.0f,1.0f,1.0f
 */
#include "change_types.h"
#include "edges.h"
#include "share.h"

/* Parts that the way along an edge is taken in. */
#define CHANGE_PARTS 4u

#ifdef BODIES

/* Up to BODY_LANES edges abreast: rows of their ends, and how far links move along a part's half.
 */
struct abreast {
    f32 from[BODY_LANES][ROW], to[BODY_LANES][ROW];
    f32 moved[LINKS + 1][BODY_LANES];
    u32 valid; /* a bit a lane */
};

static inline void abreast_load(struct abreast *edges, const struct scene *scene,
                                __global const f32 *states, __global const u32 *pairs,
                                __global const u32 *valid, u32 first, u32 count)
{
    edges->valid = 0;
    for (u32 lane = 0; lane < BODY_LANES; lane++) {
        const u32 e = first + min(lane, count - 1);
        struct motion motion;
        row_load(edges->from[lane], states, pairs[2 * (size_t)e]);
        row_load(edges->to[lane], states, pairs[2 * (size_t)e + 1]);
        motion_make(scene, &motion, edges->from[lane], edges->to[lane]);
        for (u32 l = 0; l < LINKS; l++)
            edges->moved[l][lane] =
                motion.travel.links[l] * (0.5f / CHANGE_PARTS + FRACTION_ROUNDING);
        edges->valid |= (valid[e] ? 1u : 0u) << lane;
    }
}

/* The lanes in which some link in this part of the way may come near a box. */
static inline u32 abreast_near(const struct abreast *edges, const struct scene *scene, u32 part,
                               __global const struct change_box *boxes, u32 box_count)
{
    struct pose pose;
    lane_f32 rows[DOF];
    f32 middles[BODY_LANES][ROW], values[BODY_LANES];
    u32 bits = 0;
    for (u32 lane = 0; lane < BODY_LANES; lane++)
        metric_interpolate(middles[lane], edges->from[lane], edges->to[lane],
                           ((f32)part + 0.5f) / CHANGE_PARTS);
    for (u32 c = 0; c < DOF; c++) {
        for (u32 lane = 0; lane < BODY_LANES; lane++)
            values[lane] = middles[lane][c];
        rows[c] = lane_load(values);
    }
    pose_of(&pose, scene->bodies, rows);

    for (u32 l = 0; l < LINKS; l++) {
        __global const struct body_link *link = scene->links + l;
        __global const struct body_ball *ball = scene->balls + link->ball_first;
        const struct lane_vec3 p = ball_center(&pose.frames[link->body], ball);
        const lane_f32 reach =
            lane_load(edges->moved[l]) + (ball->radius + scene->margin + scene->margin);
        for (u32 k = 0; k < box_count; k++) {
            __global const struct change_box *box = boxes + k;
            const lane_f32 x = lane_max(lane_max(box->lower[0] - p.x, p.x - box->upper[0]), 0.0f);
            const lane_f32 y = lane_max(lane_max(box->lower[1] - p.y, p.y - box->upper[1]), 0.0f);
            const lane_f32 z = lane_max(lane_max(box->lower[2] - p.z, p.z - box->upper[2]), 0.0f);
            const u32 near =
                lane_bits(lane_first(BODY_LANES) & (x * x + y * y + z * z <= reach * reach));
            bits |= box->gone ? near : near & edges->valid;
        }
    }
    return bits;
}

#else

/* Whether the reference point, between p and q, may come within `reach` of the box. */
static inline int box_is_near(__global const struct change_box *box, struct vec3 p, struct vec3 q,
                              f32 reach)
{
    return f32_min(p.x, q.x) - reach <= box->upper[0] &&
           f32_max(p.x, q.x) + reach >= box->lower[0] &&
           f32_min(p.y, q.y) - reach <= box->upper[1] &&
           f32_max(p.y, q.y) + reach >= box->lower[1] &&
           f32_min(p.z, q.z) - reach <= box->upper[2] && f32_max(p.z, q.z) + reach >= box->lower[2];
}

/* Whether the motion between two points may come near a box that can change what is told of it. */
static inline u32 motion_is_near(const struct scene *scene, struct vec3 a, struct vec3 b, u32 valid,
                                 __global const struct change_box *boxes, u32 box_count)
{
    const f32 reach = scene->radius + scene->margin + scene->margin;
    struct vec3 p = a;
    for (u32 part = 1; part <= CHANGE_PARTS; part++) {
        const struct vec3 q = part < CHANGE_PARTS ? vec3_mix(a, b, (f32)part / CHANGE_PARTS) : b;
        for (u32 k = 0; k < box_count; k++) {
            if ((valid || boxes[k].gone) && box_is_near(boxes + k, p, q, reach))
                return 1;
        }
        p = q;
    }
    return 0;
}

#endif

/* flags[e] = 1 where edge e is to be checked again, of the n edges from `first` on: it may come
 * near an obstacle that is gone, or is valid and may come near one that has come. valid: in the
 * world before; scene: of the world after. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
changes_mark(__global u32 *restrict flags, __global const f32 *restrict states,
             __global const u32 *restrict pairs, __global const u32 *restrict valid,
             __global const struct change_box *restrict boxes, const u32 box_count,
             const u32 first, const u32 n, SCENE_PARAMETERS)
{
    const struct scene scene = SCENE_FROM_PARAMETERS;
#ifdef BODIES
    struct abreast edges;
    for (u32 i = share_begin(n), end = share_end(n); i < end; i += BODY_LANES) {
        const u32 count = min(end - i, (u32)BODY_LANES);
        u32 bits = 0;
        abreast_load(&edges, &scene, states, pairs, valid, first + i, count);
        for (u32 part = 0; part < CHANGE_PARTS; part++)
            bits |= abreast_near(&edges, &scene, part, boxes, box_count);
        for (u32 lane = 0; lane < count; lane++)
            flags[first + i + lane] = (bits >> lane) & 1u;
    }
#else
    f32 a[ROW], b[ROW];
    for (u32 i = first + share_begin(n), end = first + share_end(n); i < end; i++) {
        row_load(a, states, pairs[2 * (size_t)i]);
        row_load(b, states, pairs[2 * (size_t)i + 1]);
        flags[i] =
            motion_is_near(&scene, row_position(a), row_position(b), valid[i], boxes, box_count);
    }
#endif
}

/* taken[i] = pairs[list[first + i]], for i < n. taken: u32[n][2] */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
changes_take(__global u32 *restrict taken, __global const u32 *restrict pairs,
             __global const u32 *restrict list, const u32 first, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        const u32 e = list[first + i];
        taken[2 * (size_t)i] = pairs[2 * (size_t)e];
        taken[2 * (size_t)i + 1] = pairs[2 * (size_t)e + 1];
    }
}

/* valid[list[first + i]] = checked[i], for i < n. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
changes_put(__global u32 *restrict valid, __global const u32 *restrict checked,
            __global const u32 *restrict list, const u32 first, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++)
        valid[list[first + i]] = checked[i];
}
