/* A roadmap's document to the engine's parameters: its methods, and its lists, which robot and
 * world give a meaning. */
#ifndef SERVICE_TRANSLATE_ROADMAP_H
#define SERVICE_TRANSLATE_ROADMAP_H

#include "roadmap/roadmap.h"
#include "schema/roadmap.h"
#include "schema/robot.h"
#include "schema/world.h"

/* Parameters with the memory that they borrow. */
struct roadmap_spec {
    struct prm_roadmap_params params;
    double *anchors;
    uint32_t *allowed;
};

/* Fills in the lists, where roadmap_check() has found no fault, beside what roadmap_translate()
 * gives. The caller deinitialises it whatever the status. PRM_HOST_MEMORY. */
enum prm_status roadmap_spec_init(struct roadmap_spec *spec,
                                  const struct roadmap_document *document,
                                  const struct limits *limits, const struct robot_document *robot,
                                  const struct world_document *world);
void roadmap_spec_deinit(struct roadmap_spec *spec);

/* Whether the lists speak of this robot and this world: anchors have its coordinates, pairs its
 * links and its obstacles; else faults are added. */
bool roadmap_check(const struct roadmap_document *document, const struct robot_document *robot,
                   const struct world_document *world, struct problem *problem);

/* Whether the obstacles that the pairs name have the same places in both worlds. */
bool roadmap_allowed_stays(const struct roadmap_document *document,
                           const struct world_document *from, const struct world_document *to);

#endif
