/* Large pages for large buffers: an advice to the kernel of the machine, Linux alone has it. */
#define _DEFAULT_SOURCE

#include "device/internal.h"

#include <sys/mman.h>

#ifdef MADV_HUGEPAGE

/* A page of the second level of x86-64 and AArch64, and what is worth asking for. */
#define LARGE_PAGE ((uintptr_t)2 << 20)
#define LARGE_BUFFER (2 * LARGE_PAGE)

void prm_memory_advise(struct prm_context *context, cl_mem memory, size_t bytes)
{
    if (context->device.info.is_gpu || context->separate_scratch || bytes < LARGE_BUFFER)
        return;

    // where the device's memory is the host's, a mapping is the memory itself
    cl_int code;
    void *mapped =
        clEnqueueMapBuffer(context->queue, memory, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                           bytes, 0, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        return;

    // whole pages of it; what cannot be had is no fault
    const uintptr_t begin = ((uintptr_t)mapped + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    const uintptr_t end = ((uintptr_t)mapped + bytes) / LARGE_PAGE * LARGE_PAGE;
    if (end > begin)
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    (void)clEnqueueUnmapMemObject(context->queue, memory, mapped, 0, NULL, NULL);
}

#else

void prm_memory_advise(struct prm_context *context, cl_mem memory, size_t bytes)
{
    (void)context;
    (void)memory;
    (void)bytes;
}

#endif
