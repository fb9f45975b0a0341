/* Clearance of points and segments among the voxels that an obstacle takes up (struct field).
 *
 * What counts are the closed cubes, exactly. Most questions are answered by a certified bound from
 * the squared distances kept at the cubes' centres (field.cl): the squared distance to a set less
 * the point's own square is a minimum of linear functions, hence concave, so that between eight
 * centres c with trilinear weights w
 *
 *     d²(p) ≥ Σ w d²(c) - Σ_axis u (1 - u),      u: the place between centres, in edges,
 *
 * and as the array holds the set and is convex, for p outside of it with nearest point p' in it
 *
 *     d²(p) ≥ |p - p'|² + d²(p').
 *
 * Where the bound does not tell, the cubes near by are looked at one by one. Errors of coordinates
 * are taken off: `rounding` times the greatest coordinate and the array's half size.
 *
 * Pure; compiled as C for the tests. Cost: one to nine reads where the bound tells.
 */
#ifndef KERNELS_FIELD_H
#define KERNELS_FIELD_H

#include "geometry.h"
#include "language.h"
#include "types.h"

/* What a bound keeps for the rounding of its own arithmetic, as a share. */
#define FIELD_SHARE 0.999999f
/* A cube's half edge, in edges. */
#define VOXEL_HALF 0.5f
/* Steps along a segment shorter than the least are not worth taking: the cubes along the next
 * stretch are looked at instead. In edges. */
#define FIELD_STEP_LEAST 0.25f
#define FIELD_STRETCH 2.0f
/* Distances beyond so many edges are told by their bound: in the array less than a sixtieth of an
 * edge short, outside of it more. */
#define FIELD_EXACT 24.0f

/* A point of the local frame in edges from the array's lower corner; *slack: what rounding may have
 * moved it by, metres. */
static inline struct vec3 field_own(GLOBAL const struct field *field, struct vec3 p, f32 *slack)
{
    GLOBAL const f32 *m = field->rotation;
    GLOBAL const u32 *size = field->size;
    const struct vec3 d =
        vec3_make(p.x - field->center[0], p.y - field->center[1], p.z - field->center[2]);
    const struct vec3 own =
        vec3_make(m[0] * d.x + m[3] * d.y + m[6] * d.z, m[1] * d.x + m[4] * d.y + m[7] * d.z,
                  m[2] * d.x + m[5] * d.y + m[8] * d.z);
    const struct vec3 half_size =
        vec3_make(VOXEL_HALF * (f32)size[0], VOXEL_HALF * (f32)size[1], VOXEL_HALF * (f32)size[2]);
    *slack = field->rounding * (vec3_reach(own) + field->edge * vec3_reach(half_size));
    return vec3_make(own.x / field->edge + half_size.x, own.y / field->edge + half_size.y,
                     own.z / field->edge + half_size.z);
}

/* The squared distance kept at the centre of voxel (i, j, k), in edges. */
static inline f32 field_value(GLOBAL const struct field *field, GLOBAL const f32 *values, u32 i,
                              u32 j, u32 k)
{
    return values[field->first + (k * field->size[1] + j) * field->size[0] + i];
}

/* The nearest coordinate to x between the centres of `size` voxels. */
static inline f32 field_clamp(f32 x, u32 size)
{
    return f32_clamp(x, VOXEL_HALF, (f32)size - VOXEL_HALF);
}

/* The nearest place to p between the centres of the array. A macro: checkers of kernels do not know
 * what compilers leave of a function that reads memory and returns a struct. */
#define FIELD_INSIDE(field, p)                                                                     \
    vec3_make(field_clamp((p).x, (field)->size[0]), field_clamp((p).y, (field)->size[1]),          \
              field_clamp((p).z, (field)->size[2]))

/* The distance kept at the centre nearest to the place p between centres, and how far that is. */
static inline f32 field_nearest(GLOBAL const struct field *field, GLOBAL const f32 *values,
                                struct vec3 p, f32 *away)
{
    const u32 i = (u32)p.x < field->size[0] ? (u32)p.x : field->size[0] - 1;
    const u32 j = (u32)p.y < field->size[1] ? (u32)p.y : field->size[1] - 1;
    const u32 k = (u32)p.z < field->size[2] ? (u32)p.z : field->size[2] - 1;
    *away = vec3_length(vec3_make(p.x - ((f32)i + VOXEL_HALF), p.y - ((f32)j + VOXEL_HALF),
                                  p.z - ((f32)k + VOXEL_HALF)));
    return f32_sqrt(field_value(field, values, i, j, k));
}

