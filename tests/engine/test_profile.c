/* Goal: tuning overrides are strict. Method: tables of texts, right and wrong; a wrong text changes
 * nothing. */
#include "device/profile.h"
#include "support/support.h"

#include <string.h>

static const struct prm_profile BASE = {
    .shape = PRM_SHAPE_CPU,
    .workgroup = 1,
    .chunks = 8,
    .radix_bits = 8,
    .lanes = 8,
    .compute_units = 2,
    .local_bytes = 65536,
};

static void right_overrides_are_applied(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum prm_shape shape;
        uint32_t workgroup, chunks, radix_bits, lanes;
    } CASES[] = {
        {NULL, PRM_SHAPE_CPU, 1, 8, 8, 8},
        {"", PRM_SHAPE_CPU, 1, 8, 8, 8},
        {"wg=64,shape=gpu", PRM_SHAPE_GPU, 64, 8, 8, 8},
        {"wg=1024,chunks=65536,radix_bits=1,lanes=16", PRM_SHAPE_CPU, 1024, 65536, 1, 16},
        {"chunks=3", PRM_SHAPE_CPU, 1, 3, 8, 8},
        {"wg=2,wg=4,", PRM_SHAPE_CPU, 4, 8, 8, 8},
        {"shape=gpu,shape=cpu", PRM_SHAPE_CPU, 1, 8, 8, 8},
    };
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct prm_profile profile = BASE;
        assert_ok(prm_profile_override(&profile, CASES[i].text));
        assert_int_equal(profile.shape, CASES[i].shape);
        assert_int_equal(profile.workgroup, CASES[i].workgroup);
        assert_int_equal(profile.chunks, CASES[i].chunks);
        assert_int_equal(profile.radix_bits, CASES[i].radix_bits);
        assert_int_equal(profile.lanes, CASES[i].lanes);
        assert_int_equal(profile.compute_units, BASE.compute_units);
        assert_int_equal(profile.local_bytes, BASE.local_bytes);
    }
}

static void wrong_overrides_are_named_and_change_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } CASES[] = {
        {"wg=0", "wg is '0'"},
        {"wg=3", "wg is '3', not a power of two from 1 to 1024"},
        {"wg=2048", "wg is '2048'"},
        {"wg=-1", "wg is '-1'"},
        {"wg=", "wg is ''"},
        {"wg= 4", "wg is ' 4'"},
        {"wg=4x", "wg is '4x'"},
        {"wg=4294967297", "wg is '4294967297'"},
        {"wg=99999999999999999999999", "wg is"},
        {"radix_bits=9", "radix_bits is '9', not a number from 1 to 8"},
        {"lanes=12", "lanes is '12'"},
        {"chunks=65537", "chunks is"},
        {"shape=fpga", "shape is 'fpga'"},
        {"wgs=4", "'wgs' is none of"},
        {"wg", "'wg' is not name=value"},
        {"wg=64,,chunks=2", "'' is not name=value"},
        {"wg=64,shape=gpu,chunks=zero", "chunks is 'zero'"},
    };
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct prm_profile profile = BASE;
        assert_status(PRM_INVALID_ARGUMENT, prm_profile_override(&profile, CASES[i].text));
        assert_fault_says(CASES[i].says);
        assert_memory_equal(&profile, &BASE, sizeof(profile));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_overrides_are_applied),
        cmocka_unit_test(wrong_overrides_are_named_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
