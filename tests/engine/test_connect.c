/* Goal: ends are linked to exactly the milestones that they should be, and queries keep exactly the
 * links that can be of use. Method: random milestones and ends among circles, some ends at
 * milestones, in obstacles or out of bounds; hand-made components. Oracle: brute-force neighbours
 * on the host, the edge check pair by pair, the filter by definition. */
#include "kernels/connect_types.h"
#include "kernels/types.h"
#include "roadmap/collision/edges.h"
#include "roadmap/plan/connect.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 2, PARTS = 5 };
#define SCALE 1024.0

struct fixture {
    struct prm_world *world;
    struct prm_robot robot;
    struct prm_roadmap roadmap;
    struct prm_validity validity;
    struct prm_scene scene;
    struct prm_neighbor_index *index;
    uint32_t vertex_count, end_count, query_count, k;
    float *states, *ends; /* [][ROW] */
    uint32_t *components, *sizes, *flags;
    struct query *queries;
};

struct links {
    uint32_t *vertices, *costs, *flags; /* [end_count][k]; flags: [end_count] */
};

static void make_world(struct fixture *f, struct test_random *random)
{
    struct prm_obstacle circles[12] = {0};
    for (size_t i = 0; i < sizeof(circles) / sizeof(circles[0]); i++) {
        circles[i].kind = PRM_OBSTACLE_CIRCLE;
        circles[i].radius = (double)test_random_f32(random, 0.1f, 0.8f);
        for (int c = 0; c < 2; c++)
            circles[i].center[c] = (double)test_random_f32(random, -4, 4);
    }
    const struct prm_world_spec spec = {.dimension = 2,
                                        .bounded = true,
                                        .lower = {-4, -4},
                                        .upper = {4, 4},
                                        .obstacles = circles,
                                        .obstacle_count = sizeof(circles) / sizeof(circles[0])};
    assert_ok(prm_world_create(test_arena, &f->world, &spec));
}

/* Vertex v is in part v % PARTS, whose lowest vertex is its number; the last part is the largest by
 * decree. */
static void fixture_init(struct fixture *f, uint32_t vertices, uint32_t queries, uint32_t k)
{
    struct test_random random = {vertices * 31 + k};

    *f = (struct fixture){.vertex_count = vertices, .query_count = queries, .k = k};
    make_world(f, &random);
    const struct prm_robot_spec robot = {.kind = PRM_ROBOT_POINT};
    f->robot = (struct prm_robot){.kind = robot.kind};
    f->roadmap = (struct prm_roadmap){
        .context = test_context, .robot = &f->robot, .milestone_count = vertices};
    assert_ok(prm_space_init(&f->roadmap.space, &robot, f->world));
    f->scene = prm_roadmap_scene(&f->roadmap, f->world);

    f->states = calloc((size_t)vertices * ROW, sizeof(float));
    f->components = calloc(vertices, sizeof(uint32_t));
    f->sizes = calloc(vertices, sizeof(uint32_t));
    for (uint32_t v = 0; v < vertices; v++) {
        for (uint32_t c = 0; c < ROW; c++)
            f->states[v * ROW + c] = test_random_f32(&random, -4, 4);
        f->components[v] = v % PARTS;
        f->sizes[v % PARTS]++;
    }

    f->end_count = 0;
    f->queries = calloc(queries, sizeof(struct query));
    for (uint32_t q = 0; q < queries; q++) {
        const uint32_t goals = 1 + test_random_below(&random, 3);
        f->queries[q] = (struct query){f->end_count, f->end_count + 1, goals, 0};
        f->end_count += 1 + goals;
    }
    f->ends = calloc((size_t)f->end_count * ROW, sizeof(float));
    f->flags = calloc(f->end_count, sizeof(uint32_t));
    for (uint32_t e = 0; e < f->end_count; e++) {
        const uint32_t v = test_random_below(&random, vertices);
        for (uint32_t c = 0; c < ROW; c++)
            f->ends[e * ROW + c] =
                e % 6 == 0 ? f->states[v * ROW + c] : test_random_f32(&random, -4, 4);
        f->flags[e] = e % 11 == 5 ? END_OUTSIDE : 0;
    }
}

