/* The OpenCL devices of this machine: listing, choosing, default tuning. */
#include "device/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What clGetPlatformIDs says where no platform is installed (cl_khr_icd, CL/cl_ext.h). */
#define PLATFORM_NOT_FOUND (-1001)

#define TEXT_MAX 1024
#define CPU_CHUNKS_PER_UNIT 4
#define CPU_CHUNKS_MIN 8
#define CPU_RADIX_BITS 8
#define GPU_CHUNKS_PER_UNIT 8
#define GPU_RADIX_BITS 4
#define GPU_WORKGROUP 256
#define LANES_MAX 16

static const char NO_PLATFORM[] =
    "no OpenCL platform is installed; install pocl-opencl-icd to use the CPU (apt install "
    "pocl-opencl-icd), or the OpenCL driver of your GPU";

/* Copies a device's or platform's text, cut to its place, without leading spaces. */
static void copy_text(char target[128], const char *text)
{
    snprintf(target, 128, "%.127s", text + strspn(text, " "));
}

/* Reads one number of clGetDeviceInfo. */
#define TRY_INFO(name, variable)                                                                   \
    TRY_CL(clGetDeviceInfo(device->id, name, sizeof(variable), &(variable), NULL))

/* Fills what is known of a device; `usable` is false for one that has no compiler or is switched
 * off. */
static enum prm_status describe(struct prm_device *device, bool *usable)
{
    enum prm_status status = PRM_OK;
    struct prm_device_info *info = &device->info;
    char text[TEXT_MAX] = "";
    cl_bool available, compiles;
    cl_device_type type;
    cl_uint units;
    cl_ulong memory, allocation, local;

    TRY_CL(clGetPlatformInfo(device->platform, CL_PLATFORM_NAME, sizeof(text) - 1, text, NULL));
    copy_text(info->platform, text);
    TRY_CL(clGetDeviceInfo(device->id, CL_DEVICE_NAME, sizeof(text) - 1, text, NULL));
    copy_text(info->name, text);
    TRY_CL(clGetDeviceInfo(device->id, CL_DRIVER_VERSION, sizeof(text) - 1, text, NULL));
    copy_text(info->driver, text);
    TRY_INFO(CL_DEVICE_TYPE, type);
    TRY_INFO(CL_DEVICE_AVAILABLE, available);
    TRY_INFO(CL_DEVICE_COMPILER_AVAILABLE, compiles);
    TRY_INFO(CL_DEVICE_MAX_COMPUTE_UNITS, units);
    TRY_INFO(CL_DEVICE_GLOBAL_MEM_SIZE, memory);
    TRY_INFO(CL_DEVICE_MAX_MEM_ALLOC_SIZE, allocation);
    TRY_INFO(CL_DEVICE_LOCAL_MEM_SIZE, local);
    info->is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
    info->compute_units = units;
    info->memory_bytes = memory;
    info->allocation_max = allocation;
    info->local_bytes = local;
    *usable = available && compiles;

cleanup:
    return status;
}

/* Appends the usable devices of one platform to `devices[*count]`, which is made longer. */
static enum prm_status add_platform(struct prm_device **devices, size_t *count,
                                    cl_platform_id platform, uint32_t platform_index)
{
    enum prm_status status = PRM_OK;
    cl_device_id *ids = NULL;
    cl_uint id_count = 0;

    // a platform without devices (a driver without its card) is no fault
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &id_count) != CL_SUCCESS ||
        id_count == 0)
        return PRM_OK;
    ids = calloc(id_count, sizeof(*ids));
    struct prm_device *longer = realloc(*devices, (*count + id_count) * sizeof(*longer));
    if (longer)
        *devices = longer;
    if (!ids || !longer) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for a list of %u devices", id_count);
        goto cleanup;
    }
    TRY_CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, id_count, ids, NULL));

    for (cl_uint i = 0; i < id_count; i++) {
        struct prm_device *device = &(*devices)[*count];
        bool usable = false;
        *device = (struct prm_device){.platform = platform, .id = ids[i]};
        device->info.platform_index = platform_index;
        device->info.device_index = i;
        TRY(describe(device, &usable));
        *count += usable;
    }

cleanup:
    free(ids);
    return status;
}

/* Moves the GPUs before the others, each kind in its order. */
static int compare_devices(const void *left, const void *right)
{
    const struct prm_device_info *a = &((const struct prm_device *)left)->info;
    const struct prm_device_info *b = &((const struct prm_device *)right)->info;

    if (a->is_gpu != b->is_gpu)
        return a->is_gpu ? -1 : 1;
    if (a->platform_index != b->platform_index)
        return a->platform_index < b->platform_index ? -1 : 1;
    return a->device_index < b->device_index ? -1 : 1;
}

enum prm_status prm_device_find(struct prm_device **devices, size_t *count)
{
    enum prm_status status = PRM_OK;
    cl_platform_id *platforms = NULL;
    cl_uint platform_count = 0;

