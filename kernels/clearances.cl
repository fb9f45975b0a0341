/* Tables of clearances filled in: how far, at least, links of two bodies are from each other while
 * the one or two coordinates that move them against each other are in a cell.
 *
 * That at the cell's middle, less what they can move until its border. Balls first: what is farther
 * than the least clearance so far in all lanes is left with all within it.
 *
 * Launch: any number of work-items, a stretch of cells each (share.h).
 * Traffic: the balls of both bodies as many times as there are vectors of cells.
 * -D ROW, DOF …, BODIES, BODY_LANES: of kinematics.h.
 *
 * check: -DROW=8 -DDOF=7 -DBODIES=8 -DBODY_LANES=16
 * check: -DROW=4 -DDOF=3 -DBODIES=6 -DBODY_LANES=1 -DTURNS=1u -DMETRIC_WEIGHTS=2.0f,1.0f,1.0f
 */
#include "kinematics.h"
#include "share.h"

/* Distance of two points, less two radii. */
static inline lane_f32 apart(struct lane_vec3 p, struct lane_vec3 q, f32 radii)
{
    const lane_f32 x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
    return f32_sqrt(x * x + y * y + z * z) - radii;
}

/* The lesser of `least` and the clearance of sphere `s` at p from link b. */
static inline lane_f32 sphere_clearance(lane_f32 least, struct lane_vec3 p, f32 radius,
                                        __global const struct body_link *b,
                                        __global const struct body_ball *balls,
                                        const struct frame *frame)
{
    for (u32 i = b->ball_first; i < b->ball_end;) {
        __global const struct body_ball *ball = balls + i;
        const struct lane_vec3 q =
            frame_point(frame, ball->center[0], ball->center[1], ball->center[2]);
        const lane_f32 clearance = apart(p, q, radius + ball->radius);
        if (!lane_any(clearance < least)) {
            i = ball->next;
            continue;
        }
        if (ball->sphere != NONE_U32)
            least = lane_min(least, clearance);
        i++;
    }
    return least;
}

/* The lesser of `least` and the clearance of two links. */
static inline lane_f32 link_clearance(lane_f32 least, const struct pose *pose,
                                      __global const struct body_link *a,
                                      __global const struct body_link *b,
                                      __global const struct body_ball *balls)
{
    __global const struct body_ball *about = balls + b->ball_first;
    const struct frame *frame = &pose->frames[a->body], *other = &pose->frames[b->body];
    const struct lane_vec3 q =
        frame_point(other, about->center[0], about->center[1], about->center[2]);
    for (u32 i = a->ball_first; i < a->ball_end;) {
        __global const struct body_ball *ball = balls + i;
        const struct lane_vec3 p =
            frame_point(frame, ball->center[0], ball->center[1], ball->center[2]);
        if (!lane_any(apart(p, q, ball->radius + about->radius) < least)) {
            i = ball->next;
            continue;
        }
        if (ball->sphere != NONE_U32)
            least = sphere_clearance(least, p, ball->radius, b, balls, other);
        i++;
    }
    return least;
}

/* values[pair->table + i] for i < n, the cells of pair `which`. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
clearances_fill(__global uchar *restrict values,
                __global const struct body_pair *restrict body_pairs, const u32 which,
                __global const struct body *restrict bodies,
                __global const struct body_link *restrict links,
                __global const struct body_ball *restrict balls,
                __global const struct link_pair *restrict pairs, const u32 n)
{
    __global const struct body_pair *pair = body_pairs + which;
    const f32 slack = pair->slack;
    for (u32 i = share_begin(n), end = share_end(n); i < end; i += BODY_LANES) {
        const u32 count = min(end - i, (u32)BODY_LANES);
        f32 x[BODY_LANES], y[BODY_LANES], clearances[BODY_LANES];
        lane_f32 row[DOF];
        struct pose pose;

        // the middles of cells; what the others are does not matter
        for (u32 lane = 0; lane < BODY_LANES; lane++) {
            const u32 cell = i + min(lane, count - 1), at = cell / pair->size[0];
            const f32 column = (f32)(cell - at * pair->size[0]) + 0.5f;
            x[lane] = pair->origin[0] + column / pair->inverse_edge[0];
            y[lane] = pair->origin[1] + ((f32)at + 0.5f) / pair->inverse_edge[1];
        }
        for (u32 c = 0; c < DOF; c++)
            row[c] = lane_load(x) * 0.0f;
        row[pair->coordinate[1]] = lane_load(y);
        row[pair->coordinate[0]] = lane_load(x);
        pose_of(&pose, bodies, row);

        lane_f32 least = row[0] * 0.0f + (CLEARANCE_STEP * (f32)CLEARANCE_MAX + slack);
        for (u32 p = pair->first; p < pair->end; p++)
            least = link_clearance(least, &pose, links + pairs[p].a, links + pairs[p].b, balls);
        lane_store((least - slack) / CLEARANCE_STEP, clearances);
        for (u32 lane = 0; lane < count; lane++)
            values[pair->table + i + lane] =
                (uchar)clamp(floor(clearances[lane]), 0.0f, (f32)CLEARANCE_MAX);
    }
}