static void fixture_upload(struct fixture *f, double radius)
{
    const struct prm_neighbor_options options = {
        .method = PRM_NEIGHBOR_EXACT, .k = f->k, .radius = radius};
    f->roadmap.states = test_scratch(f->states, (size_t)f->vertex_count * ROW * sizeof(float));
    f->validity = (struct prm_validity){
        .roadmap = &f->roadmap,
        .components = test_scratch(f->components, f->vertex_count * sizeof(uint32_t)),
        .component_sizes = test_scratch(f->sizes, f->vertex_count * sizeof(uint32_t)),
        .largest_component = PARTS - 1,
        .weight_scale = SCALE,
    };
    const struct prm_embedding embedding = prm_embedding_of(&f->roadmap.space);
    assert_ok(prm_neighbor_index_create(test_arena, &f->index, &embedding, f->roadmap.states,
                                        f->vertex_count, &options));
}

static void fixture_deinit(struct fixture *f)
{
    prm_neighbor_index_destroy(f->index);
    prm_world_destroy(f->world);
    free(f->states);
    free(f->ends);
    free(f->components);
    free(f->sizes);
    free(f->flags);
    free(f->queries);
}

/* ---- oracle ---- */

static float distance(const float *a, const float *b)
{
    return sqrtf((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]));
}

/* Motions from every end to every vertex, and (last column) the end's own state: [end_count][V +
 * 1]. */
static uint32_t *all_motions(const struct fixture *f)
{
    const size_t columns = (size_t)f->vertex_count + 1;
    const size_t count = f->end_count * columns;
    float *rows = malloc((f->end_count + f->vertex_count) * ROW * sizeof(float));
    uint32_t *pairs = malloc(2 * count * sizeof(uint32_t));
    struct prm_buffer valid;

    memcpy(rows, f->ends, f->end_count * ROW * sizeof(float));
    memcpy(rows + f->end_count * ROW, f->states, f->vertex_count * ROW * sizeof(float));
    for (size_t i = 0; i < count; i++) {
        const uint32_t e = (uint32_t)(i / columns), v = (uint32_t)(i % columns);
        pairs[2 * i] = e;
        pairs[2 * i + 1] = v < f->vertex_count ? f->end_count + v : e;
    }
    const struct prm_buffer states =
        test_scratch(rows, (f->end_count + f->vertex_count) * ROW * sizeof(float));
    assert_ok(prm_arena_take(test_arena, &valid, count * sizeof(uint32_t)));
    assert_ok(prm_edges_check(test_arena, valid, &f->scene, states, states,
                              test_scratch(pairs, 2 * count * sizeof(uint32_t)), count));
    free(rows);
    free(pairs);
    return test_download_u32(test_context, valid, count);
}

/* The links of end e by definition. motions: its row of all_motions(). */
static void oracle_end(const struct fixture *f, struct links *o, const uint32_t *motions,
                       uint32_t e, double radius, uint32_t enough)
{
    uint32_t *vertices = o->vertices + e * f->k, *costs = o->costs + e * f->k;
    uint8_t *taken = calloc(f->vertex_count, 1);
    uint32_t count = 0, into_largest = 0;
    const bool fine = !(f->flags[e] & END_OUTSIDE) && motions[f->vertex_count];

    o->flags[e] = f->flags[e] | (fine ? END_FREE : 0);
    for (uint32_t j = 0; j < f->k; j++) {
        vertices[j] = NONE_U32;
        costs[j] = 0;
    }
    for (uint32_t j = 0; fine && j < f->k; j++) {
        // the nearest that is left, the lowest of equals
        uint32_t best = NONE_U32;
        float least = INFINITY;
        for (uint32_t v = 0; v < f->vertex_count; v++) {
            const float d = distance(f->ends + e * ROW, f->states + v * ROW);
            if (!taken[v] && d < least && (radius == 0 || (double)d <= radius)) {
                best = v;
                least = d;
            }
        }
        if (best == NONE_U32)
            break;
        taken[best] = 1;
        const bool at = j == 0 && least == 0;
        if (at)
            o->flags[e] |= END_AT_MILESTONE;
        if (motions[best] && !(enough && into_largest == enough)) {
            vertices[count] = best;
            costs[count++] = (uint32_t)ceilf(least * (float)SCALE);
            into_largest += f->components[best] == PARTS - 1;
        }
        if (at)
            break;
    }
    free(taken);
}

