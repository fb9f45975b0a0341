/* Obstacles that hold for one request alone: the members "obstacles" and "ignore" of plan and
 * matrix (api page, section 6).
 *
 * The obstacles of an overlay replace those of the world that have their ids, in their places, and
 * follow them otherwise; ids to ignore are of dynamic obstacles, which are then disabled. So what
 * refers to obstacles of the world by place or id still means them, or what stands in for them.
 */
#ifndef SCHEMA_OVERLAY_H
#define SCHEMA_OVERLAY_H

#include "schema/world.h"

struct overlay_document {
    struct obstacle_document *obstacles; /* of any dimension yet; owned */
    uint32_t obstacle_count;
    char (*ignored)[OBSTACLE_ID_BYTES_MAX + 1]; /* owned */
    uint32_t ignored_count;
};

static inline bool overlay_is_empty(const struct overlay_document *overlay)
{
    return overlay->obstacle_count == 0 && overlay->ignored_count == 0;
}

void overlay_document_deinit(struct overlay_document *overlay);

/* Appends the overlay in canonical form: equal texts mean equal overlays. */
void overlay_write(const struct overlay_document *overlay, struct text *out);

/* A world under an overlay. Its obstacles are borrowed from both, the list of them is owned; bounds
 * stay what they were. */
struct overlaid_world {
    struct world_document document;
    uint32_t *changed; /* places in the world's list that are replaced or ignored, ascending */
    uint32_t changed_count;
};

/* Lays an overlay over a world. false: the overlay does not fit the world, as `problem` says; there
 * is nothing to deinit then. */
bool overlay_apply(struct overlaid_world *overlaid, const struct world_document *world,
                   const struct overlay_document *overlay, const struct limits *limits,
                   struct problem *problem);
void overlaid_world_deinit(struct overlaid_world *overlaid);

#endif
