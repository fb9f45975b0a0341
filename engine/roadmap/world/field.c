/* Distance fields, made on the device. */
#include "roadmap/world/field.h"

#include "device/launch.h"
#include "device/try.h"
#include "kernels/voxels.h"
#include "primitives/bin.h"
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/robot/rotation.h"
#include "roadmap/world/world_parts.h"

#include <math.h>
#include <stdlib.h>

/* Cubes left free around the box about an obstacle. */
enum { FIELD_PADDING = 4 };
/* Cubes along a side at most: four times the squared distance stays a whole float32. */
enum { FIELD_SIDE_MAX = 2048 };
/* Cubes of a field at most, and of one whose resolution is not asked for. */
#define FIELD_VALUES_MAX ((size_t)1 << 30)
#define FIELD_VALUES_OWN ((size_t)1 << 26)
/* A resolution of our own is at least this share of the longest side. */
#define FIELD_SHARE_OWN (1.0 / 256)
/* Boxes within this share of a cube of its face do not touch it. */
#define TOUCH_LEAST 1e-6
/* Error of a place in a field in units of 2^-24: of turned shapes (world_shapes.c), and of the
 * division into edges and of the steps along a segment. */
#define ROUNDING_FIELD 40.0
/* Cells along a side of a grid that has distances: the square of twice that, and one more, are
 * still whole 32-bit numbers. Cells in all. */
enum { GRID_SIDE_MAX = 16384 };
#define GRID_CELLS_MAX ((size_t)1 << 26)
/* Bytes of envelopes that a GPU's work-items have together, at most. */
#define ENVELOPES_BYTES ((size_t)64 << 20)
enum { PARABOLA_BYTES = 8 };

/* The obstacle's own box, and the least of its boxes' longest sides. */
static struct prm_bounds own_bounds(const struct prm_obstacle *o, double *least_box)
{
    const bool boxes = o->kind == PRM_OBSTACLE_BOXES, mesh = o->kind == PRM_OBSTACLE_MESH;
    const size_t count = mesh ? 3 * (size_t)o->triangle_count : o->point_count;
    const double radius = o->kind == PRM_OBSTACLE_POINTS ? o->radius : 0.0;
    struct prm_bounds box = prm_bounds_none();

    *least_box = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const double *p = o->points + (boxes ? 6 : 3) * (mesh ? o->triangles[i] : i);
        struct prm_bounds part;
        double longest = 0.0;
        for (int c = 0; c < 3; c++) {
            const double reach = boxes ? p[3 + c] / 2 : radius;
            part.lower[c] = p[c] - reach;
            part.upper[c] = p[c] + reach;
            longest = fmax(longest, 2 * reach);
        }
        if (longest > 0)
            *least_box = fmin(*least_box, longest);
        prm_bounds_join(&box, &part);
    }
    return box;
}

/* Sizes of the array at an edge; returns how many cubes. */
static double set_sizes(struct prm_field_plan *plan, const struct prm_bounds *box, double edge)
{
    double count = 1.0;
    plan->edge = edge;
    for (int c = 0; c < 3; c++) {
        const double cubes = ceil((box->upper[c] - box->lower[c]) / edge - TOUCH_LEAST);
        // odd, so that cubes one above the other do not meet in a cache
        const double side = 2 * floor((fmax(cubes, 1.0) + 2 * FIELD_PADDING) / 2) + 1;
        plan->size[c] = (uint32_t)fmin(side, UINT32_MAX);
        plan->lower[c] = box->lower[c] - FIELD_PADDING * edge;
        count *= side;
    }
    plan->values = count <= (double)FIELD_VALUES_MAX ? (size_t)count : 0;
    return count;
}

static bool is_too_long(const struct prm_field_plan *plan)
{
    return plan->size[0] > FIELD_SIDE_MAX || plan->size[1] > FIELD_SIDE_MAX ||
           plan->size[2] > FIELD_SIDE_MAX;
}

