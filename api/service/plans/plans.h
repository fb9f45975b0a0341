/* Planning: a request becomes queries (plans.c), waits for the device thread, which runs it with
 * others like it (plan_batch.c), and its results become an answer, or a picture of roadmap and
 * paths (plan_reply.c).
 *
 * Small bodies are parsed by the caller and small answers written by the device thread; large ones
 * go to the workers. A request whose client is gone is dropped before it runs.
 */
#ifndef SERVICE_PLANS_H
#define SERVICE_PLANS_H

#include "service/device_thread.h"
#include "service/service.h"

/* POST …/plan, GET and POST …/picture.svg. */
void plan_call(struct service *service, struct call *call);

/* Answers requests for one version of a roadmap, those that ask in the same way together. The
 * device thread's `plan`. */
void plan_run_batch(struct device *device, struct plan_task *batch);

#endif
