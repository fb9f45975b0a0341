/* Where a robot's links are: POST /v1/robots/{name}/forward.
 *
 *     {"states": [[…] | {"coordinate": number…} …]}
 *     -> {"coordinates": […], "states": [{"links": {name: {"xyz", "quaternion"}},
 *                                         "spheres": {name: [[x, y, z, radius] …]}} …]}
 *
 * Only links that have spheres appear under `spheres`, spheres that are switched off with their
 * negative radius. The one link of point, ball and rigid robots is `body`.
 */
#ifndef SCHEMA_FORWARD_H
#define SCHEMA_FORWARD_H

#include "schema/robot.h"

struct forward_request {
    uint32_t dof;
    uint32_t dimension; /* of a robot that is no arm: by its document, else by the first state */
    uint32_t state_count;
    double *states;   /* [state_count][dof], within the limits, owned */
    uint32_t clamped; /* states that were outside by less than the tolerance */
};

/* Checks names, counts, limits. false: `problem` says all that is wrong; nothing is owned then. */
bool forward_read(struct forward_request *request, const struct robot_document *robot,
                  const char *body, size_t bytes, const struct limits *limits,
                  struct problem *problem);
void forward_deinit(struct forward_request *request);

/* A link's pose in the world. */
struct forward_frame {
    double xyz[3], quaternion[4];
};

/* Appends the answer. frames: [state_count][links], in the document's order; one link where the
 * robot is no arm. */
void forward_write(const struct forward_request *request, const struct robot_document *robot,
                   const struct forward_frame *frames, struct text *out);

#endif
