/* Goal: segments sort by themselves, stable, for every key type and order, with all that can be
 * asked for. Method: segment lengths around the limits of each way of sorting them, few and many
 * segments; random shapes. Oracle: qsort on (key, place) of each segment. */
#include "sort_cases.h"

#include "primitives/chunks.h"

static void lengths(void **state)
{
    (void)state;
    const size_t workgroup = prm_context_profile(test_context)->workgroup;
    const size_t all[] = {1,  2,  7,   8,   9,   31,   32,   33,   63,
                          64, 65, 128, 129, 257, 1000, 1025, 5003, 4 * workgroup + 1};
    const size_t count = test_size(sizeof(all) / sizeof(all[0]), 14);
    for (size_t i = 0; i < count; i += test_size(1, 3)) {
        const size_t n = all[i];
        check_order((struct sort_case){n, n, RANDOM, {0}}, 1);
        check_order((struct sort_case){3 * n, n, EQUAL, {0}}, 1);
        check_order((struct sort_case){test_size(37, 2) * n, n, FEW, {0}}, SORT_ORDERS - 1);
    }
    check_order((struct sort_case){0, 5, RANDOM, {0}}, 1);
}

static void all_orders(void **state)
{
    (void)state;
    const size_t segments[] = {test_size(29, 5), 64, test_size(301, 131), test_size(9001, 129)};
    for (uint32_t order = 0; order < SORT_ORDERS; order++) {
        for (size_t i = 0; i < sizeof(segments) / sizeof(segments[0]); i += test_size(1, 2)) {
            const size_t n = segments[i];
            check_order((struct sort_case){3 * n, n, RANDOM, {0}}, order);
            check_order((struct sort_case){3 * n, n, FEW, {0}}, order);
        }
    }
}

/* Ranking does not look at digits. */
static void all_digits(void **state)
{
    (void)state;
    for (uint32_t bits = 1; bits <= test_size(7, 1); bits += is_quick_to_build() ? 2 : 4) {
        const size_t n = test_size(301, 131);
        struct sort_case c = {3 * n, n, RANDOM, sort_order(bits * 3 % SORT_ORDERS)};
        c.options.bits_per_pass = bits;
        check_one(c, WITH_VALUES);
    }
}

/* The last element of a segment greatest, the first of the next one least, and keys that the fill
 * of a segment equals. */
static void greatest_keys(void **state)
{
    (void)state;
    const uint32_t keys[] = {UINT32_MAX, 5, UINT32_MAX, 0x7fffffffu, UINT32_MAX,
                             0,          0, UINT32_MAX, 0x80000000u, 0};
    for (uint32_t order = 0; order < SORT_ORDERS; order++) {
        struct sort_case c = {10 / key_words(sort_order(order).type), 5, RANDOM, sort_order(order)};
        uint32_t *inverse = expected_inverse(&c, keys);
        check_wanted(&c, keys, inverse, some_wanted(order, WITH_VALUES | WITH_INVERSE));
        free(inverse);
    }
}

static void random_shapes(void **state)
{
    (void)state;
    struct test_random random = {11};
    for (size_t round = 0; round < test_size(200, 3); round++) {
        const size_t segment = 1 + test_random_below(&random, (uint32_t)test_size(400, 70));
        const size_t segments = 1 + test_random_below(&random, (uint32_t)test_size(60, 3));
        const uint32_t order = test_random_below(&random, SORT_ORDERS);
        const struct sort_case c = {segment * segments, segment,
                                    (enum pattern)test_random_below(&random, PATTERNS),
                                    sort_order(order)};
        check_one(c, some_wanted(order, test_random_u32(&random)));
    }
}

/* Orders 2, 3 and 4 are f32, u64, and u32 descending. */
static void many_and_long(void **state)
{
    (void)state;
    const size_t many = test_size(10007, 17);
    const size_t length = test_size(50021, 503);
    check_order((struct sort_case){many * 32, 32, RANDOM, {0}}, 4);
    check_order((struct sort_case){length, length, RANDOM, {0}}, 2);
    check_order((struct sort_case){2 * length, length, RANDOM, {0}}, 3);
}

/* Two segments that leave compute units idle: sorted as one array, on one work-item a chunk too. */
static void two_long(void **state)
{
    (void)state;
    const size_t length = PRM_CHUNK_LEAST_CPU + 131;
    check_one((struct sort_case){2 * length, length, HIGH_ONLY, sort_order(0)}, WITH_VALUES);
}

struct fault_case {
    struct prm_buffer b[4];
    size_t count, segment;
    struct prm_sort_options options;
};

static enum prm_status sort_call(void *data)
{
    const struct fault_case *c = data;
    return prm_radix_sort_segments(test_arena, c->b[0], c->b[1], c->b[2], c->b[3], c->count,
                                   c->segment, &c->options);
}

/* In one launch and by the whole array. */
static void faults_and_scratch(void **state)
{
    (void)state;
    const size_t count = test_size((size_t)1 << 16, 300);
    uint32_t *keys = case_values(2 * count, 0, 5);
    for (size_t segments = 1; segments <= count / 4; segments *= count / 4) {
        struct fault_case c = {
            .count = count, .segment = count / segments, .options = {.type = PRM_KEY_U64}};
        for (size_t i = 0; i < 4; i++)
            c.b[i] = test_upload_u32(test_context, keys, (i == 0 ? 2 : 1) * count);
        case_faults(sort_call, &c);
        case_scratch(
            sort_call, &c,
            prm_radix_sort_scratch_bytes(prm_context_profile(test_context), count, PRM_KEY_U64));
        case_free(c.b, 4);
    }
    free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths),       cmocka_unit_test(all_orders),
        cmocka_unit_test(all_digits),    cmocka_unit_test(greatest_keys),
        cmocka_unit_test(random_shapes), cmocka_unit_test(many_and_long),
        cmocka_unit_test(two_long),      cmocka_unit_test(faults_and_scratch),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}
