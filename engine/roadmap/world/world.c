/* Worlds made resident: the local frame, the rounding margin, the tables and the broad phase. */
#include "roadmap/world/world.h"

#include "device/assert.h"
#include "device/try.h"
#include "kernels/types.h"
#include "primitives/bin.h"
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/world/world_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The rounding margin in units of 2^-24 of the largest local coordinate, half the extent: the
 * reference point's own rounding to float32 moves it by at most √3 of them, its difference to a
 * centre loses as much again, and a swept point's interpolation and the final comparison less than
 * the rest. What grows with the obstacle instead is in its padding and `rounding`
 * (world_shapes.c). 9.2e-5 m at an extent of 512 m. */
#define MARGIN_UNITS 6.0

/* Local frames start at a multiple of this, so that round numbers stay exact; of less where all of
 * the world is smaller. */
#define FRAME_STEP 0.0625

/* The broad phase: about so many tiles a solid, and at most so many. */
enum { TILES_PER_SOLID = 8, TILES_MAX = 1 << 20 };
/* Solids are in so many tiles each at most, on average, or in so many all together, or else there
 * are fewer tiles. */
enum { TILES_OF_SOLID = 24, MEMBERSHIPS_FEW = 1 << 22 };
/* The tile grid reaches this far beyond the bounds, as a share of their size; obstacles further out
 * count to its outermost tiles. */
#define TILES_BEYOND 0.05

/* The box that matters: the bounds, or else what the obstacles take up. */
static struct prm_bounds extent_of(const struct prm_world_spec *spec)
{
    struct prm_bounds box = prm_bounds_none();
    if (spec->bounded) {
        for (uint32_t c = 0; c < 3; c++) {
            box.lower[c] = c < spec->dimension ? spec->lower[c] : 0.0;
            box.upper[c] = c < spec->dimension ? spec->upper[c] : 0.0;
        }
        return box;
    }
    for (uint32_t i = 0; i < spec->obstacle_count; i++) {
        const struct prm_bounds other = prm_obstacle_bounds(&spec->obstacles[i]);
        if (!spec->obstacles[i].disabled)
            prm_bounds_join(&box, &other);
    }
    return box.lower[0] <= box.upper[0] ? box : (struct prm_bounds){{0, 0, 0}, {0, 0, 0}};
}

/* The first grid that stands straight, or NULL: the local frame keeps its cell corners exact. */
static const struct prm_grid_spec *straight_grid(const struct prm_world_spec *spec)
{
    for (uint32_t i = 0; i < spec->obstacle_count; i++) {
        const struct prm_obstacle *o = &spec->obstacles[i];
        if (o->kind == PRM_OBSTACLE_GRID && o->grid.origin[2] == 0.0)
            return &o->grid;
    }
    return NULL;
}

/* The local frame, the extent and the margin. */
static void set_frame(struct prm_world *world, const struct prm_world_spec *spec)
{
    const struct prm_bounds box = extent_of(spec);
    const struct prm_grid_spec *grid = straight_grid(spec);
    double longest = 0.0, step_of_all = FRAME_STEP;

    for (uint32_t c = 0; c < 3; c++)
        longest = fmax(longest, box.upper[c] - box.lower[c]);
    while (longest > 0.0 && step_of_all > longest)
        step_of_all /= 2;

    for (uint32_t c = 0; c < 3; c++) {
        const bool by_grid = grid != NULL && c < 2;
        const double origin = by_grid ? grid->origin[c] : 0.0;
        const double step = by_grid ? grid->resolution : step_of_all;
        const double middle = (box.lower[c] + box.upper[c]) / 2;
        world->center[c] = spec->center != NULL
                               ? spec->center[c]
                               : origin + floor((middle - origin) / step + 0.5) * step;
        world->lower[c] = box.lower[c];
        world->upper[c] = box.upper[c];
        world->extent = fmax(world->extent, box.upper[c] - world->center[c]);
        world->extent = fmax(world->extent, world->center[c] - box.lower[c]);
    }
    world->margin = MARGIN_UNITS * PRM_UNIT_ROUNDOFF * world->extent;
}

