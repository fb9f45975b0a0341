/* Goal: ends that are the same are told apart from others bit by bit, and queries that share ends
 * are answered as each alone, to the last bit. Method: random rows of few values, rows whose hashes
 * all meet; batches of queries over few states: free, on a milestone, unlinked, in obstacles, out
 * of bounds, with several goals, with and without trees, points in fans and bodies in pairs.
 * Oracle: comparing all with all; prm_plan() of each query alone. */
#include "plan_fixture.h"
#include "roadmap/plan/equal_ends.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 2048 };

/* ---- telling ends apart ---- */

struct ends {
    uint32_t row, n;
    float rows[ROWS_MAX * 8];
    uint32_t flags[ROWS_MAX];
};

static bool same_end(const struct ends *ends, uint32_t a, uint32_t b)
{
    return ends->flags[a] == ends->flags[b] &&
           memcmp(ends->rows + (size_t)a * ends->row, ends->rows + (size_t)b * ends->row,
                  ends->row * sizeof(float)) == 0;
}

/* Every end has the number of the first that is the same, numbered as they come. */
static void check_ends(const struct ends *ends)
{
    struct prm_equal_ends equal;
    uint32_t count = 0;
    assert_ok(prm_equal_ends_init(&equal, ends->rows, ends->row, ends->flags, ends->n));
    for (uint32_t e = 0; e < ends->n; e++) {
        uint32_t first = 0;
        while (!same_end(ends, first, e))
            first++;
        if (first == e) {
            assert_int_equal(equal.first[count], e);
            assert_int_equal(equal.which[e], count++);
        } else {
            assert_int_equal(equal.which[e], equal.which[first]);
        }
    }
    assert_int_equal(equal.count, count);
    prm_equal_ends_deinit(&equal);
}

static void tells_apart(void **state)
{
    static const uint32_t COUNTS[] = {0, 1, 2, 3, 63, 64, 65, 127, 509, 2048};
    static const float VALUES[] = {0.0f, -0.0f, 1.0f, -1.0f, 1e-45f, 3e38f};
    struct test_random random = {5};
    struct ends *ends = calloc(1, sizeof(*ends));
    (void)state;
    assert_non_null(ends);
    for (ends->row = 2; ends->row <= 8; ends->row *= 2) {
        for (size_t i = 0; i < sizeof(COUNTS) / sizeof(COUNTS[0]); i++) {
            // few values, so that most are the same
            ends->n = COUNTS[i];
            for (uint32_t v = 0; v < ends->n * ends->row; v++)
                ends->rows[v] = VALUES[test_random_below(&random, 6)];
            for (uint32_t e = 0; e < ends->n; e++)
                ends->flags[e] = test_random_below(&random, 2) * 4;
            check_ends(ends);

            // all different
            for (uint32_t e = 0; e < ends->n; e++)
                ends->rows[e * ends->row + e % ends->row] = (float)(e + 7);
            check_ends(ends);
        }
    }
    free(ends);
}

/* The inverse of an odd number among words of 64 bits. */
static uint64_t inverse(uint64_t factor)
{
    uint64_t x = factor;
    for (int i = 0; i < 6; i++)
        x *= 2 - factor * x;
    return x;
}

/* Rows that are made to meet in the table: what is found to be the same is, and nothing takes
 * forever. A row of two floats is one word, so the hash can be turned back. */
static void survives_meeting_hashes(void **state)
{
    const uint64_t back = inverse(0x9e3779b97f4a7c15u);
    struct ends *ends = calloc(1, sizeof(*ends));
    struct prm_equal_ends equal;
    (void)state;
    assert_non_null(ends);
    ends->row = 2;
    ends->n = ROWS_MAX;
    for (uint32_t e = 0; e < ends->n; e++) {
        const uint64_t wanted = (uint64_t)(e % 1024) * back;
        const uint64_t folded = wanted ^ (wanted >> 32), word = folded * back;
        memcpy(ends->rows + 2 * (size_t)e, &word, sizeof(word));
    }
    assert_ok(prm_equal_ends_init(&equal, ends->rows, ends->row, ends->flags, ends->n));
    assert_true(equal.count > 1024 && equal.count < ROWS_MAX);
    for (uint32_t e = 0; e < ends->n; e++)
        assert_true(same_end(ends, e, equal.first[equal.which[e]]));
    prm_equal_ends_deinit(&equal);
    free(ends);
}

/* ---- batches ---- */

enum { STATES = 9, GOALS_MAX = 3 };

struct fixture {
    struct plan_fixture on;
    double states[STATES * PLAN_FIXTURE_DOF_MOST];
};

/* plan_fixture_init(), of whose states another is out of bounds and one in an obstacle. */
static void fixture_init(struct fixture *f, uint32_t dimension, bool rigid, uint64_t seed)
{
    plan_fixture_init(&f->on, dimension, rigid, seed, f->states, STATES);
    const size_t dof = f->on.roadmap->space.dof;
    f->states[3 * dof + 1] = plan_fixture_middle[1] - 8.5;
    memcpy(f->states + 4 * dof, f->on.obstacles[0].center, dimension * sizeof(double));
}

