/* Flow macros of the engine. A function that owns resources has one `cleanup:` label, a local
 * `enum prm_status status = PRM_OK`, and handles that start NULL. */
#ifndef PRM_DEVICE_TRY_H
#define PRM_DEVICE_TRY_H

#include "device/status.h"

/* Propagates a fault to the caller's cleanup. The record was written where the fault was found. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != PRM_OK)                                                                      \
            goto cleanup;                                                                          \
    } while (0)

#endif