/* How wide a polygon is: its area over the diagonal of its box, a lower bound within a factor of
 * two of a convex one's. */
static double polygon_width(const struct prm_obstacle *o)
{
    const struct prm_bounds box = prm_obstacle_bounds(o);
    double area = 0.0;
    for (uint32_t i = 0; i < o->point_count; i++) {
        const double *a = o->points + (size_t)2 * i;
        const double *b = o->points + (size_t)2 * ((i + 1) % o->point_count);
        area += (a[0] - o->points[0]) * (b[1] - o->points[1]) -
                (b[0] - o->points[0]) * (a[1] - o->points[1]);
    }
    return fabs(area) / 2 / hypot(box.upper[0] - box.lower[0], box.upper[1] - box.lower[1]);
}

/* How wide an obstacle is where it is narrowest; of a grid, a cell; of a field, a cube. What has no
 * width of its own, a mesh, points and boxes without thickness, is infinite: nothing is lost of it,
 * everything keeps the margin from it. */
static double width_of(const struct prm_obstacle *o, uint32_t dimension)
{
    double width = INFINITY;
    struct prm_field_plan field;
    if (prm_field_plan(&field, o, 0) == PRM_OK && field.values > 0)
        return field.edge + 2 * o->padding;
    switch (o->kind) {
    case PRM_OBSTACLE_GRID:
        return o->grid.resolution;
    case PRM_OBSTACLE_POLYGON:
        width = polygon_width(o);
        break;
    case PRM_OBSTACLE_BOX:
    case PRM_OBSTACLE_RECTANGLE:
        width = fmin(o->size[0], o->size[1]);
        width = dimension == 3 ? fmin(width, o->size[2]) : width;
        break;
    case PRM_OBSTACLE_CYLINDER:
        width = fmin(2 * o->radius, o->length);
        break;
    case PRM_OBSTACLE_BOXES:
        for (uint32_t i = 0; i < o->point_count; i++)
            for (int c = 3; c < 6; c++)
                if (o->points[(size_t)6 * i + (size_t)c] > 0)
                    width = fmin(width, o->points[(size_t)6 * i + (size_t)c]);
        break;
    case PRM_OBSTACLE_MESH:
        break;
    case PRM_OBSTACLE_POINTS:
        width = o->radius > 0 ? 2 * o->radius : INFINITY;
        break;
    case PRM_OBSTACLE_SPHERE:
    case PRM_OBSTACLE_CAPSULE:
    case PRM_OBSTACLE_CIRCLE:
        width = 2 * o->radius;
        break;
    }
    return width + 2 * o->padding;
}

static double finest_of(const struct prm_world_spec *spec)
{
    double finest = INFINITY;
    for (uint32_t i = 0; i < spec->obstacle_count; i++)
        if (!spec->obstacles[i].disabled)
            finest = fmin(finest, width_of(&spec->obstacles[i], spec->dimension));
    return finest;
}

struct prm_precision prm_world_precision(const struct prm_world_spec *spec)
{
    struct prm_world world = {0};
    set_frame(&world, spec);
    return (struct prm_precision){world.margin, finest_of(spec)};
}

/* Tiles of the given edge that cover the box. */
static double tiles_of(uint32_t *size, const struct prm_bounds *box, double edge)
{
    double count = 1.0;
    for (int c = 0; c < 3; c++) {
        const double along = fmax(ceil((box->upper[c] - box->lower[c]) / edge), 1.0);
        size[c] = (uint32_t)fmin(along, TILES_MAX);
        count *= along;
    }
    return count;
}

