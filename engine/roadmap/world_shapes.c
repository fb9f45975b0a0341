/* From obstacles in double precision to shapes in float32.
 *
 * What rounding loses is measured here, in double precision, and added to the shape's padding: the
 * shape on the device holds the true one. What its distances lose in computation is `rounding`.
 */
#include "roadmap/world_shapes.h"

#include "device/try.h"
#include "roadmap/scene_arguments.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Error of a computed distance in units of 2^-24 of R, the greatest coordinate of the edge's ends
 * in the own frame. A coordinate of a swept point p = a + t (b - a) is off by at most 6 R (one for
 * each end's difference to the centre, two each for b - a and its product, one for the sum, less
 * where t is small), the distance so by 6 √3, and squares, sum and root by 4 more. A rotation's
 * three products and sums add 5 √3 an end. An error of t itself moves p along the edge, never
 * nearer than the least distance. */
#define ROUNDING_ALIGNED 16.0
#define ROUNDING_TURNED 28.0
#define UNIT_ROUNDOFF 5.9604644775390625e-8
/* Entries of a rotation below this are what is left of a cosine of 90 degrees. */
#define ROTATION_ZERO 1e-9
/* Half the height of a 2D solid: no end in z that matters. */
#define PLANAR_HALF_HEIGHT 1e18f

