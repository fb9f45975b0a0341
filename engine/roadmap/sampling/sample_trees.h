/* Samples about anchors: trees that grow from them by steps of several lengths towards uniform
 * configurations, so that each sample is connected to its anchor by free motions. Kernels:
 * sample_trees.cl. Internal to sampling.
 *
 * A round of attempts sees a tree as it was before the round, so rounds are parallel; attempts have
 * numbers, and what is kept is in their order. A tree that is full starts over from its anchor;
 * one without room for its steps makes shorter ones.
 */
#ifndef PRM_ROADMAP_SAMPLE_TREES_H
#define PRM_ROADMAP_SAMPLE_TREES_H

#include "device/arena.h"

#include <stdbool.h>

struct prm_sampler;

struct prm_trees {
    struct prm_tree *trees;  /* one an anchor; owned */
    uint32_t capacity;       /* nodes of a tree at most */
    uint32_t next;           /* whose turn it is */
    struct prm_buffer nodes; /* f32[anchors][capacity][row], the anchor itself first */
};

/* Row a * stride of `to` becomes anchor a. By a kernel: Oclgrind takes what a write of a buffer's
 * part leaves for uninitialised. */
enum prm_status prm_anchors_place(struct prm_arena *arena, const struct prm_sampler *sampler,
                                  struct prm_buffer to, uint32_t stride);

/* Takes the device memory of trees that give `wanted` milestones, by turns. */
enum prm_status prm_trees_begin(struct prm_arena *arena, struct prm_sampler *sampler,
                                uint32_t wanted);

/* A bounded number of attempts; what is free goes into `states` at its places. *done: no tree wants
 * more; the places of those that ended early are then `uniform`'s. */
enum prm_status prm_trees_step(struct prm_arena *arena, struct prm_sampler *sampler,
                               struct prm_buffer states, bool *done);

void prm_trees_deinit(struct prm_trees *trees);

#endif
