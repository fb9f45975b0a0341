/* Error codes of OpenCL 1.2 by name. */
#include "device/opencl.h"

#include <string.h>

#define CODE(constant)                                                                             \
    {                                                                                              \
        constant, #constant                                                                        \
    }

static const struct {
    cl_int code;
    const char *name;
} CODES[] = {
    CODE(CL_DEVICE_NOT_FOUND),
    CODE(CL_DEVICE_NOT_AVAILABLE),
    CODE(CL_COMPILER_NOT_AVAILABLE),
    CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    CODE(CL_OUT_OF_RESOURCES),
    CODE(CL_OUT_OF_HOST_MEMORY),
    CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
    CODE(CL_MEM_COPY_OVERLAP),
    CODE(CL_IMAGE_FORMAT_MISMATCH),
    CODE(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    CODE(CL_BUILD_PROGRAM_FAILURE),
    CODE(CL_MAP_FAILURE),
    CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    CODE(CL_COMPILE_PROGRAM_FAILURE),
    CODE(CL_LINKER_NOT_AVAILABLE),
    CODE(CL_LINK_PROGRAM_FAILURE),
    CODE(CL_DEVICE_PARTITION_FAILED),
    CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    CODE(CL_INVALID_VALUE),
    CODE(CL_INVALID_DEVICE_TYPE),
    CODE(CL_INVALID_PLATFORM),
    CODE(CL_INVALID_DEVICE),
    CODE(CL_INVALID_CONTEXT),
    CODE(CL_INVALID_QUEUE_PROPERTIES),
    CODE(CL_INVALID_COMMAND_QUEUE),
    CODE(CL_INVALID_HOST_PTR),
    CODE(CL_INVALID_MEM_OBJECT),
    CODE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    CODE(CL_INVALID_IMAGE_SIZE),
    CODE(CL_INVALID_SAMPLER),
    CODE(CL_INVALID_BINARY),
    CODE(CL_INVALID_BUILD_OPTIONS),
    CODE(CL_INVALID_PROGRAM),
    CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    CODE(CL_INVALID_KERNEL_NAME),
    CODE(CL_INVALID_KERNEL_DEFINITION),
    CODE(CL_INVALID_KERNEL),
    CODE(CL_INVALID_ARG_INDEX),
    CODE(CL_INVALID_ARG_VALUE),
    CODE(CL_INVALID_ARG_SIZE),
    CODE(CL_INVALID_KERNEL_ARGS),
    CODE(CL_INVALID_WORK_DIMENSION),
    CODE(CL_INVALID_WORK_GROUP_SIZE),
    CODE(CL_INVALID_WORK_ITEM_SIZE),
    CODE(CL_INVALID_GLOBAL_OFFSET),
    CODE(CL_INVALID_EVENT_WAIT_LIST),
    CODE(CL_INVALID_EVENT),
    CODE(CL_INVALID_OPERATION),
    CODE(CL_INVALID_GL_OBJECT),
    CODE(CL_INVALID_BUFFER_SIZE),
    CODE(CL_INVALID_MIP_LEVEL),
    CODE(CL_INVALID_GLOBAL_WORK_SIZE),
    CODE(CL_INVALID_PROPERTY),
    CODE(CL_INVALID_IMAGE_DESCRIPTOR),
    CODE(CL_INVALID_COMPILER_OPTIONS),
    CODE(CL_INVALID_LINKER_OPTIONS),
    CODE(CL_INVALID_DEVICE_PARTITION_COUNT),
};

const char *prm_opencl_error_name(cl_int code)
{
    for (size_t i = 0; i < sizeof(CODES) / sizeof(CODES[0]); i++) {
        if (CODES[i].code == code)
            return CODES[i].name;
    }
    return "an unknown error";
}

enum prm_status prm_opencl_fault(const char *what, cl_int code)
{
    enum prm_status status = PRM_DEVICE_FAILED;

    if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE)
        status = PRM_DEVICE_MEMORY;
    else if (code == CL_OUT_OF_HOST_MEMORY)
        status = PRM_HOST_MEMORY;

    // of a call's text the function's name is enough
    const int length = (int)strcspn(what, "(");
    return prm_fault_set(status, "%.*s: %s (%d)", length, what, prm_opencl_error_name(code), code);
}
