/* Collision checking of configurations: free or not, and the least clearance.
 *
 * Launch: any number of work-items, a stretch of configurations each (share.h).
 * Traffic: a row and the obstacles of its tiles a configuration.
 * -D ROW, DOF: of metric.h.
 *
 * check: -DROW=2 -DDOF=2
 * check: -DROW=4 -DDOF=3
 */
#include "collide.h"
#include "share.h"

/* flags[i] = 1 where row i keeps more than the margin from every obstacle. flags: [n]; states:
 * [n][ROW] */
__kernel void collide_states(__global u32 *restrict flags, __global const f32 *restrict states,
                             const u32 n, SCENE_PARAMETERS)
{
    const struct scene scene = SCENE_FROM_PARAMETERS;
    f32 row[ROW];

    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        row_load(row, states, i);
        flags[i] = state_is_free(&scene, row) ? 1 : 0;
    }
}

/* values, obstacles: [n]; states: [n][ROW] */
__kernel void collide_clearance(__global f32 *restrict values, __global u32 *restrict obstacles,
                                __global const f32 *restrict states, const u32 n, SCENE_PARAMETERS)
{
    const struct scene scene = SCENE_FROM_PARAMETERS;
    f32 row[ROW];

    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        row_load(row, states, i);
        const struct clearance least = state_clearance(&scene, row);
        values[i] = least.value;
        obstacles[i] = least.obstacle;
    }
}