/* The first of the two voxels along an axis whose centres p lies between. */
static inline u32 field_base(f32 p, u32 size)
{
    const u32 i = (u32)(p - VOXEL_HALF);
    return i < size - 2 ? i : size - 2;
}

/* A lower bound of the squared distance at the place p between centres, by its eight. */
static inline f32 field_between(GLOBAL const struct field *field, GLOBAL const f32 *values,
                                struct vec3 p)
{
    const u32 nx = field->size[0], layer = nx * field->size[1];
    const u32 i = field_base(p.x, nx), j = field_base(p.y, field->size[1]),
              k = field_base(p.z, field->size[2]);
    const f32 u = p.x - VOXEL_HALF - (f32)i, v = p.y - VOXEL_HALF - (f32)j,
              w = p.z - VOXEL_HALF - (f32)k;
    GLOBAL const f32 *at = values + field->first + k * layer + j * nx + i;

    const f32 low =
        (1.0f - v) * ((1.0f - u) * at[0] + u * at[1]) + v * ((1.0f - u) * at[nx] + u * at[nx + 1]);
    at += layer;
    const f32 high =
        (1.0f - v) * ((1.0f - u) * at[0] + u * at[1]) + v * ((1.0f - u) * at[nx] + u * at[nx + 1]);
    const f32 bent = u * (1.0f - u) + v * (1.0f - v) + w * (1.0f - w);
    return FIELD_SHARE * ((1.0f - w) * low + w * high) - bent;
}

/* A lower bound, in edges, of the distance at p, a place in edges. */
static inline f32 field_place_bound(GLOBAL const struct field *field, GLOBAL const f32 *values,
                                    struct vec3 p)
{
    const struct vec3 inside = FIELD_INSIDE(field, p), beyond = vec3_sub(p, inside);
    f32 away;
    const f32 straight = f32_max(field_nearest(field, values, inside, &away) - away, 0.0f);
    const f32 between = f32_max(field_between(field, values, inside), straight * straight);
    return FIELD_SHARE * f32_sqrt(between + vec3_dot(beyond, beyond));
}

/* Least distance of the segment a b, places in edges, to the voxels taken within `reach`; more than
 * it if there are none. Ends with the first within `enough`. */
static inline f32 field_cubes_distance(GLOBAL const struct field *field, GLOBAL const f32 *values,
                                       struct vec3 a, struct vec3 b, f32 reach, f32 enough)
{
    const f32 nx = (f32)field->size[0], ny = (f32)field->size[1], nz = (f32)field->size[2];
    const struct vec3 low = vec3_make(f32_min(a.x, b.x), f32_min(a.y, b.y), f32_min(a.z, b.z));
    const struct vec3 high = vec3_make(f32_max(a.x, b.x), f32_max(a.y, b.y), f32_max(a.z, b.z));
    const struct vec3 half_size = vec3_make(VOXEL_HALF, VOXEL_HALF, VOXEL_HALF);
    const u32 left = (u32)f32_clamp(low.x - reach, 0.0f, nx - 1.0f);
    const u32 right = (u32)f32_clamp(high.x + reach, 0.0f, nx - 1.0f);
    const u32 front = (u32)f32_clamp(low.y - reach, 0.0f, ny - 1.0f);
    const u32 back = (u32)f32_clamp(high.y + reach, 0.0f, ny - 1.0f);
    const u32 bottom = (u32)f32_clamp(low.z - reach, 0.0f, nz - 1.0f);
    const u32 top = (u32)f32_clamp(high.z + reach, 0.0f, nz - 1.0f);
    f32 least = GEOMETRY_INFINITY;

