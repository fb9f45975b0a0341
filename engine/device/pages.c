/* Large pages for large buffers: an advice to the kernel of the machine, Linux alone has it. */
#define _DEFAULT_SOURCE

#include "device/internal.h"

#include <sys/mman.h>
#include <unistd.h>

#ifdef MADV_HUGEPAGE

/* What is worth asking for: neighbours make up a large page together. */
#define LARGE_BUFFER ((size_t)1 << 20)

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

    // the ordinary pages that it fills; what cannot be had is no fault
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t skipped = (page - (uintptr_t)mapped % page) % page;
    if (bytes >= skipped + page)
        (void)madvise((char *)mapped + skipped, (bytes - skipped) / page * page, MADV_HUGEPAGE);
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