static struct prm_plan_results plan(const struct fixture *f, const struct prm_query *queries,
                                    uint32_t count, const struct prm_plan_options *options)
{
    struct prm_plan_results results;
    assert_ok(prm_plan(f->on.planner, &results, f->on.roadmap, f->on.validity, f->on.world, queries,
                       count, options));
    return results;
}

/* Answer i of a is answer j of b, but for where its points are. */
static void check_same(const struct prm_plan_results *a, uint32_t i,
                       const struct prm_plan_results *b, uint32_t j)
{
    const struct prm_plan_result *x = &a->results[i], *y = &b->results[j];
    assert_int_equal(x->status, y->status);
    assert_int_equal(x->clamped, y->clamped);
    assert_int_equal(x->expanded, y->expanded);
    assert_true(x->length == y->length);
    assert_int_equal(x->hops, y->hops);
    assert_int_equal(x->goal_index, y->goal_index);
    assert_memory_equal(&x->reason, &y->reason, sizeof(x->reason));
    assert_int_equal(x->waypoint_count, y->waypoint_count);
    assert_int_equal(x->node_count, y->node_count);
    if (x->waypoint_count > 0)
        assert_memory_equal(a->waypoints + x->waypoint_first * a->dof,
                            b->waypoints + y->waypoint_first * b->dof,
                            x->waypoint_count * a->dof * sizeof(double));
    if (x->node_count > 0)
        assert_memory_equal(a->nodes + x->node_first, b->nodes + y->node_first,
                            x->node_count * sizeof(uint32_t));
}

/* Random queries over few states, some with several goals; goals: room for them. */
static void random_queries(const struct fixture *f, struct test_random *random,
                           struct prm_query *queries, double *goals, uint32_t count)
{
    const size_t dof = f->on.roadmap->space.dof;
    for (uint32_t q = 0; q < count; q++) {
        double *own = goals + q * GOALS_MAX * dof;
        queries[q] = (struct prm_query){
            .start = f->states + test_random_below(random, STATES) * dof,
            .goals = own,
            .goal_count = 1 + test_random_below(random, GOALS_MAX),
            .invalid = test_random_below(random, 16) == 0,
        };
        for (uint32_t g = 0; g < queries[q].goal_count; g++)
            memcpy(own + g * dof, f->states + test_random_below(random, STATES) * dof,
                   dof * sizeof(double));
    }
}

static void answers_as_alone(void **state)
{
    static const struct {
        uint32_t dimension;
        bool rigid;
    } KINDS[] = {{2, false}, {3, false}, {2, true}};
    static const struct prm_plan_options OPTIONS[] = {
        {.output = PRM_OUTPUT_NODES, .diagnose = true},
        {.output = PRM_OUTPUT_PATH, .simplify = true, .expand_samples = 60, .connect_k = 3},
        {.objective = PRM_OBJECTIVE_HOPS, .output = PRM_OUTPUT_NODES, .connect_enough = 1},
    };
    enum { QUERIES = 70 };
    uint32_t statuses = 0;
    (void)state;
    for (size_t k = 0; k < test_size(3, 1); k++) {
        struct test_random random = {60 + k};
        struct prm_query queries[QUERIES];
        double goals[QUERIES * GOALS_MAX * PLAN_FIXTURE_DOF_MOST];
        const uint32_t count = (uint32_t)test_size(QUERIES, 8);
        struct fixture f;
        fixture_init(&f, KINDS[k].dimension, KINDS[k].rigid, 20 + k);
        for (size_t o = 0; o < test_size(3, 1); o++) {
            random_queries(&f, &random, queries, goals, count);
            struct prm_plan_results all = plan(&f, queries, count, &OPTIONS[o]);
            for (uint32_t q = 0; q < count; q++) {
                struct prm_plan_results one = plan(&f, queries + q, 1, &OPTIONS[o]);
                check_same(&all, q, &one, 0);
                statuses |= 1u << all.results[q].status;
                prm_plan_results_deinit(&one);
            }
            prm_plan_results_deinit(&all);
        }
        plan_fixture_deinit(&f.on);
    }
    // every kind of end was there
    const uint32_t wanted = 1u << PRM_SOLVED | 1u << PRM_START_IN_COLLISION |
                            1u << PRM_GOAL_IN_COLLISION | 1u << PRM_START_OUT_OF_BOUNDS |
                            1u << PRM_GOAL_OUT_OF_BOUNDS | 1u << PRM_INVALID_QUERY;
    assert_true(test_is_small() || (statuses & wanted) == wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_apart),
        cmocka_unit_test(survives_meeting_hashes),
        cmocka_unit_test(answers_as_alone),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}
