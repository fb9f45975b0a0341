/* Warm-up: launches once what requests will launch, so that none waits for a compiler. */
#ifndef SERVICE_WARM_UP_H
#define SERVICE_WARM_UP_H

#include "service/device_thread.h"

/* Runs piece 0, 1, …; *done: there are no more. Returns the engine's status of the piece, which
 * ends the warm-up where it is not PRM_OK. */
enum prm_status warm_up(struct device *device, unsigned piece, bool *done);

#endif
