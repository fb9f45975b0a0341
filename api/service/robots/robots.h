/* Robots: the resource. A roadmap keeps the version that it was built for. */
#ifndef SERVICE_ROBOTS_H
#define SERVICE_ROBOTS_H

#include "schema/robot.h"
#include "service/call.h"
#include "service/store.h"

struct robot_version {
    struct version version;
    struct robot_document document;
    struct text members; /* canonical text, without braces */
};

/* Makes a version of a document, which it takes over whatever the outcome. NULL: no memory. */
struct robot_version *robot_version_create(struct robot_document *document);

void robot_list(struct service *service, struct call *call);
void robot_get(struct service *service, struct call *call);
void robot_put(struct service *service, struct call *call);
void robot_delete(struct service *service, struct call *call);

#endif
