/* What the tests of sorts share: keys of every type in awkward patterns, the order that sorts must
 * give (qsort on key and place), and the check of all that a sort gives back. */
#ifndef TESTS_SORT_CASES_H
#define TESTS_SORT_CASES_H

#include "primitives_cases.h"

#include "primitives/segmented_sort.h"

enum pattern { RANDOM, EQUAL, SORTED, REVERSED, FEW, HIGH_ONLY, PATTERNS };

/* What is asked for besides sorted keys. */
enum { WITH_VALUES = 1, WITH_PERMUTATION = 2, WITH_INVERSE = 4, WITH_COMBINATIONS = 8 };

struct sort_case {
    size_t count, segment; /* segment 0: one sort of the whole array */
    enum pattern pattern;
    struct prm_sort_options options;
};

/* The largest key first where `descending`, at equal keys always the first place. */
struct ranked {
    uint64_t order;
    uint32_t place;
    bool descending;
};

static inline int ranked_compare(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    if (x->order != y->order)
        return (x->order < y->order) != x->descending ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static inline uint32_t key_words(enum prm_key_type type)
{
    return type == PRM_KEY_U64 ? 2 : 1;
}

/* The documented order of each type, by another way than the kernels': as signed and split at zero.
 */
static inline uint64_t key_order(const uint32_t *key, enum prm_key_type type)
{
    const uint64_t middle = (uint64_t)1 << 32;
    if (type == PRM_KEY_U64)
        return key[0] + middle * key[1];
    if (type == PRM_KEY_U32)
        return key[0];
    if (type == PRM_KEY_I32)
        return (uint64_t)((int64_t)(int32_t)key[0] + (int64_t)middle);
    const uint32_t magnitude = key[0] & 0x7fffffffu;
    return key[0] >> 31 ? middle - 1 - magnitude : middle + magnitude;
}

/* Keys of a pattern: u32[count * words]; those of two words in either or both. */
static inline uint32_t *case_keys(const struct sort_case *c)
{
    const uint32_t words = key_words(c->options.type);
    uint32_t *keys = case_values(c->count * words + 1, 0, c->count + 17);
    for (size_t i = 0; i < c->count * words; i++) {
        const size_t place = i / words;
        switch (c->pattern) {
        case EQUAL:
            keys[i] = 0x80000001u;
            break;
        case SORTED:
            keys[i] = (uint32_t)place * 3;
            break;
        case REVERSED:
            keys[i] = (uint32_t)(c->count - place) * 5;
            break;
        case FEW:
            keys[i] &= 0x80010001u;
            break;
        case HIGH_ONLY:
            keys[i] &= i % words + 1 == words ? 0xff000000u : 0;
            break;
        case RANDOM:
        case PATTERNS:
            break;
        }
        if (c->options.key_bits > 0)
            keys[i] = i % words == 0 ? keys[i] >> (32 - c->options.key_bits) : 0;
    }
    return keys;
}

/* inverse[j] = which element comes to place j; malloc'ed u32[count]. */
static inline uint32_t *expected_inverse(const struct sort_case *c, const uint32_t *keys)
{
    const uint32_t words = key_words(c->options.type);
    const size_t segment = c->segment ? c->segment : c->count;
    struct ranked *ranked = malloc((c->count + 1) * sizeof(*ranked));
    uint32_t *inverse = case_array(c->count);
    assert_non_null(ranked);
    for (size_t i = 0; i < c->count; i++)
        ranked[i] = (struct ranked){key_order(keys + i * words, c->options.type), (uint32_t)i,
                                    c->options.descending};
    for (size_t begin = 0; begin < c->count; begin += segment)
        qsort(ranked + begin, segment, sizeof(*ranked), ranked_compare);
    for (size_t j = 0; j < c->count; j++)
        inverse[j] = ranked[j].place;
    free(ranked);
    return inverse;
}

/* A value that tells the place of its element. */
static inline uint32_t value_of(uint32_t place)
{
    return place * 2654435761u + 5;
}

/* Asserts that buffer[j] is what `expected` says, for all of a result. */
static inline void check_words(const char *what, const struct sort_case *c,
                               struct prm_buffer buffer, const uint32_t *expected, size_t count)
{
    uint32_t *got = test_download_u32(test_context, buffer, count);
    for (size_t i = 0; i < count; i++) {
        if (got[i] != expected[i])
            fail_msg("%s: word %zu of %zu is %08x, not %08x (type %d, %s, %u bits, segments of %zu,"
                     " pattern %d)",
                     what, i, count, got[i], expected[i], c->options.type,
                     c->options.descending ? "descending" : "ascending", c->options.bits_per_pass,
                     c->segment, c->pattern);
    }
    free(got);
}

/* Sorts keys[count] with what `wanted` says and compares all that comes back. */
static inline void check_wanted(const struct sort_case *c, const uint32_t *keys,
                                const uint32_t *inverse, unsigned wanted)
{
    const uint32_t words = key_words(c->options.type);
    const size_t n = c->count;
    uint32_t *sorted = case_array(n * words);
    uint32_t *values = case_array(n);
    uint32_t *moved = case_array(n);
    uint32_t *permutation = case_array(n);
    for (size_t j = 0; j < n; j++) {
        memcpy(sorted + j * words, keys + inverse[j] * words, words * sizeof(uint32_t));
        values[j] = value_of((uint32_t)j);
        moved[j] = value_of(inverse[j]);
        permutation[inverse[j]] = (uint32_t)j;
    }

    struct prm_buffer b[4] = {test_upload_u32(test_context, keys, n * words)};
    if (wanted & WITH_VALUES)
        b[1] = test_upload_u32(test_context, values, n);
    if (wanted & WITH_PERMUTATION)
        b[2] = test_upload_u32(test_context, NULL, n);
    if (wanted & WITH_INVERSE)
        b[3] = test_upload_u32(test_context, NULL, n);
    if (c->segment)
        assert_ok(prm_radix_sort_segments(test_arena, b[0], b[1], b[2], b[3], n, c->segment,
                                          &c->options));
    else
        assert_ok(prm_radix_sort(test_arena, b[0], b[1], b[2], b[3], n, &c->options));
    check_words("keys", c, b[0], sorted, n * words);
    if (wanted & WITH_VALUES)
        check_words("values", c, b[1], moved, n);
    if (wanted & WITH_PERMUTATION)
        check_words("permutation", c, b[2], permutation, n);
    if (wanted & WITH_INVERSE)
        check_words("inverse", c, b[3], inverse, n);
    free(sorted);
    free(values);
    free(moved);
    free(permutation);
    case_free(b, 4);
}

/* One case with one set of what can be asked for. */
static inline void check_one(struct sort_case c, unsigned wanted)
{
    uint32_t *keys = case_keys(&c);
    uint32_t *inverse = expected_inverse(&c, keys);
    check_wanted(&c, keys, inverse, wanted);
    free(keys);
    free(inverse);
}

/* Both orders of all types: the options number 0 … SORT_ORDERS - 1. */
enum { SORT_ORDERS = 8 };

static inline struct prm_sort_options sort_order(uint32_t number)
{
    return (struct prm_sort_options){.type = (enum prm_key_type)(number % 4),
                                     .descending = number >= 4};
}

/* Programs of one work-item are quick to build: all that can be asked for is tried with all orders.
 * On groups each order has one payload. */
static inline bool is_quick_to_build(void)
{
    return prm_context_profile(test_context)->workgroup == 1 && !test_is_small();
}

/* What to ask for with an order: one of all, by a number, or the one for it. */
static inline unsigned some_wanted(uint32_t order, uint32_t number)
{
    static const unsigned ONE[] = {0, WITH_VALUES, WITH_COMBINATIONS - 1};
    return is_quick_to_build() ? number % WITH_COMBINATIONS : ONE[order % 3];
}

/* With keys alone, with values, and with all that can be asked for. */
static inline void check_case(struct sort_case c)
{
    check_one(c, 0);
    check_one(c, WITH_VALUES);
    check_one(c, WITH_COMBINATIONS - 1);
}

/* By an order, with everything that is tried with it. */
static inline void check_order(struct sort_case c, uint32_t order)
{
    c.options = sort_order(order);
    for (unsigned wanted = 0; wanted < WITH_COMBINATIONS; wanted++) {
        if (some_wanted(order, wanted) == wanted)
            check_one(c, wanted);
    }
}

#endif
