#include "bench.h"
#include "families.h"
#include "plain.h"
#include "points.h"
#include "roadmap/nearest/neighbors.h"
#include "standard.h"

#include <stdio.h>
#include <stdlib.h>

enum { K = 10, DIMENSION_MAX = 12, RECALL_SAMPLES = 512 };
#define TARGET_RECALL 0.95
/* What is quadratic, or slow in many dimensions, is not asked about more points; what is both about
 * fewer still. */
enum { SLOW_MAX = 50000, SLOWEST_MAX = 10000 };

struct searches {
    struct contest *contest;
    struct points points;
    enum prm_neighbor_method method;
    uint32_t *out; /* [count][K] */
    struct prm_buffer d_out;
    struct prm_neighbor_statistics statistics;
    double recall;
};

/* Index and lists, by the method chosen; the recall is measured afterwards. */
static void search(struct searches *s, bool measure)
{
    const struct prm_neighbor_options options = {
        .method = s->method, .k = K, .target_recall = TARGET_RECALL, .seed = 1};
    struct prm_arena *arena = s->contest->arena;
    struct prm_neighbor_index *index = NULL;
    bench_must(prm_neighbor_index_create(arena, &index, &s->points.embedding, s->points.device,
                                         s->points.count, &options),
               "neighbours");
    bench_must(prm_neighbors_self(arena, s->d_out, PRM_NO_BUFFER, index, 0, s->points.count),
               "neighbours");
    if (measure)
        bench_must(prm_neighbors_recall(arena, &s->recall, index, s->d_out, RECALL_SAMPLES),
                   "recall");
    bench_must(prm_context_finish(s->contest->context), "neighbours");
    s->statistics = prm_neighbor_statistics(index);
    prm_neighbor_index_destroy(index);
}

static void search_tiles(void *work)
{
    struct searches *s = work;
    s->method = PRM_NEIGHBOR_TILES;
    search(s, false);
}

static void search_lsh(void *work)
{
    struct searches *s = work;
    s->method = PRM_NEIGHBOR_LSH;
    search(s, false);
}

static void search_exact(void *work)
{
    struct searches *s = work;
    s->method = PRM_NEIGHBOR_EXACT;
    search(s, false);
}

static void search_nanoflann(void *work)
{
    struct searches *s = work;
    standard.neighbors(s->out, s->points.rows, s->points.count, s->points.embedding.dof, K, 2);
}

static void search_plain(void *work)
{
    struct searches *s = work;
    plain_neighbors(s->out, s->points.columns, s->points.count, s->points.embedding.dof, K, 2);
}

/* Neighbours are no stream: nothing is stated. */
static const struct traffic traffic[] = {{NULL, 0}};

static void searches_open(struct searches *s, struct contest *contest, uint32_t dimension)
{
    const size_t n = contest->sizes[contest->size];
    *s = (struct searches){.contest = contest};
    points_init(&s->points, contest->context, dimension, n);
    s->out = bench_memory(n * K * sizeof *s->out);
    s->d_out = bench_buffer(contest->context, NULL, n * K);
}

static void searches_close(struct searches *s)
{
    points_deinit(&s->points, s->contest->context);
    prm_buffer_destroy(s->contest->context, &s->d_out);
    free(s->out);
}

void family_neighbors(struct contest *contest)
{
    static const struct {
        uint32_t dimension;
        const char *operation;
    } cases[] = {{3, "10 nearest, 3 dimensions"},
                 {6, "10 nearest, 6 dimensions"},
                 {DIMENSION_MAX, "10 nearest, 12 dimensions"}};
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        struct searches s;
        const char *operation = cases[i].operation;
        searches_open(&s, contest, cases[i].dimension);
        const bool high = s.points.embedding.dof == DIMENSION_MAX;
        const size_t quadratic_max = s.points.embedding.dof > 3 ? SLOWEST_MAX : SLOW_MAX;
        const struct contender contenders[] = {
            {"prm tiles", NULL, search_tiles, traffic, 0},
            {"prm lsh", NULL, search_lsh, traffic, high ? SLOW_MAX : 0},
            {"prm exact", NULL, search_exact, traffic, quadratic_max},
            {"nanoflann, 2 threads", NULL, standard.neighbors ? search_nanoflann : NULL, NULL,
             high ? SLOW_MAX : 0},
            {"plain brute force, 2 threads", NULL, search_plain, NULL, quadratic_max}};
        contest_measure(contest, operation, contenders, COUNT_OF(contenders), &s);
        if (!contest->profiling) {
            s.method = PRM_NEIGHBOR_TILES;
            search(&s, true);
            contest_note(contest, operation, "prm tiles", "recall %.3f", s.recall);
        }
        if (!contest->profiling && (!high || s.points.count <= SLOW_MAX)) {
            s.method = PRM_NEIGHBOR_LSH;
            search(&s, true);
            contest_note(contest, operation, "prm lsh", "recall %.3f, M %u, L %u", s.recall,
                         s.statistics.projections, s.statistics.tables);
        }
        searches_close(&s);
    }
}
