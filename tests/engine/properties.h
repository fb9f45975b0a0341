/* What tests of random shapes share: the seed, another one for each size of work-group unless
 * PRM_TEST_SEED gives it, told so that a failure can be met again, and random sizes. */
#ifndef TESTS_PROPERTIES_H
#define TESTS_PROPERTIES_H

#include "primitives_cases.h"

#include <inttypes.h>

static struct test_random property_random;

/* Group setup: the fixture, and the seed. */
static inline int property_setup(void **state)
{
    const int status = test_device_setup(state);
    const char *text = getenv("PRM_TEST_SEED");
    property_random.state =
        text ? strtoull(text, NULL, 10) : prm_context_profile(test_context)->workgroup;
    print_message("PRM_TEST_SEED=%" PRIu64 "\n", property_random.state);
    return status;
}

/* 0 … bound - 1. */
static inline uint32_t property_below(uint32_t bound)
{
    return test_random_below(&property_random, bound);
}

/* A size below 2^bits, each magnitude equally likely, 0 included. */
static inline size_t property_size(uint32_t bits)
{
    return property_below((uint32_t)1 << property_below(bits + 1));
}

/* u32[count] below `bound` (0: any). */
static inline uint32_t *property_values(size_t count, uint32_t bound)
{
    return case_values(count, bound, test_random_u64(&property_random));
}

#endif