enum prm_status prm_field_plan(struct prm_field_plan *plan, const struct prm_obstacle *o,
                               uint32_t index)
{
    *plan = (struct prm_field_plan){0};
    const uint32_t parts = prm_obstacle_is_many(o) ? prm_obstacle_parts(o) : 0;
    const uint32_t few = o->kind == PRM_OBSTACLE_BOXES ? PRM_FIELD_BOXES : PRM_FIELD_PARTS;
    if (parts == 0 || (o->resolution == 0 && parts <= few))
        return PRM_OK;

    double least_box, longest = 0.0;
    const struct prm_bounds box = own_bounds(o, &least_box);
    for (int c = 0; c < 3; c++)
        longest = fmax(longest, box.upper[c] - box.lower[c]);

    // our own: a box's edge, a point's radius, else a share of the whole; doubled until it fits
    if (o->resolution == 0) {
        double edge = longest * FIELD_SHARE_OWN;
        if (o->kind == PRM_OBSTACLE_BOXES && least_box < INFINITY)
            edge = least_box;
        if (o->kind == PRM_OBSTACLE_POINTS)
            edge = fmax(edge, o->radius);
        edge = edge > 0 ? edge : 1.0;
        while (set_sizes(plan, &box, edge) > (double)FIELD_VALUES_OWN || is_too_long(plan))
            edge *= 2;
        return PRM_OK;
    }

    const double count = set_sizes(plan, &box, o->resolution);
    if (count <= (double)FIELD_VALUES_MAX && !is_too_long(plan))
        return PRM_OK;
    const double by_side = longest / (FIELD_SIDE_MAX - 2 * FIELD_PADDING - 2);
    const double by_count = o->resolution * cbrt(count / (double)FIELD_VALUES_MAX);
    return prm_fault_set(PRM_LIMIT_EXCEEDED,
                         "obstacle %u: at resolution %g a distance field has %u x %u x %u cubes "
                         "and takes %.0f bytes; %d along a side and %zu bytes are the limit, a "
                         "resolution of %.3g would fit",
                         index, o->resolution, plan->size[0], plan->size[1], plan->size[2],
                         count * sizeof(float), FIELD_SIDE_MAX, FIELD_VALUES_MAX * sizeof(float),
                         1.02 * fmax(by_side, by_count));
}

double prm_field_set(struct field *field, const struct prm_field_plan *plan,
                     const struct prm_obstacle *o, const double *center)
{
    double m[9], turned = 0.0, lost = 0.0, diagonal = 0.0;
    prm_rotation_of(m, o->quaternion);
    *field = (struct field){.edge = (float)plan->edge,
                            .rounding = (float)(ROUNDING_FIELD * PRM_UNIT_ROUNDOFF)};
    for (int i = 0; i < 9; i++) {
        field->rotation[i] = (float)m[i];
        turned = hypot(turned, m[i] - (double)field->rotation[i]);
    }
    for (int c = 0; c < 3; c++) {
        field->size[c] = plan->size[c];
        diagonal = hypot(diagonal, plan->size[c] / 2.0);
    }
    for (int c = 0; c < 3; c++) {
        double middle = o->center[c] - center[c];
        for (int k = 0; k < 3; k++)
            middle += m[3 * c + k] * (plan->lower[k] + plan->size[k] * plan->edge / 2);
        field->center[c] = (float)middle;
        lost = hypot(lost, middle - (double)field->center[c]);
    }
    return lost + turned * diagonal * plan->edge +
           diagonal * fabs(plan->edge - (double)field->edge) + 2 * TOUCH_LEAST * plan->edge;
}

/* Part i of the obstacle in cubes from the array's lower corner. */
static struct voxel_part part_of(const struct prm_field_plan *plan, const struct prm_obstacle *o,
                                 size_t i)
{
    struct voxel_part part = {.kind = VOXEL_TRIANGLE};
    if (o->kind == PRM_OBSTACLE_MESH) {
        float *corners[3] = {part.a, part.b, part.c};
        for (size_t k = 0; k < 3; k++) {
            const double *p = o->points + 3 * (size_t)o->triangles[3 * i + k];
            for (int c = 0; c < 3; c++)
                corners[k][c] = (float)((p[c] - plan->lower[c]) / plan->edge);
        }
        return part;
    }

    const bool boxes = o->kind == PRM_OBSTACLE_BOXES;
    const double *p = o->points + (boxes ? 6 : 3) * i;
    part.kind = boxes ? VOXEL_BOX : VOXEL_BALL;
    part.radius = prm_round_up(o->radius / plan->edge);
    for (int c = 0; c < 3; c++) {
        const double at = (p[c] - plan->lower[c]) / plan->edge;
        const double half_size = boxes ? p[3 + c] / 2 / plan->edge : 0.0;
        const double from = floor(at - half_size + TOUCH_LEAST);
        part.a[c] = (float)(boxes ? from : at);
        part.b[c] = (float)fmax(from, ceil(at + half_size - TOUCH_LEAST) - 1);
    }
    return part;
}

