/* Trees of samples grown from anchors: each sample is a step from the nearest node towards a
 * uniform configuration (LaValle & Kuffner 2001), so that it is connected by construction. A round
 * of attempts sees the tree as it was before; the host checks the steps and appends those that are
 * free (roadmap/sampling/sample_trees.c).
 *
 * Launch: any number of work-items, a stretch of attempts each (share.h).
 * Traffic: an attempt reads its tree.
 * -D ROW, DOF, TURNS, QUATERNION, METRIC_WEIGHTS: of metric.h.
 *
 * check: -DROW=2 -DDOF=2
 * check: -DROW=8 -DDOF=7
 * check: -DROW=4 -DDOF=3 -DTURNS=4u -DMETRIC_WEIGHTS=1.0f,1.0f,0.5f
 * check: -DROW=8 -DDOF=7 -DQUATERNION=3 -DMETRIC_WEIGHTS=1.0f,1.0f,1.0f,2.0f,2.0f,2.0f,2.0f
 */
#include "sample.h"
#include "sample_types.h"
#include "share.h"

/* Attempt i is number first + i % round of tree i / round. ends[i] = where it leads; pairs[i] = the
 * node that it starts at, as a row of `nodes`, and i. nodes: f32[anchors][capacity][ROW], the
 * anchor itself first; steps: lengths, taken in turn. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
sample_extend(__global f32 *restrict ends, __global u32 *restrict pairs,
              __global const f32 *restrict nodes,
              __global const struct sample_tree *restrict trees, const u32 capacity,
              const u32 round, const float4 steps,
              __global const f32 *restrict limits, const u64 seed, const u32 n)
{
    const f32 lengths[SAMPLE_SCALES] = {steps.x, steps.y, steps.z, steps.w};
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        const u32 t = i / round;
        const struct sample_tree tree = trees[t];
        const u32 attempt = tree.first + (i - t * round);
        u32 words[SAMPLE_WORDS];
        f32 units[DOF], target[ROW], node[ROW];
        sample_words(words, SAMPLE_FOR_TREES, tree.anchor, attempt, seed);
        for (u32 c = 0; c < DOF; c++)
            units[c] = random_unit(words[c]);
        sample_uniform_row(target, units, limits);

        // the nearest node, the first of equals
        const u32 root = tree.anchor * capacity;
        u32 nearest = 0;
        f32 least = INFINITY;
        for (u32 j = 0; j < tree.nodes; j++) {
            row_load(node, nodes, root + j);
            const f32 squared = metric_squared(node, target);
            if (squared < least) {
                least = squared;
                nearest = j;
            }
        }

        // where steps are short, walls hide most of the nearest: half of them start anywhere
        if (tree.scale < 1.0f && (attempt / SAMPLE_SCALES & 1)) {
            sample_words(words, SAMPLE_FOR_PARTNERS + SAMPLE_FOR_TREES, tree.anchor, attempt, seed);
            nearest = (u32)(((u64)words[0] * tree.nodes) >> 32);
        }
        row_load(node, nodes, root + nearest);
        const f32 distance = metric_distance(node, target),
                  length = tree.scale * lengths[attempt % SAMPLE_SCALES];
        if (distance > length)
            metric_interpolate(target, node, target, length / distance);
        row_store(ends, i, target);
        pairs[2 * i] = root + nearest;
        pairs[2 * i + 1] = i;
    }
}
