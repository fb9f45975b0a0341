/* A device made ready: OpenCL context, in-order queue, program registry, memory account.
 *
 * A context stays resident for the life of the process. Work is enqueued and not waited for; only
 * the read-backs named in buffer.h and prm_context_finish() wait.
 *
 * Threads: a context and all that was made from it belong to one thread at a time.
 */
#ifndef PRM_DEVICE_CONTEXT_H
#define PRM_DEVICE_CONTEXT_H

#include "device/profile.h"
#include "device/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prm_context;

/* One OpenCL device of this machine. */
struct prm_device_info {
    char platform[128];
    char name[128];
    char driver[128];
    bool is_gpu;
    uint32_t platform_index, device_index; /* as in PLATFORM:DEVICE */
    uint32_t compute_units;
    uint64_t memory_bytes;   /* global memory */
    uint64_t allocation_max; /* bytes of the largest buffer */
    uint64_t local_bytes;
};

struct prm_context_options {
    const char
        *device; /* "cpu", "gpu", "PLATFORM:DEVICE" or part of a name; NULL: the best, GPU first */
    const char *tuning;    /* prm_profile_override(); NULL: none */
    uint64_t memory_limit; /* device bytes that may be taken; 0: 3/4 of the device's memory */
    bool time_kernels;     /* keep the device time of each kernel (prm_context_kernel_times) */
    bool separate_scratch; /* for checkers, see below */
};

/* With separate_scratch each scratch piece is a buffer of its own, so that checkers of kernels see
 * overruns, and no buffer goes back to OpenCL before the context closes: released ones are booked
 * as such but filled with ones and kept. Their addresses are thus never used twice, which
 * Oclgrind's record of what is initialised does not follow, and work that still reads one finds
 * indices out of range and NaNs. The memory taken grows with every release, and no limit counts it:
 * for tests of small sizes only. */

/* Lists all devices, the best first, into a malloc'ed array that the caller frees. No platform at
 * all is PRM_NO_DEVICE, and the fault names the package to install. */
enum prm_status prm_device_list(struct prm_device_info **devices, size_t *count);

/* Opens the device that `options` chooses (NULL: defaults). */
enum prm_status prm_context_open(struct prm_context **context,
                                 const struct prm_context_options *options);

/* Releases everything; NULL is accepted. Buffers made from the context must be gone. */
void prm_context_close(struct prm_context *context);

const struct prm_device_info *prm_context_device(const struct prm_context *context);
const struct prm_profile *prm_context_profile(const struct prm_context *context);

/* Waits until all that was enqueued has run. */
enum prm_status prm_context_finish(struct prm_context *context);

/* Device bytes in use now by resident and by scratch buffers, and the limit. */
struct prm_memory_use {
    uint64_t resident_bytes, scratch_bytes, limit_bytes;
};
struct prm_memory_use prm_context_memory(const struct prm_context *context);

/* Device time of one kernel entry since the last reset. */
struct prm_kernel_time {
    const char *name; /* entry point */
    uint64_t launches;
    double milliseconds;
};

/* The table of kernel times, into `times[capacity]`; returns how many there are. Empty unless the
 * context was opened with time_kernels. Waits for the queue. */
size_t prm_context_kernel_times(struct prm_context *context, struct prm_kernel_time *times,
                                size_t capacity);
void prm_context_kernel_times_reset(struct prm_context *context);

/* For tests: the `countdown`-th following allocation or launch fails with a device error; 0
 * disarms. */
void prm_context_inject_fault(struct prm_context *context, uint32_t countdown);

#endif
