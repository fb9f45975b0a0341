/* Growing the tree of buckets. */
#include "roadmap/nearest/tile_tree.h"

#include "device/assert.h"
#include "kernels/select.h"

#include <math.h>
#include <stddef.h>

/* The axis along which samples keys[begin … end - 1] (their low halves) spread the widest. */
static uint32_t widest_axis(const struct prm_tile_tree *tree, uint32_t begin, uint32_t end)
{
    uint32_t axis = 0;
    float widest = -1.0f;
    for (uint32_t c = 0; c < tree->dof; c++) {
        float low = INFINITY, high = -INFINITY;
        for (uint32_t i = begin; i < end; i++) {
            const float x = tree->sample[(size_t)(uint32_t)tree->keys[i] * tree->row + c];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        if (high - low > widest) {
            widest = high - low;
            axis = c;
        }
    }
    return axis;
}

void prm_tile_tree_grow(struct prm_tile_tree *tree)
{
    PRM_ASSERT(tree->samples >= tree->buckets);
    for (uint32_t i = 0; i < tree->samples; i++)
        tree->keys[i] = i;

    // breadth first: a node's samples lie together, as many as its brothers'
    for (uint32_t node = 1; node < tree->buckets; node++) {
        uint64_t level = 1;
        while (2 * level <= node)
            level *= 2;
        const uint64_t across = node - level;
        const uint32_t begin = (uint32_t)(tree->samples * across / level);
        const uint32_t end = (uint32_t)(tree->samples * (across + 1) / level);
        const uint32_t middle = (uint32_t)(tree->samples * (2 * across + 1) / (2 * level));
        const uint32_t axis = widest_axis(tree, begin, end);

        // the lower half to the front
        for (uint32_t i = begin; i < end; i++) {
            const uint32_t place = (uint32_t)tree->keys[i];
            tree->keys[i] = select_key(tree->sample[(size_t)place * tree->row + axis], place);
        }
        select_smallest(tree->keys, begin, end, middle - begin);

        // the median is the least of the upper half
        u64 median = tree->keys[middle];
        for (uint32_t i = middle; i < end; i++)
            median = tree->keys[i] < median ? tree->keys[i] : median;
        const uint32_t place = (uint32_t)median;
        tree->axes[node] = axis;
        tree->values[node] = tree->sample[(size_t)place * tree->row + axis];
        tree->ties[node] = (uint32_t)((uint64_t)place * tree->count / tree->samples);
    }
}
