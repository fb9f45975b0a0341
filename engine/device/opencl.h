/* OpenCL as this layer uses it: API level, names of error codes, and the flow macro for its calls.
 * Internal to engine/device. */
#ifndef PRM_DEVICE_OPENCL_H
#define PRM_DEVICE_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "device/try.h"

/* "CL_OUT_OF_RESOURCES" for its code; "an unknown error" for one that no table knows. Never NULL.
 */
const char *prm_opencl_error_name(cl_int code);

/* Writes the fault "`what`: CL_NAME (code)" and returns its status: PRM_DEVICE_MEMORY,
 * PRM_HOST_MEMORY or PRM_DEVICE_FAILED, by the code. */
enum prm_status prm_opencl_fault(const char *what, cl_int code);

/* Goes to cleanup with a fault unless the OpenCL call succeeds; the fault names the function
 * called. */
#define TRY_CL(call)                                                                               \
    do {                                                                                           \
        const cl_int code_ = (call);                                                               \
        if (code_ != CL_SUCCESS) {                                                                 \
            status = prm_opencl_fault(#call, code_);                                               \
            goto cleanup;                                                                          \
        }                                                                                          \
    } while (0)

#endif
