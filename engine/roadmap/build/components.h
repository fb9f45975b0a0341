/* Connected components on the device, a round of O(log n) a step. */
#ifndef PRM_ROADMAP_COMPONENTS_H
#define PRM_ROADMAP_COMPONENTS_H

#include "device/buffer.h"

/* A graph's vertices being labelled. The caller sets the first group. */
struct prm_labelling {
    struct prm_buffer labels, sizes; /* u32[vertices], device */
    struct prm_buffer pairs, valid;  /* u32[edges][2]; u32[edges] of 0 and 1, device */
    uint32_t edges, vertices;

    struct prm_buffer changed, hooks; /* its own, resident until the end; zero at first */
};

/* Runs one round. When it is *done, labels[v] = lowest vertex of v's component; sizes[label] = its
 * vertices, 0 elsewhere. One read-back. */
enum prm_status prm_labelling_step(struct prm_context *context, struct prm_labelling *labelling,
                                   bool *done);

/* Frees what is its own, at any point. */
void prm_labelling_deinit(struct prm_context *context, struct prm_labelling *labelling);

#endif
