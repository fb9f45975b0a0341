/* Samples near obstacles and in narrow passages: gaussian, bridge and obstacle. Kernels:
 * sample_narrow.cl. Internal to sampling. */
#ifndef PRM_ROADMAP_SAMPLE_NARROW_H
#define PRM_ROADMAP_SAMPLE_NARROW_H

#include "roadmap/sampling/sample.h"

/* What a block of draws gave. */
struct prm_sample_block {
    struct prm_buffer rows;   /* f32[][row] */
    struct prm_buffer kept;   /* u32[count]: which of them, ascending */
    uint32_t count;           /* free ones found */
    uint64_t checked;         /* states checked for them */
    uint32_t even, even_free; /* of them, drawn evenly, and how many of these are free */
};

/* Draws of a block: its work is a few milliseconds', and the same however many are wanted. */
enum { PRM_NARROW_DRAWS = 4096 };

/* The draws from the sampler's source_draws on, of its present source; pieces of the arena. */
enum prm_status prm_narrow_block(struct prm_arena *arena, const struct prm_sampler *sampler,
                                 struct prm_sample_block *block);

#endif
