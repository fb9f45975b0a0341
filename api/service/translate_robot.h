/* A robot's document to the engine's specification of it. */
#ifndef SERVICE_TRANSLATE_ROBOT_H
#define SERVICE_TRANSLATE_ROBOT_H

#include "roadmap/robot/robot.h"
#include "schema/robot.h"

/* A robot for the engine, with the memory that it borrows. Links come root first, else in the
 * document's order; joints parents first; coordinates in the document's order. */
struct robot_spec {
    struct prm_robot_spec spec;
    struct prm_sphere *spheres;
    struct prm_link *links;
    struct prm_joint *joints;
    struct prm_robot_coordinate *coordinates;
    uint32_t *ignored;
};

/* The caller deinitialises it whatever the status. PRM_HOST_MEMORY. */
enum prm_status robot_spec_init(struct robot_spec *spec, const struct robot_document *document);
void robot_spec_deinit(struct robot_spec *spec);

/* The engine's number of a link of the document. */
uint32_t robot_spec_link(const struct robot_document *document, uint32_t link);

/* The name of a link by the engine's number, borrowed; NULL: there is none, or the robot has no
 * links. */
const char *robot_link_text(const struct robot_document *document, uint32_t link);

/* Whether a robot can be in worlds of so many dimensions; NULL: it can, else why not, as words to
 * follow the robot's name. */
const char *robot_misfit(const struct robot_document *document, uint32_t dimension);

#endif
