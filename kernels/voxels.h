/* Which voxels a box, a ball or a triangle touches; and the layouts that the making of fields
 * takes.
 *
 * All is in voxels from the array's lower corner: voxel (i, j, k) is the closed cube from there to
 * (i + 1, j + 1, k + 1). What is touched within VOXEL_SLACK of a cube counts, which covers the
 * rounding of coordinates up to 2048. Triangles: separating axes (Akenine-Möller, 2001).
 *
 * Pure; compiled as C for the tests. Cost: up to 150 operations a test.
 */
#ifndef KERNELS_VOXELS_H
#define KERNELS_VOXELS_H

#include "geometry.h"
#include "language.h"

/* In voxels: 8 units of 2^-24 of 2048. */
#define VOXEL_SLACK 1e-3f

/* Voxels along a side of a tile in y and z; in x a tile is one word of bits. */
#define VOXEL_TILE 8
#define VOXEL_WORD 32

enum voxel_part_kind { VOXEL_BOX = 0, VOXEL_BALL, VOXEL_TRIANGLE };

/* One part of an obstacle. Box: its voxels from a up to b, both included. Ball: about a. */
struct voxel_part {
    f32 a[3];
    f32 radius;
    f32 b[3];
    u32 kind;
    f32 c[3];
    u32 pad;
};

/* An array of voxels and the tiles over it. */
struct voxel_array {
    u32 size[3];  /* voxels */
    u32 tiles[3]; /* tiles[0] is also the words of a row of bits */
    u32 first;    /* its first value */
    u32 pad;
};

#ifndef __OPENCL_VERSION__
_Static_assert(sizeof(struct voxel_part) == 48, "struct voxel_part crosses the bus");
_Static_assert(sizeof(struct voxel_array) == 32, "struct voxel_array crosses the bus");
#endif

/* Whether the axis tells the triangle p q r from the box about the origin. */
static inline int axis_parts(struct vec3 axis, struct vec3 p, struct vec3 q, struct vec3 r,
                             struct vec3 half_size)
{
    const f32 s = vec3_dot(axis, p), t = vec3_dot(axis, q), u = vec3_dot(axis, r);
    const f32 reach = f32_abs(axis.x) * half_size.x + f32_abs(axis.y) * half_size.y +
                      f32_abs(axis.z) * half_size.z;
    return f32_min(s, f32_min(t, u)) > reach || f32_max(s, f32_max(t, u)) < -reach;
}

static inline struct vec3 vec3_cross(struct vec3 a, struct vec3 b)
{
    return vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* Whether an axis across the side d and one of the box tells them apart. */
static inline int side_parts(struct vec3 d, struct vec3 p, struct vec3 q, struct vec3 r,
                             struct vec3 half_size)
{
    return axis_parts(vec3_make(0.0f, -d.z, d.y), p, q, r, half_size) ||
           axis_parts(vec3_make(d.z, 0.0f, -d.x), p, q, r, half_size) ||
           axis_parts(vec3_make(-d.y, d.x, 0.0f), p, q, r, half_size);
}

/* Whether the triangle touches the box of half sizes about `centre`. */
static inline int triangle_touches(const struct voxel_part *part, struct vec3 centre,
                                   struct vec3 half_size)
{
    const struct vec3 p =
        vec3_make(part->a[0] - centre.x, part->a[1] - centre.y, part->a[2] - centre.z);
    const struct vec3 q =
        vec3_make(part->b[0] - centre.x, part->b[1] - centre.y, part->b[2] - centre.z);
    const struct vec3 r =
        vec3_make(part->c[0] - centre.x, part->c[1] - centre.y, part->c[2] - centre.z);
    const struct vec3 d = vec3_sub(q, p), e = vec3_sub(r, q), f = vec3_sub(p, r);

    return !(axis_parts(vec3_make(1.0f, 0.0f, 0.0f), p, q, r, half_size) ||
             axis_parts(vec3_make(0.0f, 1.0f, 0.0f), p, q, r, half_size) ||
             axis_parts(vec3_make(0.0f, 0.0f, 1.0f), p, q, r, half_size) ||
             axis_parts(vec3_cross(d, e), p, q, r, half_size) ||
             side_parts(d, p, q, r, half_size) || side_parts(e, p, q, r, half_size) ||
             side_parts(f, p, q, r, half_size));
}

/* Whether the part, no box, touches the box of half sizes about `centre`. */
static inline int part_touches(const struct voxel_part *part, struct vec3 centre,
                               struct vec3 half_size)
{
    const struct vec3 grown =
        vec3_make(half_size.x + VOXEL_SLACK, half_size.y + VOXEL_SLACK, half_size.z + VOXEL_SLACK);
    if (part->kind == VOXEL_TRIANGLE)
        return triangle_touches(part, centre, grown);
    return box_outside_distance(
               vec3_make(part->a[0] - centre.x, part->a[1] - centre.y, part->a[2] - centre.z),
               grown) <= part->radius;
}

/* The least and greatest coordinate of the part along an axis. */
static inline f32 part_low(const struct voxel_part *part, u32 axis)
{
    if (part->kind == VOXEL_TRIANGLE)
        return f32_min(part->a[axis], f32_min(part->b[axis], part->c[axis])) - VOXEL_SLACK;
    return part->kind == VOXEL_BALL ? part->a[axis] - part->radius - VOXEL_SLACK : part->a[axis];
}

static inline f32 part_high(const struct voxel_part *part, u32 axis)
{
    if (part->kind == VOXEL_TRIANGLE)
        return f32_max(part->a[axis], f32_max(part->b[axis], part->c[axis])) + VOXEL_SLACK;
    return part->kind == VOXEL_BALL ? part->a[axis] + part->radius + VOXEL_SLACK : part->b[axis];
}

#endif
