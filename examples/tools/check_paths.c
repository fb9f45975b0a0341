/* Judges the answers of a plan request, in double precision, sharing no code with the service.
 *
 *   check_paths WORLD ROBOT REQUEST ANSWER
 *
 * WORLD is a .map or JSON, the others JSON as sent and received. Every answer must be in place,
 * with its id; a path must begin and end exactly at its query's states, stay within the bounds, be
 * as long as it says, and be free: a segment is halved until the clearance at a piece's middle
 * exceeds half its length, which proves the piece free, or until the middle collides. Prints each
 * violation and a summary; exit status 1 with violations, 2 where the files cannot be judged.
 */
#include "tools/scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DIMENSION_MAX = 3, VIOLATIONS_SHOWN = 20 };

/* Pieces shorter than this count as free unless their middle collides, metres. */
static const double piece_min_m = 1e-9;

/* Way-points are written with nine decimals: what each may add to or take from a length, and the
 * relative difference that two summations may have. */
static const double length_tolerance = 1e-9;

struct judge {
    const struct scene *scene;
    size_t index; /* of the query judged */
    size_t violations, solved;
    size_t segments;
    double least_clearance; /* at the middle of any piece looked at */
};

static void violation(struct judge *judge, const char *format, ...)
{
    if (judge->violations++ >= VIOLATIONS_SHOWN)
        return;
    va_list list;
    va_start(list, format);
    printf("query %zu: ", judge->index);
    vprintf(format, list);
    putchar('\n');
    va_end(list);
}

/* Reads a state; false: not `dimension` finite numbers. */
static bool state_read(const struct document_value *array, int dimension, double *state)
{
    if (!document_is_array(array) || document_length(array) != (size_t)dimension)
        return false;
    for (int i = 0; i < dimension; i++) {
        state[i] = document_number(document_element(array, (size_t)i), "", NAN);
        if (!isfinite(state[i]))
            return false;
    }
    return true;
}

static bool states_equal(const double *a, const double *b, int dimension)
{
    for (int i = 0; i < dimension; i++) {
        if (a[i] != b[i])
            return false;
    }
    return true;
}

static double states_distance(const double *a, const double *b, int dimension)
{
    double squares = 0;
    for (int i = 0; i < dimension; i++)
        squares += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(squares);
}

/* Whether the segment from a to b is free; else `clearance` is what was found at the colliding
 * point. */
static bool segment_free(struct judge *judge, const double *a, const double *b, double *clearance)
{
    int dimension = judge->scene->dimension;
    double middle[DIMENSION_MAX] = {0};
    for (int i = 0; i < dimension; i++)
        middle[i] = 0.5 * (a[i] + b[i]);
    double half = 0.5 * states_distance(a, b, dimension);
    *clearance = scene_clearance(judge->scene, middle);
    judge->least_clearance = fmin(judge->least_clearance, *clearance);
    if (!(*clearance > 0))
        return false;
    if (*clearance > half || half < piece_min_m)
        return true;
    return segment_free(judge, a, middle, clearance) && segment_free(judge, middle, b, clearance);
}

static void judge_path(struct judge *judge, const struct document_value *query,
                       const struct document_value *result)
{
    const struct document_value *path = document_at(result, "/path");
    const struct document_value *goal = document_at(query, "/goal");
    int dimension = judge->scene->dimension;
    size_t count = document_length(path);
    if (!goal)
        goal = document_element(document_at(query, "/goals"),
                                (size_t)document_number(result, "/goal_index", 0));
    double start[DIMENSION_MAX] = {0}, end[DIMENSION_MAX] = {0};
    double last[DIMENSION_MAX] = {0}, next[DIMENSION_MAX] = {0};
    if (count == 0 || !state_read(document_at(query, "/start"), dimension, start) ||
        !state_read(goal, dimension, end)) {
        violation(judge, "solved, but there is no path or no query");
        return;
    }

    // way-points one after another
    double length = 0, clearance;
    for (size_t i = 0; i < count; i++) {
        if (!state_read(document_element(path, i), dimension, next)) {
            violation(judge, "way-point %zu is not a state", i);
            return;
        }
        if (!scene_in_bounds(judge->scene, next))
            violation(judge, "way-point %zu is out of bounds", i);
        if (i == 0 && !states_equal(next, start, dimension))
            violation(judge, "the path does not begin at the start");
        if (i > 0) {
            judge->segments++;
            length += states_distance(last, next, dimension);
            if (!segment_free(judge, last, next, &clearance))
                violation(judge, "segment %zu collides, clearance %.3g", i - 1, clearance);
        }
        memcpy(last, next, sizeof last);
    }
    if (!states_equal(last, end, dimension))
        violation(judge, "the path does not end at the goal");
    double said = document_number(result, "/length", NAN);
    if (!(fabs(said - length) <= length_tolerance * ((double)count + length)))
        violation(judge, "the length is given as %.9g, the path measures %.9g", said, length);
}

/* Whether two values are written alike. */
static bool values_equal(const struct document_value *a, const struct document_value *b)
{
    struct text left = {0}, right = {0};
    if (a)
        document_write(a, &left);
    if (b)
        document_write(b, &right);
    bool equal = !left.failed && !right.failed && left.length == right.length &&
                 (left.length == 0 || memcmp(left.data, right.data, left.length) == 0);
    text_deinit(&left);
    text_deinit(&right);
    return equal;
}

static void judge_all(struct judge *judge, const struct document_value *request,
                      const struct document_value *answer)
{
    const struct document_value *queries = document_at(request, "/queries");
    const struct document_value *results = document_at(answer, "/results");
    size_t count = document_length(queries);
    if (document_length(results) != count)
        violation(judge, "%zu results for %zu queries", document_length(results), count);
    for (judge->index = 0; judge->index < count; judge->index++) {
        const struct document_value *query = document_element(queries, judge->index);
        const struct document_value *result = document_element(results, judge->index);
        if (!values_equal(document_at(query, "/id"), document_at(result, "/id")))
            violation(judge, "another id");
        if (strcmp(document_string(result, "/status", ""), "solved") == 0) {
            judge->solved++;
            judge_path(judge, query, result);
        }
    }
    printf("%zu queries, %zu solved, %zu segments checked, least clearance %.3g, %zu violations\n",
           count, judge->solved, judge->segments, judge->least_clearance, judge->violations);
}

int main(int argc, char **argv)
{
    char fault[512] = "usage: check_paths WORLD ROBOT REQUEST ANSWER";
    struct scene scene = {0};
    struct document *request = NULL, *answer = NULL;
    int code = 2;
    if (argc == 5 && scene_read(&scene, argv[1], argv[2], fault, sizeof fault) &&
        (request = scene_read_json(argv[3], fault, sizeof fault)) &&
        (answer = scene_read_json(argv[4], fault, sizeof fault))) {
        struct judge judge = {.scene = &scene, .least_clearance = INFINITY};
        judge_all(&judge, document_root(request), document_root(answer));
        code = judge.violations > 0;
    } else {
        fprintf(stderr, "check_paths: %s\n", fault);
    }
    document_destroy(request);
    document_destroy(answer);
    scene_deinit(&scene);
    return code;
}