/* Rows of the rotation matrix of a unit quaternion x y z w, own frame -> world. */
static void rotation_of(double *m, const double *q)
{
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double x = q[0] / norm, y = q[1] / norm, z = q[2] / norm, w = q[3] / norm;
    const double rows[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
        2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
        2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    memcpy(m, rows, sizeof(rows));
}

/* Whether the kind has an orientation; the others have none to look at. */
static bool is_turnable(enum prm_obstacle_kind kind)
{
    return kind == PRM_OBSTACLE_BOX || kind == PRM_OBSTACLE_CYLINDER ||
           kind == PRM_OBSTACLE_CAPSULE || kind == PRM_OBSTACLE_RECTANGLE;
}

/* Half sizes of the box about the solid in its own frame. */
static void own_half_sizes(double *half_size, const struct prm_obstacle *o)
{
    const bool capsule = o->kind == PRM_OBSTACLE_CAPSULE;
    const bool box = o->kind == PRM_OBSTACLE_BOX || o->kind == PRM_OBSTACLE_RECTANGLE;
    for (int c = 0; c < 3; c++)
        half_size[c] = box ? o->size[c] / 2 : o->radius;
    if (o->kind == PRM_OBSTACLE_RECTANGLE)
        half_size[2] = 0.0;
    if (o->kind == PRM_OBSTACLE_CYLINDER || capsule)
        half_size[2] = o->length / 2 + (capsule ? o->radius : 0.0);
}

/* Corners of a grid, or points of a polygon. */
static struct prm_bounds points_bounds(const struct prm_obstacle *o)
{
    struct prm_bounds box = prm_bounds_none();
    const struct prm_grid_spec *grid = &o->grid;
    const bool is_grid = o->kind == PRM_OBSTACLE_GRID;
    const uint32_t count = is_grid ? 4 : o->point_count;

    for (uint32_t i = 0; i < count; i++) {
        double x, y;
        if (is_grid) {
            const double u = (i & 1) ? grid->width * grid->resolution : 0.0;
            const double v = (i & 2) ? grid->height * grid->resolution : 0.0;
            x = grid->origin[0] + cos(grid->origin[2]) * u - sin(grid->origin[2]) * v;
            y = grid->origin[1] + sin(grid->origin[2]) * u + cos(grid->origin[2]) * v;
        } else {
            const double *point = o->points + (size_t)2 * i;
            x = point[0];
            y = point[1];
        }
        const struct prm_bounds corner = {{x, y, 0.0}, {x, y, 0.0}};
        prm_bounds_join(&box, &corner);
    }
    return box;
}

struct prm_bounds prm_bounds_none(void)
{
    return (struct prm_bounds){{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
}

void prm_bounds_join(struct prm_bounds *box, const struct prm_bounds *other)
{
    for (int c = 0; c < 3; c++) {
        box->lower[c] = fmin(box->lower[c], other->lower[c]);
        box->upper[c] = fmax(box->upper[c], other->upper[c]);
    }
}

struct prm_bounds prm_obstacle_bounds(const struct prm_obstacle *o)
{
    if (o->kind == PRM_OBSTACLE_POLYGON || o->kind == PRM_OBSTACLE_GRID)
        return points_bounds(o);

    double half_size[3], m[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    struct prm_bounds box;
    own_half_sizes(half_size, o);
    if (is_turnable(o->kind))
        rotation_of(m, o->quaternion);
    for (int c = 0; c < 3; c++) {
        double reach = 0.0;
        for (int k = 0; k < 3; k++)
            reach += fabs(m[3 * c + k]) * half_size[k];
        box.lower[c] = o->center[c] - reach;
        box.upper[c] = o->center[c] + reach;
    }
    return box;
}

/* Rounds `value` into *target and returns what was lost. */
static double lose(float *target, double value)
{
    *target = (float)value;
    return fabs(value - (double)*target);
}

/* The center; returns what rounding it may move the shape by. */
static double set_center(struct shape *shape, const double *at, const double *center)
{
    double lost = 0.0;
    for (int c = 0; c < 3; c++)
        lost = hypot(lost, lose(&shape->center[c], at[c] - center[c]));
    return lost;
}

/* Solids that are not polygons; returns what was lost. */
static double set_solid(struct shape *shape, const struct prm_obstacle *o, const double *center)
{
    static const uint32_t KINDS[] = {
        [PRM_OBSTACLE_SPHERE] = SHAPE_SPHERE,     [PRM_OBSTACLE_BOX] = SHAPE_BOX,
        [PRM_OBSTACLE_CYLINDER] = SHAPE_CYLINDER, [PRM_OBSTACLE_CAPSULE] = SHAPE_CAPSULE,
        [PRM_OBSTACLE_CIRCLE] = SHAPE_SPHERE,     [PRM_OBSTACLE_RECTANGLE] = SHAPE_BOX,
    };
    double m[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, half_size[3], turned = 0.0;
    double lost = set_center(shape, o->center, center);
    bool aligned = true;

    shape->kind = KINDS[o->kind];
    if (is_turnable(o->kind))
        rotation_of(m, o->quaternion);
    for (int i = 0; i < 9; i++) {
        const double entry = fabs(m[i]) < ROTATION_ZERO ? 0.0 : m[i];
        shape->rotation[i] = (float)entry;
        turned = hypot(turned, m[i] - (double)shape->rotation[i]);
        aligned = aligned && (entry == 0.0 || fabs((double)shape->rotation[i]) == 1.0);
    }
    shape->rounding = (float)((aligned ? ROUNDING_ALIGNED : ROUNDING_TURNED) * UNIT_ROUNDOFF);

    own_half_sizes(half_size, o);
    lost += turned * sqrt(half_size[0] * half_size[0] + half_size[1] * half_size[1] +
                          half_size[2] * half_size[2]);
    lost += lose(&shape->radius, o->radius);
    if (o->kind == PRM_OBSTACLE_CYLINDER || o->kind == PRM_OBSTACLE_CAPSULE) {
        lost += lose(&shape->half_size[2], o->length / 2);
    } else if (shape->kind == SHAPE_BOX) {
        for (int c = 0; c < 3; c++)
            lost = hypot(lost, lose(&shape->half_size[c], half_size[c]));
        if (o->kind == PRM_OBSTACLE_RECTANGLE)
            shape->half_size[2] = PLANAR_HALF_HEIGHT;
    }
    return lost;
}

/* A polygon about the middle of its box; returns what was lost. */
static double set_polygon(struct shape *shape, struct prm_shape_tables *tables,
                          const struct prm_obstacle *o, const double *center)
{
    const struct prm_bounds box = points_bounds(o);
    double middle[3] = {0, 0, 0}, most = 0.0;
    float previous[2] = {0, 0}, point[2];

    shape->kind = SHAPE_POLYGON;
    shape->first = tables->segment_count;
    shape->count = o->point_count;
    shape->rounding = (float)(ROUNDING_ALIGNED * UNIT_ROUNDOFF);
    for (int i = 0; i < 9; i += 4)
        shape->rotation[i] = 1.0f;
    for (int c = 0; c < 2; c++)
        middle[c] = (box.lower[c] + box.upper[c]) / 2;
    const double moved = set_center(shape, middle, center);

    // from each point to the next, starting at the last
    for (uint32_t i = 0; i <= o->point_count; i++) {
        const double *p = o->points + 2 * (size_t)((i + o->point_count - 1) % o->point_count);
        const double lost_x = lose(&point[0], p[0] - middle[0]);
        most = fmax(most, hypot(lost_x, lose(&point[1], p[1] - middle[1])));
        if (i > 0)
            tables->segments[tables->segment_count++] =
                (struct segment2){previous[0], previous[1], point[0], point[1]};
        memcpy(previous, point, sizeof(previous));
    }
    return moved + most;
}

/* A grid: its row in the grid table and its cells; returns what was lost. */
static double set_grid(struct shape *shape, struct prm_shape_tables *tables,
                       const struct prm_obstacle *o, const double *center)
{
    const struct prm_grid_spec *spec = &o->grid;
    const size_t cells = (size_t)spec->width * spec->height;
    struct grid *grid = &tables->grids[tables->grid_count];

    *grid = (struct grid){.cosine = (float)cos(spec->origin[2]),
                          .sine = (float)sin(spec->origin[2]),
                          .resolution = (float)spec->resolution,
                          .width = spec->width,
                          .height = spec->height,
                          .first = (uint32_t)tables->cell_count};
    const double lost = hypot(lose(&grid->origin[0], spec->origin[0] - center[0]),
                              lose(&grid->origin[1], spec->origin[1] - center[1]));
    memcpy(tables->cells + tables->cell_count, spec->cells, cells);
    tables->cell_count += cells;
    shape->kind = SHAPE_GRID;
    shape->first = tables->grid_count++;
    return lost;
}

/* Appends one obstacle to the tables. */
static void append(struct prm_shape_tables *tables, const struct prm_obstacle *o, uint32_t index,
                   const double *center)
{
    struct shape shape = {.obstacle = index};
    double lost;
    if (o->kind == PRM_OBSTACLE_GRID)
        lost = set_grid(&shape, tables, o, center);
    else if (o->kind == PRM_OBSTACLE_POLYGON)
        lost = set_polygon(&shape, tables, o, center);
    else
        lost = set_solid(&shape, o, center);
    shape.padding = prm_round_up(o->padding + lost);

    if (o->kind != PRM_OBSTACLE_GRID) {
        struct prm_bounds *box = &tables->boxes[tables->shape_count];
        *box = prm_obstacle_bounds(o);
        for (int c = 0; c < 3; c++) {
            box->lower[c] -= center[c] + (double)shape.padding;
            box->upper[c] += (double)shape.padding - center[c];
        }
    }
    tables->shapes[tables->shape_count++] = shape;
}

/* Room for all obstacles, the enabled ones and the others. */
static enum prm_status allocate(struct prm_shape_tables *tables, const struct prm_world_spec *spec)
{
    size_t points = 0, cells = 0;
    for (uint32_t i = 0; i < spec->obstacle_count; i++) {
        const struct prm_obstacle *o = &spec->obstacles[i];
        points += o->kind == PRM_OBSTACLE_POLYGON ? o->point_count : 0;
        cells += o->kind == PRM_OBSTACLE_GRID ? (size_t)o->grid.width * o->grid.height : 0;
    }
    if (points > INT32_MAX || cells > INT32_MAX)
        return prm_fault_set(PRM_LIMIT_EXCEEDED,
                             "the world has %zu polygon points and %zu cells; %d "
                             "of each are the limit",
                             points, cells, INT32_MAX);

    const size_t count = spec->obstacle_count;
    tables->shapes = calloc(count + 1, sizeof(*tables->shapes));
    tables->boxes = calloc(count + 1, sizeof(*tables->boxes));
    tables->grids = calloc(count + 1, sizeof(*tables->grids));
    tables->segments = calloc(points + 1, sizeof(*tables->segments));
    tables->cells = calloc(cells + 1, 1);
    if (!tables->shapes || !tables->boxes || !tables->grids || !tables->segments || !tables->cells)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a world of %zu obstacles", count);
    return PRM_OK;
}

enum prm_status prm_shape_tables_init(struct prm_shape_tables *tables,
                                      const struct prm_world_spec *spec, const double *center,
                                      bool with_dynamic)
{
    enum prm_status status = PRM_OK;
    *tables = (struct prm_shape_tables){0};
    TRY(allocate(tables, spec));

    // solids first, then grids
    for (int grids = 0; grids < 2; grids++) {
        for (uint32_t i = 0; i < spec->obstacle_count; i++) {
            const struct prm_obstacle *o = &spec->obstacles[i];
            if (!o->disabled && (with_dynamic || !o->dynamic) &&
                (o->kind == PRM_OBSTACLE_GRID) == (grids != 0))
                append(tables, o, i, center);
        }
    }
cleanup:
    return status;
}

void prm_shape_tables_deinit(struct prm_shape_tables *tables)
{
    free(tables->shapes);
    free(tables->boxes);
    free(tables->grids);
    free(tables->segments);
    free(tables->cells);
    *tables = (struct prm_shape_tables){0};
}
