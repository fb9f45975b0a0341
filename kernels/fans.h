/* Which of several motions with a common end are free: those of points and balls, FAN_LANES of them
 * as the lanes of a vector, on a CPU.
 *
 *     struct fan fan;
 *     fan_begin(&fan, from);
 *     fan_add(&fan, to);                      up to FAN_ENDS times
 *     bits = fan_free(scene, &fan);
 *
 * The obstacles in the tiles about the fan are culled to those near the box that holds it; each
 * that is left is tested against all lanes at once, by the distances of geometry.h without their
 * branches. A lane may come out surely free, surely hit, or, within a few roundings of the limit
 * and where a kind has no form in lanes, open: then segment_is_free() of edges.h decides, so that
 * all verdicts are its own.
 *
 * Bounds. A distance that is computed is off by at most `rounding` times the greatest coordinate of
 * the motion in the obstacle's frame, in lanes as in geometry.h, which takes as much off besides:
 * beyond FAN_ROUNDINGS of these both agree. In grids a motion is walked from the common end by the
 * squared distances kept at cells' centres, each step as long as what they leave, FAN_CELLS_SHARE
 * of the grid's size set aside for roundings.
 *
 * Cost: 50 to 200 ns a fan among spheres and boxes.
 *
 * -D OCLGRIND: for that interpreter, whose record of what is initialised does not survive all
 * shuffles of vectors (lanes.h); there a vector has one lane.
 */
#ifndef KERNELS_FANS_H
#define KERNELS_FANS_H

#ifndef __OPENCL_VERSION__
#error "fans.h is device code"
#endif

#include "edges.h"

#ifdef OCLGRIND
#define FAN_LANES 1
#else
#define FAN_LANES 8
#endif
#define FAN_VECTORS 2
#define FAN_ENDS (FAN_VECTORS * FAN_LANES)
#define FAN_ROUNDINGS 4.0f
/* A motion in a grid: what is kept for roundings, as a share of the grid's size; steps at most, and
 * cells that a step gains at least. */
#define FAN_CELLS_SHARE 2e-6f
#define FAN_STEPS 12
#define FAN_STEP_LEAST 0.1f
/* What stands for a length or its square that is 0 where it divides. */
#define FAN_LENGTH_LEAST 1e-30f

#ifdef OCLGRIND

typedef f32 fan_f32;
typedef i32 fan_i32;
#define FAN_NUMBERS 0
#define FAN_ALL_LANES 1
#define fan_not(mask) (!(mask))
#define fan_any(mask) ((mask) != 0)
#define fan_all(mask) ((mask) != 0)
#define fan_bits(mask) ((u32)((mask) != 0))
#define fan_most(v) (v)
#define fan_load(i, from) ((from)[i])
#define fan_store(v, i, to) ((to)[i] = (v))
#define fan_truncate(v) ((i32)(v))
#define fan_float(v) ((f32)(v))

#else

typedef float8 fan_f32;
typedef int8 fan_i32;
#define FAN_NUMBERS (fan_i32)(0, 1, 2, 3, 4, 5, 6, 7)
#define FAN_ALL_LANES (fan_i32)(-1)
#define fan_not(mask) (~(mask))
#define fan_any(mask) any(mask)
#define fan_all(mask) all(mask)
#define fan_load(i, from) vload8(i, from)
#define fan_store(v, i, to) vstore8(v, i, to)
#define fan_truncate(v) convert_int8(v)
#define fan_float(v) convert_float8(v)

/* A bit a lane. */
static inline u32 fan_bits(fan_i32 mask)
{
    const fan_i32 bits = mask & (fan_i32)(1, 2, 4, 8, 16, 32, 64, 128);
    const int4 four = bits.lo | bits.hi;
    const int2 two = four.lo | four.hi;
    return (u32)(two.x | two.y);
}

/* The greatest of all lanes. */
static inline f32 fan_most(fan_f32 v)
{
    const float4 four = max(v.lo, v.hi);
    return max(max(four.x, four.y), max(four.z, four.w));
}

#endif