static bool reaches(const struct fixture *f, const uint32_t *vertices, uint32_t first,
                    uint32_t count, uint32_t component)
{
    for (uint32_t i = first * f->k; i < (first + count) * f->k; i++) {
        if (vertices[i] != NONE_U32 && f->components[vertices[i]] == component)
            return true;
    }
    return false;
}

/* The links of query q that lead into components of both sides, from unfiltered links `o`. */
static void oracle_query(const struct fixture *f, const struct links *o, uint32_t q,
                         struct links *kept, struct connect_report *report)
{
    const struct query *query = &f->queries[q];
    bool start_linked = false, goal_linked = false, met = false;

    for (uint32_t e = query->start; e < query->goal_first + query->goal_count; e++) {
        const bool start = e == query->start;
        uint32_t count = 0;
        for (uint32_t j = 0; j < f->k; j++) {
            const uint32_t v = o->vertices[e * f->k + j];
            kept->vertices[e * f->k + j] = NONE_U32;
            if (v == NONE_U32)
                continue;
            start_linked |= start;
            goal_linked |= !start;
            if (start ? reaches(f, o->vertices, query->goal_first, query->goal_count,
                                f->components[v])
                      : reaches(f, o->vertices, query->start, 1, f->components[v])) {
                kept->vertices[e * f->k + count] = v;
                kept->costs[e * f->k + count++] = o->costs[e * f->k + j];
                met = true;
            }
        }
    }
    report->verdict = !start_linked  ? CONNECT_NO_START_LINK
                      : !goal_linked ? CONNECT_NO_GOAL_LINK
                      : !met         ? CONNECT_OTHER_COMPONENT
                                     : CONNECT_OK;
}

static struct links links_alloc(const struct fixture *f)
{
    const size_t links = (size_t)f->end_count * f->k;
    return (struct links){calloc(links, sizeof(uint32_t)), calloc(links, sizeof(uint32_t)),
                          calloc(f->end_count, sizeof(uint32_t))};
}

static void links_free(struct links *links)
{
    free(links->vertices);
    free(links->costs);
    free(links->flags);
}

static void links_compare(const struct fixture *f, const struct links *expected,
                          const struct prm_endpoints *ends)
{
    const size_t links = (size_t)f->end_count * f->k;
    uint32_t *vertices = test_download_u32(test_context, ends->vertices, links);
    uint32_t *costs = test_download_u32(test_context, ends->costs, links);
    assert_u32_array_equal(expected->vertices, vertices, links);
    for (size_t i = 0; i < links; i++) {
        if (vertices[i] != NONE_U32 && costs[i] != expected->costs[i])
            fail_msg("link %zu costs %u, expected %u", i, costs[i], expected->costs[i]);
    }
    free(vertices);
    free(costs);
}

