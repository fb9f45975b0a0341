/* From obstacles in double precision to shapes in float32.
 *
 * What rounding loses is measured here, in double precision, and added to the shape's padding: the
 * shape on the device holds the true one. What its distances lose in computation is `rounding`.
 */
#include "roadmap/world/world_shapes.h"

#include "device/try.h"
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/robot/rotation.h"

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
/* A triangle: as turned, and where rounding hides that the edge crosses it, a side is up to 24 more
 * away: 7 by the crossing's own place along the edge, 6 √2 by its coordinates and as much by the
 * heights over the sides. */
#define ROUNDING_TRIANGLE 52.0
/* Entries of a rotation below this are what is left of a cosine of 90 degrees. */
#define ROTATION_ZERO 1e-9
/* Triangles of a height below this share of their longest side are taken for that side. */
#define HEIGHT_LEAST 4e-6
/* Half the height of a 2D solid: no end in z that matters. */
#define PLANAR_HALF_HEIGHT 1e18f

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
    if (prm_obstacle_is_turnable(o->kind))
        prm_rotation_of(m, o->quaternion);
    for (int i = 0; i < 9; i++) {
        const double entry = fabs(m[i]) < ROTATION_ZERO ? 0.0 : m[i];
        shape->rotation[i] = (float)entry;
        turned = hypot(turned, m[i] - (double)shape->rotation[i]);
        aligned = aligned && (entry == 0.0 || fabs((double)shape->rotation[i]) == 1.0);
    }
    shape->rounding = (float)((aligned ? ROUNDING_ALIGNED : ROUNDING_TURNED) * PRM_UNIT_ROUNDOFF);

    prm_obstacle_half_sizes(half_size, o);
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
    const struct prm_bounds box = prm_obstacle_bounds(o);
    double middle[3] = {0, 0, 0}, most = 0.0;
    float previous[2] = {0, 0}, point[2];

    shape->kind = SHAPE_POLYGON;
    shape->first = tables->segment_count;
    shape->count = o->point_count;
    shape->rounding = (float)(ROUNDING_ALIGNED * PRM_UNIT_ROUNDOFF);
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
                       const struct prm_obstacle *o, const double *center, uint32_t values)
{
    const struct prm_grid_spec *spec = &o->grid;
    const size_t cells = (size_t)spec->width * spec->height;
    struct grid *grid = &tables->grids[tables->grid_count];

    *grid = (struct grid){.cosine = (float)cos(spec->origin[2]),
                          .sine = (float)sin(spec->origin[2]),
                          .resolution = (float)spec->resolution,
                          .width = spec->width,
                          .height = spec->height,
                          .first = (uint32_t)tables->cell_count,
                          .values = values};
    const double lost = hypot(lose(&grid->origin[0], spec->origin[0] - center[0]),
                              lose(&grid->origin[1], spec->origin[1] - center[1]));
    memcpy(tables->cells + tables->cell_count, spec->cells, cells);
    tables->cell_count += cells;
    shape->kind = SHAPE_GRID;
    shape->first = tables->grid_count++;
    return lost;
}

/* y: a unit vector across the unit vector x. */
static void across(double *y, const double *x)
{
    const int least = fabs(x[0]) <= fabs(x[1]) && fabs(x[0]) <= fabs(x[2]) ? 0
                      : fabs(x[1]) <= fabs(x[2])                           ? 1
                                                                           : 2;
    const int next = (least + 1) % 3, last = (least + 2) % 3;
    const double length = hypot(x[next], x[last]);
    y[least] = 0.0;
    y[next] = -x[last] / length;
    y[last] = x[next] / length;
}

/* A triangle of a mesh: about the middle of its longest side. One without height is its longest
 * side, a capsule of no radius. Returns what was lost. */