    *devices = NULL;
    *count = 0;
    const cl_int code = clGetPlatformIDs(0, NULL, &platform_count);
    if (code == PLATFORM_NOT_FOUND || (code == CL_SUCCESS && platform_count == 0))
        return prm_fault_set(PRM_NO_DEVICE, "%s", NO_PLATFORM);
    TRY_CL(code);
    platforms = calloc(platform_count, sizeof(*platforms));
    if (!platforms) {
        status =
            prm_fault_set(PRM_HOST_MEMORY, "no memory for a list of %u platforms", platform_count);
        goto cleanup;
    }
    TRY_CL(clGetPlatformIDs(platform_count, platforms, NULL));
    for (cl_uint i = 0; i < platform_count; i++)
        TRY(add_platform(devices, count, platforms[i], i));
    if (*count == 0) {
        status = prm_fault_set(PRM_NO_DEVICE, "none of %u OpenCL platforms has a usable device; %s",
                               platform_count, "install pocl-opencl-icd to use the CPU");
        goto cleanup;
    }
    qsort(*devices, *count, sizeof(**devices), compare_devices);

cleanup:
    if (status != PRM_OK) {
        free(*devices);
        *devices = NULL;
        *count = 0;
    }
    free(platforms);
    return status;
}

enum prm_status prm_device_list(struct prm_device_info **devices, size_t *count)
{
    struct prm_device *found;

    *devices = NULL;
    *count = 0;
    enum prm_status status = prm_device_find(&found, count);
    if (status != PRM_OK)
        return status;
    *devices = calloc(*count, sizeof(**devices));
    if (*devices) {
        for (size_t i = 0; i < *count; i++)
            (*devices)[i] = found[i].info;
    } else {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for a list of %zu devices", *count);
        *count = 0;
    }
    free(found);
    return status;
}

/* Whether `part` occurs in `text`, case aside. */
static bool contains(const char *text, const char *part)
{
    const size_t length = strlen(part);

    for (; *text; text++) {
        if (strncasecmp(text, part, length) == 0)
            return true;
    }
    return false;
}

/* Whether the device is meant by `wanted` (context.h). */
static bool is_wanted(const struct prm_device_info *info, const char *wanted)
{
    char address[32];

    if (!wanted || !*wanted)
        return true;
    if (strcasecmp(wanted, "gpu") == 0)
        return info->is_gpu;
    if (strcasecmp(wanted, "cpu") == 0)
        return !info->is_gpu;
    snprintf(address, sizeof(address), "%u:%u", info->platform_index, info->device_index);
    return strcmp(wanted, address) == 0 || contains(info->name, wanted);
}

enum prm_status prm_device_choose(struct prm_device *chosen, const char *wanted)
{
    struct prm_device *devices;
    size_t count;
    enum prm_status status = prm_device_find(&devices, &count);
    if (status != PRM_OK)
        return status;

    for (size_t i = 0; i < count; i++) {
        if (is_wanted(&devices[i].info, wanted)) {
            *chosen = devices[i];
            goto cleanup;
        }
    }

    // none: say what there is
    char there[TEXT_MAX / 2] = "";
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof(there); i++) {
        const struct prm_device_info *info = &devices[i].info;
        used += (size_t)snprintf(there + used, sizeof(there) - used, "%s%u:%u %s", i ? ", " : "",
                                 info->platform_index, info->device_index, info->name);
    }
    status = prm_fault_set(PRM_NO_DEVICE, "no device is '%.100s'; there is %s", wanted, there);

cleanup:
    free(devices);
    return status;
}

/* Floats of the widest vector that the CPU itself works on. PoCL reports the width of the code it
 * was packaged for, which may be half of what the processor has. */
static uint32_t cpu_lanes(cl_uint reported)
{
    uint32_t lanes = 1;

    while (lanes * 2 <= reported && lanes < LANES_MAX)
        lanes *= 2;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        lanes = LANES_MAX;
#endif
    return lanes;
}

enum prm_status prm_device_profile(struct prm_profile *profile, const struct prm_device *device)
{
    enum prm_status status = PRM_OK;
    cl_uint native = 0;
    size_t workgroup_max = 0;
    const uint32_t units = device->info.compute_units;

    TRY_INFO(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, native);
    TRY_INFO(CL_DEVICE_MAX_WORK_GROUP_SIZE, workgroup_max);
    *profile = (struct prm_profile){
        .compute_units = units,
        .local_bytes = (size_t)device->info.local_bytes,
    };
    if (device->info.is_gpu) {
        profile->shape = PRM_SHAPE_GPU;
        profile->workgroup = GPU_WORKGROUP;
        while (profile->workgroup > workgroup_max)
            profile->workgroup /= 2;
        profile->chunks = GPU_CHUNKS_PER_UNIT * units;
        profile->radix_bits = GPU_RADIX_BITS;
        profile->lanes = 1;
    } else {
        const uint32_t chunks = CPU_CHUNKS_PER_UNIT * units;
        profile->shape = PRM_SHAPE_CPU;
        profile->workgroup = 1;
        profile->chunks = chunks > CPU_CHUNKS_MIN ? chunks : CPU_CHUNKS_MIN;
        profile->radix_bits = CPU_RADIX_BITS;
        profile->lanes = cpu_lanes(native);
    }

cleanup:
    return status;
}
