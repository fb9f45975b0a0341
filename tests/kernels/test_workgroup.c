/* Goal: the collectives of workgroup.h are right, race-free and leave scratch reusable. Method: the
 * header is compiled as host C, a thread for each work-item and a pthread barrier for theirs, so
 * that the thread sanitizer sees a missing barrier. Oracle: serial sums. Built once a group size
 * (-D WORKGROUP). */
#include "support/support.h"

#include <pthread.h>

// as much of OpenCL C as the header uses
#define __OPENCL_VERSION__ 120
#define __local
#define CLK_LOCAL_MEM_FENCE 0
typedef unsigned int uint;
typedef unsigned long ulong;

static _Thread_local size_t local_id;
static pthread_barrier_t meeting;

static inline size_t get_local_id(uint dimension)
{
    return dimension == 0 ? local_id : 0;
}

static inline void barrier(int fence)
{
    (void)fence;
    pthread_barrier_wait(&meeting);
}

static inline uint min(uint a, uint b)
{
    return a < b ? a : b;
}

static inline uint max(uint a, uint b)
{
    return a > b ? a : b;
}

#include "kernels/workgroup.h"

#define ROUNDS 50

/* What each work-item got in one round. */
struct result {
    u32 blelloch, blelloch_total;
    u32 hillis_steele, hillis_steele_total;
    u32 sum, least, greatest;
    u64 wide_sum;
};

static u32 scratch[WORKGROUP_SCRATCH];
static u64 wide_scratch[WORKGROUP];
static u32 values[ROUNDS][WORKGROUP];
static struct result results[ROUNDS][WORKGROUP];

/* A caller's own use of scratch, right before and right after a collective: a neighbour's word. */
static void touch_scratch(u32 value)
{
    scratch[(local_id + 1) % WORKGROUP] = value;
}

/* One work-item: all collectives one after another on the same scratch, many times. */
static void *work_item(void *id)
{
    local_id = *(const size_t *)id;
    for (size_t round = 0; round < ROUNDS; round++) {
        struct result *result = &results[round][local_id];
        const u32 value = values[round][local_id];
        touch_scratch(value);
        result->blelloch = workgroup_scan_blelloch(value, &result->blelloch_total, scratch);
        touch_scratch(value);
        result->hillis_steele =
            workgroup_scan_hillis_steele(value, &result->hillis_steele_total, scratch);
        touch_scratch(value);
        result->sum = workgroup_reduce_add(value, scratch);
        touch_scratch(value);
        result->least = workgroup_reduce_min(value, scratch);
        touch_scratch(value);
        result->greatest = workgroup_reduce_max(value, scratch);
        result->wide_sum = workgroup_reduce_add_u64((u64)value << 20, wide_scratch);
        touch_scratch(value);
    }
    return NULL;
}

static void collectives_equal_serial_loops(void **state)
{
    (void)state;
    struct test_random random = {WORKGROUP};
    pthread_t threads[WORKGROUP];
    size_t ids[WORKGROUP];

    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < WORKGROUP; i++)
            values[round][i] = test_random_u32(&random) >> (round % 32);
    }
    assert_int_equal(pthread_barrier_init(&meeting, NULL, WORKGROUP), 0);
    for (size_t i = 0; i < WORKGROUP; i++) {
        ids[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, work_item, &ids[i]), 0);
    }
    for (size_t i = 0; i < WORKGROUP; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    pthread_barrier_destroy(&meeting);

    for (size_t round = 0; round < ROUNDS; round++) {
        u32 total = 0, least = UINT32_MAX, greatest = 0;
        u64 wide_total = 0;
        for (size_t i = 0; i < WORKGROUP; i++) {
            total += values[round][i];
            wide_total += (u64)values[round][i] << 20;
            least = min(least, values[round][i]);
            greatest = max(greatest, values[round][i]);
        }
        u32 before = 0;
        for (size_t i = 0; i < WORKGROUP; i++) {
            const struct result *result = &results[round][i];
            assert_int_equal(result->blelloch, before);
            assert_int_equal(result->blelloch_total, total);
            assert_int_equal(result->hillis_steele, before);
            assert_int_equal(result->hillis_steele_total, total);
            assert_int_equal(result->sum, total);
            assert_int_equal(result->least, least);
            assert_int_equal(result->greatest, greatest);
            assert_true(result->wide_sum == wide_total);
            before += values[round][i];
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(collectives_equal_serial_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
