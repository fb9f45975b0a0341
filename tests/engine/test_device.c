/* Goal: devices are listed best first, chosen by kind, address or part of a name, and tuned by
 * class. Oracle: the list itself. */
#include "device/context.h"
#include "support/support.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void gpus_come_first(void **state)
{
    (void)state;
    struct prm_device_info *devices;
    size_t count;

    assert_ok(prm_device_list(&devices, &count));
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        assert_true(strlen(devices[i].name) > 0);
        assert_true(strlen(devices[i].platform) > 0);
        assert_true(devices[i].compute_units > 0);
        assert_true(devices[i].memory_bytes > 0);
        assert_true(devices[i].allocation_max > 0);
        if (i > 0)
            assert_false(devices[i].is_gpu && !devices[i - 1].is_gpu);
    }
    free(devices);
}

/* Opens the device named so and checks that it is `expected`. */
static void check_choice(const char *wanted, const struct prm_device_info *expected)
{
    const struct prm_context_options options = {.device = wanted};
    struct prm_context *context;

    assert_ok(prm_context_open(&context, &options));
    const struct prm_device_info *info = prm_context_device(context);
    assert_int_equal(info->platform_index, expected->platform_index);
    assert_int_equal(info->device_index, expected->device_index);
    prm_context_close(context);
}

static void a_device_is_chosen_by_each_kind_of_name(void **state)
{
    (void)state;
    struct prm_device_info *devices;
    size_t count;
    char text[160];

    assert_ok(prm_device_list(&devices, &count));
    const struct prm_device_info *best = &devices[0];
    check_choice(NULL, best);
    check_choice("", best);
    check_choice(best->is_gpu ? "gpu" : "cpu", best);
    check_choice(best->is_gpu ? "GPU" : "CPU", best);
    snprintf(text, sizeof(text), "%u:%u", best->platform_index, best->device_index);
    check_choice(text, best);

    // the tail of its name, in the other case
    snprintf(text, sizeof(text), "%s", best->name + strlen(best->name) / 2);
    for (char *c = text; *c; c++)
        *c = (char)(islower((unsigned char)*c) ? toupper((unsigned char)*c)
                                               : tolower((unsigned char)*c));
    check_choice(text, best);
    free(devices);
}

static void an_unknown_device_is_answered_with_those_that_exist(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"9:9", "no such device", "0:", ":"};

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        const struct prm_context_options options = {.device = NAMES[i]};
        struct prm_context *context = (struct prm_context *)&options;
        assert_status(PRM_NO_DEVICE, prm_context_open(&context, &options));
        assert_null(context);
        assert_fault_says(NAMES[i]);
        assert_fault_says("there is 0:0 ");
    }
}

static void the_profile_follows_the_class(void **state)
{
    (void)state;
    struct prm_context *context;
    assert_ok(prm_context_open(&context, NULL));
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_device_info *info = prm_context_device(context);

    assert_int_equal(profile->compute_units, info->compute_units);
    assert_int_equal(profile->local_bytes, info->local_bytes);
    assert_true(profile->chunks >= info->compute_units);
    assert_true(profile->lanes >= 1 && profile->lanes <= 16);
    assert_int_equal(profile->shape, info->is_gpu ? PRM_SHAPE_GPU : PRM_SHAPE_CPU);
    if (info->is_gpu)
        assert_true(profile->workgroup > 1);
    else
        assert_int_equal(profile->workgroup, 1);
    prm_context_close(context);
}

static void tuning_is_applied_or_refused(void **state)
{
    (void)state;
    struct prm_context_options options = {.tuning = "wg=32,shape=gpu"};
    struct prm_context *context;

    assert_ok(prm_context_open(&context, &options));
    assert_int_equal(prm_context_profile(context)->workgroup, 32);
    assert_int_equal(prm_context_profile(context)->shape, PRM_SHAPE_GPU);
    prm_context_close(context);

    options.tuning = "wg=33";
    assert_status(PRM_INVALID_ARGUMENT, prm_context_open(&context, &options));
    assert_null(context);
}

static void the_memory_limit_is_the_given_or_most_of_the_device(void **state)
{
    (void)state;
    struct prm_context_options options = {.memory_limit = 12345};
    struct prm_context *context;

    assert_ok(prm_context_open(&context, &options));
    assert_int_equal(prm_context_memory(context).limit_bytes, 12345);
    prm_context_close(context);

    assert_ok(prm_context_open(&context, NULL));
    const uint64_t memory = prm_context_device(context)->memory_bytes;
    const uint64_t limit = prm_context_memory(context).limit_bytes;
    assert_true(limit > memory / 2 && limit < memory);
    prm_context_close(context);
    prm_context_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpus_come_first),
        cmocka_unit_test(a_device_is_chosen_by_each_kind_of_name),
        cmocka_unit_test(an_unknown_device_is_answered_with_those_that_exist),
        cmocka_unit_test(the_profile_follows_the_class),
        cmocka_unit_test(tuning_is_applied_or_refused),
        cmocka_unit_test(the_memory_limit_is_the_given_or_most_of_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