static double set_triangle(struct shape *shape, const double (*corners)[3], const double *center)
{
    // sides by their length; from a to b the longest, c opposite
    int longest = 0;
    double side[3][3], length[3], middle[3];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            side[k][i] = corners[(k + 1) % 3][i] - corners[k][i];
        length[k] = hypot(hypot(side[k][0], side[k][1]), side[k][2]);
        longest = length[k] > length[longest] ? k : longest;
    }
    const double *a = corners[longest], *b = corners[(longest + 1) % 3],
                 *c = corners[(longest + 2) % 3];
    for (int i = 0; i < 3; i++)
        middle[i] = (a[i] + b[i]) / 2;

    // own axes: x along the longest side, y towards the third corner, z across
    double x[3], y[3], along = 0.0, height = 0.0;
    for (int i = 0; i < 3; i++) {
        x[i] = length[longest] > 0 ? side[longest][i] / length[longest] : (i == 0);
        along += x[i] * (c[i] - middle[i]);
    }
    for (int i = 0; i < 3; i++) {
        y[i] = c[i] - middle[i] - along * x[i];
        height = hypot(height, y[i]);
    }
    const bool flat = height <= HEIGHT_LEAST * length[longest];
    if (flat)
        across(y, x);
    for (int i = 0; i < 3; i++)
        y[i] /= flat ? 1.0 : height;
    const double z[3] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2],
                         x[0] * y[1] - x[1] * y[0]};

    // a capsule lies along its own z
    const double *columns[3] = {flat ? y : x, flat ? z : y, flat ? x : z};
    double turned = 0.0;
    for (int i = 0; i < 9; i++)
        turned = hypot(turned, lose(&shape->rotation[i], columns[i % 3][i / 3]));
    const double moved = set_center(shape, middle, center);
    const double half_side = length[longest] / 2, reach = fmax(half_side, hypot(along, height));
    double rounded = 0.0;
    shape->kind = flat ? SHAPE_CAPSULE : SHAPE_TRIANGLE;
    shape->rounding = (float)((flat ? ROUNDING_TURNED : ROUNDING_TRIANGLE) * PRM_UNIT_ROUNDOFF);
    shape->radius = flat ? 0.0f : prm_round_up(reach);
    if (flat) {
        rounded = lose(&shape->half_size[2], half_side) + height;
    } else {
        rounded = lose(&shape->half_size[0], half_side);
        rounded = hypot(rounded, lose(&shape->half_size[1], along));
        rounded = hypot(rounded, lose(&shape->half_size[2], height));
    }
    return moved + turned * reach + rounded;
}

/* The radius of a ball about the shape's centre that holds the shape, in the plane its section. */
static float around(const struct shape *shape)
{
    const double x = (double)shape->half_size[0], y = (double)shape->half_size[1],
                 z = (double)shape->half_size[2], r = (double)shape->radius;
    switch (shape->kind) {
    case SHAPE_SPHERE:
    case SHAPE_TRIANGLE:
        return prm_round_up(r);
    case SHAPE_CAPSULE:
        return prm_round_up(z + r);
    case SHAPE_CYLINDER:
        return prm_round_up(hypot(r, z));
    case SHAPE_BOX:
        return prm_round_up(hypot(hypot(x, y), shape->half_size[2] == PLANAR_HALF_HEIGHT ? 0 : z));
    default:
        return INFINITY;
    }
}

/* Appends a shape that is in tiles. box: about it, world frame, padding not included. */
static void append(struct prm_shape_tables *tables, struct shape shape, double lost,
                   const struct prm_obstacle *o, struct prm_bounds box, const double *center)
{
    shape.padding = prm_round_up(o->padding + lost);
    shape.around = around(&shape);
    for (int c = 0; c < 3; c++) {
        box.lower[c] -= center[c] + (double)shape.padding;
        box.upper[c] += (double)shape.padding - center[c];
    }
    tables->boxes[tables->shape_count] = box;
    tables->shapes[tables->shape_count++] = shape;
}

/* Appends an obstacle, or all parts of one of many, to the tables. */
static void append_solids(struct prm_shape_tables *tables, const struct prm_obstacle *o,
                          uint32_t index, const double *center)
{
    const uint32_t parts = prm_obstacle_parts(o);
    double m[9], corners[3][3];
    if (prm_obstacle_is_many(o))
        prm_rotation_of(m, o->quaternion);

    for (uint32_t i = 0; i < parts; i++) {
        struct shape shape = {.obstacle = index};
        if (o->kind == PRM_OBSTACLE_MESH) {
            prm_obstacle_triangle(corners, o, m, i);
            const double lost = set_triangle(&shape, (const double(*)[3])corners, center);
            append(tables, shape, lost, o, prm_triangle_bounds((const double(*)[3])corners),
                   center);
        } else if (o->kind == PRM_OBSTACLE_POLYGON) {
            const double lost = set_polygon(&shape, tables, o, center);
            append(tables, shape, lost, o, prm_obstacle_bounds(o), center);
        } else {
            const struct prm_obstacle part =
                prm_obstacle_is_many(o) ? prm_obstacle_part(o, m, i) : *o;
            const double lost = set_solid(&shape, &part, center);
            append(tables, shape, lost, o, prm_obstacle_bounds(&part), center);
        }
    }
}

