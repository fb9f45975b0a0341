/* A world's obstacles as the device has them, made on the host. Internal to world.c. */
#ifndef PRM_ROADMAP_WORLD_SHAPES_H
#define PRM_ROADMAP_WORLD_SHAPES_H

#include "kernels/types.h"
#include "roadmap/world/world_parts.h"
#include "roadmap/world/world_values.h"

/* Tables of one obstacle set; malloc'ed, freed by prm_shape_tables_deinit(). */
struct prm_shape_tables {
    struct shape *shapes;                          /* solids, grids, fields */
    uint32_t shape_count, grid_count, field_count; /* solids and grids; grids; fields */
    struct prm_bounds *boxes; /* [shape_count - grid_count]: local frame, padding included */
    struct field *fields;
    struct segment2 *segments;
    uint32_t segment_count;
    struct grid *grids;
    uint8_t *cells;
    size_t cell_count;
};

/* Converts the enabled obstacles of `spec` (without the dynamic ones unless `with_dynamic`) to the
 * local frame about `center`. values: where their distances will be. PRM_HOST_MEMORY; the tables
 * must be deinitialised whatever the status. */
enum prm_status prm_shape_tables_init(struct prm_shape_tables *tables,
                                      const struct prm_world_spec *spec,
                                      const struct prm_value_plan *values, const double *center,
                                      bool with_dynamic);
void prm_shape_tables_deinit(struct prm_shape_tables *tables);

#endif
