/* Goal: `prm` ends with the documented exit code, sends what its options say and prints what came
 * back. Method: the program itself against a scripted server on loopback. Oracle: by hand. */
#include "fake_server.h"

#include "schema/npy.h"
#include "support/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PRM_PROGRAM
#error "PRM_PROGRAM is the path of prm"
#endif

enum { OUTPUT_MAX = 65536 };

static struct fake_server server;
static char output[OUTPUT_MAX]; /* of the last run, both streams */
static char folder[] = "/tmp/prm-test-XXXXXX";

#define SOLVED                                                                                     \
    "{\"coordinates\":[\"x\",\"y\"],\"results\":[{\"status\":\"solved\",\"path\":[[1,2],[3,4]],"   \
    "\"length\":2.83,\"hops\":1}],\"timing_ms\":{\"total\":1}}"
#define HALF                                                                                       \
    "{\"coordinates\":[\"x\",\"y\"],\"results\":[{\"id\":\"a\",\"status\":\"solved\",\"length\":"  \
    "2},"                                                                                          \
    "{\"id\":\"b\",\"status\":\"start_in_collision\",\"reason\":{\"at\":\"start\",\"kind\":"       \
    "\"world_collision\",\"obstacle\":\"box1\",\"depth\":0.012}},"                                 \
    "{\"status\":\"invalid_query\",\"detail\":\"no goal\"}],\"timing_ms\":{\"total\":1}}"
#define EVENT_STREAM "text/event-stream"
#define JOB(state) "{\"id\":\"j1\",\"state\":\"" state "\",\"stage\":\"edges\",\"progress\":0.5}"

static struct fake_answer answers[] = {
    {"GET /readyz", 200, NULL, "{}", 0},
    {"GET /v1", 200, NULL, "{\"name\":\"prmd\",\"version\":\"9\"}", 0},
    {"GET /v1/devices", 200, NULL, "{\"items\":[{\"name\":\"d\",\"in_use\":true}]}", 0},
    {"GET /v1/worlds", 200, NULL,
     "{\"items\":[{\"name\":\"a\",\"dimension\":2,\"obstacle_count\":3,\"revision\":1}],\"next\":"
     "\"a\"}",
     0},
    {"GET /v1/worlds?after=a", 200, NULL,
     "{\"items\":[{\"name\":\"bb\",\"dimension\":3,\"obstacle_count\":0,\"revision\":12}],\"next\":"
     "null}",
     0},
    {"GET /v1/robots", 200, NULL, "{\"items\":[],\"next\":null}", 0},
    {"GET /v1/roadmaps", 200, NULL, "{\"items\":[],\"next\":null}", 0},
    {"GET /v1/jobs", 200, NULL, "{\"items\":[],\"next\":null}", 0},
    {"GET /v1/worlds/a", 200, NULL,
     "{\"name\":\"a\",\"dimension\":2,\"grid\":{\"width\":3,\"height\":10},\"obstacles\":[]}", 0},
    {"PUT /v1/worlds/a", 200, NULL, "{\"revision\":1}", 0},
    {"PUT /v1/worlds/a?format=movingai", 200, NULL, "{\"revision\":2}", 0},
    {"PUT /v1/worlds/a?format=ros-map&unknown=free", 200, NULL,
     "{\"revision\":3,\"cells\":{\"occupied\":1,\"free\":2,\"unknown\":3},\"warnings\":[{"
     "\"detail\":"
     "\"half is unknown\"}]}",
     0},
    {"DELETE /v1/worlds/a", 204, NULL, "", 0},
    {"DELETE /v1/worlds/b", 409, "application/problem+json",
     "{\"title\":\"The resource is in use\",\"code\":\"in_use\"}", 0},
    {"PUT /v1/roadmaps/m", 202, NULL, JOB("queued"), 0},
    {"GET /v1/jobs/j1", 200, NULL, JOB("succeeded"), 0},
    // cut off twice, within an event and before one
    {"GET /v1/jobs/j1/events", 200, EVENT_STREAM,
     "id: 4\nevent: progress\ndata: " JOB("running") "\n\n:\n\nid: 5\nevent: done\ndata: {", 1},
    {"GET /v1/jobs/j1/events", 503, NULL, "{\"title\":\"busy\",\"code\":\"overloaded\"}", 1},
    {"GET /v1/jobs/j1/events", 200, EVENT_STREAM,
     "id: 9\nevent: done\ndata: " JOB("succeeded") "\n\n", 0},
    {"PUT /v1/roadmaps/bad", 202, NULL, "{\"id\":\"j2\",\"state\":\"queued\"}", 0},
    {"GET /v1/jobs/j2/events", 200, EVENT_STREAM,
     "event: error\ndata: {\"id\":\"j2\",\"state\":\"failed\",\"error\":{\"status\":422,\"title\":"
     "\"No free space\",\"code\":\"world_without_free_space\"}}\n\n",
     0},
    {"GET /v1/jobs/j3/events", 200, EVENT_STREAM, ": cut sh", 0},
    // more often than streams without anything may come
    {"GET /v1/jobs/j4/events", 200, EVENT_STREAM, ": still there\n\n", 6},
    {"GET /v1/jobs/j4/events", 200, EVENT_STREAM,
     "id: 9\nevent: done\ndata: " JOB("succeeded") "\n\n", 0},
    {"GET /v1/jobs/j4", 200, NULL, JOB("succeeded"), 0},
    {"GET /v1/roadmaps/m", 200, NULL,
     "{\"name\":\"m\",\"state\":\"ready\",\"world\":\"a\",\"robot\":\"r\",\"statistics\":"
     "{\"milestones\":99,\"edges\":5,\"stages_ms\":{\"sample\":1.5}}}",
     0},
    {"POST /v1/roadmaps/m/plan", 200, NULL, SOLVED, 0},
    {"POST /v1/roadmaps/half/plan", 200, NULL, HALF, 0},
    {"POST /v1/roadmaps/down/plan", 503, NULL, "{\"title\":\"busy\",\"code\":\"overloaded\"}", 0},
    {"POST /v1/compute/scan", 200, NULL, "{\"total\":3}", 0},
    {"GET /v1/roadmaps/m/picture.svg", 200, "image/svg+xml", "<svg/>", 0},
    {"POST /v1/roadmaps/m/picture.svg", 200, "image/svg+xml", "<svg>path</svg>", 0},
    {NULL, 0, NULL, NULL, 0},
};

