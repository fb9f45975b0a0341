/* A context: opening and closing it, its memory account, its sync points. */
#include "device/context.h"

#include "device/internal.h"

#include <stdlib.h>

/* Of a device's memory, when no limit is given. */
#define LIMIT_NUMERATOR 3
#define LIMIT_DENOMINATOR 4

/* Sub-buffers are aligned at least so: a cache line, and any type. */
#define ALIGN_BYTES_MIN 128

/* Makes the OpenCL objects of a context whose device is chosen. */
static enum prm_status open_device(struct prm_context *context, bool time_kernels)
{
    enum prm_status status = PRM_OK;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)context->device.platform, 0};
    const cl_command_queue_properties queue = time_kernels ? CL_QUEUE_PROFILING_ENABLE : 0;
    cl_device_id id = context->device.id;
    cl_uint align_bits;
    size_t workgroup_max;
    cl_int code;

    TRY_CL(
        clGetDeviceInfo(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(align_bits), &align_bits, NULL));
    context->align_bytes = align_bits / 8;
    if (context->align_bytes < ALIGN_BYTES_MIN)
        context->align_bytes = ALIGN_BYTES_MIN;

    TRY_CL(clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(workgroup_max), &workgroup_max,
                           NULL));
    if (context->profile.workgroup > workgroup_max) {
        status = prm_fault_set(PRM_INVALID_ARGUMENT, "tuning: wg is %u, the device's limit %zu",
                               context->profile.workgroup, workgroup_max);
        goto cleanup;
    }

    context->opencl = clCreateContext(properties, 1, &id, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        return prm_opencl_fault("clCreateContext", code);
    context->queue = clCreateCommandQueue(context->opencl, id, queue, &code);
    if (code != CL_SUCCESS)
        return prm_opencl_fault("clCreateCommandQueue", code);

cleanup:
    return status;
}

enum prm_status prm_context_open(struct prm_context **context,
                                 const struct prm_context_options *options)
{
    static const struct prm_context_options DEFAULTS = {0};
    enum prm_status status = PRM_OK;
    struct prm_context *made = calloc(1, sizeof(*made));

    *context = NULL;
    if (!options)
        options = &DEFAULTS;
    if (made) {
        made->staging = malloc(PRM_STAGING_BYTES);
        made->timer = options->time_kernels ? calloc(1, sizeof(*made->timer)) : NULL;
    }
    if (!made || !made->staging || (options->time_kernels && !made->timer)) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for a device context");
        goto cleanup;
    }

    TRY(prm_device_choose(&made->device, options->device));
    TRY(prm_device_profile(&made->profile, &made->device));
    TRY(prm_profile_override(&made->profile, options->tuning));
    made->separate_scratch = options->separate_scratch;
    made->memory.limit_bytes = options->memory_limit ? options->memory_limit
                                                     : made->device.info.memory_bytes /
                                                           LIMIT_DENOMINATOR * LIMIT_NUMERATOR;
    TRY(open_device(made, options->time_kernels));
    *context = made;
    made = NULL;

cleanup:
    prm_context_close(made);
    return status;
}

void prm_context_close(struct prm_context *context)
{
    if (!context)
        return;
    // staged writes and timed events must be through before their memory goes
    if (context->queue) {
        clFinish(context->queue);
        prm_context_synchronized(context);
    }
    prm_program_registry_deinit(&context->registry);
    for (size_t i = 0; i < context->retired_count; i++)
        clReleaseMemObject(context->retired[i]);
    free(context->retired);
    if (context->queue)
        clReleaseCommandQueue(context->queue);
    if (context->opencl)
        clReleaseContext(context->opencl);
    free(context->staging);
    free(context->timer);
    free(context);
}

const struct prm_device_info *prm_context_device(const struct prm_context *context)
{
    return &context->device.info;
}

const struct prm_profile *prm_context_profile(const struct prm_context *context)
{
    return &context->profile;
}

void prm_context_synchronized(struct prm_context *context)
{
    context->staging_used = 0;
    prm_timer_harvest(context);
}

enum prm_status prm_context_finish(struct prm_context *context)
{
    const cl_int code = clFinish(context->queue);
    if (code != CL_SUCCESS)
        return prm_opencl_fault("clFinish", code);
    prm_context_synchronized(context);
    return PRM_OK;
}

struct prm_memory_use prm_context_memory(const struct prm_context *context)
{
    return context->memory;
}

void prm_context_inject_fault(struct prm_context *context, uint32_t countdown)
{
    context->fault_countdown = countdown;
}

enum prm_status prm_context_count_call(struct prm_context *context)
{
    if (context->fault_countdown == 0 || --context->fault_countdown > 0)
        return PRM_OK;
    return prm_opencl_fault("injected fault", CL_OUT_OF_RESOURCES);
}

/* The account that a kind of memory is booked in. */
static uint64_t *account(struct prm_context *context, enum prm_memory_kind kind)
{
    return kind == PRM_MEMORY_SCRATCH ? &context->memory.scratch_bytes
                                      : &context->memory.resident_bytes;
}

enum prm_status prm_memory_create(struct prm_context *context, cl_mem *memory, size_t bytes,
                                  enum prm_memory_kind kind)
{
    const uint64_t used = context->memory.resident_bytes + context->memory.scratch_bytes;
    const uint64_t limit = context->memory.limit_bytes;
    const uint64_t largest = context->device.info.allocation_max;
    cl_int code;

    const enum prm_status status = prm_context_count_call(context);
    if (status != PRM_OK)
        return status;
    if (bytes > largest)
        return prm_fault_set(
            PRM_DEVICE_MEMORY,
            "%zu bytes of device memory wanted at once, the device's limit is %llu", bytes,
            (unsigned long long)largest);
    if (used > limit || bytes > limit - used)
        return prm_fault_set(PRM_DEVICE_MEMORY,
                             "%zu bytes of device memory wanted, %llu in use, the limit is %llu",
                             bytes, (unsigned long long)used, (unsigned long long)limit);

    *memory = clCreateBuffer(context->opencl, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code != CL_SUCCESS)
        return prm_fault_set(
            PRM_DEVICE_MEMORY,
            "%zu bytes of device memory wanted, %llu in use, the limit is %llu: %s", bytes,
            (unsigned long long)used, (unsigned long long)limit, prm_opencl_error_name(code));
    *account(context, kind) += bytes;
    prm_memory_advise(context, *memory, bytes);
    return PRM_OK;
}

/* Keeps a released buffer until the context closes, behind the commands under way filled with ones.
 * false: there is no room to note it. */
static bool retire(struct prm_context *context, cl_mem memory, size_t bytes)
{
    static const size_t CAPACITY_MIN = 64;
    static const unsigned char ONES = 0xff;

    if (context->retired_count == context->retired_capacity) {
        const size_t capacity =
            context->retired_capacity ? 2 * context->retired_capacity : CAPACITY_MIN;
        cl_mem *longer = realloc(context->retired, capacity * sizeof(cl_mem));
        if (!longer)
            return false;
        context->retired = longer;
        context->retired_capacity = capacity;
    }
    context->retired[context->retired_count++] = memory;

    // a checker's help alone: what fails here is of no consequence
    (void)clEnqueueFillBuffer(context->queue, memory, &ONES, sizeof(ONES), 0, bytes, 0, NULL, NULL);
    return true;
}

void prm_memory_destroy(struct prm_context *context, cl_mem memory, size_t bytes,
                        enum prm_memory_kind kind)
{
    if (!memory)
        return;
    *account(context, kind) -= bytes;
    if (!context->separate_scratch || !retire(context, memory, bytes))
        clReleaseMemObject(memory);
}
