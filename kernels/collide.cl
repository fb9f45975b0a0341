/* Collision checking of configurations: free or not, and the least clearance.
 *
 * Launch: any number of work-items, a stretch of configurations each (share.h).
 * Traffic: a row and the obstacles of its tiles a configuration.
 * -D ROW, DOF …: of edges.h.
 *
 * check: -DROW=2 -DDOF=2
 * check: -DROW=4 -DDOF=3
 * check: -DROW=8 -DDOF=7 -DBODIES=8 -DLINKS=9 -DPAIRS=20 -DBODY_LANES=16
 * check: -DROW=8 -DDOF=7 -DBODIES=8 -DLINKS=9 -DPAIRS=20 -DBODY_LANES=16 -DWHOLE_TRAVEL
 * check: -DROW=4 -DDOF=3 -DBODIES=2 -DLINKS=1 -DPAIRS=0 -DBODY_LANES=1 -DRIGID=2 -DTURNS=4u -DMETRIC_WEIGHTS=1.0f,1.0f,1.0f
 * check: -DROW=8 -DDOF=7 -DBODIES=2 -DLINKS=1 -DPAIRS=0 -DBODY_LANES=16 -DRIGID=3 -DQUATERNION=3 -DMETRIC_WEIGHTS=1.0f,1.0f,1.0f,1.0f,1.0f,1.0f,1.0f
 */
#include "collide.h"
#include "share.h"

/* flags[i] = 1 where row i keeps more than the margin from every obstacle, and the robot from itself. flags: [n];
 * states: [n][ROW] */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
collide_states(__global u32 *restrict flags, __global const f32 *restrict states,
               const u32 n, SCENE_PARAMETERS)
{
    const struct scene scene = SCENE_FROM_PARAMETERS;
#ifdef BODIES
    struct travel still;
    travel_nothing(&still);

    // as many configurations abreast as there are lanes, the last one filling up
    for (u32 i = share_begin(n), end = share_end(n); i < end; i += BODY_LANES) {
        const u32 count = min(end - i, (u32)BODY_LANES);
        lane_f32 row[DOF];
        struct pose pose;
        for (u32 c = 0; c < DOF; c++) {
            f32 values[BODY_LANES];
            for (u32 lane = 0; lane < BODY_LANES; lane++)
                values[lane] = states[(size_t)(i + min(lane, count - 1)) * ROW + c];
            row[c] = lane_load(values);
        }
        pose_of(&pose, scene.bodies, row);
        struct findings found = {lane_first(0), 1, 0};
        bodies_hit(&scene, &found, &pose, row, &still, row[0] * 0.0f, lane_first(count));
        const u32 hit = lane_bits(found.hit);
        for (u32 lane = 0; lane < count; lane++)
            flags[i + lane] = (hit >> lane) & 1u ? 0 : 1;
    }
#else
    f32 row[ROW];
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        row_load(row, states, i);
        flags[i] = state_is_free(&scene, row) ? 1 : 0;
    }
#endif
}

/* least: [n]; states: [n][ROW] */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
collide_clearance(__global struct clearance *restrict least,
                  __global const f32 *restrict states, const u32 n, SCENE_PARAMETERS)
{
    const struct scene scene = SCENE_FROM_PARAMETERS;
    f32 row[ROW];

    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        row_load(row, states, i);
        least[i] = state_clearance(&scene, row);
    }
}