/* Motions from one end to `count` others. A lane in neither mask is free as far as is known. */
struct fan {
    struct vec3 from;
    u32 count;
    struct vec3 low, high; /* the box that holds them */
    f32 to[3 * FAN_ENDS];  /* x first */
    /* of fan_free() */
    u32 vectors;
    fan_f32 x[FAN_VECTORS], y[FAN_VECTORS], z[FAN_VECTORS],
        squared[FAN_VECTORS]; /* ways, lengths */
    fan_i32 hit[FAN_VECTORS], open[FAN_VECTORS];
    f32 length; /* of the longest, not less */
};

static inline void fan_begin(struct fan *fan, struct vec3 from)
{
    fan->from = from;
    fan->count = 0;
    fan->low = fan->high = from;
}

static inline void fan_add(struct fan *fan, struct vec3 to)
{
    fan->low =
        vec3_make(f32_min(fan->low.x, to.x), f32_min(fan->low.y, to.y), f32_min(fan->low.z, to.z));
    fan->high = vec3_make(f32_max(fan->high.x, to.x), f32_max(fan->high.y, to.y),
                          f32_max(fan->high.z, to.z));
    fan->to[fan->count] = to.x;
    fan->to[FAN_ENDS + fan->count] = to.y;
    fan->to[2 * FAN_ENDS + fan->count] = to.z;
    fan->count++;
}

static inline fan_f32 fan_squared(fan_f32 x, fan_f32 y, fan_f32 z)
{
    return x * x + y * y + z * z;
}

/* Notes lanes whose squared distance to a solid is surely not above, or not surely above `limit`;
 * slack: of distances. exact: 0 where the solid is only within what was measured. */
static inline void fan_judge(struct fan *fan, u32 v, fan_f32 squared, f32 limit, f32 slack,
                             int exact)
{
    const f32 most = limit + slack, least = f32_max(limit - slack, 0.0f);
    const fan_i32 near = squared <= (fan_f32)(most * most);
    const fan_i32 hit = exact ? squared < (fan_f32)(least * least) : (fan_i32)(0);
    fan->hit[v] |= hit;
    fan->open[v] |= near & fan_not(hit);
}

/* Squared distances of the motions from p along (x, y, z) to the origin. */
static inline fan_f32 fan_point(struct vec3 p, fan_f32 x, fan_f32 y, fan_f32 z, fan_f32 squared)
{
    const fan_f32 along = -(p.x * x + p.y * y + p.z * z);
    const fan_f32 t = min(max(along / max(squared, (fan_f32)(FAN_LENGTH_LEAST)), (fan_f32)(0.0f)),
                          (fan_f32)(1.0f));
    return fan_squared(p.x + t * x, p.y + t * y, p.z + t * z);
}

/* How far x lies beyond [-half, half], with its sign. */
static inline fan_f32 fan_beyond(fan_f32 x, f32 half_size)
{
    return x - min(max(x, (fan_f32)(-half_size)), (fan_f32)(half_size));
}

/* How far the interval between p and p + x lies beyond [-half, half]. */
static inline fan_f32 fan_apart(f32 p, fan_f32 x, f32 half_size)
{
    const fan_f32 least = p + min(x, (fan_f32)(0.0f)), most = p + max(x, (fan_f32)(0.0f));
    return max(max(least - half_size, -half_size - most), (fan_f32)(0.0f));
}

/* Narrows the interval from … to that holds the zero of the slope by the break at t, where there is
 * one within. */
static inline void fan_narrow(fan_f32 *from, fan_f32 *to, fan_f32 *slope_from, fan_f32 *slope_to,
                              fan_f32 t, fan_f32 slope)
{
    const fan_i32 within = (t > *from) & (t < *to);
    const fan_i32 falls = within & (slope < 0.0f), rises = within & fan_not(slope < 0.0f);
    *from = select(*from, t, falls);
    *slope_from = select(*slope_from, slope, falls);
    *to = select(*to, t, rises);
    *slope_to = select(*slope_to, slope, rises);
}

/* Squared distances of the motions p + t (x, y, z) to the box about the origin:
 * segment_box_distance() of geometry.h. */
