/* Goal: kernels are built once per option string, launched with their arguments, timed, and a build
 * error names the true file and line. Method: the smallest kernel there is, scan_reduce, against a
 * serial sum; for build errors a definition that breaks one known line. */
#include "device/program.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT 1000

/* Sums values[0 .. count) in `chunks` chunks and checks each. */
static enum prm_status sum_chunks(struct prm_context *context, struct prm_buffer sums,
                                  struct prm_buffer values, uint32_t count, uint32_t chunks,
                                  const char *options)
{
    const uint32_t workgroup = prm_context_profile(context)->workgroup;
    const uint32_t length = (count + chunks - 1) / chunks;

    return prm_launch(context, PRM_KERNEL_SCAN_REDUCE, options, (size_t)chunks * workgroup,
                      workgroup,
                      ARGS(ARG_BUFFER(sums), ARG_BUFFER(values), ARG_U32(count), ARG_U32(length)));
}

static void a_kernel_gets_its_arguments(void **state)
{
    (void)state;
    uint32_t values[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = i * i;
    struct prm_buffer in = test_upload_u32(test_context, values, COUNT);

    for (uint32_t chunks = 1; chunks <= 7; chunks++) {
        struct prm_buffer sums = test_upload_u32(test_context, NULL, chunks);
        const uint32_t length = (COUNT + chunks - 1) / chunks;
        assert_ok(sum_chunks(test_context, sums, in, COUNT, chunks, chunks % 2 ? NULL : "-DOTHER"));
        uint32_t *got = test_download_u32(test_context, sums, chunks);
        for (uint32_t c = 0; c < chunks; c++) {
            uint32_t expected = 0;
            for (uint32_t i = c * length; i < (c + 1) * length && i < COUNT; i++)
                expected += values[i];
            assert_int_equal(got[c], expected);
        }
        free(got);
        prm_buffer_destroy(test_context, &sums);
    }
    prm_buffer_destroy(test_context, &in);
}

static void no_work_items_launch_nothing(void **state)
{
    (void)state;
    prm_context_inject_fault(test_context, 1);
    assert_ok(prm_launch(test_context, PRM_KERNEL_SCAN_REDUCE, NULL, 0, 1, NULL, 0));
    prm_context_inject_fault(test_context, 0);
}

/* The line of the first occurrence of `text` in a file of the source tree, from 1. */
static unsigned line_of(const char *path, const char *text)
{
    char line[1024];
    unsigned number = 0;
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        number++;
        if (strstr(line, text)) {
            fclose(file);
            return number;
        }
    }
    fclose(file);
    fail_msg("%s does not contain %s", path, text);
    return 0;
}

static void build_errors_name_the_true_line(void **state)
{
    (void)state;
    static const struct {
        const char *options, *file, *text;
    } CASES[] = {
        // behind the includes of the program itself
        {"-Dscan_reduce=7", "kernels/scan.cl", "scan_reduce(__global"},
        // in a header of a header
        {"-DWORKGROUP=3", "kernels/workgroup.h", "#error \"WORKGROUP must be a power of two"},
    };
    // a test that was packed for another machine lacks the sources
    if (access(PRM_SOURCE_DIR "/kernels", R_OK) != 0)
        skip();
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char path[1024], place[256];
        snprintf(path, sizeof(path), "%s/%s", PRM_SOURCE_DIR, CASES[i].file);
        snprintf(place, sizeof(place), "%s:%u:", CASES[i].file, line_of(path, CASES[i].text));
        assert_status(PRM_DEVICE_FAILED,
                      prm_kernel_prepare(test_context, PRM_KERNEL_SCAN_REDUCE, CASES[i].options));
        assert_fault_says("CL_BUILD_PROGRAM_FAILURE");
        assert_fault_says(CASES[i].options);
        // Oclgrind counts the lines of the flattened text
        if (!test_is_small())
            assert_fault_says(place);
    }
    // a failed build does no harm to the next
    assert_ok(prm_kernel_prepare(test_context, PRM_KERNEL_SCAN_REDUCE, NULL));
}

static void wrong_launches_are_faults_that_name_the_kernel(void **state)
{
    (void)state;
    struct prm_buffer words = test_upload_u32(test_context, NULL, 1);
    const uint32_t workgroup = prm_context_profile(test_context)->workgroup;

    // one argument too few, one too many: a kernel would keep that of the launch before
    assert_status(PRM_DEVICE_FAILED,
                  prm_launch(test_context, PRM_KERNEL_SCAN_REDUCE, NULL, workgroup, workgroup,
                             ARGS(ARG_BUFFER(words), ARG_BUFFER(words), ARG_U32(1))));
    assert_fault_says("scan_reduce takes 4 arguments, not 3");
    assert_status(
        PRM_DEVICE_FAILED,
        prm_launch(test_context, PRM_KERNEL_SCAN_REDUCE, NULL, workgroup, workgroup,
                   ARGS(ARG_BUFFER(words), ARG_BUFFER(words), ARG_U32(1), ARG_U32(1), ARG_U32(1))));
    assert_fault_says("scan_reduce takes 4 arguments, not 5");

    // a group that the kernel does not allow
    assert_status(PRM_DEVICE_FAILED,
                  prm_launch(test_context, PRM_KERNEL_SCAN_REDUCE, NULL, 2, (size_t)2 * workgroup,
                             ARGS(ARG_BUFFER(words), ARG_BUFFER(words), ARG_U32(0), ARG_U32(1))));
    assert_fault_says("scan_reduce: ");
    assert_fault_says("CL_INVALID_WORK_GROUP_SIZE");
    prm_buffer_destroy(test_context, &words);
}

