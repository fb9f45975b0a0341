/* Goal: the wanted smallest keys come first, whatever the order and the ties of their values; keys
 * are ordered as the pairs of value and index are. Method: sizes about small powers of two, every
 * cut of the small ones, values random, few, ascending, descending. Oracle: a sort. */
#include "support/support.h"

#include "kernels/select.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return (x > y) - (x < y);
}

static void keys_are_ordered(void **state)
{
    static const float VALUES[] = {-INFINITY, -3e38f, -1.0f,  -1e-40f, 0.0f,
                                   1e-40f,    1.0f,   1.001f, 3e38f,   INFINITY};
    (void)state;
    for (u32 i = 0; i < sizeof(VALUES) / sizeof(VALUES[0]); i++) {
        assert_true(select_key(VALUES[i], 6) < select_key(VALUES[i], 7));
        assert_int_equal((u32)select_key(VALUES[i], NONE_U32), NONE_U32);
        if (i > 0)
            assert_true(select_key(VALUES[i - 1], NONE_U32) < select_key(VALUES[i], 0));
    }
}

/* Selects in the middle of an array whose other keys must stay. */
static void select_case(struct test_random *random, u32 n, int kind, u32 wanted)
{
    enum { BESIDE = 3 };
    const u64 guard = 42;
    u64 *keys = malloc((n + 2 * BESIDE) * sizeof(*keys)), *sorted = malloc((n + 1) * sizeof(*keys));
    assert_non_null(keys);
    assert_non_null(sorted);
    for (u32 i = 0; i < n + 2 * BESIDE; i++)
        keys[i] = guard;
    for (u32 i = 0; i < n; i++) {
        const float values[] = {test_random_f32(random, -1, 1), (float)test_random_below(random, 3),
                                (float)i, -(float)i};
        sorted[i] = keys[BESIDE + i] = select_key(values[kind], i);
    }
    qsort(sorted, n, sizeof(*sorted), compare);
    select_smallest(keys, BESIDE, BESIDE + n, wanted);

    qsort(keys + BESIDE, wanted, sizeof(*keys), compare);
    qsort(keys + BESIDE + wanted, n - wanted, sizeof(*keys), compare);
    assert_memory_equal(keys + BESIDE, sorted, n * sizeof(*keys));
    for (u32 i = 0; i < BESIDE; i++) {
        assert_true(keys[i] == guard);
        assert_true(keys[BESIDE + n + i] == guard);
    }
    free(keys);
    free(sorted);
}

static void smallest_come_first(void **state)
{
    static const u32 SIZES[] = {0, 1, 2, 3, 16, 17, 31, 64, 500, 10007};
    struct test_random random = {1};
    (void)state;
    for (size_t s = 0; s < sizeof(SIZES) / sizeof(SIZES[0]); s++) {
        const u32 n = SIZES[s], step = n < 100 ? 1 : n / 7;
        for (int kind = 0; kind < 4; kind++)
            for (u32 wanted = 0; wanted <= n; wanted += step)
                select_case(&random, n, kind, wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_ordered),
        cmocka_unit_test(smallest_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
