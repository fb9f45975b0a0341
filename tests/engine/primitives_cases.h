/* What the tests of primitives share: awkward sizes, arrays and orders, and the checks of what
 * comes back and that injected faults leave nothing. */
#ifndef TESTS_PRIMITIVES_CASES_H
#define TESTS_PRIMITIVES_CASES_H

#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASE_SIZES_MAX = 16 };

/* Sizes around the work-group and the tile of four of it, a prime, several chunks; returns how
 * many. */
static inline size_t case_sizes(size_t sizes[CASE_SIZES_MAX])
{
    const size_t workgroup = prm_context_profile(test_context)->workgroup;
    const size_t all[] = {0,
                          1,
                          2,
                          workgroup - 1,
                          workgroup,
                          workgroup + 1,
                          2 * workgroup,
                          4 * workgroup - 1,
                          4 * workgroup,
                          4 * workgroup + 1,
                          test_size(10007, 131),
                          test_size(((size_t)1 << 20) + 7, 523)};
    memcpy(sizes, all, sizeof(all));
    return sizeof(all) / sizeof(all[0]);
}

/* Values in 0 … bound - 1; malloc'ed, never of size 0. */
static inline uint32_t *case_values(size_t count, uint32_t bound, uint64_t seed)
{
    struct test_random random = {seed};
    uint32_t *values = malloc((count + 1) * sizeof(uint32_t));
    assert_non_null(values);
    for (size_t i = 0; i < count; i++)
        values[i] = bound ? test_random_below(&random, bound) : test_random_u32(&random);
    return values;
}

/* Room for u32[count]; malloc'ed, never of size 0. */
static inline uint32_t *case_array(size_t count)
{
    return case_values(count, 1, 0);
}

/* A random order of 0 … count - 1 (Fisher & Yates 1938); malloc'ed. */
static inline uint32_t *case_order(size_t count, uint64_t seed)
{
    struct test_random random = {seed};
    uint32_t *order = case_array(count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t j = test_random_below(&random, (uint32_t)i + 1);
        order[i] = order[j];
        order[j] = (uint32_t)i;
    }
    return order;
}

/* Asserts that the buffer holds `expected`. */
static inline void case_check(struct prm_buffer buffer, const uint32_t *expected, size_t count)
{
    uint32_t *got = test_download_u32(test_context, buffer, count);
    assert_u32_array_equal(expected, got, count);
    free(got);
}

static inline void case_free(struct prm_buffer *buffers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        prm_buffer_destroy(test_context, &buffers[i]);
}

/* Lets the first, second, … allocation or launch of `call` fail until it gets through, and asserts
 * that each failure is reported and leaves the resident memory and the arena's pieces as they were.
 * Where kernels are interpreted it is called once: the rest is of the host. */
static inline void case_faults(enum prm_status (*call)(void *), void *data)
{
    enum { CALLS_MAX = 1000 };
    assert_ok(call(data));
    if (test_is_small())
        return;
    const uint64_t resident = prm_context_memory(test_context).resident_bytes;
    const size_t pieces = prm_arena_mark(test_arena).piece_count;
    uint32_t failures = 0;
    for (uint32_t k = 1; k < CALLS_MAX; k++) {
        prm_context_inject_fault(test_context, k);
        const enum prm_status status = call(data);
        prm_context_inject_fault(test_context, 0);
        if (status == PRM_OK)
            break;
        failures++;
        assert_int_equal(prm_context_memory(test_context).resident_bytes, resident);
        assert_int_equal(prm_arena_mark(test_arena).piece_count, pieces);
    }
    assert_true(failures > 0 && failures < CALLS_MAX - 1);
    assert_ok(call(data));
}

/* Asserts that `call` takes at most `stated` bytes of scratch: an arena that is empty and used
 * again has one block of what was needed, 1 MiB at least. */
static inline void case_scratch(enum prm_status (*call)(void *), void *data, size_t stated)
{
    const uint64_t block_min = (uint64_t)1 << 20;
    struct prm_arena *kept = test_arena;
    const uint64_t others = prm_context_memory(test_context).scratch_bytes;
    assert_ok(prm_arena_create(test_context, &test_arena));
    assert_ok(call(data));
    assert_ok(call(data));
    const uint64_t used = prm_context_memory(test_context).scratch_bytes - others;
    prm_arena_destroy(test_arena);
    test_arena = kept;
    assert_true(used <= (stated > block_min ? stated : block_min));
}

#endif
