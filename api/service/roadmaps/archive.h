/* Archives of roadmaps: GET and PUT of /v1/roadmaps/{name}/archive. */
#ifndef SERVICE_ARCHIVE_H
#define SERVICE_ARCHIVE_H

#include "service/call.h"

void archive_get(struct service *service, struct call *call);

/* World and robot are made where they are not there, and must be equal where they are; the roadmap
 * comes in as a build does, by a job. */
void archive_put(struct service *service, struct call *call);

#endif
