/* What the fuzz targets share: the one list of parsers, and what every one of them promises.
 *
 * A target takes any bytes and must come back: within a second, with nothing read or written that
 * is not its own, nothing left behind. Beyond that each holds its parser to what its header says
 * (fuzz_must). The same targets run twice: under libFuzzer with the sanitizers (`./dev fuzz`), and
 * in every test run over the inputs kept in corpus/NAME (replay.c).
 *
 * Where a parser takes more than a body, the input begins with a line "?a=b&c=d": parameters as a
 * URL has them. Several files come as the form that the daemon itself takes.
 *
 * Threads: one.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "schema/limits.h"
#include "schema/problem.h"
#include "service/call.h"

/* All parsers: X(name, what it reads). */
#define FUZZ_TARGETS(X)                                                                            \
    X(world, "worlds, and single obstacles, in JSON; as far as the engine checks them")            \
    X(patch, "changes of a world")                                                                 \
    X(robot, "robots in JSON; as far as the engine checks them")                                   \
    X(roadmap, "roadmap parameters and growths")                                                   \
    X(plan, "plan requests")                                                                       \
    X(plan_npy, "plan requests as arrays")                                                         \
    X(matrix, "matrix requests")                                                                   \
    X(questions, "validate, nearest and forward requests")                                         \
    X(compute, "requests to /v1/compute: JSON, npy and npz")                                       \
    X(numbers, "decimal numbers and texts")                                                        \
    X(answer, "answers as clients read them")                                                      \
    X(npy, "numpy arrays")                                                                         \
    X(npz, "archives of numpy arrays")                                                             \
    X(movingai, "MovingAI maps")                                                                   \
    X(ros_map, "maps of ROS, as forms")                                                            \
    X(octomap, "OctoMap trees")                                                                    \
    X(scene, "MoveIt scenes")                                                                      \
    X(pcd, "point clouds of PCL")                                                                  \
    X(ply, "point clouds in PLY")                                                                  \
    X(xyz, "point clouds as lines")                                                                \
    X(npy_points, "point clouds as numpy arrays")                                                  \
    X(stl, "meshes in STL")                                                                        \
    X(obj, "meshes in OBJ")                                                                        \
    X(heightfield, "images as heights: PNG, PNM")                                                  \
    X(urdf, "URDF, alone or in a form with SRDF, spheres and options")                             \
    X(yaml, "YAML, and the spheres in it")                                                         \
    X(multipart, "forms")                                                                          \
    X(http, "request heads, targets and packed bodies")                                            \
    X(config, "files of options")                                                                  \
    X(tokens, "files of tokens, and the header that brings one")                                   \
    X(snapshot, "snapshots of roadmaps")                                                           \
    X(saved, "records of what is saved, and the files that keep it")                               \
    X(archive, "archives of a roadmap with its world and robot")                                   \
    X(events, "streams of server-sent events")                                                     \
    X(client, "the client's scenarios, maps' yaml and arguments")

#define X(name, what) void fuzz_##name(const char *data, size_t bytes);
FUZZ_TARGETS(X)
#undef X

struct fuzz_target {
    const char *name, *what;
    void (*run)(const char *data, size_t bytes);
};

extern const struct fuzz_target fuzz_targets[];
extern const size_t fuzz_target_count;

/* The target of a name; NULL: there is none. */
const struct fuzz_target *fuzz_find(const char *name);

/* Runs a target, and fails it where it takes more than a second of this process' time. */
void fuzz_run(const struct fuzz_target *target, const char *data, size_t bytes);

/* ---- for the targets ---- */

/* What must hold, else the process ends by abort(). */
#define fuzz_must(condition) ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__))
_Noreturn void fuzz_fail(const char *condition, const char *file, int line);

/* The defaults, but for what one input may unpack to, which costs time as it is large. */
const struct limits *fuzz_limits(void);

/* A reader took the input, or named faults; these are written as JSON that can be read. */
void fuzz_judge(bool good, const struct problem *problem);

/* What was written is taken again: `good`, as fuzz_judge has it. */
void fuzz_taken(bool good, const struct text *written, const struct problem *problem);

/* Two texts are the same bytes. */
void fuzz_same(const struct text *a, const struct text *b);

/* The input as a request: parameters of its first line where that begins with '?', and the rest as
 * the body, borrowed. `line` holds the parameters and lives as long as the call. */
enum { FUZZ_LINE_BYTES = 512 };
void fuzz_call(struct call *call, char line[FUZZ_LINE_BYTES], const char *data, size_t bytes);

/* The input as a terminated string of its own, without its zeros; the caller frees. */
char *fuzz_string(const char *data, size_t bytes);

#endif