/* Bins the parts into tiles of words of bits. offsets: u32[tiles + 1]; members: resident, made
 * here. */
static enum prm_status bin_parts(struct prm_arena *arena, struct prm_buffer *parts,
                                 struct prm_buffer *offsets, struct prm_buffer *members,
                                 const struct voxel_array *array, const struct prm_field_plan *plan,
                                 const struct prm_obstacle *o)
{
    struct prm_context *context = prm_arena_context(arena);
    const size_t count = prm_obstacle_parts(o), bytes = 4 * sizeof(float) * count;
    const size_t tiles = (size_t)array->tiles[0] * array->tiles[1] * array->tiles[2];
    const float scale[3] = {1.0f / VOXEL_WORD, 1.0f / VOXEL_TILE, 1.0f / VOXEL_TILE};
    const struct prm_tile_grid grid = {.inverse_edge = 1.0f,
                                       .size = {array->tiles[0], array->tiles[1], array->tiles[2]}};
    struct prm_buffer lower, upper;
    enum prm_status status = PRM_OK;
    struct voxel_part *list = calloc(count, sizeof(*list));
    float *corners = calloc(2 * count, 4 * sizeof(float));

    if (list == NULL || corners == NULL) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu parts of a field", count);
        goto cleanup;
    }
    for (size_t i = 0; i < count; i++) {
        list[i] = part_of(plan, o, i);
        // a box is of whole cubes, well within its tiles
        const float from = list[i].kind == VOXEL_BOX ? 0.25f : 0.0f;
        const float to = list[i].kind == VOXEL_BOX ? 0.75f : 0.0f;
        for (uint32_t c = 0; c < 3; c++) {
            corners[4 * i + c] = (part_low(&list[i], c) + from) * scale[c];
            corners[4 * (count + i) + c] = (part_high(&list[i], c) + to) * scale[c];
        }
    }
    TRY(prm_arena_take(arena, parts, count * sizeof(*list)));
    TRY(prm_arena_take(arena, offsets, prm_words(tiles + 1)));
    TRY(prm_arena_take(arena, &lower, bytes));
    TRY(prm_arena_take(arena, &upper, bytes));
    TRY(prm_buffer_write(context, *parts, 0, list, count * sizeof(*list)));
    TRY(prm_buffer_write(context, lower, 0, corners, bytes));
    TRY(prm_buffer_write(context, upper, 0, corners + 4 * count, bytes));
    TRY(prm_bin_boxes(arena, *offsets, members, &grid, lower, upper, count));
cleanup:
    free(list);
    free(corners);
    return status;
}

/* Work-items for `lines` lines of `length` values, and their envelopes. */
static enum prm_status take_envelopes(struct prm_arena *arena, struct prm_buffer *envelopes,
                                      struct prm_share *share, size_t lines, size_t length)
{
    const size_t bytes = (length + 1) * PARABOLA_BYTES;
    *share = prm_share_of(prm_arena_context(arena), lines);
    const size_t group = share->group, most = ENVELOPES_BYTES / bytes / group * group;
    share->items = (share->items + group - 1) / group * group;
    if (share->items > most)
        share->items = most > group ? most : group;
    return prm_arena_take(arena, envelopes, share->items * bytes);
}