static void groups_that_are_too_large_are_told_with_the_size_to_take(void **state)
{
    (void)state;
    const struct prm_profile profile = {.workgroup = 256, .local_bytes = 1000};
    static const struct {
        struct prm_kernel_limits limits;
        const char *fault; // NULL: none
    } CASES[] = {
        {{0, 256, 0}, NULL},
        {{256, 256, 1000}, NULL},
        {{32, 32, 0}, NULL}, // groups of its own
        {{0, 255, 0},
         "entry: groups of 256 work-items, of which the device can run 255; tuning wg=128"},
        {{256, 127, 0}, "which the device can run 127; tuning wg=64"},
        {{256, 0, 0}, "tuning wg=1 "},
        {{32, 31, 0}, "groups of 32 work-items, of which the device can run 31; tuning wg=16"},
        {{256, 256, 1001},
         "entry: 1001 bytes of local memory a group, of which the device has 1000; tuning wg=128"},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const enum prm_status got = prm_kernel_limits_check("entry", &CASES[i].limits, &profile);
        assert_int_equal(got, CASES[i].fault ? PRM_DEVICE_FAILED : PRM_OK);
        if (CASES[i].fault)
            assert_fault_says(CASES[i].fault);
    }

    // of a program made for them the device says no, when it is built or when its kernel is made
    assert_status(PRM_DEVICE_FAILED, prm_kernel_prepare(test_context, PRM_KERNEL_SCAN_REDUCE,
                                                        "-UWORKGROUP -DWORKGROUP=8192"));
    assert_fault_says("scan");
}

static void an_injected_fault_fails_one_launch(void **state)
{
    (void)state;
    struct prm_buffer words = test_upload_u32(test_context, NULL, 1);

    prm_context_inject_fault(test_context, 2);
    assert_ok(sum_chunks(test_context, words, words, 0, 1, NULL));
    assert_status(PRM_DEVICE_FAILED, sum_chunks(test_context, words, words, 0, 1, NULL));
    assert_ok(sum_chunks(test_context, words, words, 0, 1, NULL));
    assert_ok(prm_context_finish(test_context));
    prm_buffer_destroy(test_context, &words);
}

static void kernel_times_count_every_launch(void **state)
{
    (void)state;
    // more launches than are kept waiting to be read
    const uint32_t launches = (uint32_t)test_size(2500, 20);
    struct prm_context_options options = test_context_options();
    struct prm_context *context;
    struct prm_kernel_time times[PRM_KERNEL_COUNT];

    options.time_kernels = true;
    assert_ok(prm_context_open(&context, &options));
    struct prm_buffer words = test_upload_u32(context, NULL, 1);
    assert_int_equal(prm_context_kernel_times(context, times, PRM_KERNEL_COUNT), 0);
    for (uint32_t i = 0; i < launches; i++)
        assert_ok(sum_chunks(context, words, words, 0, 1, NULL));
    assert_int_equal(prm_context_kernel_times(context, times, PRM_KERNEL_COUNT), 1);
    assert_string_equal(times[0].name, "scan_reduce");
    assert_int_equal(times[0].launches, launches);
    assert_true(times[0].milliseconds >= 0);
    assert_int_equal(prm_context_kernel_times(context, NULL, 0), 1);

    prm_context_kernel_times_reset(context);
    assert_int_equal(prm_context_kernel_times(context, times, PRM_KERNEL_COUNT), 0);

    // closed with launches under way
    assert_ok(sum_chunks(context, words, words, 0, 1, NULL));
    prm_buffer_destroy(context, &words);
    prm_context_close(context);
}

static void kernels_are_not_timed_unless_asked(void **state)
{
    (void)state;
    struct prm_context *context = test_context_open();
    struct prm_buffer words = test_upload_u32(context, NULL, 1);
    assert_ok(sum_chunks(context, words, words, 0, 1, NULL));
    assert_int_equal(prm_context_kernel_times(context, NULL, 0), 0);
    prm_context_kernel_times_reset(context);
    prm_buffer_destroy(context, &words);
    prm_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_gets_its_arguments),
        cmocka_unit_test(no_work_items_launch_nothing),
        cmocka_unit_test(build_errors_name_the_true_line),
        cmocka_unit_test(wrong_launches_are_faults_that_name_the_kernel),
        cmocka_unit_test(groups_that_are_too_large_are_told_with_the_size_to_take),
        cmocka_unit_test(an_injected_fault_fails_one_launch),
        cmocka_unit_test(kernel_times_count_every_launch),
        cmocka_unit_test(kernels_are_not_timed_unless_asked),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}
