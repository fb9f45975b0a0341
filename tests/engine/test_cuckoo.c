/* Goal: every key is found with its value and no other is; repeated keys are refused by their
 * positions; the table, its attempts and its bytes are the same in every run and shape; what cannot
 * be built ends with advice. Method: random, sequential and clustered keys at awkward counts, with
 * the reserved key and with keys that the hash family cannot tell apart. Oracle: the input itself,
 * and attempts fixed for all shapes. */
#include "primitives_cases.h"

#include "primitives/cuckoo.h"

/* Distinct words that look random: the finalizer of MurmurHash3, a bijection. */
static uint32_t mix(uint32_t word)
{
    word = (word ^ (word >> 16)) * 0x85ebca6bu;
    word = (word ^ (word >> 13)) * 0xc2b2ae35u;
    return word ^ (word >> 16);
}

static uint32_t key_of(size_t i)
{
    return mix((uint32_t)(2 * i + 1));
}

static uint32_t absent_of(size_t i)
{
    return mix((uint32_t)(2 * i));
}

/* Builds, finds all keys and no absent ones. */
static struct prm_cuckoo_statistics check_table(const uint32_t *keys, size_t count,
                                                const struct prm_cuckoo_options *options,
                                                const uint32_t *absent)
{
    uint32_t *values = case_values(count, 0, 9);
    struct prm_buffer b[5];
    b[0] = test_upload_u32(test_context, keys, count);
    b[1] = test_upload_u32(test_context, values, count);
    b[2] = test_upload_u32(test_context, absent, count);
    b[3] = test_upload_u32(test_context, NULL, count);
    b[4] = test_upload_u32(test_context, NULL, count);
    struct prm_cuckoo *table;
    const uint64_t before = prm_context_memory(test_context).resident_bytes;
    assert_ok(prm_cuckoo_create(test_arena, &table, b[0], b[1], count, options));
    const struct prm_cuckoo_statistics statistics = prm_cuckoo_statistics(table);
    assert_int_equal(prm_context_memory(test_context).resident_bytes - before, statistics.bytes);

    assert_ok(prm_cuckoo_find(table, b[3], b[4], b[0], count));
    case_check(b[3], values, count);
    uint32_t *got = test_download_u32(test_context, b[4], count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(got[i], 1);
    free(got);
    assert_ok(prm_cuckoo_find(table, b[3], b[4], b[2], count));
    uint32_t *present = test_download_u32(test_context, b[4], count);
    assert_ok(prm_cuckoo_find(table, b[3], PRM_NO_BUFFER, b[2], count));
    got = test_download_u32(test_context, b[3], count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(present[i], 0);
        assert_int_equal(got[i], UINT32_MAX);
    }
    free(present);
    free(got);
    free(values);
    prm_cuckoo_destroy(table);
    case_free(b, 5);
    return statistics;
}

static uint32_t *made_keys(size_t count, uint32_t (*make)(size_t))
{
    uint32_t *keys = case_array(count);
    for (size_t i = 0; i < count; i++)
        keys[i] = make(i);
    return keys;
}

static void all_sizes(void **state)
{
    (void)state;
    const size_t sizes[] = {0,   1,   2,   63,  64,   65,   178,   179,   180,
                            255, 256, 257, 511, 1024, 1031, 10007, 300007};
    for (size_t s = 0; s < test_size(sizeof(sizes) / sizeof(sizes[0]), 13); s += test_size(1, 3)) {
        uint32_t *keys = made_keys(sizes[s], key_of);
        uint32_t *absent = made_keys(sizes[s], absent_of);
        const struct prm_cuckoo_statistics statistics = check_table(keys, sizes[s], NULL, absent);
        const size_t buckets = (sizes[s] * 10 + 1791) / 1792; // ceil(n / (256 * 0.7))
        assert_int_equal(statistics.buckets, buckets ? buckets : 1);
        free(keys);
        free(absent);
    }
}

static uint32_t sequential(size_t i)
{
    return (uint32_t)i;
}

static uint32_t from_the_end(size_t i)
{
    return UINT32_MAX - (uint32_t)i; // the reserved key, and those of the prime or more
}

static uint32_t beyond(size_t i)
{
    return 0x40000000u + (uint32_t)i;
}

/* Keys that meet mod any number of buckets, so that the first attempt overflows. */
static uint32_t multiples(size_t i)
{
    return (uint32_t)i * 28560;
}

static uint32_t between_multiples(size_t i)
{
    return (uint32_t)i * 28560 + 1;
}

/* Without values the table is a set that knows where its keys were. */
static void sets(void **state)
{
    (void)state;
    const size_t count = test_size(20011, 300);
    uint32_t *keys = made_keys(count, key_of);
    keys[count / 2] = UINT32_MAX;
    struct prm_buffer b[2];
    b[0] = test_upload_u32(test_context, keys, count);
    b[1] = test_upload_u32(test_context, NULL, count);
    struct prm_cuckoo *table;
    assert_ok(prm_cuckoo_create(test_arena, &table, b[0], PRM_NO_BUFFER, count, NULL));
    assert_ok(prm_cuckoo_find(table, b[1], PRM_NO_BUFFER, b[0], count));
    uint32_t *got = test_download_u32(test_context, b[1], count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(got[i], i);
    free(got);
    free(keys);
    prm_cuckoo_destroy(table);
    case_free(b, 2);
}

static void kinds_of_keys(void **state)
{
    (void)state;
    const size_t count = test_size(50021, 300);
    uint32_t *keys = made_keys(count, sequential);
    uint32_t *absent = made_keys(count, beyond);
    assert_int_equal(check_table(keys, count, NULL, absent).attempts, 1);
    free(keys);
    keys = made_keys(count, from_the_end);
    assert_int_equal(check_table(keys, count, NULL, absent).attempts, 1);
    for (uint32_t i = 0; i < 5; i++)
        keys[20 + i] = i; // hashed like p + i
    check_table(keys, count, NULL, absent);
    free(keys);
    free(absent);

    // 10 buckets
    keys = made_keys(1700, multiples);
    absent = made_keys(1700, between_multiples);
    assert_true(check_table(keys, 1700, NULL, absent).attempts > 1);
    free(keys);
    free(absent);
}

static void loads(void **state)
{
    (void)state;
    const size_t count = test_size(100003, 300);
    uint32_t *keys = made_keys(count, key_of);
    uint32_t *absent = made_keys(count, absent_of);
    const float loads[] = {0.6f, 0.7f, 0.8f};
    const float gammas[] = {0.1f, 0.3f, 0.6f, 0.9f};
    for (size_t l = 0; l < 3; l++) {
        for (size_t g = 0; g < 4; g += test_size(1, 3)) {
            const struct prm_cuckoo_options options = {loads[l], gammas[g], 5, 0};
            const struct prm_cuckoo_statistics s = check_table(keys, count, &options, absent);
            if (l < 2)
                assert_int_equal(s.attempts, 1);
        }
    }
    free(keys);
    free(absent);
}

/* Every shape of machine makes the same table: answers cannot show it, the attempts that tight
 * builds need can; these were seen on groups of one. */
static void same_in_every_shape(void **state)
{
    (void)state;
    if (test_is_small())
        return;
    const size_t count = 20000;
    uint32_t *keys = made_keys(count, key_of);
    uint32_t *values = case_array(count);
    struct prm_buffer b[2];
    b[0] = test_upload_u32(test_context, keys, count);
    b[1] = test_upload_u32(test_context, values, count);
    const uint32_t attempts[] = {10, 1, 1, 5};
    for (uint64_t seed = 0; seed < 4; seed++) {
        const struct prm_cuckoo_options options = {0.85f, 0.02f, seed, 200};
        struct prm_cuckoo *table;
        assert_ok(prm_cuckoo_create(test_arena, &table, b[0], b[1], count, &options));
        assert_int_equal(prm_cuckoo_statistics(table).attempts, attempts[seed]);
        prm_cuckoo_destroy(table);
    }
    free(keys);
    free(values);
    case_free(b, 2);
}

static void check_refused(const uint32_t *keys, size_t count,
                          const struct prm_cuckoo_options *options, enum prm_status status,
                          const char *says)
{
    struct prm_buffer b[2];
    b[0] = test_upload_u32(test_context, keys, count);
    b[1] = test_upload_u32(test_context, keys, count);
    struct prm_cuckoo *table;
    assert_status(status, prm_cuckoo_create(test_arena, &table, b[0], b[1], count, options));
    assert_null(table);
    assert_fault_says(says);
    case_free(b, 2);
}

static void refusals(void **state)
{
    (void)state;
    const size_t count = test_size(3000, 301), last = test_size(2500, 300);
    const size_t later = test_size(2000, 200);
    uint32_t *keys = made_keys(count, key_of);
    keys[last] = keys[17];
    char says[64];
    snprintf(says, sizeof(says), "key %u is at positions 17 and %zu", keys[17], last);
    check_refused(keys, count, NULL, PRM_INVALID_ARGUMENT, says);

    // three and many of a kind; the reserved key twice
    keys[later] = keys[17];
    snprintf(says, sizeof(says), "key %u is at positions 17 and %zu", keys[17], later);
    check_refused(keys, count, NULL, PRM_INVALID_ARGUMENT, says);
    for (size_t i = 100; i < later; i++)
        keys[i] = keys[17];
    snprintf(says, sizeof(says), "key %u is at positions 17 and 100", keys[17]);
    check_refused(keys, count, NULL, PRM_INVALID_ARGUMENT, says);
    const uint32_t reserved[] = {3, UINT32_MAX, 4, UINT32_MAX};
    check_refused(reserved, 4, NULL, PRM_INVALID_ARGUMENT,
                  "key 4294967295 is at positions 1 and 3");
    free(keys);

    // no room, no chance, no sense
    const size_t many = test_size(60000, 10);
    keys = made_keys(many, key_of);
    const struct prm_cuckoo_options tight = {0.99f, 0.01f, 1, 3};
    if (!test_is_small()) // all attempts in vain are minutes there
        check_refused(keys, many, &tight, PRM_LIMIT_EXCEEDED, "in 3 attempts at bucket load 0.99");
    const struct prm_cuckoo_options overfull = {1.5f, 0.3f, 1, 3};
    check_refused(keys, 10, &overfull, PRM_INVALID_ARGUMENT, "the bucket load is 1.5");
    const struct prm_cuckoo_options negative = {0.5f, -0.3f, 1, 3};
    check_refused(keys, 10, &negative, PRM_INVALID_ARGUMENT, "gamma is -0.3");
    free(keys);
}

struct cuckoo_case {
    struct prm_buffer keys, values;
    size_t count;
};

static enum prm_status cuckoo_call(void *data)
{
    const struct cuckoo_case *c = data;
    struct prm_cuckoo *table;
    enum prm_status status =
        prm_cuckoo_create(test_arena, &table, c->keys, c->values, c->count, NULL);
    if (status == PRM_OK)
        status = prm_cuckoo_find(table, c->values, PRM_NO_BUFFER, c->keys, c->count);
    prm_cuckoo_destroy(table);
    return status;
}

static void faults(void **state)
{
    (void)state;
    struct cuckoo_case c = {.count = 700};
    uint32_t *keys = made_keys(c.count, key_of);
    c.keys = test_upload_u32(test_context, keys, c.count);
    c.values = test_upload_u32(test_context, keys, c.count);
    case_faults(cuckoo_call, &c);
    free(keys);
    case_free(&c.keys, 1);
    case_free(&c.values, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sizes),
        cmocka_unit_test(kinds_of_keys),
        cmocka_unit_test(sets),
        cmocka_unit_test(loads),
        cmocka_unit_test(same_in_every_shape),
        cmocka_unit_test(refusals),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}
