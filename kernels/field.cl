/* Distance fields: the voxels that an obstacle touches, and the exact squared Euclidean distances
 * of all voxels' centres to them, closed cubes; of the cells of a grid to those of another class.
 *
 * field_mark: parts of an obstacle, binned into tiles (bin.cl), to bits; a tile a work-item.
 * field_rows, grid_rows: distances along x alone, a row a work-item.
 * field_lines, grid_columns: along one more axis, a line a work-item:
 *
 *     out(x) = min_i in(i) + max(|x - i| - ½, 0)²
 *
 * A cube's two faces are at i ± ½, and the nearer one is (|x - i| - ½) away, so that the minimum
 * over faces of parabolas, and of in(x) itself, is the same: a lower envelope (Felzenszwalb and
 * Huttenlocher, 2012) over the n + 1 faces, each with the lesser of the two values beside it. In
 * quarters of squared edges all is whole and exact.
 *
 * Launch: any number of work-items. Traffic: rows 4 bytes written and 12 more walked back a voxel;
 * lines 12 bytes a voxel and their envelopes, which stay in the cache.
 */
#include "share.h"
#include "types.h"
#include "voxels.h"

/* What no voxel taken has told. */
#define FAR_QUARTERS 0xffffffffu
#define FAR_VALUE 3.0e38f

/* Where entry e of a work-item's envelope is: side by side on a GPU, in one piece on a CPU. */
#ifdef SHAPE_CPU
#define ENTRY(e) (get_global_id(0) * (size_t)entries + (e))
#define LINE_FIRST(lines) share_begin(lines)
#define LINE_NEXT(l) ((l) + 1)
#define LINE_END(lines) share_end(lines)
#else
#define ENTRY(e) ((e) * (size_t)get_global_size(0) + get_global_id(0))
#define LINE_FIRST(lines) ((u32)get_global_id(0))
#define LINE_NEXT(l) ((l) + (u32)get_global_size(0))
#define LINE_END(lines) (lines)
#endif

/* The bits of the voxels x + left … x + right of row (j, k) that the part touches; x is a tile's
 * first. */
static inline u32 part_bits(const struct voxel_part *part, u32 x, u32 j, u32 k, u32 left, u32 right)
{
    const struct vec3 half_size = vec3_make(0.5f, 0.5f, 0.5f);
    u32 word = 0;
    for (u32 i = left; i <= right; i++) {
        const struct vec3 centre = vec3_make((f32)(x + i) + 0.5f, (f32)j + 0.5f, (f32)k + 0.5f);
        if (part->kind == VOXEL_BOX || part_touches(part, centre, half_size))
            word |= 1u << i;
    }
    return word;
}

