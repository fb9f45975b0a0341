/* Goal: sorts are right and stable for every key type, order, digit width and size; permutation and
 * inverse are what they say; split by a bit. Method: random, equal, sorted, reversed and few-valued
 * keys with values that tell the first place, so that stability shows; random shapes. Oracle: qsort
 * on (key, place). */
#include "sort_cases.h"

#include "primitives/chunks.h"

#include <math.h>

static void sizes_and_patterns(void **state)
{
    (void)state;
    size_t sizes[CASE_SIZES_MAX];
    const size_t count = case_sizes(sizes);
    for (size_t s = 0; s < count; s++) {
        const bool few = s + 1 == count || test_is_small(); // qsort is slow
        for (enum pattern p = RANDOM; p < (few ? SORTED : PATTERNS); p++) {
            check_case((struct sort_case){sizes[s], 0, p, sort_order(0)});
            check_case((struct sort_case){sizes[s], 0, p, sort_order(SORT_ORDERS - 1)});
        }
    }
}

static void all_orders(void **state)
{
    (void)state;
    for (uint32_t order = 0; order < SORT_ORDERS; order++) {
        check_order((struct sort_case){test_size(20011, 301), 0, RANDOM, {0}}, order);
        check_order((struct sort_case){test_size(20011, 101), 0, FEW, {0}}, order);
        check_order((struct sort_case){test_size(9001, 101), 0, HIGH_ONLY, {0}}, order);
        check_order((struct sort_case){test_size(9001, 101), 0, EQUAL, {0}}, order);
    }
}

static void all_digits(void **state)
{
    (void)state;
    for (uint32_t bits = 1; bits <= test_size(8, 2); bits++) {
        struct sort_case c = {test_size(9001, 150), 0, RANDOM, sort_order(bits * 3 % SORT_ORDERS)};
        c.options.bits_per_pass = bits;
        check_one(c, bits % 2 ? WITH_VALUES : WITH_INVERSE);
    }
}

/* With key_bits the order is by those bits alone. */
static void few_key_bits(void **state)
{
    (void)state;
    const uint32_t widths[] = {9, 1, 7, 8, 17, 32};
    for (size_t w = 0; w < test_size(sizeof(widths) / sizeof(widths[0]), 1); w++) {
        for (uint32_t order = 0; order < SORT_ORDERS; order++) {
            struct sort_case c = {test_size(20011, 301), 0, RANDOM, sort_order(order)};
            if (c.options.type != PRM_KEY_U32 && c.options.type != PRM_KEY_U64)
                continue;
            c.options.key_bits = widths[w];
            check_one(c, some_wanted(order, WITH_VALUES));
        }
    }
}

/* More than a chunk of one work-item: digits that do not vary are left out, or all of them. */
static void several_chunks(void **state)
{
    (void)state;
    const size_t count = PRM_CHUNK_LEAST_CPU + 131;
    check_one((struct sort_case){count, 0, HIGH_ONLY, sort_order(0)}, WITH_VALUES);
    check_one((struct sort_case){count, 0, EQUAL, sort_order(0)}, WITH_INVERSE);
}