static void check(uint32_t vertices, uint32_t queries, uint32_t k, double radius, uint32_t enough)
{
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    struct fixture f;
    struct prm_endpoints ends;
    uint32_t verdicts[CONNECT_OTHER_COMPONENT + 1] = {0};

    fixture_init(&f, vertices, queries, k);
    fixture_upload(&f, radius);
    struct links expected = links_alloc(&f), kept = links_alloc(&f);
    uint32_t *motions = all_motions(&f);
    for (uint32_t e = 0; e < f.end_count; e++)
        oracle_end(&f, &expected, motions + (size_t)e * (f.vertex_count + 1), e, radius, enough);

    // the ends' links
    const struct prm_buffer flags = test_scratch(f.flags, f.end_count * sizeof(uint32_t));
    const struct prm_connect_options options = {&f.roadmap, &f.validity, &f.scene, f.index,
                                                k,          radius,      enough};
    ends = (struct prm_endpoints){
        .count = f.end_count, .states = test_scratch(f.ends, f.end_count * ROW * sizeof(float))};
    assert_ok(prm_connect_ends(test_arena, &ends, flags, &options));
    uint32_t *got_flags = test_download_u32(test_context, flags, f.end_count);
    assert_u32_array_equal(expected.flags, got_flags, f.end_count);
    links_compare(&f, &expected, &ends);

    // what is left of them
    struct prm_buffer reports;
    const struct prm_buffer asked = test_scratch(f.queries, queries * sizeof(struct query));
    assert_ok(prm_arena_take(test_arena, &reports, queries * sizeof(struct connect_report)));
    assert_ok(prm_connect_queries(test_arena, reports, asked, &ends, &f.validity, queries));
    struct connect_report *got = calloc(queries, sizeof(*got));
    struct query *got_asked = calloc(queries, sizeof(*got_asked));
    assert_ok(prm_buffer_read(test_context, reports, 0, got, queries * sizeof(*got)));
    assert_ok(prm_buffer_read(test_context, asked, 0, got_asked, queries * sizeof(*got_asked)));
    for (uint32_t q = 0; q < queries; q++) {
        struct connect_report report;
        oracle_query(&f, &expected, q, &kept, &report);
        assert_int_equal(got[q].verdict, report.verdict);
        assert_int_equal(got_asked[q].skip, report.verdict != CONNECT_OK);
        verdicts[report.verdict]++;
    }
    links_compare(&f, &kept, &ends);
    // the case that it is about occurs
    if (vertices > 100 && queries > 100)
        assert_true(verdicts[CONNECT_OK] > 0 && verdicts[CONNECT_NO_START_LINK] > 0);

    free(got);
    free(got_asked);
    free(got_flags);
    free(motions);
    links_free(&expected);
    links_free(&kept);
    fixture_deinit(&f);
    prm_arena_rewind(test_arena, mark);
}

static void test_links(void **state)
{
    (void)state;
    static const struct {
        uint32_t vertices, queries, k;
        double radius;
        uint32_t enough;
    } CASES[] = {
        {1, 3, 1, 0, 0},        {2, 5, 4, 0, 0},      {7, 20, 7, 0, 1},
        {150, 120, 1, 0, 0},    {150, 120, 10, 0, 0}, {150, 120, 10, 0, 2},
        {150, 120, 13, 0.5, 0}, {300, 60, 33, 0, 1},  {150, 20, 128, 0, 0},
    };
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        check((uint32_t)test_size(CASES[i].vertices, CASES[i].vertices % 40 + 1),
              (uint32_t)test_size(CASES[i].queries, CASES[i].queries % 10 + 2), CASES[i].k,
              CASES[i].radius, CASES[i].enough);
}

/* A query that is answered already keeps its hands off the ends of others. */
static void test_skipped_queries(void **state)
{
    (void)state;
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    const uint32_t vertices[] = {0, 5, 0, 10}, costs[] = {3, 4, 5, 6};
    const struct query queries[] = {{0, 0, 0, 1}, {0, 1, 1, 0}};
    struct fixture f;
    fixture_init(&f, 20, 1, 2);
    fixture_upload(&f, 0);
    const struct prm_endpoints ends = {.count = 2,
                                       .k = 2,
                                       .vertices = test_scratch(vertices, sizeof(vertices)),
                                       .costs = test_scratch(costs, sizeof(costs))};
    struct prm_buffer reports;
    const struct prm_buffer asked = test_scratch(queries, sizeof(queries));
    assert_ok(prm_arena_take(test_arena, &reports, 2 * sizeof(struct connect_report)));
    assert_ok(prm_connect_queries(test_arena, reports, asked, &ends, &f.validity, 2));
    uint32_t *got = test_download_u32(test_context, ends.vertices, 4);
    assert_u32_array_equal(vertices, got, 4);
    free(got);
    fixture_deinit(&f);
    prm_arena_rewind(test_arena, mark);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_skipped_queries),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}
