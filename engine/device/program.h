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

/* The kernel of an entry, built on first use. Options NULL:
 * none. PRM_DEVICE_FAILED with the compiler's log where the program does not build. */
enum prm_status prm_program_kernel(struct prm_context *context, enum prm_kernel_id kernel,
                                   const char *options, struct prm_program_kernel *found);

/* The entry point's name, as in the .cl. */
const char *prm_program_entry_name(enum prm_kernel_id kernel);

/* Releases all programs. */
void prm_program_registry_deinit(struct prm_program_registry *registry);

#endif
