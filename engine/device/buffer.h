/* Device memory: resident buffers, and the transfers to and from any buffer.
 *
 * Resident buffers outlive a call and count as `resident`; scratch comes from an arena (arena.h).
 * Nothing else makes device memory.
 */
#ifndef PRM_DEVICE_BUFFER_H
#define PRM_DEVICE_BUFFER_H

#include "device/context.h"

struct _cl_mem;

/* A piece of device memory, passed by value where it is only used. {NULL, 0} is no memory. */
struct prm_buffer {
    struct _cl_mem *memory;
    size_t bytes;
};

static const struct prm_buffer PRM_NO_BUFFER = {NULL, 0};

/* Bytes of `words` 32-bit words. */
static inline size_t prm_words(size_t words)
{
    return words * sizeof(uint32_t);
}

/* Makes a resident buffer of `bytes` (0 is rounded up to one byte), contents undefined.
 * PRM_DEVICE_MEMORY states the bytes wanted, in use, and the limit. */
enum prm_status prm_buffer_create(struct prm_context *context, struct prm_buffer *buffer,
                                  size_t bytes);

/* Makes a resident buffer with a copy of `bytes` of host memory. */
enum prm_status prm_buffer_upload(struct prm_context *context, struct prm_buffer *buffer,
                                  const void *source, size_t bytes);

/* Releases a resident buffer and makes it {NULL, 0}; no memory is accepted. */
void prm_buffer_destroy(struct prm_context *context, struct prm_buffer *buffer);

/* Copies host memory to the device; the source may be reused on return. Zero bytes is a no-op, as
 * below. */
enum prm_status prm_buffer_write(struct prm_context *context, struct prm_buffer buffer,
                                 size_t offset, const void *source, size_t bytes);

/* Waits for the queue and copies device memory to the host: one of the named read-backs. */
enum prm_status prm_buffer_read(struct prm_context *context, struct prm_buffer buffer,
                                size_t offset, void *target, size_t bytes);

/* Several of them at the price of one: what follows each other waits for the queue once. */
struct prm_read {
    struct prm_buffer buffer;
    void *target;
    size_t bytes; /* from the buffer's beginning */
};
enum prm_status prm_buffer_read_all(struct prm_context *context, const struct prm_read *reads,
                                    size_t count);

/* Enqueues a copy between buffers that do not overlap. */
enum prm_status prm_buffer_copy(struct prm_context *context, struct prm_buffer target,
                                size_t target_offset, struct prm_buffer source,
                                size_t source_offset, size_t bytes);

/* Enqueues filling `count` words from `offset` (bytes) with `value`. */
enum prm_status prm_buffer_fill_u32(struct prm_context *context, struct prm_buffer buffer,
                                    size_t offset, uint32_t value, size_t count);

#endif