static inline fan_f32 fan_box(struct vec3 p, fan_f32 x, fan_f32 y, fan_f32 z, struct vec3 h)
{
#define FAN_SLOPE(t)                                                                               \
    (fan_beyond(p.x + (t)*x, h.x) * x + fan_beyond(p.y + (t)*y, h.y) * y +                         \
     fan_beyond(p.z + (t)*z, h.z) * z)
    const fan_f32 zero = 0.0f, one = 1.0f;
    fan_f32 from = zero, to = one, slope_from = FAN_SLOPE(zero), slope_to = FAN_SLOPE(one);
    const fan_i32 leaves = slope_from >= 0.0f, nears = slope_to <= 0.0f;

    // where a motion passes the planes of faces; never, where it goes along them
    const fan_f32 times[6] = {(-h.x - p.x) / x, (h.x - p.x) / x,  (-h.y - p.y) / y,
                              (h.y - p.y) / y,  (-h.z - p.z) / z, (h.z - p.z) / z};
    for (u32 face = 0; face < 6; face++)
        fan_narrow(&from, &to, &slope_from, &slope_to, times[face], FAN_SLOPE(times[face]));

    const fan_f32 rise = slope_to - slope_from;
    const fan_f32 least = select(from, from - slope_from * ((to - from) / rise), rise > 0.0f);
    fan_f32 t = min(max(least, from), to);
    t = select(t, one, nears);
    t = select(t, zero, leaves);
    return fan_squared(fan_beyond(p.x + t * x, h.x), fan_beyond(p.y + t * y, h.y),
                       fan_beyond(p.z + t * z, h.z));
#undef FAN_SLOPE
}

/* The solid against all motions. */
static inline void fan_meet_solid(struct fan *fan, const struct scene *scene,
                                  GLOBAL const struct shape *shape)
{
    const f32 enough = scene->radius + scene->margin + shape->padding;
    if (shape->kind == SHAPE_SPHERE) {
        const struct vec3 p =
            vec3_make(fan->from.x - shape->center[0], fan->from.y - shape->center[1],
                      fan->from.z - shape->center[2]);
        const f32 slack = FAN_ROUNDINGS * shape->rounding * (vec3_reach(p) + fan->length);
        for (u32 v = 0; v < fan->vectors; v++)
            fan_judge(fan, v, fan_point(p, fan->x[v], fan->y[v], fan->z[v], fan->squared[v]),
                      shape->radius + enough, slack, 1);
        return;
    }
    // boxes, and those that hold a solid in its own frame
    GLOBAL const f32 *m = shape->rotation;
    const struct vec3 p = shape_own(shape, fan->from);
    const f32 slack = FAN_ROUNDINGS * shape->rounding * (vec3_reach(p) + fan->length);
    struct vec3 h = vec3_make(shape->half_size[0], shape->half_size[1], shape->half_size[2]);
    f32 limit = enough;
    switch (shape->kind) {
    case SHAPE_BOX:
        break;
    case SHAPE_TRIANGLE:
        h = vec3_make(h.x, h.z, 0.0f);
        break;
    case SHAPE_CYLINDER:
        h = vec3_make(shape->radius, shape->radius, h.z);
        break;
    case SHAPE_CAPSULE:
        h = vec3_make(0.0f, 0.0f, h.z);
        limit += shape->radius;
        break;
    default:
        // what no box here is known to hold
        for (u32 v = 0; v < fan->vectors; v++)
            fan->open[v] = FAN_ALL_LANES;
        return;
    }
    const int exact = shape->kind == SHAPE_BOX || shape->kind == SHAPE_CAPSULE;
    for (u32 v = 0; v < fan->vectors; v++) {
        const fan_f32 x = m[0] * fan->x[v] + m[3] * fan->y[v] + m[6] * fan->z[v];
        const fan_f32 y = m[1] * fan->x[v] + m[4] * fan->y[v] + m[7] * fan->z[v];
        const fan_f32 z = m[2] * fan->x[v] + m[5] * fan->y[v] + m[8] * fan->z[v];
        // most boxes are apart from the motions' own
        const fan_f32 apart =
            fan_squared(fan_apart(p.x, x, h.x), fan_apart(p.y, y, h.y), fan_apart(p.z, z, h.z));
        const f32 most = limit + slack;
        if (fan_any(apart <= (fan_f32)(most * most)))
            fan_judge(fan, v, fan_box(p, x, y, z, h), limit, slack, exact);
    }
}

