/* Forward kinematics by itself: where the bodies of a robot are.
 *
 * Launch: any number of work-items, a stretch of configurations each (share.h).
 * Traffic: a row and 48 bytes a body and configuration.
 * -D ROW, DOF … of metric.h, -D BODIES, BODY_LANES=1 of kinematics.h.
 *
 * check: -DROW=8 -DDOF=7 -DBODIES=8 -DBODY_LANES=1
 */
#include "kinematics.h"
#include "share.h"

/* Where the bodies are. frames: [n][BODIES][12], rows of the rotation and the origin; states: [n][ROW] */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
kinematics_frames(__global f32 *restrict frames, __global const f32 *restrict states,
               const u32 n, __global const struct body *restrict bodies)
{
    f32 row[ROW];
    lane_f32 rows[DOF];
    struct pose pose;

    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        row_load(row, states, i);
        row_spread(rows, row);
        pose_of(&pose, bodies, rows);
        for (u32 b = 0; b < BODIES; b++) {
            const struct frame *frame = &pose.frames[b];
            const lane_f32 values[12] = {frame->x.x, frame->y.x, frame->z.x, frame->x.y,
                                         frame->y.y, frame->z.y, frame->x.z, frame->y.z,
                                         frame->z.z, frame->origin.x, frame->origin.y,
                                         frame->origin.z};
            for (u32 v = 0; v < 12; v++) {
                f32 each[BODY_LANES];
                lane_store(values[v], each);
                frames[((size_t)i * BODIES + b) * 12 + v] = each[0];
            }
        }
    }
}