static void random_shapes(void **state)
{
    (void)state;
    struct test_random random = {7};
    for (size_t round = 0; round < test_size(100, 2); round++) {
        const uint32_t order = test_random_below(&random, SORT_ORDERS);
        const struct sort_case c = {test_random_below(&random, (uint32_t)test_size(30000, 300)), 0,
                                    (enum pattern)test_random_below(&random, PATTERNS),
                                    sort_order(order)};
        check_one(c, some_wanted(order, test_random_u32(&random)));
    }
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* -NaN < -inf < … < -0 < +0 < … < +inf < NaN. */
static void special_floats(void **state)
{
    (void)state;
    const uint32_t ordered[] = {
        0xffc00000u,       bits_of(-INFINITY), bits_of(-3.0e38f), bits_of(-1.0f),
        0x80000001u,       bits_of(-0.0f),     bits_of(0.0f),     1,
        bits_of(1.0e-30f), bits_of(7.0f),      bits_of(INFINITY), 0x7fc00000u};
    enum { COUNT = sizeof(ordered) / sizeof(ordered[0]) };
    uint32_t keys[COUNT], reversed[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        keys[i] = ordered[(i * 5 + 3) % COUNT];
    for (size_t i = 0; i < COUNT; i++)
        reversed[i] = ordered[COUNT - 1 - i];
    for (int descending = 0; descending < 2; descending++) {
        const struct prm_sort_options options = {.type = PRM_KEY_F32, .descending = descending};
        struct prm_buffer buffer = test_upload_u32(test_context, keys, COUNT);
        assert_ok(prm_radix_sort(test_arena, buffer, PRM_NO_BUFFER, PRM_NO_BUFFER, PRM_NO_BUFFER,
                                 COUNT, &options));
        case_check(buffer, descending ? reversed : ordered, COUNT);
        case_free(&buffer, 1);
    }
}

/* [2,6,1,9] → Perm [1,2,0,3], InvPerm [2,0,1,3]. */
static void published_permutation(void **state)
{
    (void)state;
    const uint32_t keys[] = {2, 6, 1, 9};
    const uint32_t permutation[] = {1, 2, 0, 3};
    const uint32_t inverse[] = {2, 0, 1, 3};
    struct prm_buffer b[3] = {test_upload_u32(test_context, keys, 4),
                              test_upload_u32(test_context, NULL, 4),
                              test_upload_u32(test_context, NULL, 4)};
    assert_ok(prm_radix_sort(test_arena, b[0], PRM_NO_BUFFER, b[1], b[2], 4, NULL));
    case_check(b[1], permutation, 4);
    case_check(b[2], inverse, 4);
    case_free(b, 3);
}

static void check_split(const uint32_t *values, size_t count, uint32_t bit,
                        const uint32_t *published)
{
    uint32_t *expected = case_array(count);
    uint32_t *places = case_array(count);
    size_t place = 0;
    size_t zeros = 0;
    for (uint32_t wanted = 0; wanted < 2; wanted++) {
        for (size_t i = 0; i < count; i++) {
            if ((values[i] >> bit & 1) == wanted) {
                places[i] = (uint32_t)place;
                expected[place++] = values[i];
            }
        }
        zeros = wanted == 0 ? place : zeros;
    }
    if (published)
        assert_u32_array_equal(published, expected, count);

    struct prm_buffer b[4] = {
        test_upload_u32(test_context, NULL, count), test_upload_u32(test_context, NULL, count),
        test_upload_u32(test_context, NULL, 1), test_upload_u32(test_context, values, count)};
    assert_ok(prm_split_by_bit(test_arena, b[0], b[1], b[2], b[3], count, bit));
    const uint32_t *want[] = {expected, places};
    for (size_t i = 0; i < 2; i++) {
        case_check(b[i], want[i], count);
    }
    uint32_t *got = test_download_u32(test_context, b[2], 1);
    assert_int_equal(got[0], zeros);
    free(got);
    free(expected);
    free(places);
    case_free(b, 4);
}

static void splits(void **state)
{
    (void)state;
    const uint32_t six[] = {6, 3, 8, 5, 1, 4};
    const uint32_t six_split[] = {6, 8, 4, 3, 5, 1};
    check_split(six, 6, 0, six_split);
    const uint32_t steps[][8] = {{13, 2, 7, 10, 4, 15, 0, 9},
                                 {2, 10, 4, 0, 13, 7, 15, 9},
                                 {4, 0, 13, 9, 2, 10, 7, 15},
                                 {0, 9, 2, 10, 4, 13, 7, 15},
                                 {0, 2, 4, 7, 9, 10, 13, 15}};
    for (uint32_t bit = 0; bit < 4; bit++)
        check_split(steps[bit], 8, bit, steps[bit + 1]);

    size_t sizes[CASE_SIZES_MAX];
    const size_t count = case_sizes(sizes);
    for (size_t s = 0; s < count; s++) {
        uint32_t *values = case_values(sizes[s], 0, 4);
        check_split(values, sizes[s], 31, NULL);
        free(values);
    }
}

struct fault_case {
    struct prm_buffer b[4];
    size_t count;
    struct prm_sort_options options;
};

static enum prm_status sort_call(void *data)
{
    const struct fault_case *c = data;
    return prm_radix_sort(test_arena, c->b[0], c->b[1], c->b[2], c->b[3], c->count, &c->options);
}

static void faults_and_scratch(void **state)
{
    (void)state;
    struct fault_case c = {.count = test_size((size_t)1 << 18, 300)};
    uint32_t *keys = case_values(2 * c.count, 0, 5);
    for (size_t i = 0; i < 4; i++)
        c.b[i] = test_upload_u32(test_context, keys, 2 * c.count);
    case_faults(sort_call, &c);
    for (enum prm_key_type type = PRM_KEY_U32; type <= PRM_KEY_U64; type++) {
        c.options.type = type;
        case_scratch(
            sort_call, &c,
            prm_radix_sort_scratch_bytes(prm_context_profile(test_context), c.count, type));
    }
    free(keys);
    case_free(c.b, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_permutation),
        cmocka_unit_test(sizes_and_patterns),
        cmocka_unit_test(all_orders),
        cmocka_unit_test(all_digits),
        cmocka_unit_test(few_key_bits),
        cmocka_unit_test(several_chunks),
        cmocka_unit_test(special_floats),
        cmocka_unit_test(random_shapes),
        cmocka_unit_test(splits),
        cmocka_unit_test(faults_and_scratch),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}
