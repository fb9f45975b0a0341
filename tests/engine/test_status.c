/* Goal: the fault record keeps what the origin wrote. Method: write, read back, from two threads.
 */
#include "device/status.h"
#include "support/support.h"

#include <pthread.h>
#include <string.h>

static void every_status_has_its_text(void **state)
{
    (void)state;
    assert_string_equal(prm_status_text(PRM_OK), "ok");
    assert_string_equal(prm_status_text(PRM_NO_DEVICE), "no OpenCL device");
    assert_string_equal(prm_status_text((enum prm_status)99), "unknown status");
}

static void a_fault_is_kept_and_its_status_returned(void **state)
{
    (void)state;
    assert_int_equal(prm_fault_set(PRM_LIMIT_EXCEEDED, "%d of %s", 7, "them"), PRM_LIMIT_EXCEEDED);
    assert_int_equal(prm_fault_last()->status, PRM_LIMIT_EXCEEDED);
    assert_string_equal(prm_fault_last()->detail, "7 of them");
    assert_null(prm_fault_last()->parameter);

    // with what it is about, which the next forgets
    assert_int_equal(prm_fault_set_at(PRM_LIMIT_EXCEEDED, "a/b", "cells", 9, "%d cells", 12),
                     PRM_LIMIT_EXCEEDED);
    assert_string_equal(prm_fault_last()->parameter, "a/b");
    assert_string_equal(prm_fault_last()->limit_name, "cells");
    assert_true(prm_fault_last()->limit == 9);
    prm_fault_set(PRM_UNSUPPORTED, "other");
    assert_null(prm_fault_last()->parameter);
    assert_null(prm_fault_last()->limit_name);
}

static void the_last_detail_may_be_wrapped(void **state)
{
    (void)state;
    prm_fault_set(PRM_DEVICE_FAILED, "inner");
    prm_fault_set(PRM_DEVICE_FAILED, "outer: %s", prm_fault_last()->detail);
    assert_string_equal(prm_fault_last()->detail, "outer: inner");
}

static void a_long_detail_is_cut_and_says_so(void **state)
{
    (void)state;
    char text[2 * sizeof(prm_fault_last()->detail)];
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';

    prm_fault_set(PRM_DEVICE_FAILED, "%s", text);
    const char *detail = prm_fault_last()->detail;
    assert_int_equal(strlen(detail), sizeof(prm_fault_last()->detail) - 1);
    assert_string_equal(detail + strlen(detail) - 4, "x...");
}

static void *set_another(void *unused)
{
    (void)unused;
    prm_fault_set(PRM_CANCELLED, "of the other thread");
    return NULL;
}

static void the_record_is_the_threads_own(void **state)
{
    (void)state;
    pthread_t thread;

    prm_fault_set(PRM_UNSUPPORTED, "mine");
    assert_int_equal(pthread_create(&thread, NULL, set_another, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(prm_fault_last()->status, PRM_UNSUPPORTED);
    assert_string_equal(prm_fault_last()->detail, "mine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_text),
        cmocka_unit_test(a_fault_is_kept_and_its_status_returned),
        cmocka_unit_test(the_last_detail_may_be_wrapped),
        cmocka_unit_test(a_long_detail_is_cut_and_says_so),
        cmocka_unit_test(the_record_is_the_threads_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