/* A grid against all motions: each is walked from the common end. */
static inline void fan_meet_grid(struct fan *fan, const struct scene *scene,
                                 GLOBAL const struct shape *shape)
{
    GLOBAL const struct grid *grid = scene->grids + shape->first;
    GLOBAL const f32 *values = scene->field_values + grid->values;
    const struct vec3 p = grid_own(grid, fan->from);
    const u32 kind = grid_class(grid, scene->cells, (i32)f32_floor(p.x), (i32)f32_floor(p.y));
    const f32 reach = scene->radius + scene->margin + shape->padding;
    const f32 least = reach / grid->resolution + grid_slack(grid) +
                      FAN_CELLS_SHARE * (f32)(grid->width + grid->height);
    const fan_i32 right = (i32)grid->width - 1, top = (i32)grid->height - 1;

    for (u32 v = 0; v < fan->vectors; v++) {
        if (kind == TERRAIN_BLOCKED || grid->values == NONE_U32) {
            fan->hit[v] |= kind == TERRAIN_BLOCKED ? FAN_ALL_LANES : (fan_i32)(0);
            fan->open[v] = FAN_ALL_LANES;
            continue;
        }
        // in cells
        const fan_f32 x = (grid->cosine * fan->x[v] + grid->sine * fan->y[v]) / grid->resolution;
        const fan_f32 y = (grid->cosine * fan->y[v] - grid->sine * fan->x[v]) / grid->resolution;
        const fan_f32 length = sqrt(x * x + y * y);
        fan_f32 gone = 0.0f;
        fan_i32 stuck = 0;
        for (u32 steps = 0; steps < FAN_STEPS; steps++) {
            // what lies within a step is of one class, so is where the next one begins
            const fan_f32 t = gone / max(length, (fan_f32)(FAN_LENGTH_LEAST));
            const fan_f32 right_of = p.x + t * x, above = p.y + t * y;
            const fan_i32 i = min(max(fan_truncate(right_of), (fan_i32)(0)), right);
            const fan_i32 j = min(max(fan_truncate(above), (fan_i32)(0)), top);
            i32 cells[FAN_LANES];
            f32 found[FAN_LANES];
            fan_store(j * (right + 1) + i, 0, cells);
            for (u32 lane = 0; lane < FAN_LANES; lane++)
                found[lane] = values[cells[lane]];
            const fan_f32 dx = right_of - (fan_float(i) + CELL_HALF);
            const fan_f32 dy = above - (fan_float(j) + CELL_HALF);
            const fan_f32 step =
                GRID_SHARE * sqrt(fan_load(0, found)) - sqrt(dx * dx + dy * dy) - least;
            stuck |= (gone < length) & (step < FAN_STEP_LEAST);
            gone += step;
            if (!fan_any((gone < length) & fan_not(stuck | fan->hit[v])))
                break;
        }
        fan->open[v] |= stuck | (gone < length);
    }
}

/* A field against all motions: as a whole, or not at all. */
static inline void fan_meet_field(struct fan *fan, const struct scene *scene,
                                  GLOBAL const struct shape *shape)
{
    GLOBAL const struct field *field = scene->fields + shape->first;
    f32 slack;
    const struct vec3 at = field_own(field, fan->from, &slack);
    const f32 reach = scene->radius + scene->margin + shape->padding + fan->length + slack +
                      field->rounding * fan->length;
    const f32 least = (1.0f + EDGE_CULL_SHARE) * reach / (FIELD_SHARE * field->edge) +
                      FAN_CELLS_SHARE * (f32)(field->size[0] + field->size[1] + field->size[2]);
    if (field_place_bound(field, scene->field_values, at) > least)
        return;
    for (u32 v = 0; v < fan->vectors; v++)
        fan->open[v] = FAN_ALL_LANES;
}

/* Whether all motions are known to hit. */
static inline int fan_is_over(const struct fan *fan)
{
    int over = 1;
    for (u32 v = 0; v < fan->vectors; v++)
        over &= fan_all(fan->hit[v]);
    return over;
}

/* How far p is from the fan's box along each axis. */
static inline struct vec3 fan_apart_of(const struct fan *fan, GLOBAL const f32 *p)
{
    return vec3_make(f32_max(f32_max(fan->low.x - p[0], p[0] - fan->high.x), 0.0f),
                     f32_max(f32_max(fan->low.y - p[1], p[1] - fan->high.y), 0.0f),
                     f32_max(f32_max(fan->low.z - p[2], p[2] - fan->high.z), 0.0f));
}

