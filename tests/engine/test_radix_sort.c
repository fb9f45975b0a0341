/* Goal: sorts are right and stable for every key type, digit width and size; permutation and
 * inverse are what they say; segments sort by themselves; split and gather. Method: random, equal,
 * sorted, reversed and few-valued keys with the first place as payload, so that stability shows.
 * Oracle: qsort on (ordered key, place). */
#include "primitives_cases.h"

#include "primitives/radix_sort.h"

#include <math.h>

enum pattern { RANDOM, EQUAL, SORTED, REVERSED, FEW, HIGH_ONLY, PATTERNS };

struct pair {
    uint64_t order;
    uint32_t key, place;
};

static int compare(const void *a, const void *b)
{
    const struct pair *x = a;
    const struct pair *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* The documented order of each type, by another way than the kernels': as signed and split at zero.
 */
static uint64_t order_of(uint32_t key, enum prm_key_type type)
{
    const uint64_t middle = (uint64_t)1 << 32;
    if (type == PRM_KEY_U32)
        return key;
    if (type == PRM_KEY_I32)
        return (uint64_t)((int64_t)(int32_t)key + (int64_t)middle);
    const uint32_t magnitude = key & 0x7fffffffu;
    return key >> 31 ? middle - 1 - magnitude : middle + magnitude;
}

static uint32_t *make_keys(size_t count, enum pattern pattern)
{
    uint32_t *keys = case_values(count, 0, count + 17);
    for (size_t i = 0; i < count; i++) {
        switch (pattern) {
        case EQUAL:
            keys[i] = 0x80000001u;
            break;
        case SORTED:
            keys[i] = (uint32_t)i * 3;
            break;
        case REVERSED:
            keys[i] = (uint32_t)(count - i) * 5;
            break;
        case FEW:
            keys[i] &= 0x80010001u;
            break;
        case HIGH_ONLY:
            keys[i] &= 0xff000000u;
            break;
        case RANDOM:
        case PATTERNS:
            break;
        }
    }
    return keys;
}

/* The pairs sorted, each segment by itself. */
static struct pair *sorted_pairs(const uint32_t *keys, size_t count, size_t segment,
                                 enum prm_key_type type)
{
    struct pair *pairs = malloc((count + 1) * sizeof(*pairs));
    assert_non_null(pairs);
    for (size_t i = 0; i < count; i++)
        pairs[i] = (struct pair){order_of(keys[i], type), keys[i], (uint32_t)i};
    for (size_t begin = 0; begin < count; begin += segment)
        qsort(pairs + begin, segment, sizeof(*pairs), compare);
    return pairs;
}

static void check_sorted(struct prm_buffer keys, struct prm_buffer places, const struct pair *pairs,
                         size_t count)
{
    uint32_t *got_keys = test_download_u32(test_context, keys, count);
    uint32_t *got_places = places.memory ? test_download_u32(test_context, places, count) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (got_keys[i] != pairs[i].key || (got_places && got_places[i] != pairs[i].place))
            fail_msg("place %zu of %zu holds %08x (%u), not %08x (%u)", i, count, got_keys[i],
                     got_places ? got_places[i] : 0, pairs[i].key, pairs[i].place);
    }
    free(got_keys);
    free(got_places);
}

static const struct prm_buffer NONE = {NULL, 0};

