/* The distances that a world keeps of its grids and fields: one array on the device for both of its
 * sets of obstacles. Internal to world.c. */
#ifndef PRM_ROADMAP_WORLD_VALUES_H
#define PRM_ROADMAP_WORLD_VALUES_H

#include "roadmap/world/field.h"

/* Where the values of each obstacle are; malloc'ed, freed by prm_value_plan_deinit(). */
struct prm_value_plan {
    struct prm_field_plan *fields; /* [obstacle_count]: edge 0 where there is no field */
    uint32_t *first;               /* [obstacle_count]: NONE_U32 where there are no values */
    size_t count;                  /* values in all */
    uint32_t largest;              /* the obstacle that has most */
};

/* Plans the values of the enabled obstacles. The plan must be deinitialised whatever the status. */
enum prm_status prm_value_plan_init(struct prm_value_plan *plan, const struct prm_world_spec *spec);
void prm_value_plan_deinit(struct prm_value_plan *plan);

/* Makes the array and fills it. set: what all enabled obstacles were made into. The caller destroys
 * `values`. PRM_DEVICE_MEMORY tells the bytes wanted and free, and the resolution that would fit.
 */
enum prm_status prm_values_build(struct prm_arena *arena, struct prm_buffer *values,
                                 const struct prm_value_plan *plan,
                                 const struct prm_world_spec *spec, struct prm_buffer cells,
                                 const struct grid *grids, uint32_t grid_count);

#endif
