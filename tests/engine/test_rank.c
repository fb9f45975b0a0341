/* Goal: ranks, marks and the number of rounds are right for lists, forests and trees; cycles of
 * every length and indices out of range are reported, naming the least element. Method: the
 * published list, random lists and trees, short and so long that they are contracted, planted
 * faults. Oracle: walking to the tail. */
#include "primitives_cases.h"

#include "primitives/rank.h"

/* next of lists of `length` elements (the last one shorter) in random places. */
static uint32_t *random_lists(size_t count, size_t length)
{
    uint32_t *order = case_order(count, count);
    uint32_t *next = case_array(count);
    for (size_t i = 0; i < count; i++) {
        const bool tail = i + 1 == count || (i + 1) % length == 0;
        next[order[i]] = order[tail ? i : i + 1];
    }
    free(order);
    return next;
}

/* next of a random tree: each element's parent comes before it in a random order, `reach` back at
 * most. */
static uint32_t *random_tree(size_t count, uint32_t reach)
{
    struct test_random random = {count};
    uint32_t *order = case_order(count, 2);
    uint32_t *next = case_array(count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t back = test_random_below(&random, reach);
        next[order[i]] = order[i > back ? i - 1 - back : 0];
    }
    free(order);
    return next;
}

/* Rounds in which a pointer moves: 2^r is less than the greatest rank. */
static uint32_t rounds_of(uint32_t greatest)
{
    uint32_t rounds = 0;
    while (greatest > (uint64_t)1 << rounds)
        rounds++;
    return rounds;
}

/* next is a forest: ranks, marks from a few elements and rounds. */
static void check_forest(const uint32_t *next, size_t count)
{
    uint32_t *marked = case_values(count, 50, 1);
    uint32_t *ranks = case_array(count);
    uint32_t greatest = 0;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t at = (uint32_t)i; next[at] != at; at = next[at])
            ranks[i]++;
        greatest = ranks[i] > greatest ? ranks[i] : greatest;
        marked[i] = marked[i] == 0 ? 1 : 0;
    }
    struct prm_buffer b[3];
    b[0] = test_upload_u32(test_context, NULL, count);
    b[1] = test_upload_u32(test_context, next, count);
    b[2] = test_upload_u32(test_context, marked, count);
    for (size_t i = 0; i < count; i++) {
        for (uint32_t at = (uint32_t)i; marked[i] == 1 && marked[next[at]] == 0; at = next[at])
            marked[next[at]] = 2;
    }
    for (size_t i = 0; i < count; i++)
        marked[i] = marked[i] ? 1 : 0;

    struct prm_rank_result result = {77};
    assert_ok(prm_rank(test_arena, b[0], b[1], PRM_NO_BUFFER, count, &result));
    assert_int_equal(result.rounds, rounds_of(greatest));
    case_check(b[0], ranks, count);
    assert_ok(prm_buffer_fill_u32(test_context, b[0], 0, 7, count));
    assert_ok(prm_rank(test_arena, b[0], b[1], b[2], count, NULL));
    case_check(b[0], ranks, count);
    case_check(b[2], marked, count);
    case_check(b[1], next, count);
    free(marked);
    free(ranks);
    case_free(b, 3);
}

static void published_list(void **state)
{
    (void)state;
    const uint32_t next[] = {3, 4, 7, 6, 4, 2, 1, 0};
    const uint32_t expected[] = {4, 1, 6, 3, 0, 7, 2, 5};
    struct prm_buffer b[2];
    b[0] = test_upload_u32(test_context, NULL, 8);
    b[1] = test_upload_u32(test_context, next, 8);
    struct prm_rank_result result;
    assert_ok(prm_rank(test_arena, b[0], b[1], PRM_NO_BUFFER, 8, &result));
    assert_int_equal(result.rounds, 3);
    case_check(b[0], expected, 8);

    // a random list of 1000 takes 10 rounds
    uint32_t *long_list = random_lists(1000, 1000);
    struct prm_buffer more[2];
    more[0] = test_upload_u32(test_context, NULL, 1000);
    more[1] = test_upload_u32(test_context, long_list, 1000);
    assert_ok(prm_rank(test_arena, more[0], more[1], PRM_NO_BUFFER, 1000, &result));
    assert_int_equal(result.rounds, 10);
    free(long_list);
    case_free(b, 2);
    case_free(more, 2);
}