/* Appends a grid, which is in no tile. */
static void append_grid(struct prm_shape_tables *tables, const struct prm_obstacle *o,
                        uint32_t index, const double *center, uint32_t values)
{
    struct shape shape = {.obstacle = index};
    const double lost = set_grid(&shape, tables, o, center, values);
    shape.padding = prm_round_up(o->padding + lost);
    shape.around = INFINITY;
    tables->shapes[tables->shape_count++] = shape;
}

/* Appends a field, which is in no tile, behind all shapes. */
static void append_field(struct prm_shape_tables *tables, const struct prm_obstacle *o,
                         uint32_t index, const double *center, const struct prm_field_plan *plan,
                         uint32_t values)
{
    struct shape shape = {.kind = SHAPE_FIELD, .obstacle = index, .first = tables->field_count};
    struct field *field = &tables->fields[tables->field_count];
    const double lost = prm_field_set(field, plan, o, center);
    field->first = values;
    shape.padding = prm_round_up(o->padding + lost);
    shape.around = INFINITY;
    tables->shapes[tables->shape_count + tables->field_count++] = shape;
}

/* Room for all obstacles, the enabled ones and the others. */
static enum prm_status allocate(struct prm_shape_tables *tables, const struct prm_world_spec *spec,
                                const struct prm_value_plan *values)
{
    size_t points = 0, cells = 0, count = 0;
    for (uint32_t i = 0; i < spec->obstacle_count; i++) {
        const struct prm_obstacle *o = &spec->obstacles[i];
        points += o->kind == PRM_OBSTACLE_POLYGON ? o->point_count : 0;
        cells += o->kind == PRM_OBSTACLE_GRID ? (size_t)o->grid.width * o->grid.height : 0;
        count += values->fields[i].values > 0 ? 1 : prm_obstacle_parts(o);
    }
    if (points > INT32_MAX || cells > INT32_MAX || count > INT32_MAX)
        return prm_fault_set(PRM_LIMIT_EXCEEDED,
                             "the world has %zu solids, %zu polygon points and %zu cells; %d "
                             "of each are the limit",
                             count, points, cells, INT32_MAX);

    tables->shapes = calloc(count + 1, sizeof(*tables->shapes));
    tables->boxes = calloc(count + 1, sizeof(*tables->boxes));
    tables->grids = calloc((size_t)spec->obstacle_count + 1, sizeof(*tables->grids));
    tables->fields = calloc((size_t)spec->obstacle_count + 1, sizeof(*tables->fields));
    tables->segments = calloc(points + 1, sizeof(*tables->segments));
    tables->cells = calloc(cells + 1, 1);
    if (!tables->shapes || !tables->boxes || !tables->grids || !tables->fields ||
        !tables->segments || !tables->cells)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a world of %zu solids", count);
    return PRM_OK;
}

enum prm_status prm_shape_tables_init(struct prm_shape_tables *tables,
                                      const struct prm_world_spec *spec,
                                      const struct prm_value_plan *values, const double *center,
                                      bool with_dynamic)
{
    enum prm_status status = PRM_OK;
    *tables = (struct prm_shape_tables){0};
    TRY(allocate(tables, spec, values));

    // solids, then grids, then fields
    enum { SOLIDS, GRIDS, FIELDS, ROUNDS };
    for (int round = SOLIDS; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < spec->obstacle_count; i++) {
            const struct prm_obstacle *o = &spec->obstacles[i];
            const int sort = o->kind == PRM_OBSTACLE_GRID   ? GRIDS
                             : values->fields[i].values > 0 ? FIELDS
                                                            : SOLIDS;
            if (sort != round || o->disabled || (o->dynamic && !with_dynamic))
                continue;
            if (sort == SOLIDS)
                append_solids(tables, o, i, center);
            else if (sort == GRIDS)
                append_grid(tables, o, i, center, values->first[i]);
            else
                append_field(tables, o, i, center, &values->fields[i], values->first[i]);
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
    free(tables->fields);
    free(tables->segments);
    free(tables->cells);
    *tables = (struct prm_shape_tables){0};
}
