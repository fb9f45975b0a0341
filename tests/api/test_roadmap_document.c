/* Goal: roadmap requests are read strictly, defaults are the documented ones, and what is written
 * reads the same. Method: tables of bodies. Oracle: the contract, section 5. */
#include "documents.h"
#include "schema/roadmap.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#define WR "\"world\":\"w\",\"robot\":\"r\""

static bool read(const char *body, size_t bytes, struct problem *problem)
{
    struct limits limits = limits_default();
    struct roadmap_document roadmap;
    if (!roadmap_read(&roadmap, body, bytes, &limits, problem))
        return false;
    roadmap_deinit(&roadmap);
    return true;
}

static const struct bad_document bad[] = {
    {"{\"robot\":\"r\"}", PROBLEM_INVALID_ARGUMENT, "/world", NULL},
    {"{\"world\":\"w\"}", PROBLEM_INVALID_ARGUMENT, "/robot", NULL},
    {"{\"world\":\"a/b\",\"robot\":\"r\"}", PROBLEM_INVALID_ARGUMENT, "/world", NULL},
    {"{\"world\":\"\",\"robot\":\"r\"}", PROBLEM_INVALID_ARGUMENT, "/world", NULL},
    {"{\"world\":3,\"robot\":\"r\"}", PROBLEM_INVALID_ARGUMENT, "/world", NULL},
    {"{" WR ",\"seeds\":1}", PROBLEM_UNKNOWN_MEMBER, "/seeds", NULL},
    {"{" WR ",\"seed\":-1}", PROBLEM_INVALID_ARGUMENT, "/seed", NULL},
    {"{" WR ",\"seed\":1.5}", PROBLEM_INVALID_ARGUMENT, "/seed", NULL},
    {"{" WR ",\"seed\":18446744073709551615}", PROBLEM_INVALID_ARGUMENT, "/seed", NULL},
    {"{" WR ",\"seed\":\"1\"}", PROBLEM_INVALID_ARGUMENT, "/seed", NULL},
    {"{" WR ",\"samples\":[]}", PROBLEM_INVALID_ARGUMENT, "/samples", NULL},
    {"{" WR ",\"samples\":{\"count\":0}}", PROBLEM_INVALID_ARGUMENT, "/samples/count", NULL},
    {"{" WR ",\"samples\":{\"count\":-5}}", PROBLEM_INVALID_ARGUMENT, "/samples/count", NULL},
    {"{" WR ",\"samples\":{\"count\":1000000000}}", PROBLEM_LIMIT_EXCEEDED, "/samples/count",
     "2000000"},
    {"{" WR ",\"samples\":{\"count\":1e300}}", PROBLEM_LIMIT_EXCEEDED, "/samples/count", "2000000"},
    {"{" WR ",\"samples\":{\"count\":99999999999999999999}}", PROBLEM_LIMIT_EXCEEDED,
     "/samples/count", "2000000"},
    {"{" WR ",\"samples\":{\"method\":{}}}", PROBLEM_INVALID_ARGUMENT, "/samples/method", NULL},
    {"{" WR ",\"samples\":{\"method\":{\"uniform\":0}}}", PROBLEM_INVALID_ARGUMENT,
     "/samples/method", NULL},
    {"{" WR ",\"samples\":{\"method\":{\"uniform\":-1,\"bridge\":1}}}", PROBLEM_INVALID_ARGUMENT,
     "/samples/method/uniform", NULL},
    {"{" WR ",\"samples\":{\"method\":{\"lattice\":1}}}", PROBLEM_UNKNOWN_MEMBER,
     "/samples/method/lattice", NULL},
    {"{" WR ",\"samples\":{\"method\":{\"uniform\":1e308,\"bridge\":1e308}}}",
     PROBLEM_INVALID_ARGUMENT, "/samples/method", NULL},
    {"{" WR ",\"samples\":{\"method\":\"magic\"}}", PROBLEM_INVALID_ARGUMENT, "/samples/method",
     NULL},
    {"{" WR ",\"samples\":{\"spacing\":1}}", PROBLEM_INVALID_ARGUMENT, "/samples/spacing", NULL},
    {"{" WR ",\"samples\":{\"anchor_share\":1.1}}", PROBLEM_INVALID_ARGUMENT,
     "/samples/anchor_share", NULL},
    {"{" WR ",\"neighbors\":{\"k\":-3}}", PROBLEM_INVALID_ARGUMENT, "/neighbors/k", NULL},
    {"{" WR ",\"neighbors\":{\"k\":0}}", PROBLEM_INVALID_ARGUMENT, "/neighbors/k", NULL},
    {"{" WR ",\"neighbors\":{\"k\":129}}", PROBLEM_LIMIT_EXCEEDED, "/neighbors/k", "128"},
    {"{" WR ",\"neighbors\":{\"radius\":0}}", PROBLEM_INVALID_ARGUMENT, "/neighbors/radius", NULL},
    {"{" WR ",\"neighbors\":{\"tables\":0}}", PROBLEM_INVALID_ARGUMENT, "/neighbors/tables", NULL},
    {"{" WR ",\"neighbors\":{\"tables\":65}}", PROBLEM_INVALID_ARGUMENT, "/neighbors/tables", NULL},
    {"{\"world\":\"w\\u0000\",\"robot\":\"r\"}", PROBLEM_INVALID_ARGUMENT, "/world", NULL},
    {"{" WR ",\"neighbors\":{\"projections\":9}}", PROBLEM_INVALID_ARGUMENT,
     "/neighbors/projections", NULL},
    {"{" WR ",\"neighbors\":{\"target_recall\":1.5}}", PROBLEM_INVALID_ARGUMENT,
     "/neighbors/target_recall", NULL},
    {"{" WR ",\"neighbors\":{\"method\":\"tile\"}}", PROBLEM_INVALID_ARGUMENT, "/neighbors/method",
     NULL},
    {"{" WR ",\"neighbors\":{\"kk\":1}}", PROBLEM_UNKNOWN_MEMBER, "/neighbors/kk", NULL},
    {"{" WR ",\"edges\":{\"check\":\"none\"}}", PROBLEM_INVALID_ARGUMENT, "/edges/check", NULL},
    {"{" WR ",\"edges\":{\"resolution\":-1}}", PROBLEM_INVALID_ARGUMENT, "/edges/resolution", NULL},
    {"{" WR ",\"anchors\":{}}", PROBLEM_INVALID_ARGUMENT, "/anchors", NULL},
    {"{" WR ",\"anchors\":[3]}", PROBLEM_INVALID_ARGUMENT, "/anchors/0", NULL},
    {"{" WR ",\"anchors\":[[1,2],[1,\"2\"]]}", PROBLEM_INVALID_ARGUMENT, "/anchors/1/1", NULL},
    {"{" WR ",\"anchors\":[{\"x\":null}]}", PROBLEM_INVALID_ARGUMENT, "/anchors/0/x", NULL},
    {"{" WR ",\"anchors\":[[1],[2]],\"samples\":{\"count\":1}}", PROBLEM_INVALID_ARGUMENT,
     "/anchors", NULL},
    {"{" WR ",\"anchors\":[[1]],\"samples\":{\"method\":\"lattice\"}}", PROBLEM_INVALID_ARGUMENT,
     "/anchors", NULL},
    {"{" WR ",\"anchors\":[[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]]}",
     PROBLEM_LIMIT_EXCEEDED, "/anchors/0", "32"},
    {"{" WR ",\"allow\":[[\"hand\"]]}", PROBLEM_INVALID_ARGUMENT, "/allow/0", NULL},
    {"{" WR ",\"allow\":[[\"hand\",3]]}", PROBLEM_INVALID_ARGUMENT, "/allow/0/1", NULL},
    {"{" WR ",\"allow\":3}", PROBLEM_INVALID_ARGUMENT, "/allow", NULL},
};

