/* Launching kernels, and the device time of each. */
#include "device/launch.h"

#include "device/assert.h"
#include "device/internal.h"

/* Sets all arguments of a kernel. One that is missing would silently be that of the launch before.
 */
static enum prm_status set_arguments(struct prm_program_kernel kernel, const char *name,
                                     const struct prm_argument *arguments, size_t count)
{
    if (count != kernel.argument_count)
        return prm_fault_set(PRM_DEVICE_FAILED, "%s takes %u arguments, not %zu", name,
                             kernel.argument_count, count);
    for (size_t i = 0; i < count; i++) {
        const cl_int code =
            clSetKernelArg(kernel.object, (cl_uint)i, arguments[i].bytes, arguments[i].value);
        if (code != CL_SUCCESS)
            return prm_fault_set(PRM_DEVICE_FAILED, "%s: argument %zu of %zu: %s", name, i, count,
                                 prm_opencl_error_name(code));
    }
    return PRM_OK;
}

/* Makes room for one more timed launch; waits for the device only when the list is full. */
static enum prm_status reserve_timed(struct prm_context *context)
{
    if (context->timer && context->timer->pending_count == PRM_TIMED_MAX)
        return prm_context_finish(context);
    return PRM_OK;
}

enum prm_status prm_launch(struct prm_context *context, enum prm_kernel_id kernel,
                           const char *options, size_t items, size_t group,
                           const struct prm_argument *arguments, size_t argument_count)
{
    enum prm_status status = PRM_OK;
    const char *name = prm_program_entry_name(kernel);
    struct prm_program_kernel found = {0};
    cl_event event = NULL;

    if (items == 0)
        return PRM_OK;
    PRM_ASSERT(group > 0);
    TRY(prm_context_count_call(context));
    TRY(prm_program_kernel(context, kernel, options, &found));
    TRY(set_arguments(found, name, arguments, argument_count));
    TRY(reserve_timed(context));

    // whole groups: the kernel guards its tail
    const size_t global = (items + group - 1) / group * group;
    const cl_int code = clEnqueueNDRangeKernel(context->queue, found.object, 1, NULL, &global,
                                               &group, 0, NULL, context->timer ? &event : NULL);
    if (code != CL_SUCCESS) {
        status = prm_fault_set(PRM_DEVICE_FAILED, "%s: %zu work-items in groups of %zu: %s (%d)",
                               name, global, group, prm_opencl_error_name(code), code);
        goto cleanup;
    }
    if (context->timer) {
        struct prm_kernel_timer *timer = context->timer;
        timer->pending[timer->pending_count].event = event;
        timer->pending[timer->pending_count].kernel = kernel;
        timer->pending_count++;
    }

cleanup:
    return status;
}

enum prm_status prm_kernel_prepare(struct prm_context *context, enum prm_kernel_id kernel,
                                   const char *options)
{
    struct prm_program_kernel found;
    return prm_program_kernel(context, kernel, options, &found);
}

void prm_timer_harvest(struct prm_context *context)
{
    struct prm_kernel_timer *timer = context->timer;
    if (!timer)
        return;

    for (size_t i = 0; i < timer->pending_count; i++) {
        cl_event event = timer->pending[i].event;
        const enum prm_kernel_id kernel = timer->pending[i].kernel;
        cl_ulong start = 0, end = 0;
        // a launch that failed has no times and counts as one of no duration
        if (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start,
                                    NULL) == CL_SUCCESS &&
            clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL) ==
                CL_SUCCESS &&
            end > start)
            timer->totals[kernel].nanoseconds += end - start;
        timer->totals[kernel].launches++;
        clReleaseEvent(event);
    }
    timer->pending_count = 0;
}

size_t prm_context_kernel_times(struct prm_context *context, struct prm_kernel_time *times,
                                size_t capacity)
{
    static const double MILLISECONDS = 1e-6;
    size_t count = 0;

    // a queue that cannot be finished has no more times to give; what was read stands
    if (!context->timer || prm_context_finish(context) != PRM_OK)
        return 0;
    for (size_t i = 0; i < PRM_KERNEL_COUNT; i++) {
        const uint64_t launches = context->timer->totals[i].launches;
        if (launches == 0)
            continue;
        if (count < capacity)
            times[count] = (struct prm_kernel_time){
                .name = prm_program_entry_name((enum prm_kernel_id)i),
                .launches = launches,
                .milliseconds = (double)context->timer->totals[i].nanoseconds * MILLISECONDS,
            };
        count++;
    }
    return count;
}

void prm_context_kernel_times_reset(struct prm_context *context)
{
    if (!context->timer || prm_context_finish(context) != PRM_OK)
        return;
    for (size_t i = 0; i < PRM_KERNEL_COUNT; i++) {
        context->timer->totals[i].launches = 0;
        context->timer->totals[i].nanoseconds = 0;
    }
}
