#include "support/support.h"

#include "device/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct prm_context *test_context;
struct prm_arena *test_arena;

void test_assert_status(enum prm_status expected, enum prm_status got, const char *call,
                        const char *file, int line)
{
    if (got == expected)
        return;
    print_error("%s: %s, not %s", call, prm_status_text(got), prm_status_text(expected));
    print_error("%s%s\n", got != PRM_OK ? ": " : "", got != PRM_OK ? prm_fault_last()->detail : "");
    _fail(file, line);
}

void test_assert_fault_says(const char *text, const char *file, int line)
{
    if (strstr(prm_fault_last()->detail, text))
        return;
    print_error("the fault does not say '%s': %s\n", text, prm_fault_last()->detail);
    _fail(file, line);
}

void test_assert_u32_array_equal(const uint32_t *expected, const uint32_t *got, size_t count,
                                 const char *file, int line)
{
    for (size_t i = 0; i < count; i++) {
        if (expected[i] != got[i]) {
            print_error("element %zu of %zu is %u, not %u\n", i, count, got[i], expected[i]);
            _fail(file, line);
        }
    }
}

bool test_is_small(void)
{
    return getenv("PRM_TEST_SMALL") != NULL;
}

size_t test_size(size_t count, size_t small)
{
    return test_is_small() ? small : count;
}

struct prm_context_options test_context_options(void)
{
    return (struct prm_context_options){
        .device = getenv("PRMD_DEVICE"),
        .tuning = getenv("PRMD_TUNING"),
        .separate_scratch = test_is_small(),
    };
}

struct prm_context *test_context_open(void)
{
    const struct prm_context_options options = test_context_options();
    struct prm_context *context = NULL;

    assert_ok(prm_context_open(&context, &options));
    return context;
}

int test_device_setup(void **state)
{
    (void)state;
    struct prm_context_options options = test_context_options();
    options.time_kernels = getenv("PRM_TEST_LAUNCHED") != NULL;
    assert_ok(prm_context_open(&test_context, &options));
    assert_ok(prm_arena_create(test_context, &test_arena));
    return 0;
}

/* Writes which kernels were launched, one a line. */
static void note_launched(void)
{
    struct prm_kernel_time times[PRM_KERNEL_COUNT];
    const char *path = getenv("PRM_TEST_LAUNCHED");
    if (!path)
        return;

    FILE *file = fopen(path, "w");
    assert_non_null(file);
    const size_t count = prm_context_kernel_times(test_context, times, PRM_KERNEL_COUNT);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s\n", times[i].name);
    assert_int_equal(fclose(file), 0);
}

int test_device_teardown(void **state)
{
    (void)state;
    note_launched();
    prm_arena_destroy(test_arena);
    const struct prm_memory_use use = prm_context_memory(test_context);
    prm_context_close(test_context);
    test_arena = NULL;
    test_context = NULL;
    if (use.resident_bytes + use.scratch_bytes == 0)
        return 0;
    print_error("device memory is left over: %llu bytes resident, %llu scratch\n",
                (unsigned long long)use.resident_bytes, (unsigned long long)use.scratch_bytes);
    return 1;
}

struct prm_buffer test_scratch(const void *data, size_t bytes)
{
    struct prm_buffer buffer;
    assert_ok(prm_arena_take(test_arena, &buffer, bytes));
    assert_ok(prm_buffer_write(test_context, buffer, 0, data, bytes));
    return buffer;
}

struct prm_buffer test_upload(const void *data, size_t bytes)
{
    struct prm_buffer buffer;
    assert_ok(prm_buffer_upload(test_context, &buffer, data, bytes));
    return buffer;
}

struct prm_buffer test_upload_u32(struct prm_context *context, const uint32_t *values, size_t count)
{
    struct prm_buffer buffer;

    assert_ok(prm_buffer_create(context, &buffer, count * sizeof(uint32_t)));
    if (values)
        assert_ok(prm_buffer_write(context, buffer, 0, values, count * sizeof(uint32_t)));
    return buffer;
}

uint32_t *test_download_u32(struct prm_context *context, struct prm_buffer buffer, size_t count)
{
    uint32_t *values = malloc((count + 1) * sizeof(uint32_t)); // never of size 0

    assert_non_null(values);
    assert_ok(prm_buffer_read(context, buffer, 0, values, count * sizeof(uint32_t)));
    return values;
}

uint64_t test_random_u64(struct test_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t test_random_u32(struct test_random *random)
{
    return (uint32_t)(test_random_u64(random) >> 32);
}

uint32_t test_random_below(struct test_random *random, uint32_t bound)
{
    return (uint32_t)(((uint64_t)test_random_u32(random) * bound) >> 32);
}

float test_random_f32(struct test_random *random, float low, float high)
{
    static const float STEP = 1.0f / 16777216.0f; // 2^-24
    const float unit = (float)(test_random_u64(random) >> 40) * STEP;
    const float value = low + (high - low) * unit;
    return value < high ? value : low; // rounding must not reach the open end
}

const char *test_shared_folder(void)
{
    const char *named = getenv("PRM_SHARED");
    const char *folder = named && *named ? named : PRM_SOURCE_DIR "/../shared";
    return access(folder, R_OK) == 0 ? folder : NULL;
}

const char *test_shared_path(const char *relative)
{
    static char path[4096];
    const char *folder = test_shared_folder();

    if (folder)
        snprintf(path, sizeof(path), "%s/%s", folder, relative);
    if (!folder || access(path, R_OK) != 0) {
        print_message("skipped: no %s in the shared data (PRM_SHARED)\n", relative);
        exit(TEST_SKIPPED);
    }
    return path;
}
