/* The inside of a context, shared by the files of engine/device and nobody else. */
#ifndef PRM_DEVICE_INTERNAL_H
#define PRM_DEVICE_INTERNAL_H

#include "device/launch.h"
#include "device/opencl.h"
#include "device/program.h"

/* An OpenCL device and what is known of it. */
struct prm_device {
    cl_platform_id platform;
    cl_device_id id;
    struct prm_device_info info;
};

/* Kernel launches whose time was not read yet; when full, the host waits for the device. */
#define PRM_TIMED_MAX 1024

/* Host copies of small writes under way, so that their sources may be reused without waiting. */
#define PRM_STAGING_BYTES ((size_t)1 << 20)
#define PRM_STAGED_WRITE_MAX (PRM_STAGING_BYTES / 4)

struct prm_kernel_timer {
    struct {
        cl_event event;
        enum prm_kernel_id kernel;
    } pending[PRM_TIMED_MAX];
    size_t pending_count;
    struct {
        uint64_t launches, nanoseconds;
    } totals[PRM_KERNEL_COUNT];
};

struct prm_context {
    struct prm_device device;
    struct prm_profile profile;
    cl_context opencl;
    cl_command_queue queue;
    struct prm_program_registry registry;
    size_t align_bytes; /* of sub-buffers */
    struct prm_memory_use memory;
    bool separate_scratch;
    cl_mem *retired; /* released buffers that are kept, of separate_scratch alone */
    size_t retired_count, retired_capacity;
    struct prm_kernel_timer *timer; /* NULL unless kernels are timed */
    unsigned char *staging;         /* u8[PRM_STAGING_BYTES] */
    size_t staging_used;
    uint32_t fault_countdown; /* injected fault; 0: none */
};

/* What a piece of device memory counts as. */
enum prm_memory_kind { PRM_MEMORY_RESIDENT, PRM_MEMORY_SCRATCH };

/* All devices of the machine, the best first: a malloc'ed array that the caller frees. */
enum prm_status prm_device_find(struct prm_device **devices, size_t *count);

/* The device that `wanted` names (context.h), or a fault that lists what there is. */
enum prm_status prm_device_choose(struct prm_device *chosen, const char *wanted);

/* The default profile of a device. */
enum prm_status prm_device_profile(struct prm_profile *profile, const struct prm_device *device);

/* Makes device memory and books it; the only place that calls clCreateBuffer. */
enum prm_status prm_memory_create(struct prm_context *context, cl_mem *memory, size_t bytes,
                                  enum prm_memory_kind kind);

/* Asks for large pages under a large buffer of a CPU device, before its first use: scattered writes
 * and reads, as of a sort, then miss the address cache less. A hint: no fault. */
void prm_memory_advise(struct prm_context *context, cl_mem memory, size_t bytes);

/* Releases what prm_memory_create made; NULL is accepted. Commands under way keep it alive; with
 * separate_scratch the context does. */
void prm_memory_destroy(struct prm_context *context, cl_mem memory, size_t bytes,
                        enum prm_memory_kind kind);

/* Counts one allocation or launch; PRM_DEVICE_FAILED where the injected fault is due. */
enum prm_status prm_context_count_call(struct prm_context *context);

/* The host and the device have met: staged writes are through, timed launches can be read. */
void prm_context_synchronized(struct prm_context *context);

/* Reads and releases the pending launches' times; the queue must be finished. */
void prm_timer_harvest(struct prm_context *context);

#endif
