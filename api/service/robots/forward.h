/* Where a robot's links are: POST /v1/robots/{name}/forward, computed on the device. */
#ifndef SERVICE_FORWARD_H
#define SERVICE_FORWARD_H

#include "service/call.h"

void forward_call(struct service *service, struct call *call);

#endif
