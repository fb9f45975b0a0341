/* Goal: no optimisation changes what is answered. Every scene's roadmap and the answers to its
 * queries are as the file answers.txt holds them.
 *
 * Method: the scenes (scenes.h), one of every kind of robot, are built and asked for in all ways;
 * roadmaps are told by sizes and digest, answers by counts, mean length and a hash of everything in
 * them. Landmarks must change no answer. On the kind of device that the file was made on (its first
 * line) every line is equal, in any shape of machine. Where the driver is the same and the
 * processor another, those of robots are equal that only translate; the others' sines may differ in
 * the last bit, and so may all on other drivers: there the numbers are near. Oracle: the file,
 * or another that PRM_ANSWERS names. With PRM_WRITE set it is written instead of compared: the
 * difference then shows what has changed, and belongs into a commit that says why.
 */
#include "problem.h"
#include "reference.h"
#include "scenes.h"
#include "support/support.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUERIES = 300, TREE_NODES = 200 };

/* How far numbers may be off on other devices: a part of them, or so many. */
static const double near_part = 0.02, near_count = 5;

/* How each scene's roadmap is made. */
static const struct {
    const char *scene, *title;
    uint32_t milestones;
    enum prm_sample_method method;
    double uniform, narrow; /* of a mix: shares of `uniform` and `bridge` */
    bool turns;             /* has angles */
} builds[] = {
    {"grid", "uniform", 3000, PRM_SAMPLE_UNIFORM, 0, 0, false},
    {"ball", "uniform", 3000, PRM_SAMPLE_UNIFORM, 0, 0, false},
    {"arm", "uniform", 1500, PRM_SAMPLE_UNIFORM, 0, 0, true},
    {"disc", "halton", 3000, PRM_SAMPLE_HALTON, 0, 0, false},
    {"cart", "bridge", 2000, PRM_SAMPLE_MIX, 0.7, 0.3, true},
    {"drone", "halton", 1500, PRM_SAMPLE_HALTON, 0, 0, true},
    {"crane", "bridge", 2000, PRM_SAMPLE_MIX, 0.7, 0.3, true},
};

enum { BUILDS = sizeof builds / sizeof *builds };

static const struct {
    const char *title;
    struct prm_plan_options options;
} batches[] = {
    {"length", {.objective = PRM_OBJECTIVE_LENGTH, .output = PRM_OUTPUT_PATH}},
    {"hops", {.objective = PRM_OBJECTIVE_HOPS, .output = PRM_OUTPUT_PATH}},
    {"nodes", {.objective = PRM_OBJECTIVE_LENGTH, .output = PRM_OUTPUT_NODES}},
    {"simplified",
     {.objective = PRM_OBJECTIVE_LENGTH, .output = PRM_OUTPUT_PATH, .simplify = true}},
    {"expanded",
     {.objective = PRM_OBJECTIVE_LENGTH, .output = PRM_OUTPUT_PATH, .expand_samples = TREE_NODES}},
};

/* ---- answers as lines ---- */

/* FNV-1a, 64 bits (Fowler, Noll & Vo 1991). */
static void hash_add(uint64_t *hash, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): all bytes are given
        *hash = (*hash ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001b3);
}

static void answers_add(struct reference *lines, const char *scene, const char *title,
                        const struct prm_plan_results *results)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    double length = 0;
    for (uint32_t i = 0; i < results->count; i++) {
        const struct prm_plan_result *result = &results->results[i];
        const uint32_t facts[] = {result->status, result->goal_index, result->hops};
        hash_add(&hash, facts, sizeof facts);
        hash_add(&hash, results->waypoints + result->waypoint_first * results->dof,
                 result->waypoint_count * results->dof * sizeof(double));
        hash_add(&hash, results->nodes + result->node_first, result->node_count * sizeof(uint32_t));
        if (result->status != PRM_SOLVED)
            continue;
        hash_add(&hash, &result->length, sizeof result->length);
        length += result->length;
    }
    reference_add(lines, "%s %s: %u of %u solved, mean length %.6f, answers %016llx", scene, title,
                  results->solved, results->count,
                  results->solved > 0 ? length / results->solved : 0, (unsigned long long)hash);
}

/* One batch of a scene, as the last line. */
static void plan_add(struct reference *lines, const char *scene, unsigned batch,
                     struct prm_planner *planner, const struct prm_roadmap *roadmap,
                     const struct prm_validity *validity, const struct prm_world *world,
                     const struct problem_files *files)
{
    struct prm_plan_results results;
    assert_ok(prm_plan(planner, &results, roadmap, validity, world, files->queries,
                       files->request.query_count, &batches[batch].options));
    answers_add(lines, scene, batches[batch].title, &results);
    prm_plan_results_deinit(&results);
}