static void file_write(const char *name, const char *content)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

/* Two queries in the plane as an array; of so many axes of which it should have three. */
static void array_write(const char *name, unsigned axes)
{
    static const float numbers[] = {0.5f, 1, 2, 3, 4, 5, 6, 7};
    static const size_t shapes[][3] = {{4, 2}, {2, 2, 2}};
    const struct npy_array array = npy_array(NPY_FLOAT32, axes, shapes[axes - 2], numbers);
    struct text content = {0};
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    npy_write_header(&array, &content);
    text_append(&content, (const char *)numbers, sizeof numbers);
    assert_int_equal(fwrite(content.data, 1, content.length, file), content.length);
    assert_int_equal(fclose(file), 0);
    text_deinit(&content);
}

static int setup(void **state)
{
    (void)state;
    fake_server_start(&server, answers);
    setenv("PRM_SERVER", server.url, 1);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    file_write("w.json", "{\"dimension\":2}");
    file_write("w.map", "type octile\n");
    file_write("w.unknown", "");
    file_write("w.stl", "solid");
    file_write("w.yaml", "image: w.pgm # beside it\n");
    file_write("w.pgm", "P5 of a kind");
    file_write("none.yaml", "image: none.pgm\n");
    file_write("no-image.yaml", "resolution: 1\n");
    file_write("p.json",
               "{\"seed\":5,\"samples\":{\"method\":\"halton\",\"count\":7},\"edges\":{}}");
    file_write("q.json", "{\"queries\":[{\"start\":[0,0],\"goal\":[1,1]}],\"objective\":\"hops\"}");
    file_write("q.scen", "version 1\n0 a 3 10 0 0 2 9 9.8\n");
    file_write("other.scen", "version 1\n0 a 3 11 0 0 2 9 9.8\n");
    file_write("broken.json", "{");
    file_write("a.npy", "\x93NUMPY of a kind");
    array_write("q.npy", 3);
    array_write("flat.npy", 2);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    static const char *const names[] = {
        "w.json",      "w.map",     "w.unknown",     "p.json", "q.json",  "q.scen", "other.scen",
        "broken.json", "a.svg",     "out.json",      "a.npy",  "out.npz", "w.stl",  "w.yaml",
        "w.pgm",       "none.yaml", "no-image.yaml", "q.npy",  "flat.npy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(names[i]);
    rmdir(folder);
    fake_server_stop(&server);
    return 0;
}

/* Runs prm with words separated by spaces; returns its exit code, fills `output`. */
static int run(const char *line)
{
    char words[512], *argv[32] = {NULL};
    static char name[] = "prm";
    int pipes[2], argc = 0, status;
    snprintf(words, sizeof words, "%s", line);
    argv[argc++] = name;
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        execv(PRM_PROGRAM, argv);
        _exit(127);
    }
    close(pipes[1]);
    size_t length = 0;
    for (ssize_t got; (got = read(pipes[0], output + length, OUTPUT_MAX - 1 - length)) > 0;)
        length += (size_t)got;
    output[length] = '\0';
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A command line, its exit code, what it prints and what it sent last; NULL: not looked at. */
struct row {
    const char *line;
    int code;
    const char *prints, *sends;
};

static void rows_hold(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int code = run(rows[i].line);
        if (code != rows[i].code)
            fail_msg("prm %s: exit %d, wanted %d: %s", rows[i].line, code, rows[i].code, output);
        if (rows[i].prints && !strstr(output, rows[i].prints))
            fail_msg("prm %s printed: %s", rows[i].line, output);
        pthread_mutex_lock(&server.lock);
        const bool sent = !rows[i].sends || strstr(server.last, rows[i].sends);
        pthread_mutex_unlock(&server.lock);
        if (!sent)
            fail_msg("prm %s sent: %s", rows[i].line, server.last);
    }
}
#define ROWS_HOLD(rows) rows_hold(rows, sizeof(rows) / sizeof *(rows))