/* Tiles that the boxes are in, all together, at an edge. */
static double memberships_of(const struct prm_shape_tables *tables, const struct prm_bounds *box,
                             uint32_t count, double edge)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        double tiles = 1.0;
        for (int c = 0; c < 3; c++) {
            const double lower = fmax(tables->boxes[i].lower[c], box->lower[c]);
            const double upper = fmin(tables->boxes[i].upper[c], box->upper[c]);
            tiles *= fmax(upper - lower, 0.0) / edge + 1.0;
        }
        sum += tiles;
    }
    return sum;
}

/* A tile grid over what the obstacles take up of the neighbourhood of the bounds. */
static struct prm_tile_grid plan_tiles(const struct prm_world *world,
                                       const struct prm_shape_tables *tables)
{
    const uint32_t count = tables->shape_count - tables->grid_count;
    struct prm_bounds box = prm_bounds_none();
    struct prm_tile_grid tiles = {.size = {1, 1, 1}};
    double longest = 0.0;

    for (uint32_t i = 0; i < count; i++)
        prm_bounds_join(&box, &tables->boxes[i]);
    for (uint32_t c = 0; c < 3; c++) {
        const double beyond = TILES_BEYOND * (world->upper[c] - world->lower[c]);
        const double lower = world->lower[c] - world->center[c] - beyond;
        const double upper = world->upper[c] - world->center[c] + beyond;
        if (count == 0 || c >= world->dimension)
            box.lower[c] = box.upper[c] = 0.0;
        else if (world->bounded && box.lower[c] < upper && box.upper[c] > lower) {
            box.lower[c] = fmax(box.lower[c], lower);
            box.upper[c] = fmin(box.upper[c], upper);
        }
        tiles.origin[c] = (float)box.lower[c];
        longest = fmax(longest, box.upper[c] - box.lower[c]);
    }

    // the finest grid within the budgets
    const double budget = fmin(fmax((double)TILES_PER_SOLID * count, 1.0), TILES_MAX);
    double edge = fmax(longest, FRAME_STEP) / budget;
    for (; tiles_of(tiles.size, &box, edge) > budget; edge *= 1.1)
        ;
    const double members = fmax((double)TILES_OF_SOLID * count, MEMBERSHIPS_FEW);
    for (; tiles_of(tiles.size, &box, edge) > 1.0 &&
           memberships_of(tables, &box, count, edge) > members;
         edge *= 1.5)
        ;
    // without obstacles nothing is near within twice the extent
    if (count == 0)
        edge = fmax(2.0 * world->extent, 1.0);
    tiles.inverse_edge = (float)(1.0 / edge);
    return tiles;
}

/* Bins the shapes' boxes, rounded outwards and drawn into the tile grid. */
static enum prm_status bin_shapes(struct prm_arena *arena, struct prm_obstacle_set *set,
                                  const struct prm_shape_tables *tables,
                                  const struct prm_tile_grid *tiles)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const size_t count = tables->shape_count - tables->grid_count,
                 bytes = 4 * sizeof(float) * count;
    const size_t tile_count = (size_t)tiles->size[0] * tiles->size[1] * tiles->size[2];
    enum prm_status status = PRM_OK;
    struct prm_buffer lower, upper;
    float *corners = calloc(2 * (count + 1), 4 * sizeof(float));

    if (corners == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for the boxes of %zu obstacles", count);
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < 3; c++) {
            const double first = (double)tiles->origin[c];
            const double middle_of_last =
                first + (tiles->size[c] - 0.5) / (double)tiles->inverse_edge;
            const double from = fmin(fmax(tables->boxes[i].lower[c], first), middle_of_last);
            const double to = fmin(fmax(tables->boxes[i].upper[c], first), middle_of_last);
            corners[4 * i + c] = fmaxf(-prm_round_up(-from), tiles->origin[c]);
            corners[4 * (count + i) + c] = prm_round_up(to);
        }
    }
    TRY(prm_arena_take(arena, &lower, bytes));
    TRY(prm_arena_take(arena, &upper, bytes));
    TRY(prm_buffer_write(context, lower, 0, corners, bytes));
    TRY(prm_buffer_write(context, upper, 0, corners + 4 * count, bytes));
    TRY(prm_buffer_create(context, &set->tile_offsets, (tile_count + 1) * sizeof(uint32_t)));
    TRY(prm_bin_boxes(arena, set->tile_offsets, &set->tile_members, tiles, lower, upper, count));