    for (u32 k = bottom; k <= top; k++) {
        const f32 dz = f32_max((f32)k - high.z, low.z - ((f32)k + 1.0f));
        for (u32 j = front; j <= back; j++) {
            // a row beyond the reach
            const f32 dy = f32_max((f32)j - high.y, low.y - ((f32)j + 1.0f));
            const f32 y = f32_max(dy, 0.0f), z = f32_max(dz, 0.0f);
            if (y * y + z * z > reach * reach)
                continue;
            for (u32 i = left; i <= right;) {
                const f32 value = field_value(field, values, i, j, k);
                // no voxel taken is nearer along the row than at the way to the nearest at all
                if (value > 0.0f) {
                    i += (u32)f32_ceil(FIELD_SHARE * f32_sqrt(value) + VOXEL_HALF);
                    continue;
                }
                const struct vec3 centre =
                    vec3_make((f32)i + VOXEL_HALF, (f32)j + VOXEL_HALF, (f32)k + VOXEL_HALF);
                least = f32_min(least, segment_box_distance(vec3_sub(a, centre),
                                                            vec3_sub(b, centre), half_size));
                if (least <= enough)
                    return least;
                i++;
            }
        }
    }
    return least;
}

/* A certified lower bound of the distance of p to the voxels taken, metres; may be negative. */
static inline f32 field_point_bound(GLOBAL const struct field *field, GLOBAL const f32 *values,
                                    struct vec3 p)
{
    f32 slack;
    const struct vec3 at = field_own(field, p, &slack);
    return FIELD_SHARE * field->edge * field_place_bound(field, values, at) - slack;
}

/* Whether p keeps more than `reach` metres from every voxel taken. */
static inline int field_point_is_clear(GLOBAL const struct field *field, GLOBAL const f32 *values,
                                       struct vec3 p, f32 reach)
{
    f32 slack;
    const struct vec3 at = field_own(field, p, &slack);
    const f32 least = (reach + slack) / (FIELD_SHARE * field->edge);
    const struct vec3 inside = FIELD_INSIDE(field, at), beyond = vec3_sub(at, inside);

    // by the nearest centre: surely free, surely not
    f32 away;
    const f32 nearest = field_nearest(field, values, inside, &away);
    const f32 out = vec3_length(beyond);
    if (f32_max(nearest - away, out) > least)
        return 1;
    if (nearest + away + out <= FIELD_SHARE * least)
        return 0;

    // between centres, then cube by cube
    const f32 between = f32_max(field_between(field, values, inside), 0.0f);
    if (FIELD_SHARE * (between + out * out) > least * least)
        return 1;
    return field_cubes_distance(field, values, at, at, least, least) > least;
}

/* Whether the segment a b keeps more than `reach` metres from every voxel taken: as far as the
 * bound allows a step at a time, cube by cube where it does not. */
static inline int field_segment_is_clear(GLOBAL const struct field *field, GLOBAL const f32 *values,
                                         struct vec3 a, struct vec3 b, f32 reach)
{
    f32 from_slack, to_slack;
    const struct vec3 from = field_own(field, a, &from_slack), to = field_own(field, b, &to_slack);
    const f32 least = (reach + f32_max(from_slack, to_slack)) / (FIELD_SHARE * field->edge);
    const f32 length = vec3_length(vec3_sub(to, from));
    f32 gone = 0.0f;

    do {
        const struct vec3 p = length > 0.0f ? vec3_mix(from, to, gone / length) : from;
        f32 step = field_place_bound(field, values, p) - least;
        if (step <= FIELD_STEP_LEAST) {
            step = FIELD_STRETCH;
            const struct vec3 q =
                gone + step < length ? vec3_mix(from, to, (gone + step) / length) : to;
            if (field_cubes_distance(field, values, p, q, least, least) <= least)
                return 0;
        }
        // so far that a step is nothing: not to be told from a hit
        if (gone + step <= gone)
            return 0;
        gone += FIELD_SHARE * step;
    } while (gone < length);
    return 1;
}

/* The distance of p to the voxels taken, metres, 0 in them; far from them a lower bound. */
static inline f32 field_point_distance(GLOBAL const struct field *field, GLOBAL const f32 *values,
                                       struct vec3 p)
{
    f32 slack;
    const struct vec3 at = field_own(field, p, &slack);
    const struct vec3 inside = FIELD_INSIDE(field, at);
    const f32 bound = field_place_bound(field, values, at);
    if (bound > FIELD_EXACT)
        return field->edge * bound;
    f32 away;
    const f32 nearest = field_nearest(field, values, inside, &away);
    const f32 most = nearest + away + vec3_length(vec3_sub(at, inside)) + VOXEL_HALF;
    return field->edge * field_cubes_distance(field, values, at, at, most, 0.0f);
}

#endif
