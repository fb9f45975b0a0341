/* Pairs of bodies that surely keep apart: their tables of clearances looked up. */
#ifndef KERNELS_CLEARANCES_H
#define KERNELS_CLEARANCES_H

#include "kinematics.h"

/* How far links of the pair keep apart, at least; below 0 beyond the table. row: lane_f32[DOF];
 * values: of all tables. */
static inline lane_f32 clearance_known(GLOBAL const unsigned char *values,
                                       GLOBAL const struct body_pair *pair, const lane_f32 *row)
{
    const f32 columns = (f32)pair->size[0], rows = (f32)pair->size[1];
    const lane_f32 x = (row[pair->coordinate[0]] - pair->origin[0]) * pair->inverse_edge[0],
                   y = (row[pair->coordinate[1]] - pair->origin[1]) * pair->inverse_edge[1];
    const lane_i32 within = (x >= 0.0f) & (x < columns) & (y >= 0.0f) & (y < rows);
    const lane_i32 at = lane_to_i32(lane_min(lane_max(y, 0.0f), rows - 1.0f)) * (i32)pair->size[0] +
                        lane_to_i32(lane_min(lane_max(x, 0.0f), columns - 1.0f));
    return lane_select(x * 0.0f - 1.0f, lane_gather(values + pair->table, at) * CLEARANCE_STEP,
                       within);
}

#endif