/* A scene's roadmap and answers. */
static void scene_add(struct reference *lines, unsigned build)
{
    const char *scene = builds[build].scene;
    const struct prm_roadmap_params params = {
        .seed = 1,
        .sample_count = builds[build].milestones,
        .sample_method = builds[build].method,
        .sample_shares = {[PRM_SAMPLE_UNIFORM] = builds[build].uniform,
                          [PRM_SAMPLE_BRIDGE] = builds[build].narrow},
        .neighbor_method = PRM_NEIGHBOR_AUTO,
        .k = 10,
        .target_recall = 0.95};
    struct text documents[3] = {{0}};
    struct problem_files files;
    struct robot_spec robot;
    struct prm_world *world;
    struct prm_roadmap *roadmap;
    struct prm_validity *validity;
    struct prm_planner *planner;

    const unsigned number = scene_find(scene);
    assert_true(number < scene_count);
    scene_write_world(number, 0, &documents[0]);
    scene_write_robot(number, &documents[1]);
    scene_write_request(number, 0, QUERIES, &documents[2]);
    assert_true(problem_files_parse(&files, scene, &documents[0], &documents[1], &documents[2]));
    assert_ok(robot_spec_init(&robot, &files.robot));
    assert_ok(prm_world_create(test_arena, &world, &files.spec.spec));
    assert_ok(prm_roadmap_create(test_context, &roadmap, &validity, world, &robot.spec, &params));
    reference_add(lines,
                  "%s roadmap, %s: %u milestones, %u edges, %u valid, %u components, digest %s",
                  scene, builds[build].title, roadmap->milestone_count, roadmap->edge_count,
                  validity->valid_edges, validity->component_count, roadmap->digest);

    // once without landmarks, whose line is not kept, then all with them
    assert_ok(prm_planner_create(test_context, &planner));
    plan_add(lines, scene, 0, planner, roadmap, validity, world, &files);
    for (bool done = false; !done;)
        assert_ok(prm_validity_refine(validity, &done));
    plan_add(lines, scene, 0, planner, roadmap, validity, world, &files);
    lines->count--;
    assert_string_equal(lines->lines[lines->count], lines->lines[lines->count - 1]);
    for (unsigned batch = 1; batch < sizeof batches / sizeof *batches; batch++)
        plan_add(lines, scene, batch, planner, roadmap, validity, world, &files);

    prm_planner_destroy(planner);
    prm_validity_destroy(validity);
    prm_roadmap_destroy(roadmap);
    prm_world_destroy(world);
    robot_spec_deinit(&robot);
    problem_files_deinit(&files);
    for (unsigned i = 0; i < 3; i++)
        text_deinit(&documents[i]);
}

/* ---- the reference ---- */

/* Equal but for numbers, which are near, and hashes at the end. */
static bool is_near(const char *expected, const char *got)
{
    for (;;) {
        if (strncmp(expected, "digest ", 7) == 0 || strncmp(expected, "answers ", 8) == 0)
            return *expected == *got;
        if (isdigit((unsigned char)*expected) && isdigit((unsigned char)*got)) {
            char *expected_end, *got_end;
            const double a = strtod(expected, &expected_end), b = strtod(got, &got_end);
            if (fabs(a - b) > near_count + near_part * a)
                return false;
            expected = expected_end;
            got = got_end;
        } else if (*expected != *got++) {
            return false;
        } else if (*expected++ == '\0') {
            return true;
        }
    }
}

/* Whether a line is to be equal to its reference: see above. */
static bool must_equal(const char *line, bool same_driver, bool same_processor)
{
    for (unsigned build = 0; build < BUILDS; build++)
        if (strncmp(line, builds[build].scene, strlen(builds[build].scene)) == 0)
            return same_driver && (same_processor || !builds[build].turns);
    return true;
}

static void answers_are_as_ever(void **state)
{
    static struct reference expected, got;
    (void)state;
    const char *path = getenv("PRM_ANSWERS") ? getenv("PRM_ANSWERS") : PRM_ANSWERS_FILE;
    reference_add_device(&got, prm_context_device(test_context));
    for (unsigned build = 0; build < BUILDS; build++)
        scene_add(&got, build);
    if (getenv("PRM_WRITE")) {
        assert_true(reference_write(&got, path));
        return;
    }

    // every difference is shown
    assert_true(reference_read(&expected, path));
    assert_int_equal(got.count, expected.count);
    const bool same_driver = strcmp(expected.lines[0], got.lines[0]) == 0;
    const bool same_processor = strcmp(expected.lines[1], got.lines[1]) == 0;
    unsigned differences = 0;
    for (unsigned i = 0; i < got.count; i++) {
        if (strcmp(expected.lines[i], got.lines[i]) == 0)
            continue;
        const bool bad = i >= 2 && (must_equal(got.lines[i], same_driver, same_processor) ||
                                    !is_near(expected.lines[i], got.lines[i]));
        print_message("%s: %s\n    here: %s\n", bad ? "EXPECTED" : "reference", expected.lines[i],
                      got.lines[i]);
        differences += bad;
    }
    assert_int_equal(differences, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_as_ever)};
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}
