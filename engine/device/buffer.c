/* Resident buffers and transfers. */
#include "device/buffer.h"

#include "device/assert.h"
#include "device/internal.h"
#include "device/launch.h"

#include <string.h>

/* Fewer words than this are filled by one group: a launch of more costs longer. */
#define FILL_WORDS_LEAST ((size_t)1 << 14)

enum prm_status prm_buffer_create(struct prm_context *context, struct prm_buffer *buffer,
                                  size_t bytes)
{
    *buffer = PRM_NO_BUFFER;
    const size_t size = bytes > 0 ? bytes : 1;
    const enum prm_status status =
        prm_memory_create(context, &buffer->memory, size, PRM_MEMORY_RESIDENT);
    if (status == PRM_OK)
        buffer->bytes = size;
    return status;
}

enum prm_status prm_buffer_upload(struct prm_context *context, struct prm_buffer *buffer,
                                  const void *source, size_t bytes)
{
    const enum prm_status status = prm_buffer_create(context, buffer, bytes);
    return status != PRM_OK ? status : prm_buffer_write(context, *buffer, 0, source, bytes);
}

void prm_buffer_destroy(struct prm_context *context, struct prm_buffer *buffer)
{
    prm_memory_destroy(context, buffer->memory, buffer->bytes, PRM_MEMORY_RESIDENT);
    *buffer = PRM_NO_BUFFER;
}

/* Copies the source aside and enqueues the write of the copy. */
static enum prm_status write_staged(struct prm_context *context, struct prm_buffer buffer,
                                    size_t offset, const void *source, size_t bytes)
{
    enum prm_status status = PRM_OK;

    if (bytes > PRM_STAGING_BYTES - context->staging_used)
        TRY(prm_context_finish(context));
    unsigned char *copy = context->staging + context->staging_used;
    memcpy(copy, source, bytes);
    TRY_CL(clEnqueueWriteBuffer(context->queue, buffer.memory, CL_FALSE, offset, bytes, copy, 0,
                                NULL, NULL));
    context->staging_used += bytes;

cleanup:
    return status;
}

enum prm_status prm_buffer_write(struct prm_context *context, struct prm_buffer buffer,
                                 size_t offset, const void *source, size_t bytes)
{
    enum prm_status status = PRM_OK;

    if (bytes == 0)
        return PRM_OK;
    if (bytes <= PRM_STAGED_WRITE_MAX)
        return write_staged(context, buffer, offset, source, bytes);
    TRY_CL(clEnqueueWriteBuffer(context->queue, buffer.memory, CL_TRUE, offset, bytes, source, 0,
                                NULL, NULL));
    prm_context_synchronized(context);

cleanup:
    return status;
}

enum prm_status prm_buffer_read(struct prm_context *context, struct prm_buffer buffer,
                                size_t offset, void *target, size_t bytes)
{
    enum prm_status status = PRM_OK;

    if (bytes == 0)
        return PRM_OK;
    TRY_CL(clEnqueueReadBuffer(context->queue, buffer.memory, CL_TRUE, offset, bytes, target, 0,
                               NULL, NULL));
    prm_context_synchronized(context);

cleanup:
    return status;
}

enum prm_status prm_buffer_read_all(struct prm_context *context, const struct prm_read *reads,
                                    size_t count)
{
    enum prm_status status = PRM_OK;

    for (size_t i = 0; i < count; i++) {
        if (reads[i].bytes > 0)
            TRY_CL(clEnqueueReadBuffer(context->queue, reads[i].buffer.memory, CL_FALSE, 0,
                                       reads[i].bytes, reads[i].target, 0, NULL, NULL));
    }

cleanup:
    // the targets are the caller's again, whatever the status
    if (status != PRM_OK)
        clFinish(context->queue);
    else
        status = prm_context_finish(context);
    return status;
}

enum prm_status prm_buffer_copy(struct prm_context *context, struct prm_buffer target,
                                size_t target_offset, struct prm_buffer source,
                                size_t source_offset, size_t bytes)
{
    enum prm_status status = PRM_OK;

    if (bytes == 0)
        return PRM_OK;
    TRY_CL(clEnqueueCopyBuffer(context->queue, source.memory, target.memory, source_offset,
                               target_offset, bytes, 0, NULL, NULL));

cleanup:
    return status;
}

enum prm_status prm_buffer_fill_u32(struct prm_context *context, struct prm_buffer buffer,
                                    size_t offset, uint32_t value, size_t count)
{
    enum prm_status status = PRM_OK;

    if (count == 0)
        return PRM_OK;
    if (offset > buffer.bytes || count > (buffer.bytes - offset) / sizeof(value))
        return prm_fault_set(PRM_DEVICE_FAILED,
                             "filling %zu words from byte %zu goes beyond a buffer of %zu bytes",
                             count, offset, buffer.bytes);

    // few words are not worth a second work-item
    const struct prm_profile *profile = prm_context_profile(context);
    const size_t group = profile->workgroup;
    const size_t items =
        profile->shape == PRM_SHAPE_CPU ? profile->compute_units : (size_t)profile->chunks * group;
    PRM_ASSERT(offset % sizeof(value) == 0);
    TRY(prm_launch(
        context, PRM_KERNEL_FILL_U32, NULL, count < FILL_WORDS_LEAST ? group : items, group,
        ARGS(ARG_BUFFER(buffer), ARG_U64(offset / sizeof(value)), ARG_U64(count), ARG_U32(value))));

cleanup:
    return status;
}
