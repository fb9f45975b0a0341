/* Building device programs from the embedded sources, and keeping them. */
#include "device/program.h"

#include "device/assert.h"
#include "device/internal.h"
#include "kernels/embedded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct prm_program {
    struct prm_program *next;
    const char *file;
    cl_program object;
    char options[]; /* of the caller, zero-terminated */
};

struct prm_program_entry {
    struct prm_program_entry *next;
    struct prm_program_kernel kernel;
    const char *options; /* the program's */
};

static const struct {
    const char *file, *entry;
} KERNELS[PRM_KERNEL_COUNT] = {
#define KERNEL(id, file, entry) [PRM_KERNEL_##id] = {#file, #entry},
#include "kernels/kernels.def"
#undef KERNEL
};

const char *prm_program_entry_name(enum prm_kernel_id kernel)
{
    return KERNELS[kernel].entry;
}

/* Writes the fault of a build that failed, with the head of the compiler's log. */
static enum prm_status build_fault(struct prm_context *context, cl_program object, const char *file,
                                   const char *options, cl_int code)
{
    size_t bytes = 0;
    char *log = NULL;

    // a log that cannot be had is no further fault
    clGetProgramBuildInfo(object, context->device.id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    if (bytes > 0)
        log = calloc(bytes + 1, 1);
    if (log)
        clGetProgramBuildInfo(object, context->device.id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    const enum prm_status status =
        prm_fault_set(PRM_DEVICE_FAILED, "kernels/%s.cl with '%s' does not build: %s: %s", file,
                      options, prm_opencl_error_name(code), log ? log : "no log");
    free(log);
    return status;
}

/* Compiles kernels/<file>.cl for the context's device and profile. */
static enum prm_status build(struct prm_context *context, const char *file, const char *options,
                             cl_program *object)
{
    static const char FORMAT[] = "-cl-std=CL1.2 -DSHAPE_%s -DWORKGROUP=%u %s";
    enum prm_status status = PRM_OK;
    cl_program program = NULL;
    cl_int code;

    const char *shape = context->profile.shape == PRM_SHAPE_GPU ? "GPU" : "CPU";
    const uint32_t workgroup = context->profile.workgroup;
    const int length = snprintf(NULL, 0, FORMAT, shape, workgroup, options);
    PRM_ASSERT(length > 0);
    char *all = malloc((size_t)length + 1);
    if (!all)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for the options of kernels/%s.cl", file);
    snprintf(all, (size_t)length + 1, FORMAT, shape, workgroup, options);

    const struct prm_kernel_source source = prm_kernel_source_find(file);
    PRM_ASSERT(source.text);
    const char *text = source.text;
    program = clCreateProgramWithSource(context->opencl, 1, &text, &source.bytes, &code);
    TRY_CL(code);
    code = clBuildProgram(program, 1, &context->device.id, all, NULL, NULL);
    if (code != CL_SUCCESS) {
        status = build_fault(context, program, file, all, code);
        goto cleanup;
    }
    *object = program;
    program = NULL;

cleanup:
    if (program)
        clReleaseProgram(program);
    free(all);
    return status;
}

/* The program of (file, options), built unless it is there. */
static enum prm_status find_program(struct prm_context *context, const char *file,
                                    const char *options, struct prm_program **found)
{
    struct prm_program_registry *registry = &context->registry;

    for (struct prm_program *program = registry->programs; program; program = program->next) {
        if (strcmp(program->file, file) == 0 && strcmp(program->options, options) == 0) {
            *found = program;
            return PRM_OK;
        }
    }

    const size_t length = strlen(options);
    struct prm_program *program = malloc(sizeof(*program) + length + 1);
    if (!program)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for the program kernels/%s.cl", file);
    memcpy(program->options, options, length + 1);
    program->file = file;
    program->object = NULL;
    const enum prm_status status = build(context, file, options, &program->object);
    if (status != PRM_OK) {
        free(program);
        return status;
    }
    program->next = registry->programs;
    registry->programs = program;
    *found = program;
    return PRM_OK;
}

/* The largest power of two below the profile's groups that does not exceed `most`; 1 at least. */
static uint32_t smaller_workgroup(const struct prm_profile *profile, size_t most)
{
    uint32_t workgroup = profile->workgroup / 2;

    while (workgroup > 1 && workgroup > most)
        workgroup /= 2;
    return workgroup > 1 ? workgroup : 1;
}

enum prm_status prm_kernel_limits_check(const char *name, const struct prm_kernel_limits *limits,
                                        const struct prm_profile *profile)
{
    const size_t group = limits->group > 0 ? limits->group : profile->workgroup;
    if (limits->local_bytes > profile->local_bytes)
        return prm_fault_set(PRM_DEVICE_FAILED,
                             "%s: %llu bytes of local memory a group, of which the device has %zu; "
                             "tuning wg=%u makes all groups smaller",
                             name, (unsigned long long)limits->local_bytes, profile->local_bytes,
                             smaller_workgroup(profile, profile->workgroup / 2));
    if (group > limits->group_max)
        return prm_fault_set(
            PRM_DEVICE_FAILED,
            "%s: groups of %zu work-items, of which the device can run %zu; tuning "
            "wg=%u makes all groups smaller",
            name, group, limits->group_max, smaller_workgroup(profile, limits->group_max));
    return PRM_OK;
}

/* What the device says of a kernel. */
static enum prm_status find_limits(const struct prm_context *context, cl_kernel kernel,
                                   struct prm_kernel_limits *limits)
{
    enum prm_status status = PRM_OK;
    const cl_device_id device = context->device.id;
    size_t stated[3];

    TRY_CL(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                    sizeof(stated), stated, NULL));
    TRY_CL(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE,
                                    sizeof(limits->group_max), &limits->group_max, NULL));
    TRY_CL(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE,
                                    sizeof(limits->local_bytes), &limits->local_bytes, NULL));
    limits->group = stated[0];