static void usage_is_2(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"", 2, "usage: prm", NULL},
        {"--help", 0, "roadmap build", NULL},
        {"plan --help", 0, "--objective", NULL},
        {"--version", 0, "prm ", NULL},
        {"frobnicate", 2, "no command \"frobnicate\"", NULL},
        {"world", 2, "no command", NULL},
        {"world put a", 2, "usage: prm world put NAME FILE", NULL},
        {"world list extra", 2, "usage", NULL},
        {"world list --seed 1", 2, "takes no --seed", NULL},
        {"matrix m", 2, "FILE.json, or --state", NULL},
        {"matrix m --state 1,x", 2, "\"1,x\"", NULL},
        {"compute scan", 2, "usage: prm compute OP FILE", NULL},
        {"compute scan missing.json", 2, "missing.json", NULL},
        {"compute scan w.json --set bins", 2, "--set bins is not NAME=VALUE", NULL},
        {"world put a missing.json", 2, "missing.json", NULL},
        {"world put a w.unknown", 2, "--format", NULL},
        {"world put a w.map w.pgm", 2, "format movingai is of one file", NULL},
        {"world put a none.yaml", 2, "none.pgm", NULL},
        {"world put a no-image.yaml", 2, "no line \"image: FILE\"", NULL},
        {"world put a w.map --set passable", 2, "--set passable is not NAME=VALUE", NULL},
        {"roadmap build m --robot r", 2, "needs --world and --robot", NULL},
        {"roadmap build m --world a --robot r --samples x", 2, "--samples", NULL},
        {"roadmap build m --params broken.json", 2, "broken.json", NULL},
        {"plan m", 2, "--start and --goal", NULL},
        {"plan m --start 1,2", 2, "--start and --goal", NULL},
        {"plan m --start 1,x --goal 1,2", 2, "\"1,x\"", NULL},
        {"plan m --start 1, --goal 1,2", 2, "\"1,\"", NULL},
        {"plan m --queries w.json", 2, "queries", NULL},
        {"plan m --queries q.json --start 1,2", 2, "exclude", NULL},
        {"plan m --queries a.npy", 2, "a.npy", NULL},
        {"plan m --queries flat.npy", 2, "of shape (queries, 2, numbers)", NULL},
        {"plan m --queries other.scen", 2, "11 cells high", NULL},
        {"--timeout x health", 2, "--timeout", NULL},
    };
    ROWS_HOLD(rows);
}