static void check_sort(size_t count, enum pattern pattern, const struct prm_sort_options *options)
{
    uint32_t *keys = make_keys(count, pattern);
    uint32_t *places = case_array(count);
    for (size_t i = 0; i < count; i++)
        places[i] = (uint32_t)i;
    struct pair *pairs =
        sorted_pairs(keys, count, count ? count : 1, options ? options->type : PRM_KEY_U32);
    struct prm_buffer b[4];
    b[0] = test_upload_u32(test_context, keys, count);
    b[1] = test_upload_u32(test_context, places, count);
    b[2] = test_upload_u32(test_context, NULL, count);
    b[3] = test_upload_u32(test_context, NULL, count);

    // keys alone, with values, and with all that can be asked for
    assert_ok(prm_radix_sort(test_arena, b[0], NONE, NONE, NONE, count, options));
    check_sorted(b[0], NONE, pairs, count);
    assert_ok(prm_buffer_write(test_context, b[0], 0, keys, count * sizeof(uint32_t)));
    assert_ok(prm_radix_sort(test_arena, b[0], b[1], NONE, NONE, count, options));
    check_sorted(b[0], b[1], pairs, count);
    assert_ok(prm_buffer_write(test_context, b[0], 0, keys, count * sizeof(uint32_t)));
    assert_ok(prm_buffer_write(test_context, b[1], 0, places, count * sizeof(uint32_t)));
    assert_ok(prm_radix_sort(test_arena, b[0], b[1], b[2], b[3], count, options));
    check_sorted(b[0], b[1], pairs, count);
    check_sorted(b[0], b[3], pairs, count);
    uint32_t *permutation = test_download_u32(test_context, b[2], count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(permutation[pairs[i].place], i);
    free(permutation);
    free(pairs);
    free(places);
    free(keys);
    case_free(b, 4);
}

static void sizes_and_patterns(void **state)
{
    (void)state;
    size_t sizes[CASE_SIZES_MAX];
    const size_t count = case_sizes(sizes);
    for (size_t s = 0; s < count; s++) {
        const bool few = s + 1 == count || test_is_small(); // qsort is slow
        for (enum pattern p = RANDOM; p < (few ? SORTED : PATTERNS); p++)
            check_sort(sizes[s], p, NULL);
    }
}

static void types_and_digits(void **state)
{
    (void)state;
    const struct prm_sort_options options[] = {
        {PRM_KEY_U32, 3, 0}, {PRM_KEY_I32, 5, 0}, {PRM_KEY_F32, 0, 0}};
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        check_sort(test_size(20011, 301), RANDOM, &options[i]);
        check_sort(test_size(3001, 101), FEW, &options[i]);
    }
}