/* bits: [size z][size y][tiles x] words, all written: voxels that some part touches. offsets,
 * members: parts by tiles. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
field_mark(__global u32 *restrict bits,
           __global const struct voxel_part *restrict parts,
           __global const u32 *restrict offsets, __global const u32 *restrict members,
           const struct voxel_array array, const u32 n)
{
    const u32 tiles_x = array.tiles[0], tiles_y = array.tiles[1];
    for (u32 tile = share_begin(n), end = share_end(n); tile < end; tile++) {
        const u32 row = tile / tiles_x, layer = row / tiles_y;
        const u32 x = (tile - row * tiles_x) * VOXEL_WORD;
        const u32 y = (row - layer * tiles_y) * VOXEL_TILE;
        const u32 z = layer * VOXEL_TILE;
        const u32 y_end = min(y + VOXEL_TILE, array.size[1]);
        const u32 z_end = min(z + VOXEL_TILE, array.size[2]);
        u32 words[VOXEL_TILE * VOXEL_TILE];
        for (u32 w = 0; w < VOXEL_TILE * VOXEL_TILE; w++)
            words[w] = 0;

        for (u32 m = offsets[tile]; m < offsets[tile + 1]; m++) {
            const struct voxel_part part = parts[members[m]];
            const struct vec3 half_size =
                vec3_make(0.5f * VOXEL_WORD, 0.5f * VOXEL_TILE, 0.5f * VOXEL_TILE);
            const struct vec3 centre =
                vec3_make((f32)x + half_size.x, (f32)y + half_size.y, (f32)z + half_size.z);
            if (part.kind != VOXEL_BOX && !part_touches(&part, centre, half_size))
                continue;

            // the part's own box in the tile
            const u32 left = (u32)clamp(part_low(&part, 0) - (f32)x, 0.0f, VOXEL_WORD - 1.0f);
            const u32 right = (u32)clamp(part_high(&part, 0) - (f32)x, 0.0f, VOXEL_WORD - 1.0f);
            const u32 j_first = max(y, (u32)max(part_low(&part, 1), 0.0f));
            const u32 k_first = max(z, (u32)max(part_low(&part, 2), 0.0f));
            const u32 j_last = (u32)max(part_high(&part, 1), 0.0f);
            const u32 k_last = (u32)max(part_high(&part, 2), 0.0f);
            for (u32 k = k_first; k < z_end && k <= k_last; k++) {
                for (u32 j = j_first; j < y_end && j <= j_last; j++)
                    words[(k - z) * VOXEL_TILE + j - y] |= part_bits(&part, x, j, k, left, right);
            }
        }
        for (u32 k = z; k < z_end; k++) {
            for (u32 j = y; j < y_end; j++)
                bits[((size_t)k * array.size[1] + j) * tiles_x + x / VOXEL_WORD] =
                    words[(k - z) * VOXEL_TILE + j - y];
        }
    }
}

/* The squared distance to a closed cell n cells away. */
static inline f32 squared_gap(u32 n)
{
    const f32 gap = (f32)n - 0.5f;
    return n == 0 ? 0.0f : gap * gap;
}

/* values: f32[rows][size x], by the bits of each row. n = rows. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
field_rows(__global f32 *restrict values, __global const u32 *restrict bits,
           const struct voxel_array array, const u32 n)
{
    const u32 size = array.size[0];
    for (u32 row = share_begin(n), end = share_end(n); row < end; row++) {
        __global f32 *out = values + array.first + (size_t)row * size;
        __global const u32 *words = bits + (size_t)row * array.tiles[0];

        // the way from the last one taken, then to the next
        u32 way = size;
        for (u32 x = 0; x < size; x++) {
            const int taken = (int)((words[x / VOXEL_WORD] >> (x % VOXEL_WORD)) & 1u);
            way = taken ? 0 : way + 1;
            out[x] = way < size ? squared_gap(way) : FAR_VALUE;
        }
        way = size;
        for (u32 x = size; x-- > 0;) {
            way = out[x] == 0.0f ? 0 : way + 1;
            if (way < size)
                out[x] = min(out[x], squared_gap(way));
        }
    }
}

/* A parabola of an envelope: the face's value in quarters, its number in the upper half of `place`
 * and the first cell that it is the least at in the lower. */
struct parabola {
    u32 quarters, place;
};

/* Quarters of the squared distance at cell x by face b. */
static inline u32 parabola_at(u32 quarters, u32 b, u32 x)
{
    const i32 way = (i32)(2 * x + 1) - (i32)(2 * b);
    return quarters + (u32)(way * way);
}

/* The first cell after `from`, and at most n, where the face b is less than the earlier face t. */
static inline u32 parabola_meets(struct parabola earlier, u32 quarters, u32 b, u32 from, u32 n)
{
    const u32 t = earlier.place >> 16;
    const f32 way = 2.0f * ((f32)b - (f32)t), middle = (f32)b + (f32)t;
    const f32 rise = (f32)quarters - (f32)earlier.quarters;
    // the estimate is exact but for rounding: on to where it is so
    const f32 guess = clamp(0.5f * (rise / (2.0f * way) + middle - 1.0f), (f32)from, (f32)n);
    u32 x = max((u32)guess, from + 1);
    while (x > from + 1 &&
           parabola_at(quarters, b, x - 1) < parabola_at(earlier.quarters, t, x - 1))
        x--;
    while (x < n && parabola_at(quarters, b, x) >= parabola_at(earlier.quarters, t, x))
        x++;
    return x;
}

static inline u32 quarters_of(f32 value)
{
    return value < FAR_VALUE ? (u32)(4.0f * value) : FAR_QUARTERS;
}

