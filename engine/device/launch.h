/* Kernels by name, specialised, launched.
 *
 * A kernel entry is named by its id from kernels/kernels.def and an option string of -D
 * definitions. The context keeps each program it has built (the registry), so asking again is a
 * look-up. Every program is built with -D SHAPE_CPU or SHAPE_GPU and -D WORKGROUP=… of the profile;
 * callers add what the kernel's head asks for.
 *
 *     TRY(prm_launch(context, PRM_KERNEL_SCAN_CHUNKS, "-DITEM=uint", chunks * wg, wg,
 *                    ARGS(ARG_BUFFER(out), ARG_BUFFER(in), ARG_U32(count))));
 */
#ifndef PRM_DEVICE_LAUNCH_H
#define PRM_DEVICE_LAUNCH_H

#include "device/buffer.h"

/* Ids of all kernel entries, generated from the one list. */
enum prm_kernel_id {
#define KERNEL(id, file, entry) PRM_KERNEL_##id,
#include "kernels/kernels.def"
#undef KERNEL
    PRM_KERNEL_COUNT
};

/* One kernel argument; built by the macros below, which keep the value alive for the statement. */
struct prm_argument {
    size_t bytes;
    const void *value; /* NULL: local memory of `bytes` */
};

// clang-format off
#define ARG_BUFFER(buffer_) {sizeof(void *), &(const void *const){(buffer_).memory}}
#define ARG_U32(value_) {sizeof(uint32_t), &(const uint32_t){(value_)}}
#define ARG_U64(value_) {sizeof(uint64_t), &(const uint64_t){(value_)}}
#define ARG_F32(value_) {sizeof(float), &(const float){(value_)}}
/* A struct that crosses the bus (kernels/types.h), by pointer. */
#define ARG_STRUCT(pointer_) {sizeof(*(pointer_)), (pointer_)}
#define ARG_LOCAL(bytes_) {(bytes_), NULL}
// clang-format on

/* Expands to the last two arguments of prm_launch: the array and its length. */
#define ARGS(...)                                                                                  \
    (const struct prm_argument[]){__VA_ARGS__},                                                    \
        sizeof((const struct prm_argument[]){__VA_ARGS__}) / sizeof(struct prm_argument)

/* Enqueues `items` work-items in groups of `group` (items is rounded up to whole groups; the kernel
 * guards its tail). Zero items is a no-op. `options` may be NULL. Builds the program on first use:
 * a build error is PRM_DEVICE_FAILED with the compiler's log, which names the true file and line.
 */
enum prm_status prm_launch(struct prm_context *context, enum prm_kernel_id kernel,
                           const char *options, size_t items, size_t group,
                           const struct prm_argument *arguments, size_t argument_count);

/* Builds the program of `kernel` now, so that a later launch need not (warm-up). */
enum prm_status prm_kernel_prepare(struct prm_context *context, enum prm_kernel_id kernel,
                                   const char *options);

#endif
