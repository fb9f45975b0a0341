/* Wire structs to engine structs and back: the one place that knows both. */
#ifndef SERVICE_TRANSLATE_H
#define SERVICE_TRANSLATE_H

#include "roadmap/plan/plan.h"
#include "schema/plan.h"
#include "schema/roadmap.h"
#include "schema/robot.h"
#include "schema/world.h"

/* A world for the engine, with the memory that it borrows. Obstacles keep their places. */
struct world_spec {
    struct prm_world_spec spec;
    struct prm_obstacle *obstacles; /* owned */
    uint8_t *cells;                 /* of all grids, owned */
};

/* `document` is borrowed until the deinit. */
enum prm_status world_spec_init(struct world_spec *spec, const struct world_document *document);
void world_spec_deinit(struct world_spec *spec);

/* What differs between two worlds for the engine, with the memory that it borrows. */
struct difference_spec {
    struct prm_difference difference;
    struct prm_obstacle *obstacles; /* owned */
};

/* `after` has other obstacles than `before` in the places `changed`, and more behind them all. Both
 * are borrowed until the deinit. PRM_HOST_MEMORY: nothing is left to deinit. */
enum prm_status difference_spec_init(struct difference_spec *spec,
                                     const struct world_document *before,
                                     const struct world_document *after, const uint32_t *changed,
                                     uint32_t changed_count);
void difference_spec_deinit(struct difference_spec *spec);

/* But for the lists: translate_roadmap.h. */
struct prm_roadmap_params roadmap_translate(const struct roadmap_document *document,
                                            const struct limits *limits);

/* The options of a request to a roadmap. */
struct prm_plan_options plan_translate(const struct plan_request *request,
                                       const struct limits *limits,
                                       const struct prm_roadmap *roadmap);

/* The queries of a request, malloc'ed for the caller; numbers are borrowed. NULL: no memory. */
struct prm_query *queries_translate(const struct plan_request *request);

/* One result for the wire; names are borrowed from world, robot and coordinates. */
struct plan_result result_translate(const struct prm_plan_result *result,
                                    const struct world_document *world,
                                    const struct robot_document *robot,
                                    const char *const *coordinates, uint32_t dof);

/* A reason for the wire; names as above. */
struct plan_reason reason_translate(const struct prm_reason *from,
                                    const struct world_document *world,
                                    const struct robot_document *robot,
                                    const char *const *coordinates, uint32_t dof);

/* The engine's method in the wire's word. */
const char *neighbor_method_text(enum prm_neighbor_method method);

/* A source of samples, PRM_SAMPLE_…, in the wire's word; trees are "anchors". */
const char *sample_source_text(unsigned source);

/* Adds the calling thread's last engine fault: where in the body it is, and the limit that it
 * passes with its flag, as far as the engine says so. */
void problem_add_status(struct problem *problem, enum prm_status status);

#endif