/* With key_bits the order is by those bits alone. */
static void few_key_bits(void **state)
{
    (void)state;
    const uint32_t widths[] = {9, 1, 7, 8, 17, 32};
    const size_t count = test_size(20011, 301);
    for (size_t w = 0; w < test_size(sizeof(widths) / sizeof(widths[0]), 1); w++) {
        const struct prm_sort_options options = {PRM_KEY_U32, 0, widths[w]};
        uint32_t *keys = make_keys(count, RANDOM);
        for (size_t i = 0; i < count; i++)
            keys[i] >>= 32 - widths[w];
        struct pair *pairs = sorted_pairs(keys, count, count, PRM_KEY_U32);
        struct prm_buffer b[2] = {test_upload_u32(test_context, keys, count),
                                  test_upload_u32(test_context, NULL, count)};
        assert_ok(prm_radix_sort(test_arena, b[0], NONE, NONE, b[1], count, &options));
        check_sorted(b[0], b[1], pairs, count);
        free(pairs);
        free(keys);
        case_free(b, 2);
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
    const struct prm_sort_options options = {PRM_KEY_F32, 0, 0};
    uint32_t keys[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        keys[i] = ordered[(i * 5 + 3) % COUNT];
    struct prm_buffer buffer = test_upload_u32(test_context, keys, COUNT);
    assert_ok(prm_radix_sort(test_arena, buffer, NONE, NONE, NONE, COUNT, &options));
    uint32_t *got = test_download_u32(test_context, buffer, COUNT);
    assert_u32_array_equal(ordered, got, COUNT);
    free(got);
    case_free(&buffer, 1);
}

static void check_segments(size_t segments, size_t segment, enum pattern pattern,
                           const struct prm_sort_options *options)
{
    const size_t count = segments * segment;
    uint32_t *keys = make_keys(count, pattern);
    uint32_t *places = case_array(count);
    for (size_t i = 0; i < count; i++)
        places[i] = (uint32_t)i;
    struct pair *pairs = sorted_pairs(keys, count, segment, options ? options->type : PRM_KEY_U32);
    struct prm_buffer b[2] = {test_upload_u32(test_context, keys, count),
                              test_upload_u32(test_context, places, count)};
    assert_ok(prm_radix_sort_segments(test_arena, b[0], NONE, count, segment, options));
    check_sorted(b[0], NONE, pairs, count);
    assert_ok(prm_buffer_write(test_context, b[0], 0, keys, count * sizeof(uint32_t)));
    assert_ok(prm_radix_sort_segments(test_arena, b[0], b[1], count, segment, options));
    check_sorted(b[0], b[1], pairs, count);
    free(pairs);
    free(places);
    free(keys);
    case_free(b, 2);
}

static void segments(void **state)
{
    (void)state;
    const size_t lengths[] = {1, 2, 7, 8, 31, 32, 63, 64, 65, 100, 256, 257, 1000, 1025, 5003};
    const struct prm_sort_options floats = {PRM_KEY_F32, 0, 0};
    const struct prm_sort_options narrow = {PRM_KEY_I32, 3, 0};
    for (size_t i = 0; i < test_size(sizeof(lengths) / sizeof(lengths[0]), 9);
         i += test_size(1, 2)) {
        check_segments(1, lengths[i], RANDOM, NULL);
        check_segments(test_size(101, 3), lengths[i], RANDOM, &floats);
        check_segments(test_size(37, 2), lengths[i], FEW, &narrow);
        check_segments(3, lengths[i], EQUAL, NULL);
    }
    check_segments(0, 5, RANDOM, NULL);
    check_segments(test_size(10007, 17), 32, RANDOM, NULL);
    check_segments(1, test_size(50021, 503), RANDOM, &floats);
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
    assert_ok(prm_radix_sort(test_arena, b[0], NONE, b[1], b[2], 4, NULL));
    uint32_t *got = test_download_u32(test_context, b[1], 4);
    assert_u32_array_equal(permutation, got, 4);
    free(got);
    got = test_download_u32(test_context, b[2], 4);
    assert_u32_array_equal(inverse, got, 4);
    free(got);
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
        uint32_t *got = test_download_u32(test_context, b[i], count);
        assert_u32_array_equal(want[i], got, count);
        free(got);
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

static void gathered_rows(void **state)
{
    (void)state;
    const size_t count = test_size(10007, 99);
    for (uint32_t words = 1; words <= 9; words += 4) {
        uint32_t *rows = case_values(count * words, 0, 6);
        uint32_t *index = case_values(count, (uint32_t)count, 7);
        uint32_t *expected = case_array(count * words);
        for (size_t i = 0; i < count; i++)
            memcpy(expected + i * words, rows + index[i] * words, words * sizeof(uint32_t));
        struct prm_buffer b[3] = {test_upload_u32(test_context, NULL, count * words),
                                  test_upload_u32(test_context, rows, count * words),
                                  test_upload_u32(test_context, index, count)};
        assert_ok(prm_gather_rows(test_context, b[0], b[1], b[2], count, words));
        uint32_t *got = test_download_u32(test_context, b[0], count * words);
        assert_u32_array_equal(expected, got, count * words);
        free(got);
        free(rows);
        free(index);
        free(expected);
        case_free(b, 3);
    }
}

struct sort_case {
    struct prm_buffer b[4];
    size_t count;
};

static enum prm_status sort_call(void *data)
{
    const struct sort_case *c = data;
    const enum prm_status status =
        prm_radix_sort(test_arena, c->b[0], c->b[1], c->b[2], c->b[3], c->count, NULL);
    return status != PRM_OK
               ? status
               : prm_radix_sort_segments(test_arena, c->b[0], c->b[1], c->count, c->count, NULL);
}

static void faults_and_scratch(void **state)
{
    (void)state;
    struct sort_case c = {.count = test_size((size_t)1 << 18, 300)};
    uint32_t *keys = case_values(c.count, 0, 5);
    for (size_t i = 0; i < 4; i++)
        c.b[i] = test_upload_u32(test_context, keys, c.count);
    case_faults(sort_call, &c);
    case_scratch(sort_call, &c,
                 prm_radix_sort_scratch_bytes(prm_context_profile(test_context), c.count));
    free(keys);
    case_free(c.b, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_permutation),
        cmocka_unit_test(sizes_and_patterns),
        cmocka_unit_test(types_and_digits),
        cmocka_unit_test(few_key_bits),
        cmocka_unit_test(special_floats),
        cmocka_unit_test(segments),
        cmocka_unit_test(splits),
        cmocka_unit_test(gathered_rows),
        cmocka_unit_test(faults_and_scratch),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}