/* One line of n values from values[0], `stride` apart, in place. ends: the values of what lies
 * beyond both ends, in quarters. envelope: n + 1 entries a work-item. */
static inline void line_transform(__global f32 *values, size_t stride, u32 n, u32 ends,
                                  __global struct parabola *envelope, u32 entries)
{
    u32 count = 0, before = ends;
    for (u32 b = 0; b <= n; b++) {
        const u32 after = b < n ? quarters_of(values[b * stride]) : ends;
        const u32 quarters = min(before, after);
        before = after;
        if (quarters == FAR_QUARTERS)
            continue;

        // drops those that are nowhere the least any more
        u32 start = 0;
        while (count > 0) {
            const struct parabola last = envelope[ENTRY(count - 1)];
            const u32 from = last.place & 0xffffu;
            if (parabola_at(quarters, b, from) >=
                parabola_at(last.quarters, last.place >> 16, from)) {
                start = parabola_meets(last, quarters, b, from, n);
                break;
            }
            count--;
        }
        if (start < n) {
            const struct parabola next = {quarters, b << 16 | start};
            envelope[ENTRY(count)] = next;
            count++;
        }
    }

    if (count == 0)
        return;
    struct parabola least = envelope[ENTRY(--count)];
    for (u32 x = n; x-- > 0;) {
        while (x < (least.place & 0xffffu))
            least = envelope[ENTRY(--count)];
        const f32 value = 0.25f * (f32)parabola_at(least.quarters, least.place >> 16, x);
        values[x * stride] = min(values[x * stride], value);
    }
}

/* Lines of `length` values, `stride` apart, in place; line l begins at l / stride * layer + l %
 * stride. n: lines; entries: length + 1. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
field_lines(__global f32 *values, __global struct parabola *envelopes,
            const u32 first, const u32 length, const u32 stride, const u32 layer,
            const u32 entries, const u32 n)
{
    for (u32 line = LINE_FIRST(n); line < LINE_END(n); line = LINE_NEXT(line)) {
        const u32 outer = line / stride;
        const size_t start = first + (size_t)outer * layer + (line - outer * stride);
        line_transform(values + start, stride, length, FAR_QUARTERS, envelopes, entries);
    }
}

/* values: f32[height][width] from array.first on: distances along the row to a cell of another
 * class, all outside counting as blocked; of blocked cells 0. n = rows. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
grid_rows(__global f32 *restrict values, __global const uchar *restrict cells,
          const u32 first, const u32 width, const u32 cells_first, const u32 n)
{
    for (u32 row = share_begin(n), end = share_end(n); row < end; row++) {
        __global f32 *out = values + first + (size_t)row * width;
        __global const uchar *classes = cells + cells_first + (size_t)row * width;

        u32 way = 0;
        u32 last = TERRAIN_BLOCKED;
        for (u32 x = 0; x < width; x++) {
            way = classes[x] == last ? way + 1 : 1;
            last = classes[x];
            out[x] = last == TERRAIN_BLOCKED ? 0.0f : squared_gap(way);
        }
        way = 0;
        last = TERRAIN_BLOCKED;
        for (u32 x = width; x-- > 0;) {
            way = classes[x] == last ? way + 1 : 1;
            last = classes[x];
            out[x] = min(out[x], squared_gap(way));
        }
    }
}

/* The same along columns, in place: a run of one class at a time, the cells beside it are of
 * another. n: columns; entries: height + 1. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
grid_columns(__global f32 *values, __global const uchar *restrict cells,
             __global struct parabola *envelopes, const u32 first, const u32 height,
             const u32 cells_first, const u32 entries, const u32 n)
{
    for (u32 column = LINE_FIRST(n); column < LINE_END(n); column = LINE_NEXT(column)) {
        __global f32 *out = values + first + column;
        __global const uchar *classes = cells + cells_first + column;
        for (u32 y = 0; y < height;) {
            const u32 kind = classes[y * (size_t)n];
            u32 next = y + 1;
            while (next < height && classes[next * (size_t)n] == kind)
                next++;
            if (kind != TERRAIN_BLOCKED)
                line_transform(out + y * (size_t)n, n, next - y, 0, envelopes, entries);
            y = next;
        }
    }
}
