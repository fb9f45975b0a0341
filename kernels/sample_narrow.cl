/* Samples near obstacles and in narrow passages: pairs of configurations, chosen by which of them
 * collide. The host checks and compacts between these kernels (roadmap/sampling/sample_narrow.c).
 *
 * Launch: any number of work-items, a stretch of elements each (share.h).
 * Traffic: a row or two an element.
 * -D ROW, DOF, TURNS, QUATERNION, METRIC_WEIGHTS: of metric.h.
 *
 * check: -DROW=2 -DDOF=2
 * check: -DROW=8 -DDOF=7
 * check: -DROW=4 -DDOF=3 -DTURNS=4u -DMETRIC_WEIGHTS=1.0f,1.0f,0.5f
 * check: -DROW=8 -DDOF=7 -DQUATERNION=3 -DMETRIC_WEIGHTS=1.0f,1.0f,1.0f,2.0f,2.0f,2.0f,2.0f
 */
#include "sample.h"
#include "share.h"

/* rows[i] = uniform draw first + i of the purpose. limits: f32[2][ROW]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
sample_draw(__global f32 *restrict rows, __global const f32 *restrict limits,
            const u64 seed, const u32 purpose, const u32 first, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        u32 words[SAMPLE_WORDS];
        f32 units[DOF], row[ROW];
        sample_words(words, purpose, 0, first + i, seed);
        for (u32 c = 0; c < DOF; c++)
            units[c] = random_unit(words[c]);
        sample_uniform_row(row, units, limits);
        row_store(rows, i, row);
    }
}

/* partners[j] = a normal draw about the end kept[j / per], at the next of the scales. Draws have
 * the numbers of their ends, so that they do not depend on which ends were kept. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
sample_partners(__global f32 *restrict partners, __global const f32 *restrict ends,
                __global const u32 *restrict kept, const u32 per, const float4 sigmas,
                __global const f32 *restrict limits, const u64 seed,
                const u32 purpose, const u32 first, const u32 n)
{
    const f32 scales[SAMPLE_SCALES] = {sigmas.x, sigmas.y, sigmas.z, sigmas.w};
    for (u32 j = share_begin(n), end = share_end(n); j < end; j++) {
        const u32 e = j / per, draw = (first + kept[e]) * per + (j - e * per);
        u32 words[SAMPLE_WORDS];
        f32 row[ROW];
        row_load(row, ends, kept[e]);
        sample_words(words, SAMPLE_FOR_PARTNERS + purpose, 0, draw, seed);
        sample_near_row(row, row, words, scales[draw % SAMPLE_SCALES], limits);
        row_store(partners, j, row);
    }
}

/* flags[i] = 1 - flags[i]: which collide, of which are free. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
sample_blocked(__global u32 *restrict flags, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++)
        flags[i] = 1 - flags[i];
}

/* Of a pair of which just one is free, that one: into a[i], with free_a[i] = 1; else 0. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
sample_either(__global f32 *restrict a, __global u32 *restrict free_a,
              __global const f32 *restrict b, __global const u32 *restrict free_b,
              const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        if (free_b[i] && !free_a[i]) {
            f32 row[ROW];
            row_load(row, b, i);
            row_store(a, i, row);
        }
        free_a[i] ^= free_b[i];
    }
}

/* The chosen pairs: b[i] = partners[chosen[i]], a[i] = the end that it was drawn about. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
sample_pair(__global f32 *restrict a, __global f32 *restrict b,
            __global const f32 *restrict ends, __global const u32 *restrict kept,
            __global const f32 *restrict partners,
            __global const u32 *restrict chosen, const u32 per, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        f32 row[ROW];
        row_load(row, ends, kept[chosen[i] / per]);
        row_store(a, i, row);
        row_load(row, partners, chosen[i]);
        row_store(b, i, row);
    }
}

/* middles[i] = half-way from a[i] to b[i]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
sample_middles(__global f32 *restrict middles, __global const f32 *restrict a,
               __global const f32 *restrict b, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        f32 from[ROW], to[ROW];
        row_load(from, a, i);
        row_load(to, b, i);
        metric_interpolate(from, from, to, 0.5f);
        row_store(middles, i, from);
    }
}

/* A middle takes the place of the end that is like it: of the free one where it is free. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
sample_close_in(__global f32 *restrict blocked, __global f32 *restrict free,
                __global const f32 *restrict middles,
                __global const u32 *restrict is_free, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        f32 row[ROW];
        row_load(row, middles, i);
        if (is_free[i])
            row_store(free, i, row);
        else
            row_store(blocked, i, row);
    }
}