cleanup:
    free(corners);
    prm_arena_rewind(arena, mark);
    return status;
}

static void set_deinit(struct prm_context *context, struct prm_obstacle_set *set)
{
    prm_buffer_destroy(context, &set->shapes);
    prm_buffer_destroy(context, &set->segments);
    prm_buffer_destroy(context, &set->grids);
    prm_buffer_destroy(context, &set->cells);
    prm_buffer_destroy(context, &set->tile_offsets);
    prm_buffer_destroy(context, &set->tile_members);
    prm_buffer_destroy(context, &set->tiles);
    prm_buffer_destroy(context, &set->fields);
}

/* Uploads the tables of one obstacle set and builds its broad phase; of the set of all obstacles
 * the distances too, unless there are some to share (no memory: none). */
static enum prm_status set_init(struct prm_arena *arena, struct prm_world *world,
                                struct prm_obstacle_set *set, const struct prm_world_spec *spec,
                                const struct prm_value_plan *values, struct prm_buffer shared,
                                bool is_all)
{
    struct prm_context *context = world->context;
    struct prm_shape_tables tables;
    enum prm_status status = PRM_OK;

    TRY(prm_shape_tables_init(&tables, spec, values, world->center, is_all));
    set->shape_count = tables.shape_count;
    set->grid_count = tables.grid_count;
    set->field_count = tables.field_count;
    struct prm_bounds box = prm_bounds_none();
    for (uint32_t i = 0; i < tables.shape_count - tables.grid_count; i++)
        prm_bounds_join(&box, &tables.boxes[i]);
    memcpy(set->lower, box.lower, sizeof(set->lower));
    memcpy(set->upper, box.upper, sizeof(set->upper));
    const struct prm_tile_grid plan = plan_tiles(world, &tables);
    const struct tile_grid tiles = {{plan.origin[0], plan.origin[1], plan.origin[2]},
                                    plan.inverse_edge,
                                    {plan.size[0], plan.size[1], plan.size[2]},
                                    0};
    TRY(prm_buffer_upload(context, &set->shapes, tables.shapes,
                          (tables.shape_count + tables.field_count) * sizeof(struct shape)));
    TRY(prm_buffer_upload(context, &set->fields, tables.fields,
                          tables.field_count * sizeof(struct field)));
    TRY(prm_buffer_upload(context, &set->segments, tables.segments,
                          tables.segment_count * sizeof(struct segment2)));
    TRY(prm_buffer_upload(context, &set->grids, tables.grids,
                          tables.grid_count * sizeof(struct grid)));
    TRY(prm_buffer_upload(context, &set->cells, tables.cells, tables.cell_count));
    TRY(prm_buffer_upload(context, &set->tiles, &tiles, sizeof(tiles)));
    TRY(bin_shapes(arena, set, &tables, &plan));
    set->field_values = shared;
    if (is_all && shared.memory == NULL)
        TRY(prm_values_build(arena, &set->field_values, values, spec, set->cells, tables.grids,
                             tables.grid_count));
cleanup:
    prm_shape_tables_deinit(&tables);
    return status;
}