static void forests(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 63, 64, 65, 257, test_size(3001, 301)};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s += test_size(1, 2)) {
        const size_t lengths[] = {1, 2, 9, sizes[s] + 1};
        for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
            uint32_t *next = random_lists(sizes[s], lengths[l]);
            check_forest(next, sizes[s]);
            free(next);
        }
        for (uint32_t reach = 1; reach < 100; reach += 33) {
            uint32_t *next = random_tree(sizes[s], reach);
            check_forest(next, sizes[s]);
            free(next);
        }
    }
}

/* A million in one list: the walk from the head is the oracle. */
static void long_list(void **state)
{
    (void)state;
    const size_t count = test_size(((size_t)1 << 20) + 7, 257);
    uint32_t *next = random_lists(count, count);
    uint32_t *has_before = case_array(count);
    for (size_t i = 0; i < count; i++)
        has_before[next[i]] |= next[i] != i;
    uint32_t head = 0;
    while (has_before[head])
        head++;
    struct prm_buffer b[2];
    b[0] = test_upload_u32(test_context, NULL, count);
    b[1] = test_upload_u32(test_context, next, count);
    struct prm_rank_result result;
    assert_ok(prm_rank(test_arena, b[0], b[1], PRM_NO_BUFFER, count, &result));
    assert_int_equal(result.rounds, rounds_of((uint32_t)count - 1));
    uint32_t *ranks = test_download_u32(test_context, b[0], count);
    uint32_t expected = (uint32_t)count - 1;
    for (uint32_t at = head; next[at] != at; at = next[at])
        assert_int_equal(ranks[at], expected--);
    assert_int_equal(expected, 0);
    free(ranks);
    free(has_before);
    free(next);
    case_free(b, 2);
}

static void check_refused(const uint32_t *next, size_t count, const char *says)
{
    struct prm_buffer b[2];
    b[0] = test_upload_u32(test_context, NULL, count);
    b[1] = test_upload_u32(test_context, next, count);
    assert_status(PRM_INVALID_ARGUMENT,
                  prm_rank(test_arena, b[0], b[1], PRM_NO_BUFFER, count, NULL));
    assert_fault_says(says);
    case_free(b, 2);
}

static void faulty_lists(void **state)
{
    (void)state;
    // cycles of every length, those of a power of two among them, in a long list
    const size_t count = 100;
    for (uint32_t length = 2; length < 40; length += (uint32_t)test_size(1, 7)) {
        uint32_t *next = case_array(count);
        for (uint32_t i = 0; i < count; i++)
            next[i] = i < 50 ? 0 : i + 1 < 50 + length ? i + 1 : 50;
        char says[64];
        snprintf(says, sizeof(says), "element %u does not end", 50);
        check_refused(next, count, says);
        free(next);
    }

    // in and beside a list that is long enough to be contracted
    const size_t many = test_size(3000, 300);
    uint32_t *order = case_order(many, many), *next = random_lists(many, many);
    const uint32_t tail = order[many - 1];
    for (uint32_t length = 2; length < many / 2; length *= 3) {
        // the tail leads back to one of its predecessors
        next[tail] = order[many - length];
        check_refused(next, many, "element 0 does not end");
        next[tail] = tail;

        // one of them leads out
        const uint32_t element = order[many - 1 - length];
        next[element] = (uint32_t)many;
        check_refused(next, many, "not below");
        next[element] = order[many - length];
    }
    free(order);
    free(next);
    const uint32_t two[] = {1, 0};
    check_refused(two, 2, "element 0 does not end");
    const uint32_t lead_in[] = {1, 2, 3, 2};
    check_refused(lead_in, 4, "element 0 does not end");
    const uint32_t beyond[] = {0, 0, 4, 7};
    check_refused(beyond, 4, "next[2] is 4, not below 4");
    const uint32_t none[] = {0xffffffffu};
    check_refused(none, 1, "next[0] is 4294967295");
}

struct rank_case {
    struct prm_buffer rank, next, marks;
};

static enum prm_status rank_call(void *data)
{
    const struct rank_case *c = data;
    return prm_rank(test_arena, c->rank, c->next, c->marks, 100, NULL);
}

static void faults(void **state)
{
    (void)state;
    uint32_t *next = random_lists(100, 30);
    struct rank_case c = {test_upload_u32(test_context, NULL, 100),
                          test_upload_u32(test_context, next, 100),
                          test_upload_u32(test_context, next, 100)};
    case_faults(rank_call, &c);
    free(next);
    case_free(&c.rank, 1);
    case_free(&c.next, 1);
    case_free(&c.marks, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_list), cmocka_unit_test(forests), cmocka_unit_test(long_list),
        cmocka_unit_test(faulty_lists),   cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}
