/* Forward kinematics of several configurations at once: where each body is.
 *
 * A body's frame is its parent's, moved by a constant and then by its joint, which turns about or
 * slides along its own z axis; bodies come after their parents. Cost: some 50 multiplications a
 * body and lane.
 *
 * -D BODIES=n: bodies of the robot. With -D ROW, DOF … of metric.h, -D BODY_LANES of body_lanes.h.
 */
#ifndef KERNELS_KINEMATICS_H
#define KERNELS_KINEMATICS_H

#include "body_lanes.h"
#include "metric.h"
#include "robot_types.h"

#if !defined(BODIES) || BODIES < 1
#error "BODIES must be the bodies of the robot"
#endif

struct lane_vec3 {
    lane_f32 x, y, z;
};

/* Own frame -> local frame: columns of the rotation, and the origin. */
struct frame {
    struct lane_vec3 x, y, z, origin;
};

/* A robot in BODY_LANES configurations. */
struct pose {
    struct frame frames[BODIES];
};

/* The point (x, y, z) of a frame in the local frame. */
static inline struct lane_vec3 frame_point(const struct frame *frame, f32 x, f32 y, f32 z)
{
    struct lane_vec3 p;
    p.x = frame->origin.x + frame->x.x * x + frame->y.x * y + frame->z.x * z;
    p.y = frame->origin.y + frame->x.y * x + frame->y.y * y + frame->z.y * z;
    p.z = frame->origin.z + frame->x.z * x + frame->y.z * y + frame->z.z * z;
    return p;
}

/* The direction (x, y, z) of a frame in the local frame. */
static inline struct lane_vec3 frame_direction(const struct frame *frame, f32 x, f32 y, f32 z)
{
    struct lane_vec3 p;
    p.x = frame->x.x * x + frame->y.x * y + frame->z.x * z;
    p.y = frame->x.y * x + frame->y.y * y + frame->z.y * z;
    p.z = frame->x.z * x + frame->y.z * y + frame->z.z * z;
    return p;
}

/* Turns a frame about its z axis. */
static inline void frame_turn(struct frame *frame, lane_f32 angle)
{
    lane_f32 s, c;
    const struct lane_vec3 x = frame->x, y = frame->y;
    lane_sincos(angle, &s, &c);
    frame->x.x = c * x.x + s * y.x;
    frame->x.y = c * x.y + s * y.y;
    frame->x.z = c * x.z + s * y.z;
    frame->y.x = c * y.x - s * x.x;
    frame->y.y = c * y.y - s * x.y;
    frame->y.z = c * y.z - s * x.z;
}

#ifdef QUATERNION
/* The rotation of unit quaternions. */
static inline void frame_of_quaternion(struct frame *frame, lane_f32 x, lane_f32 y, lane_f32 z,
                                       lane_f32 w)
{
    frame->x.x = 1.0f - 2.0f * (y * y + z * z);
    frame->x.y = 2.0f * (x * y + z * w);
    frame->x.z = 2.0f * (x * z - y * w);
    frame->y.x = 2.0f * (x * y - z * w);
    frame->y.y = 1.0f - 2.0f * (x * x + z * z);
    frame->y.z = 2.0f * (y * z + x * w);
    frame->z.x = 2.0f * (x * z + y * w);
    frame->z.y = 2.0f * (y * z - x * w);
    frame->z.z = 1.0f - 2.0f * (x * x + y * y);
}
#endif

/* Moves a body's frame by its joint. row: lane_f32[DOF]. */
static inline void body_move(struct frame *frame, GLOBAL const struct body *body,
                             const lane_f32 *row)
{
    switch (body->motion) {
    case BODY_TURNS:
        frame_turn(frame, row[body->coordinate] * body->multiplier + body->offset);
        break;
    case BODY_SLIDES: {
        const lane_f32 way = row[body->coordinate] * body->multiplier + body->offset;
        frame->origin.x += way * frame->z.x;
        frame->origin.y += way * frame->z.y;
        frame->origin.z += way * frame->z.z;
        break;
    }
    case BODY_PLANAR:
        frame->origin.x = row[0] * body->scale[0];
        frame->origin.y = row[1] * body->scale[1];
        frame_turn(frame, row[2 % DOF] * body->multiplier);
        break;
#ifdef QUATERNION
    case BODY_FREE:
        frame->origin.x = row[0] * body->scale[0];
        frame->origin.y = row[1] * body->scale[1];
        frame->origin.z = row[2] * body->scale[2];
        frame_of_quaternion(frame, row[QUATERNION], row[QUATERNION + 1], row[QUATERNION + 2],
                            row[QUATERNION + 3]);
        break;
#endif
    default:
        break;
    }
}

/* The frames of all bodies. row: lane_f32[DOF]; bodies: [BODIES]. */
static inline void pose_of(struct pose *pose, GLOBAL const struct body *bodies, const lane_f32 *row)
{
    for (u32 b = 0; b < BODIES; b++) {
        GLOBAL const struct body *body = bodies + b;
        GLOBAL const f32 *m = body->rotation, *t = body->translation;
        struct frame *frame = &pose->frames[b];
        if (b == 0) {
            frame->x.x = m[0], frame->x.y = m[3], frame->x.z = m[6];
            frame->y.x = m[1], frame->y.y = m[4], frame->y.z = m[7];
            frame->z.x = m[2], frame->z.y = m[5], frame->z.z = m[8];
            frame->origin.x = t[0], frame->origin.y = t[1], frame->origin.z = t[2];
        } else {
            const struct frame *parent = &pose->frames[body->parent];
            frame->x = frame_direction(parent, m[0], m[3], m[6]);
            frame->y = frame_direction(parent, m[1], m[4], m[7]);
            frame->z = frame_direction(parent, m[2], m[5], m[8]);
            frame->origin = frame_point(parent, t[0], t[1], t[2]);
        }
        body_move(frame, body, row);
    }
}

/* A row of several configurations alike. */
static inline void row_spread(lane_f32 *lanes, const f32 *row)
{
    for (u32 c = 0; c < DOF; c++)
        lanes[c] = row[c];
}

#endif