/* The obstacles in the tiles about the fan against all motions. */
static inline void fan_meet_tiles(struct fan *fan, const struct scene *scene)
{
    GLOBAL const struct tile_grid *tiles = scene->tiles;
    const f32 reach = scene->radius + scene->margin;
    const f32 kept = reach + EDGE_CULL_SHARE * (reach + fan->length);
    u32 recent[EDGE_RECENT] = {NONE_U32, NONE_U32, NONE_U32, NONE_U32}, oldest = 0;
    struct tile_box box;
    tile_box_about(&box, tiles, fan->low, fan->high, reach + scene->margin);

    for (u32 z = box.low[2]; z <= box.high[2]; z++) {
        for (u32 y = box.low[1]; y <= box.high[1]; y++) {
            const u32 row = tile_row(tiles, y, z);
            const u32 end = scene->tile_offsets[row + box.high[0] + 1];
            for (u32 m = scene->tile_offsets[row + box.low[0]]; m < end; m++) {
                // most are not near the fan's box
                const u32 index = scene->tile_members[m];
                GLOBAL const struct shape *shape = scene->shapes + index;
                const struct vec3 apart = fan_apart_of(fan, shape->center);
                const f32 near = kept + (1.0f + EDGE_CULL_SHARE) * (shape->padding + shape->around);
                if (vec3_dot(apart, apart) > near * near)
                    continue;
                int known = 0;
                for (u32 i = 0; i < EDGE_RECENT; i++)
                    known |= recent[i] == index;
                if (known || is_allowed(scene, 0, shape->obstacle))
                    continue;
                fan_meet_solid(fan, scene, shape);
                if (fan_is_over(fan))
                    return;
                recent[oldest] = index;
                oldest = (oldest + 1) % EDGE_RECENT;
            }
        }
    }
}

/* The motions that are free: bit i of the i-th. */
static inline u32 fan_free(const struct scene *scene, struct fan *fan)
{
    const fan_i32 lane = FAN_NUMBERS;
    f32 longest = 0.0f;
    fan->vectors = (fan->count + FAN_LANES - 1) / FAN_LANES;
    for (u32 v = 0; v < fan->vectors; v++) {
        // lanes without a motion stay at the common end
        fan->hit[v] = lane >= (i32)(fan->count - v * FAN_LANES);
        fan->open[v] = (fan_i32)(0);
        fan->x[v] = select(fan_load(v, fan->to) - fan->from.x, (fan_f32)(0.0f), fan->hit[v]);
        fan->y[v] =
            select(fan_load(v, fan->to + FAN_ENDS) - fan->from.y, (fan_f32)(0.0f), fan->hit[v]);
        fan->z[v] =
            select(fan_load(v, fan->to + 2 * FAN_ENDS) - fan->from.z, (fan_f32)(0.0f), fan->hit[v]);
        fan->squared[v] = fan_squared(fan->x[v], fan->y[v], fan->z[v]);
        longest = max(longest, fan_most(fan->squared[v]));
    }
    fan->length = (1.0f + EDGE_CULL_SHARE) * f32_sqrt(longest);

    // grids and fields, which are in no tile
    const u32 solids = scene->shape_count - scene->grid_count;
    for (u32 i = solids; i < scene->shape_count + scene->field_count; i++) {
        GLOBAL const struct shape *shape = scene->shapes + i;
        if (is_allowed(scene, 0, shape->obstacle))
            continue;
        if (i < scene->shape_count)
            fan_meet_grid(fan, scene, shape);
        else
            fan_meet_field(fan, scene, shape);
    }
    if (solids > 0 && !fan_is_over(fan))
        fan_meet_tiles(fan, scene);

    // what the lanes leave open
    u32 bits = 0, open = 0;
    for (u32 v = 0; v < fan->vectors; v++) {
        bits |= fan_bits(fan_not(fan->hit[v])) << (v * FAN_LANES);
        open |= fan_bits(fan->open[v]) << (v * FAN_LANES);
    }
    for (open &= bits; open != 0; open &= open - 1) {
        const u32 i = 31 - clz(open & (0 - open));
        const struct vec3 to =
            vec3_make(fan->to[i], fan->to[FAN_ENDS + i], fan->to[2 * FAN_ENDS + i]);
        if (!segment_is_free(scene, fan->from, to))
            bits &= ~(1u << i);
    }
    return bits;
}

#endif
