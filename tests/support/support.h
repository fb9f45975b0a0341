/* What tests share: a context of the variant under test, a serial generator, assertions that say
 * why, and the folder of shared test data. Includes cmocka with what it needs.
 *
 * Environment: PRMD_DEVICE and PRMD_TUNING choose the device and the variant; PRM_TEST_SMALL asks
 * for sizes that an interpreter of kernels can bear; PRM_TEST_LAUNCHED names the file for the
 * entries that were launched; PRM_SHARED names the data folder. */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include "device/arena.h"
#include "device/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The exit status that CTest counts as skipped. */
#define TEST_SKIPPED 77

/* The call succeeds; else the test fails with the fault's detail. */
#define assert_ok(call) test_assert_status(PRM_OK, (call), #call, __FILE__, __LINE__)

/* The call returns that status. */
#define assert_status(expected, call)                                                              \
    test_assert_status((expected), (call), #call, __FILE__, __LINE__)

/* The last fault's detail contains the text. */
#define assert_fault_says(text) test_assert_fault_says((text), __FILE__, __LINE__)

/* Equal arrays; else the first difference is named. expected, got: u32[count]. */
#define assert_u32_array_equal(expected, got, count)                                               \
    test_assert_u32_array_equal((expected), (got), (count), __FILE__, __LINE__)

void test_assert_status(enum prm_status expected, enum prm_status got, const char *call,
                        const char *file, int line);
void test_assert_fault_says(const char *text, const char *file, int line);
void test_assert_u32_array_equal(const uint32_t *expected, const uint32_t *got, size_t count,
                                 const char *file, int line);

/* The options of the variant under test. `tuning` and `device` come from the environment; with
 * PRM_TEST_SMALL each scratch piece is a buffer of its own. */
struct prm_context_options test_context_options(void);

/* Opens a context of the variant under test, or fails the test. */
struct prm_context *test_context_open(void);

/* Whether kernels are interpreted: some thousand elements are much. */
bool test_is_small(void);

/* `count`, or `small` where kernels are interpreted. */
size_t test_size(size_t count, size_t small);

/* Fixture of one context and one arena for all tests of a file: cmocka group setup and teardown,
 * and what they set. The teardown notes what was launched, and fails the group where device memory
 * is left over. */
extern struct prm_context *test_context;
extern struct prm_arena *test_arena;
int test_device_setup(void **state);
int test_device_teardown(void **state);

/* A copy of `bytes` of host memory: a piece of the test's arena, or a resident buffer. */
struct prm_buffer test_scratch(const void *data, size_t bytes);
struct prm_buffer test_upload(const void *data, size_t bytes);

/* A resident buffer of u32[count], filled from `values` (NULL: not filled), and its way back into a
 * malloc'ed array. */
struct prm_buffer test_upload_u32(struct prm_context *context, const uint32_t *values,
                                  size_t count);
uint32_t *test_download_u32(struct prm_context *context, struct prm_buffer buffer, size_t count);

/* splitmix64 (Steele, Lea & Flood 2014): a serial generator, good in all bits, any seed. */
struct test_random {
    uint64_t state;
};
uint64_t test_random_u64(struct test_random *random);
uint32_t test_random_u32(struct test_random *random);

/* Uniform in 0 … bound - 1, bound >= 1 (bias below 2^-32 * bound). */
uint32_t test_random_below(struct test_random *random, uint32_t bound);

/* Uniform in [low, high), 24 bits. */
float test_random_f32(struct test_random *random, float low, float high);

/* The folder of shared data, or NULL where there is none. */
const char *test_shared_folder(void);

/* The path of a file in it, in a buffer that the next call overwrites; exits with TEST_SKIPPED
 * where there is no such file. */
const char *test_shared_path(const char *relative);

#endif