static void answers_decide_the_rest(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"health", 0, "ready", NULL},
        {"--server http://127.0.0.1:9 health", 3, "127.0.0.1:9", NULL},
        {"status", 0, "worlds       1+", NULL},
        {"world list", 0, "WORLD  DIMENSION  OBSTACLES  REVISION\na              2", NULL},
        {"world list", 0, "\nbb             3          0        12\n", "GET /v1/worlds?after=a "},
        {"--json world list", 0, "\"next\"", NULL},
        {"robot list", 0, "ROBOT", NULL},
        {"world get a", 0, "3 x 10 cells", NULL},
        {"world get none", 4, "404", NULL},
        {"world put a w.json", 0, "a: revision 1", "Content-Type: application/json"},
        {"world put a w.map", 0, "a: revision 2", "PUT /v1/worlds/a?format=movingai "},
        {"world put a w.unknown --format movingai", 0, "revision 2", NULL},
        {"world put a w.yaml --set unknown=free", 0, "1 occupied, 2 free, 3 unknown",
         "\r\n\r\nP5 of a kind\r\n--prm-part-00000000--\r\n"},
        {"world put a w.yaml w.pgm --set unknown=free", 0, "half is unknown",
         "Content-Type: multipart/form-data; boundary=prm-part-00000000"},
        {"world put a w.stl --obstacle o%1", 4, "404", "PUT /v1/worlds/a/obstacles/o%251?"},
        {"world delete a", 0, "a: deleted", "DELETE /v1/worlds/a "},
        {"world delete b", 4, "in use (409 in_use)", NULL},
        {"plan m --start 1,2 --goal 3,4", 0, "length 2.83",
         "{\"queries\":[{\"start\":[1,2],\"goal\":[3,4]}]}"},
        {"plan m --start 1,2 --goal 3,4 --goal -5,6 --no-simplify --objective hops", 0, NULL,
         "{\"objective\":\"hops\",\"simplify\":false,\"queries\":[{\"start\":[1,2],\"goals\":[[3,4]"
         ",["
         "-5,6]]}]}"},
        {"plan m --start 1,2 --goal 3,4 --expand 500", 0, NULL,
         "{\"expand\":{\"samples\":500},\"queries\""},
        {"plan m --queries q.json", 0, NULL, "\"objective\":\"hops\""},
        {"plan m --queries q.npy --no-simplify", 0, NULL,
         "{\"simplify\":false,\"queries\":[{\"start\":[0.5,1],\"goal\":[2,3]},{\"start\":[4,5],"
         "\"goal\":[6,7]}]}"},
        {"plan m --queries q.json --objective length", 0, NULL,
         "{\"objective\":\"length\",\"queries\""},
        {"plan m --queries q.scen", 0, "0 of 1 lengths are the published ones, mean ratio 0.2888",
         "[{\"id\":0,\"start\":[0.5,9.5],\"goal\":[2.5,0.5]}]"},
        {"plan half --queries q.json", 1, "query b: start_in_collision, obstacle box1, 0.012 deep",
         NULL},
        {"plan half --queries q.json", 1, "query 2: invalid_query, no goal", NULL},
        {"--json plan half --queries q.json --save out.json", 1, "\"timing_ms\"", NULL},
        {"plan down --queries q.json", 3, "503 overloaded", NULL},
        {"plan none --queries q.json", 4, "404", NULL},
        {"compute scan w.json", 0, "{\"total\":3}", "Content-Type: application/json"},
        {"compute scan w.json --set method=auto --set a=b&c", 4, "404",
         "POST /v1/compute/scan?method=auto&a=b%26c "},
        {"compute scan a.npy", 0, "total", "Content-Type: application/x-npy"},
        {"compute scan a.npy --save out.npz", 0, "out.npz: 11 bytes", "Accept: application/x-npz"},
        {"compute none w.json", 4, "404", NULL},
        {"picture m a.svg", 0, "a.svg: 6 bytes", NULL},
        {"picture m a.svg --start 1,2 --goal 3,4", 0, "a.svg: 15 bytes", "\"goal\":[3,4]"},
        {"picture none a.svg", 4, "404", NULL},
    };
    ROWS_HOLD(rows);
}

static void builds_are_followed(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"roadmap build m --world a --robot r --no-wait --seed 18446744073709551615", 0, "job j1",
         "{\"world\":\"a\",\"robot\":\"r\",\"seed\":18446744073709551615}"},
        {"roadmap build m --world a --robot r --samples 9 --params p.json --no-wait", 0, NULL,
         "{\"seed\":5,\"edges\":{},\"world\":\"a\",\"robot\":\"r\",\"samples\":{\"method\":"
         "\"halton\","
         "\"count\":9}}"},
        {"roadmap build m --world a --robot r", 0, " 50%  edges\n", NULL},
        {"job watch j1", 0, "succeeded", NULL},
        {"roadmap build m --world a --robot r", 0, "milestones   99", NULL},
        {"roadmap build bad --world a --robot r", 4, "world_without_free_space", NULL},
        {"job watch j2", 4, "world_without_free_space", "Accept: text/event-stream"},
        {"job watch j3", 3, "cut off", NULL},
        {"job watch j4", 0, "j4: succeeded", NULL},
        {"job watch none", 4, "404", NULL},
    };
    ROWS_HOLD(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_is_2),
        cmocka_unit_test(answers_decide_the_rest),
        cmocka_unit_test(builds_are_followed),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
