/* Goal: permutations are inverted, and rows of any width gathered, in place too. Method: random
 * permutations and indices at awkward sizes. Oracle: serial loops. */
#include "primitives_cases.h"

#include "primitives/permutation.h"

static const uint32_t WIDTHS[] = {1, 2, 5, 9};

static void inverses(void **state)
{
    (void)state;
    size_t sizes[CASE_SIZES_MAX];
    const size_t size_count = case_sizes(sizes);
    for (size_t s = 0; s < size_count; s++) {
        const size_t n = sizes[s];
        uint32_t *inverse = case_order(n, s);
        uint32_t *expected = case_array(n);
        for (size_t j = 0; j < n; j++)
            expected[inverse[j]] = (uint32_t)j;
        struct prm_buffer b[2] = {test_upload_u32(test_context, NULL, n),
                                  test_upload_u32(test_context, inverse, n)};
        assert_ok(prm_permutation_invert(test_context, b[0], b[1], n));
        case_check(b[0], expected, n);
        free(expected);
        free(inverse);
        case_free(b, 2);
    }
}

/* Indices may repeat. */
static void gathered_rows(void **state)
{
    (void)state;
    const size_t count = test_size(10007, 99);
    for (size_t w = 0; w < sizeof(WIDTHS) / sizeof(WIDTHS[0]); w++) {
        const uint32_t words = WIDTHS[w];
        uint32_t *rows = case_values(count * words, 0, 6);
        uint32_t *index = case_values(count, (uint32_t)count, 7);
        uint32_t *expected = case_array(count * words);
        for (size_t i = 0; i < count; i++)
            memcpy(expected + i * words, rows + index[i] * words, words * sizeof(uint32_t));
        struct prm_buffer b[3] = {test_upload_u32(test_context, NULL, count * words),
                                  test_upload_u32(test_context, rows, count * words),
                                  test_upload_u32(test_context, index, count)};
        assert_ok(prm_gather_rows(test_context, b[0], b[1], b[2], count, words));
        assert_ok(prm_reorder_rows(test_arena, b[1], b[2], count, words));
        for (size_t i = 0; i < 2; i++) {
            case_check(b[i], expected, count * words);
        }
        free(rows);
        free(index);
        free(expected);
        case_free(b, 3);
    }
}

static enum prm_status reorder_call(void *data)
{
    const struct prm_buffer *b = data;
    return prm_reorder_rows(test_arena, b[0], b[1], b[1].bytes / sizeof(uint32_t), 3);
}

static void faults(void **state)
{
    (void)state;
    const size_t count = 300;
    uint32_t *index = case_order(count, 3);
    struct prm_buffer b[2] = {test_upload_u32(test_context, NULL, 3 * count),
                              test_upload_u32(test_context, index, count)};
    assert_ok(prm_buffer_fill_u32(test_context, b[0], 0, 7, 3 * count));
    case_faults(reorder_call, b);
    free(index);
    case_free(b, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverses),
        cmocka_unit_test(gathered_rows),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}
