/* Distance fields: what an obstacle of many parts is kept as on a device when it has a resolution,
 * or too many parts; and the distances of a grid's cells.
 *
 * The obstacle becomes the closed cubes of one edge that it touches, in its own frame, the array
 * beginning at the lower corner of the box about it (so that leaves of an OctoMap and columns of a
 * heightfield are whole cubes). With each cube the squared distance from its centre to the nearest
 * one taken is kept, exact (Felzenszwalb and Huttenlocher 2012, see kernels/field.cl);
 * kernels/field.h tells from them what is clear.
 *
 * Cost: 4 bytes a cube resident and an eighth of a byte of scratch; three walks over them, on the
 * device.
 */
#ifndef PRM_ROADMAP_FIELD_H
#define PRM_ROADMAP_FIELD_H

#include "device/arena.h"
#include "kernels/types.h"
#include "roadmap/world/world.h"

/* The array of an obstacle's field. */
struct prm_field_plan {
    double edge;     /* of a cube, metres; 0: the obstacle has no field */
    double lower[3]; /* lower corner of the array, obstacle's frame */
    uint32_t size[3];
    size_t values; /* cubes in all */
};

/* Plans the field of obstacle `index`: at its resolution; of one without, only if it has more than
 * PRM_FIELD_BOXES or PRM_FIELD_PARTS parts, at a resolution of its own (docs/api.md).
 * PRM_LIMIT_EXCEEDED tells the bytes that it needs, the limit, and the resolution that would do. */
enum prm_status prm_field_plan(struct prm_field_plan *plan, const struct prm_obstacle *obstacle,
                               uint32_t index);

/* Parts that are kept one by one, at most: boxes, whose field is no coarser than they are, and
 * others. A hundred thousand points one by one are made in a tenth of the time of a field of 256³
 * cubes, and motions of balls among them are checked as fast. */
enum { PRM_FIELD_BOXES = 20000, PRM_FIELD_PARTS = 100000 };

/* The device form, but for `first`. center: of the local frame. Returns what was lost, metres. */
double prm_field_set(struct field *field, const struct prm_field_plan *plan,
                     const struct prm_obstacle *obstacle, const double *center);

/* Makes the values of a field, values[first …], f32 on the device. Waits for the device. */
enum prm_status prm_field_build(struct prm_arena *arena, struct prm_buffer values, size_t first,
                                const struct prm_field_plan *plan,
                                const struct prm_obstacle *obstacle);

/* Makes the values of a grid, values[grid->values …], f32 on the device: squared distances, in
 * cells, of cells' centres to the nearest cell of another class, all outside blocked; 0 of blocked
 * ones. cells: as in struct grid. */
enum prm_status prm_grid_distances(struct prm_arena *arena, struct prm_buffer values,
                                   struct prm_buffer cells, const struct grid *grid);

/* Whether a grid is small enough to have distances. */
bool prm_grid_has_distances(const struct prm_grid_spec *grid);

#endif