/* Makes a world in `spec`'s frame. shared: distances that are there already. */
static enum prm_status create(struct prm_arena *arena, struct prm_world **world,
                              const struct prm_world_spec *spec,
                              const struct prm_value_plan *values, struct prm_buffer shared,
                              bool is_for_building)
{
    enum prm_status status = PRM_OK;
    struct prm_world *made = calloc(1, sizeof(*made));

    if (made == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a world");
    made->context = prm_arena_context(arena);
    made->dimension = spec->dimension;
    made->bounded = spec->bounded;
    made->borrows_values = shared.memory != NULL;
    set_frame(made, spec);
    for (uint32_t i = 0; i < spec->obstacle_count; i++) {
        const struct prm_obstacle *o = &spec->obstacles[i];
        made->has_dynamic |= is_for_building && o->dynamic && !o->disabled;
        if (o->kind == PRM_OBSTACLE_GRID && !o->disabled && !made->has_grid) {
            made->has_grid = true;
            made->first_grid = o->grid;
            made->first_grid.cells = NULL;
        }
    }

    made->finest = finest_of(spec);

    TRY(set_init(arena, made, &made->all, spec, values, shared, true));
    if (made->has_dynamic) {
        TRY(set_init(arena, made, &made->fixed, spec, values, made->all.field_values, false));
    } else {
        made->fixed = made->all;
    }
    *world = made;
    made = NULL;
cleanup:
    prm_world_destroy(made);
    return status;
}

bool prm_world_is_centered(const struct prm_world *world, const double *center)
{
    return world->center[0] == center[0] && world->center[1] == center[1] &&
           world->center[2] == center[2];
}

enum prm_status prm_world_create(struct prm_arena *arena, struct prm_world **world,
                                 const struct prm_world_spec *spec)
{
    enum prm_status status = PRM_OK;
    struct prm_value_plan values = {0};

    *world = NULL;
    TRY(prm_world_check(spec));
    TRY(prm_value_plan_init(&values, spec));
    TRY(create(arena, world, spec, &values, PRM_NO_BUFFER, true));
cleanup:
    prm_value_plan_deinit(&values);
    return status;
}

/* Whether any of the obstacles keeps distances. */
static bool have_values(const struct prm_obstacle *obstacles, uint32_t count)
{
    struct prm_field_plan field;
    for (uint32_t i = 0; i < count; i++) {
        const struct prm_obstacle *o = &obstacles[i];
        if (!o->disabled && (o->kind == PRM_OBSTACLE_GRID ||
                             prm_field_plan(&field, o, i) != PRM_OK || field.values > 0))
            return true;
    }
    return false;
}

enum prm_status prm_world_derive(struct prm_arena *arena, struct prm_world **world,
                                 const struct prm_world_spec *spec, const struct prm_world *from,
                                 const struct prm_difference *difference)
{
    const bool same = !have_values(difference->gone, difference->gone_count) &&
                      !have_values(difference->come, difference->come_count);
    struct prm_world_spec framed = *spec;
    enum prm_status status = PRM_OK;
    struct prm_value_plan values = {0};

    *world = NULL;
    framed.center = from->center;
    TRY(prm_world_check(spec));
    TRY(prm_value_plan_init(&values, spec));
    const bool shares = same && values.count > 0;
    PRM_ASSERT(!shares || values.count * sizeof(float) == from->all.field_values.bytes);
    TRY(create(arena, world, &framed, &values, shares ? from->all.field_values : PRM_NO_BUFFER,
               false));
cleanup:
    prm_value_plan_deinit(&values);
    return status;
}

void prm_world_destroy(struct prm_world *world)
{
    if (world == NULL)
        return;
    if (world->has_dynamic)
        set_deinit(world->context, &world->fixed);
    set_deinit(world->context, &world->all);
    if (!world->borrows_values)
        prm_buffer_destroy(world->context, &world->all.field_values);
    free(world);
}

static size_t set_bytes(const struct prm_obstacle_set *set)
{
    return set->shapes.bytes + set->segments.bytes + set->grids.bytes + set->cells.bytes +
           set->tile_offsets.bytes + set->tile_members.bytes + set->tiles.bytes + set->fields.bytes;
}

size_t prm_world_bytes(const struct prm_world *world)
{
    return set_bytes(&world->all) + (world->has_dynamic ? set_bytes(&world->fixed) : 0) +
           (world->borrows_values ? 0 : world->all.field_values.bytes);
}
