/* Goal: without any OpenCL platform the message names the package to install. Method: the loader's
 * folder of platforms is one that does not exist (OCL_ICD_VENDORS, set by the test's registration).
 */
#include "device/context.h"
#include "support/support.h"

#include <stdlib.h>

static void the_package_is_named(void **state)
{
    (void)state;
    struct prm_device_info *devices;
    struct prm_context *context;
    size_t count = 1;

    assert_status(PRM_NO_DEVICE, prm_device_list(&devices, &count));
    assert_fault_says("pocl-opencl-icd");
    assert_null(devices);
    assert_int_equal(count, 0);

    assert_status(PRM_NO_DEVICE, prm_context_open(&context, NULL));
    assert_fault_says("pocl-opencl-icd");
    assert_null(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_package_is_named)};
    // run by hand, without the registration's environment, it would prove nothing
    if (!getenv("OCL_ICD_VENDORS"))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