/* Transforms all lines of an array along one axis: `lines` of `length` values, `stride` apart. */
static enum prm_status transform(struct prm_arena *arena, struct prm_buffer values, size_t first,
                                 size_t lines, uint32_t length, uint32_t stride, uint32_t layer)
{
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    struct prm_buffer envelopes;
    struct prm_share share;
    enum prm_status status = PRM_OK;

    TRY(take_envelopes(arena, &envelopes, &share, lines, length));
    TRY(prm_launch(prm_arena_context(arena), PRM_KERNEL_FIELD_LINES, NULL, share.items, share.group,
                   ARGS(ARG_BUFFER(values), ARG_BUFFER(envelopes), ARG_U32((uint32_t)first),
                        ARG_U32(length), ARG_U32(stride), ARG_U32(layer), ARG_U32(length + 1),
                        ARG_U32((uint32_t)lines))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_field_build(struct prm_arena *arena, struct prm_buffer values, size_t first,
                                const struct prm_field_plan *plan, const struct prm_obstacle *o)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t *size = plan->size;
    const struct voxel_array array = {.size = {size[0], size[1], size[2]},
                                      .tiles = {(size[0] + VOXEL_WORD - 1) / VOXEL_WORD,
                                                (size[1] + VOXEL_TILE - 1) / VOXEL_TILE,
                                                (size[2] + VOXEL_TILE - 1) / VOXEL_TILE},
                                      .first = (uint32_t)first};
    const size_t rows = (size_t)size[1] * size[2];
    const size_t tiles = (size_t)array.tiles[0] * array.tiles[1] * array.tiles[2];
    struct prm_buffer parts, offsets, bits, members = PRM_NO_BUFFER;
    enum prm_status status = PRM_OK;

    // which cubes are taken
    TRY(prm_arena_take(arena, &bits, prm_words(rows * array.tiles[0])));
    TRY(bin_parts(arena, &parts, &offsets, &members, &array, plan, o));
    struct prm_share share = prm_share_of(context, tiles);
    TRY(prm_launch(context, PRM_KERNEL_FIELD_MARK, NULL, share.items, share.group,
                   ARGS(ARG_BUFFER(bits), ARG_BUFFER(parts), ARG_BUFFER(offsets),
                        ARG_BUFFER(members), ARG_STRUCT(&array), ARG_U32((uint32_t)tiles))));

    // distances along x, then with y, then with z
    share = prm_share_of(context, rows);
    TRY(prm_launch(
        context, PRM_KERNEL_FIELD_ROWS, NULL, share.items, share.group,
        ARGS(ARG_BUFFER(values), ARG_BUFFER(bits), ARG_STRUCT(&array), ARG_U32((uint32_t)rows))));
    TRY(transform(arena, values, first, (size_t)size[0] * size[2], size[1], size[0],
                  size[0] * size[1]));
    TRY(transform(arena, values, first, (size_t)size[0] * size[1], size[2], size[0] * size[1], 0));
    TRY(prm_context_finish(context));
cleanup:
    prm_buffer_destroy(context, &members);
    prm_arena_rewind(arena, mark);
    return status;
}

bool prm_grid_has_distances(const struct prm_grid_spec *grid)
{
    return grid->width <= GRID_SIDE_MAX && grid->height <= GRID_SIDE_MAX &&
           (size_t)grid->width * grid->height <= GRID_CELLS_MAX;
}

enum prm_status prm_grid_distances(struct prm_arena *arena, struct prm_buffer values,
                                   struct prm_buffer cells, const struct grid *grid)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    struct prm_buffer envelopes;
    enum prm_status status = PRM_OK;

    struct prm_share share = prm_share_of(context, grid->height);
    TRY(prm_launch(context, PRM_KERNEL_GRID_ROWS, NULL, share.items, share.group,
                   ARGS(ARG_BUFFER(values), ARG_BUFFER(cells), ARG_U32(grid->values),
                        ARG_U32(grid->width), ARG_U32(grid->first), ARG_U32(grid->height))));
    TRY(take_envelopes(arena, &envelopes, &share, grid->width, grid->height));
    TRY(prm_launch(context, PRM_KERNEL_GRID_COLUMNS, NULL, share.items, share.group,
                   ARGS(ARG_BUFFER(values), ARG_BUFFER(cells), ARG_BUFFER(envelopes),
                        ARG_U32(grid->values), ARG_U32(grid->height), ARG_U32(grid->first),
                        ARG_U32(grid->height + 1), ARG_U32(grid->width))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}