static void bad_roadmaps_are_refused(void **state)
{
    (void)state;
    assert_refused(bad, sizeof bad / sizeof *bad, read);
    assert_refuses_malformed(read);
}

static void roadmaps_come_back(void **state)
{
    (void)state;
    const struct {
        const char *body, *written;
    } rows[] = {
        {"{" WR "}",
         WR ",\"seed\":1,\"samples\":{\"count\":10000,\"method\":\"uniform\",\"spacing\":null,"
            "\"anchor_share\":0.1},"
            "\"neighbors\":{\"method\":\"auto\",\"k\":16,\"radius\":null,\"tables\":null,"
            "\"projections\":null,\"width\":null,\"target_recall\":0.95},"
            "\"edges\":{\"check\":\"certified\",\"resolution\":null},\"anchors\":[],\"allow\":[]"},
        {"{" WR ",\"allow\":[[\"hand\",\"table\"],[\"body\",\"a b\"]],\"anchors\":[[1,2.5],"
         "{\"y\":1,\"x\":-3}],\"samples\":{\"count\":50,\"method\":{\"bridge\":1,\"halton\":0,"
         "\"uniform\":3},\"anchor_share\":0}}",
         WR ",\"seed\":1,\"samples\":{\"count\":50,\"method\":{\"uniform\":3,\"bridge\":1},"
            "\"spacing\":null,\"anchor_share\":0},"
            "\"neighbors\":{\"method\":\"auto\",\"k\":16,\"radius\":null,\"tables\":null,"
            "\"projections\":null,\"width\":null,\"target_recall\":0.95},"
            "\"edges\":{\"check\":\"certified\",\"resolution\":null},"
            "\"anchors\":[[1,2.5],{\"y\":1,\"x\":-3}],"
            "\"allow\":[[\"hand\",\"table\"],[\"body\",\"a b\"]]"},
        {"{" WR ",\"allow\":[],\"anchors\":[],\"state\":\"ready\",\"digest\":\"x\",\"seed\":"
         "9007199254740993,"
         "\"samples\":{\"count\":5e3,\"method\":\"lattice\",\"spacing\":0.5},\"neighbors\":{"
         "\"method\":"
         "\"lsh\",\"k\":8,\"radius\":1.5,\"tables\":4,\"projections\":3,\"width\":2.0,\"target_"
         "recall\":1},"
         "\"edges\":{\"check\":\"sampled\",\"resolution\":0.1}}",
         WR
         ",\"seed\":9007199254740993,\"samples\":{\"count\":5000,\"method\":\"lattice\","
         "\"spacing\":0.5,\"anchor_share\":0.1},"
         "\"neighbors\":{\"method\":\"lsh\",\"k\":8,\"radius\":1.5,\"tables\":4,\"projections\":3,"
         "\"width\":2,\"target_recall\":1},\"edges\":{\"check\":\"sampled\",\"resolution\":0.1},"
         "\"anchors\":[],\"allow\":[]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct limits limits = limits_default();
        struct problem problem = {0};
        struct roadmap_document roadmap;
        struct text text = {0};
        assert_true(roadmap_read(&roadmap, rows[i].body, strlen(rows[i].body), &limits, &problem));
        roadmap_write_members(&roadmap, &text);
        roadmap_deinit(&roadmap);
        assert_string_equal(text_string(&text), rows[i].written);

        // what was written reads the same
        struct text braced = {0}, again = {0};
        text_print(&braced, "{%s}", text.data);
        assert_true(roadmap_read(&roadmap, braced.data, braced.length, &limits, &problem));
        struct roadmap_document copy;
        assert_true(roadmap_copy(&copy, &roadmap));
        roadmap_deinit(&roadmap);
        roadmap_write_members(&copy, &again);
        roadmap_deinit(&copy);
        assert_string_equal(text_string(&again), text.data);
        text_deinit(&text);
        text_deinit(&braced);
        text_deinit(&again);
    }
}

static void all_faults_are_told(void **state)
{
    (void)state;
    const char *body =
        "{\"x\":1,\"samples\":{\"count\":0},\"neighbors\":{\"k\":0},\"robot\":\"r\"}";
    struct problem problem = {0};
    assert_false(read(body, strlen(body), &problem));
    assert_int_equal(problem.fault_count, 4);
}

static void names(void **state)
{
    (void)state;
    char *longest = repeat("", "a", 64, ""), *longer = repeat("", "a", 65, "");
    const char *good[] = {"a", "Z9", "0", "a.b_c-d", longest};
    const char *wrong[] = {"", ".", "..", "-a", "_a", "a/b", "a b", "a%2Fb", "\xc3\xa4", longer};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(name_valid(good[i]));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(name_valid(wrong[i]));
    free(longest);
    free(longer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_roadmaps_are_refused),
        cmocka_unit_test(roadmaps_come_back),
        cmocka_unit_test(all_faults_are_told),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
