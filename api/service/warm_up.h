/* Warm-up: launches once what requests will launch, so that none waits for a compiler. */
#ifndef SERVICE_WARM_UP_H
#define SERVICE_WARM_UP_H

#include "service/device_thread.h"

/* Runs piece 0, 1, …; true: there are no more. Faults are left to the requests that will meet them.
 */
bool warm_up(struct device *device, unsigned piece);

#endif
