/* The algorithms on their own: a request becomes arrays, waits for the device, its results become
 * an answer in JSON or npz.
 *
 * Small bodies are parsed by the caller and small answers written by the device thread; large ones
 * go to the workers. A request whose client is gone is dropped.
 */
#ifndef SERVICE_COMPUTE_H
#define SERVICE_COMPUTE_H

#include "service/service.h"

/* POST /v1/compute/{op}. */
void compute_call(struct service *service, struct call *call);

#endif
