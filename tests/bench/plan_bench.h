/* A problem on a device, measured: builds, landmarks, batches, single queries, JSON. */
#ifndef BENCH_PLAN_BENCH_H
#define BENCH_PLAN_BENCH_H

#include "bench.h"
#include "plain_paths.h"
#include "problem.h"

enum { BENCH_RUNS_MAX = 64 };

struct bench {
    struct prm_context *context;
    struct prm_arena *arena;
    struct prm_planner *planner;
    struct prm_world *world;
    struct prm_roadmap *roadmap;
    struct prm_validity *validity;
    const struct problem_files *files;
    uint32_t milestones;
    double bridge; /* share of milestones by the bridge test; 0: all are uniform */
    unsigned runs; /* whose medians are taken, after one that does not count */
};

/* Opens the device that PRMD_DEVICE and PRMD_TUNING choose and puts the problem's world on it. */
void bench_open(struct bench *bench, const struct problem_files *files, uint32_t milestones,
                unsigned runs, bool time_kernels);
/* Goes on to another problem, whose roadmap is to be built. */
void bench_change(struct bench *bench, const struct problem_files *files);
void bench_close(struct bench *bench);

/* Builds once from the beginning, in place of the roadmap there was; milliseconds. */
double bench_build_once(struct bench *bench);

/* Builds; the medians of the whole and of stages[PRM_STAGES_MAX]. */
double bench_build(struct bench *bench, double *stages);

/* Makes the landmarks, which a service does when nothing else waits: milliseconds; the longest of
 * its steps, and their number. */
double bench_refine(struct bench *bench, double *longest, unsigned *steps);

/* The problem's queries, each so often, as [query_count · repeats] in rounds; in the repeats ends
 * are moved by up to `shift` a coordinate, so that no two are alike. The caller frees both. */
struct prm_query *bench_queries(const struct problem_files *files, uint32_t repeats, double shift,
                                double **ends);

/* One batch's measurement. */
struct measure {
    double ms, queries_per_s, mean_length;
    uint32_t solved, expanded, count;
    struct prm_plan_times times; /* of the run nearest to the median */
};

struct measure bench_batch(struct bench *bench, const struct prm_query *queries, uint32_t count,
                           const struct prm_plan_options *options);

/* The latency of single queries for paths, each a batch of its own: median and 99th percentile. */
double bench_singles(struct bench *bench, double *p99);

/* The request read from JSON and the answer written, microseconds a query. */
struct json_measure {
    double read_us, write_us, answer_bytes;
};
struct json_measure bench_json(struct bench *bench);

/* What a plain search needs for the same queries on the same graph, on two threads. */
struct plain_paths bench_plain_paths(struct bench *bench);

#endif
