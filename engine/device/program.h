/* The registry of built programs: each (file, options) is built once in the life of a context, and
 * each of its entries is made once. Look-up: two short lists, no allocation. Internal to
 * engine/device. */
#ifndef PRM_DEVICE_PROGRAM_H
#define PRM_DEVICE_PROGRAM_H

#include "device/launch.h"
#include "device/opencl.h"

struct prm_program;       /* one (file, options) */
struct prm_program_entry; /* one (kernel, options) */

/* Zeroed: empty. */
struct prm_program_registry {
    struct prm_program *programs;
    struct prm_program_entry *entries[PRM_KERNEL_COUNT];
};

struct prm_program_kernel {
    cl_kernel object; /* the registry's */
    cl_uint argument_count;
};

/* What a device can run of one kernel: its registers and local memory may allow smaller groups than
 * the device does. */
struct prm_kernel_limits {
    size_t group;     /* work-items of a group that the kernel states; 0: any number */
    size_t group_max; /* of which there can be so many */
    cl_ulong local_bytes;
};

/* PRM_DEVICE_FAILED where groups of the profile, or those that the kernel states, are too large for
 * the device. Says what to do about it. */
enum prm_status prm_kernel_limits_check(const char *name, const struct prm_kernel_limits *limits,
                                        const struct prm_profile *profile);

/* The kernel of an entry, built on first use. Options NULL:
 * none. PRM_DEVICE_FAILED with the compiler's log where the program does not build, and where the
 * device cannot run groups of its size. */
enum prm_status prm_program_kernel(struct prm_context *context, enum prm_kernel_id kernel,
                                   const char *options, struct prm_program_kernel *found);

/* The entry point's name, as in the .cl. */
const char *prm_program_entry_name(enum prm_kernel_id kernel);

/* Releases all programs. */
void prm_program_registry_deinit(struct prm_program_registry *registry);

#endif
