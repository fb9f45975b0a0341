/* Goal: transfers move the bytes asked for and no others; the account follows each buffer.
 * Method: the same operations on host arrays are the oracle. */
#include "device/buffer.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#define COUNT 1000

static void bytes_come_back_as_written(void **state)
{
    (void)state;
    struct prm_context *context = test_context;
    uint32_t values[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = i * 2654435761u;

    struct prm_buffer buffer = test_upload_u32(context, values, COUNT);
    assert_int_equal(buffer.bytes, sizeof(values));
    assert_int_equal(prm_context_memory(context).resident_bytes, sizeof(values));

    // a part in the middle
    const uint32_t patch[3] = {1, 2, 3};
    assert_ok(prm_buffer_write(context, buffer, 40, patch, sizeof(patch)));
    memcpy(values + 10, patch, sizeof(patch));
    uint32_t *got = test_download_u32(context, buffer, COUNT);
    assert_u32_array_equal(values, got, COUNT);
    free(got);

    uint32_t part[2] = {0};
    assert_ok(prm_buffer_read(context, buffer, 44, part, sizeof(part)));
    assert_u32_array_equal(patch + 1, part, 2);

    prm_buffer_destroy(context, &buffer);
    assert_null(buffer.memory);
    assert_int_equal(prm_context_memory(context).resident_bytes, 0);
    prm_buffer_destroy(context, &buffer);
}

static void the_source_of_a_write_may_be_reused_at_once(void **state)
{
    (void)state;
    struct prm_context *context = test_context;
    // more than the staging memory holds at once, in small and in large writes
    static const size_t SIZES[] = {4, 4096, 200000, 400000};

    for (size_t s = 0; s < sizeof(SIZES) / sizeof(SIZES[0]); s++) {
        const size_t words = SIZES[s] / sizeof(uint32_t);
        const size_t writes = test_size(20, 3);
        uint32_t *source = malloc(SIZES[s]);
        assert_non_null(source);
        struct prm_buffer buffer = test_upload_u32(context, NULL, words * writes);
        for (size_t w = 0; w < writes; w++) {
            for (size_t i = 0; i < words; i++)
                source[i] = (uint32_t)(w * words + i);
            assert_ok(prm_buffer_write(context, buffer, w * SIZES[s], source, SIZES[s]));
        }
        uint32_t *got = test_download_u32(context, buffer, words * writes);
        for (size_t i = 0; i < words * writes; i++)
            assert_int_equal(got[i], i);
        free(got);
        free(source);
        prm_buffer_destroy(context, &buffer);
    }
}

static void copies_and_fills_touch_their_range_alone(void **state)
{
    (void)state;
    struct prm_context *context = test_context;
    uint32_t values[COUNT], expected[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        values[i] = i;
        expected[i] = 0xabcdef01u;
    }
    struct prm_buffer source = test_upload_u32(context, values, COUNT);
    struct prm_buffer target = test_upload_u32(context, NULL, COUNT);

    assert_ok(prm_buffer_fill_u32(context, target, 0, 0xabcdef01u, COUNT));
    assert_ok(prm_buffer_fill_u32(context, target, 400, 7, 5));
    for (size_t i = 100; i < 105; i++)
        expected[i] = 7;
    assert_ok(prm_buffer_copy(context, target, 2000, source, 40, 80));
    memcpy(expected + 500, values + 10, 80);
    uint32_t *got = test_download_u32(context, target, COUNT);
    assert_u32_array_equal(expected, got, COUNT);
    free(got);
    prm_buffer_destroy(context, &source);
    prm_buffer_destroy(context, &target);
}

static void zero_bytes_are_no_operation(void **state)
{
    (void)state;
    struct prm_context *context = test_context;
    struct prm_buffer buffer;

    assert_ok(prm_buffer_write(context, PRM_NO_BUFFER, 0, NULL, 0));
    assert_ok(prm_buffer_read(context, PRM_NO_BUFFER, 0, NULL, 0));
    assert_ok(prm_buffer_copy(context, PRM_NO_BUFFER, 0, PRM_NO_BUFFER, 0, 0));
    assert_ok(prm_buffer_fill_u32(context, PRM_NO_BUFFER, 0, 1, 0));

    assert_ok(prm_buffer_create(context, &buffer, 0));
    assert_int_equal(buffer.bytes, 1);
    prm_buffer_destroy(context, &buffer);
}

static void a_range_beyond_the_end_is_a_fault(void **state)
{
    (void)state;
    struct prm_context *context = test_context;
    struct prm_buffer buffer = test_upload_u32(context, NULL, 4);
    uint32_t words[2] = {0};

    assert_status(PRM_DEVICE_FAILED, prm_buffer_write(context, buffer, 12, words, sizeof(words)));
    assert_fault_says("clEnqueueWriteBuffer: CL_INVALID_VALUE");
    assert_status(PRM_DEVICE_FAILED, prm_buffer_read(context, buffer, 12, words, sizeof(words)));
    assert_status(PRM_DEVICE_FAILED, prm_buffer_fill_u32(context, buffer, 12, 0, 2));
    prm_buffer_destroy(context, &buffer);
}

static void the_limit_is_enforced_and_explained(void **state)
{
    (void)state;
    struct prm_context_options options = test_context_options();
    struct prm_context *context;
    struct prm_buffer first, second;

    options.memory_limit = 10000;
    assert_ok(prm_context_open(&context, &options));
    assert_ok(prm_buffer_create(context, &first, 6000));
    assert_status(PRM_DEVICE_MEMORY, prm_buffer_create(context, &second, 4001));
    assert_fault_says("4001 bytes of device memory wanted, 6000 in use, the limit is 10000");
    assert_null(second.memory);
    assert_status(PRM_DEVICE_MEMORY, prm_buffer_create(context, &second, SIZE_MAX));
    assert_ok(prm_buffer_create(context, &second, 4000));
    prm_buffer_destroy(context, &first);
    prm_buffer_destroy(context, &second);
    assert_int_equal(prm_context_memory(context).resident_bytes, 0);
    prm_context_close(context);
}

static void an_injected_fault_fails_one_allocation(void **state)
{
    (void)state;
    struct prm_buffer buffer;

    prm_context_inject_fault(test_context, 2);
    assert_ok(prm_buffer_create(test_context, &buffer, 16));
    prm_buffer_destroy(test_context, &buffer);
    assert_status(PRM_DEVICE_FAILED, prm_buffer_create(test_context, &buffer, 16));
    assert_fault_says("CL_OUT_OF_RESOURCES");
    assert_null(buffer.memory);
    assert_int_equal(prm_context_memory(test_context).resident_bytes, 0);
    assert_ok(prm_buffer_create(test_context, &buffer, 16));
    prm_buffer_destroy(test_context, &buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_come_back_as_written),
        cmocka_unit_test(the_source_of_a_write_may_be_reused_at_once),
        cmocka_unit_test(copies_and_fills_touch_their_range_alone),
        cmocka_unit_test(zero_bytes_are_no_operation),
        cmocka_unit_test(a_range_beyond_the_end_is_a_fault),
        cmocka_unit_test(the_limit_is_enforced_and_explained),
        cmocka_unit_test(an_injected_fault_fails_one_allocation),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}