cleanup:
    return status;
}

/* Makes the kernel object of an entry of a built program. */
static enum prm_status make_kernel(struct prm_context *context, const struct prm_program *program,
                                   enum prm_kernel_id kernel, struct prm_program_kernel *made)
{
    enum prm_status status = PRM_OK;
    struct prm_kernel_limits limits = {0};
    cl_int code;

    made->object = clCreateKernel(program->object, KERNELS[kernel].entry, &code);
    if (code != CL_SUCCESS)
        return prm_fault_set(PRM_DEVICE_FAILED, "kernels/%s.cl has no kernel %s: %s",
                             KERNELS[kernel].file, KERNELS[kernel].entry,
                             prm_opencl_error_name(code));
    TRY_CL(clGetKernelInfo(made->object, CL_KERNEL_NUM_ARGS, sizeof(made->argument_count),
                           &made->argument_count, NULL));
    TRY(find_limits(context, made->object, &limits));
    TRY(prm_kernel_limits_check(KERNELS[kernel].entry, &limits, &context->profile));

cleanup:
    if (status != PRM_OK)
        clReleaseKernel(made->object);
    return status;
}

enum prm_status prm_program_kernel(struct prm_context *context, enum prm_kernel_id kernel,
                                   const char *options, struct prm_program_kernel *found)
{
    enum prm_status status = PRM_OK;
    struct prm_program_entry *entry = NULL;
    PRM_ASSERT((unsigned)kernel < PRM_KERNEL_COUNT);
    struct prm_program_entry **entries = &context->registry.entries[kernel];

    // a kernel has few specialisations: a list is a fast look-up
    if (!options)
        options = "";
    for (entry = *entries; entry; entry = entry->next) {
        if (strcmp(entry->options, options) == 0) {
            *found = entry->kernel;
            return PRM_OK;
        }
    }

    struct prm_program *program = NULL;
    TRY(find_program(context, KERNELS[kernel].file, options, &program));
    entry = calloc(1, sizeof(*entry));
    if (!entry) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for kernel %s", KERNELS[kernel].entry);
        goto cleanup;
    }
    TRY(make_kernel(context, program, kernel, &entry->kernel));
    entry->options = program->options;
    entry->next = *entries;
    *entries = entry;
    *found = entry->kernel;
    entry = NULL;

cleanup:
    free(entry);
    return status;
}

void prm_program_registry_deinit(struct prm_program_registry *registry)
{
    for (size_t i = 0; i < PRM_KERNEL_COUNT; i++) {
        while (registry->entries[i]) {
            struct prm_program_entry *entry = registry->entries[i];
            registry->entries[i] = entry->next;
            clReleaseKernel(entry->kernel.object);
            free(entry);
        }
    }
    while (registry->programs) {
        struct prm_program *program = registry->programs;
        registry->programs = program->next;
        clReleaseProgram(program->object);
        free(program);
    }
}
