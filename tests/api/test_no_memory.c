/* Goal: every reader of a body, for which there is no memory at any one place, says so with one and
 * the same code, and leaves nothing behind. Method: the linker sends what asks for memory here
 * (--wrap); each request for memory fails in turn, until the reader comes through. Jansson's own
 * are let through but for the first of a body: later ones it takes for faults of the syntax.
 * Oracle: the contract's 503, and the count of what is still taken. */
#include "schema/forward.h"
#include "schema/matrix.h"
#include "schema/questions.h"
#include "schema/roadmap.h"
#include "schema/robot.h"
#include "schema/world.h"
#include "support/support.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Requests for memory so far, which of them fails (0: none), and pieces that are taken. */
static unsigned asked, failing;
static long taken;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t bytes);
void __real_free(void *piece);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t bytes);
void __wrap_free(void *piece);

static bool fails(void)
{
    return ++asked == failing;
}

static void *take(void *piece)
{
    taken += piece != NULL;
    return piece;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : take(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : take(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *old, size_t bytes)
{
    if (fails())
        return NULL;
    void *piece = __real_realloc(old, bytes);
    return old ? piece : take(piece);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : take(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t bytes)
{
    return fails() ? NULL : take(__real_strndup(text, bytes));
}

void __wrap_free(void *piece)
{
    taken -= piece != NULL;
    __real_free(piece);
}

/* ---- the readers ---- */

static const char *const COORDINATES[] = {"x", "y"};
static const struct question_space PLANE = {COORDINATES, 2, UINT32_MAX};

/* Reads a body and forgets it. */
typedef bool reader(const char *body, size_t bytes, const struct limits *limits,
                    struct problem *problem);

static bool world(const char *body, size_t bytes, const struct limits *limits,
                  struct problem *problem)
{
    struct world_document document;
    const bool good = world_read(&document, body, bytes, limits, problem);
    if (good)
        world_deinit(&document);
    return good;
}

static bool robot(const char *body, size_t bytes, const struct limits *limits,
                  struct problem *problem)
{
    struct robot_document document;
    const bool good = robot_read(&document, body, bytes, limits, problem);
    if (good)
        robot_deinit(&document);
    return good;
}

static bool roadmap(const char *body, size_t bytes, const struct limits *limits,
                    struct problem *problem)
{
    struct roadmap_document document;
    const bool good = roadmap_read(&document, body, bytes, limits, problem);
    if (good)
        roadmap_deinit(&document);
    return good;
}

static bool plan(const char *body, size_t bytes, const struct limits *limits,
                 struct problem *problem)
{
    struct plan_request request;
    const bool good = plan_request_read(&request, body, bytes, COORDINATES, 2, limits, problem);
    if (good)
        plan_request_deinit(&request);
    return good;
}

static bool validate(const char *body, size_t bytes, const struct limits *limits,
                     struct problem *problem)
{
    struct validate_request request;
    const bool good = validate_read(&request, &PLANE, body, bytes, limits, problem);
    if (good)
        validate_deinit(&request);
    return good;
}

static bool nearest(const char *body, size_t bytes, const struct limits *limits,
                    struct problem *problem)
{
    struct nearest_request request;
    const bool good = nearest_read(&request, &PLANE, body, bytes, limits, problem);
    if (good)
        nearest_deinit(&request);
    return good;
}

static bool matrix(const char *body, size_t bytes, const struct limits *limits,
                   struct problem *problem)
{
    struct matrix_request request;
    const bool good = matrix_request_read(&request, &PLANE, body, bytes, limits, problem);
    if (good)
        matrix_request_deinit(&request);
    return good;
}

static bool forward(const char *body, size_t bytes, const struct limits *limits,
                    struct problem *problem)
{
    const struct robot_document point = {.type = ROBOT_POINT, .dimension = 2};
    struct forward_request request;
    const bool good = forward_read(&request, &point, body, bytes, limits, problem);
    if (good)
        forward_deinit(&request);
    return good;
}

static const struct {
    const char *what;
    reader *read;
    const char *body;
} ROWS[] = {
    {"world of two dimensions", world,
     "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[10,10]},\"obstacles\":["
     "{\"type\":\"circle\",\"center\":[5,5],\"radius\":1},"
     "{\"id\":\"p\",\"type\":\"polygon\",\"points\":[[0,0],[1,0],[0,1]]},"
     "{\"type\":\"grid\",\"width\":2,\"height\":2,\"rows\":[\"..\",\".@\"]}]}"},
    {"world of three dimensions", world,
     "{\"dimension\":3,\"bounds\":{\"min\":[0,0,0],\"max\":[9,9,9]},\"obstacles\":["
     "{\"type\":\"box\",\"center\":[5,5,5],\"size\":[1,1,1]},"
     "{\"type\":\"boxes\",\"boxes\":[[1,1,1,1,1,1]]},{\"type\":\"points\",\"points\":[[1,1,1]]},"
     "{\"type\":\"mesh\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0]],\"triangles\":[[0,1,2]]}]}"},
    {"spheres", robot, "{\"type\":\"rigid\",\"spheres\":[{\"center\":[0,0,1],\"radius\":0.1}]}"},
    {"footprint", robot,
     "{\"type\":\"rigid\",\"footprint\":[[-1,-1],[1,-1],[1,1],[-1,1]],\"cover_tolerance\":0.5}"},
    {"boxes", robot,
     "{\"type\":\"rigid\",\"boxes\":[{\"center\":[0,0,0],\"size\":[1,1,1]}],"
     "\"cover_tolerance\":0.5}"},
    {"arm", robot,
     "{\"type\":\"arm\",\"joints\":[{\"name\":\"a\",\"type\":\"continuous\",\"parent\":\"base\","
     "\"child\":\"one\"},{\"name\":\"b\",\"type\":\"prismatic\",\"parent\":\"one\","
     "\"child\":\"two\",\"lower\":0,\"upper\":1}],\"links\":[{\"name\":\"one\",\"spheres\":["
     "{\"center\":[0,0,0],\"radius\":1}]},{\"name\":\"two\",\"spheres\":[]}],"
     "\"ignore_pairs\":[[\"base\",\"two\"]]}"},
    {"roadmap", roadmap,
     "{\"world\":\"w\",\"robot\":\"r\",\"anchors\":[[1,2],{\"x\":1,\"y\":2}],"
     "\"allow\":[[\"body\",\"a\"]],\"samples\":{\"method\":{\"uniform\":0.5,\"bridge\":0.5}}}"},
    {"plan in the usual form", plan,
     "{\"queries\":[{\"id\":\"a\",\"start\":[1,1],\"goal\":[2,2]}],\"simplify\":false}"},
    {"plan", plan,
     "{\"queries\":[{\"id\":7,\"start\":{\"x\":1,\"y\":1},\"goals\":[[2,2],[3,3]]},{\"start\":[1]}]"
     ","
     "\"obstacles\":[{\"type\":\"circle\",\"center\":[5,5],\"radius\":1}],\"ignore\":[\"d\"]}"},
    {"questions", validate,
     "{\"states\":[[1,1],{\"x\":2,\"y\":2}],\"edges\":[[0,1]],\"paths\":[[[1,1],[2,2]]]}"},
    {"neighbours", nearest, "{\"states\":[[1,1],[2,2]],\"k\":3}"},
    {"matrix", matrix,
     "{\"states\":[[1,1],[2,2]],\"sources\":[0],\"targets\":[1],\"ignore\":[\"d\"]}"},
    {"links", forward, "{\"states\":[[1,1],{\"x\":2,\"y\":2}]}"},
};

/* Reads with one request for memory failed; whether it came through. */
static bool read_failing(size_t row, unsigned at)
{
    const struct limits limits = limits_default();
    struct problem problem = {0};
    const long before = taken;
    asked = 0;
    failing = at;
    const bool good = ROWS[row].read(ROWS[row].body, strlen(ROWS[row].body), &limits, &problem);
    const bool was_failed = asked >= at;
    failing = 0;
    if (taken != before)
        fail_msg("%s: request %u: %ld pieces left", ROWS[row].what, at, taken - before);
    if (!good && problem.faults[0].code != PROBLEM_NO_MEMORY)
        fail_msg("%s: request %u: %s: %s", ROWS[row].what, at,
                 problem_code_text(problem.faults[0].code), problem.faults[0].detail);
    if (!was_failed && !good)
        fail_msg("%s: refused, though nothing failed", ROWS[row].what);
    return !was_failed;
}

static void each_reader_says_that_there_is_no_memory(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof ROWS / sizeof *ROWS; row++) {
        unsigned at = 1;
        while (!read_failing(row, at))
            at++;
        assert_true(at > 1);
    }
    assert_int_equal(problem_code_status(PROBLEM_NO_MEMORY), 503);
}

static void jansson_that_says_nothing_had_no_memory(void **state)
{
    const struct limits limits = limits_default();
    struct problem problem = {0};
    (void)state;
    json_set_alloc_funcs(malloc, free);
    asked = 0;
    failing = 1;
    assert_false(ROWS[0].read(ROWS[0].body, strlen(ROWS[0].body), &limits, &problem));
    failing = 0;
    assert_int_equal(problem.faults[0].code, PROBLEM_NO_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_reader_says_that_there_is_no_memory),
        cmocka_unit_test(jansson_that_says_nothing_had_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
