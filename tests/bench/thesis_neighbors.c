#include "bench.h"
#include "plain.h"
#include "points.h"
#include "roadmap/nearest/neighbors.h"
#include "thesis.h"

enum { LISTED = PRM_NEIGHBORS_MAX, K = 10, RECALL_SAMPLES = 256 };
#define TARGET_RECALL 0.9

struct cloud {
    const struct thesis *thesis;
    struct points points;
    uint32_t *out; /* [count][LISTED] */
    struct prm_buffer d_out;
    struct prm_neighbor_options options;
};

static void cloud_open(struct cloud *cloud, const struct thesis *thesis, uint32_t dof, size_t n)
{
    *cloud = (struct cloud){.thesis = thesis};
    points_init(&cloud->points, thesis->context, dof, n);
    cloud->out = bench_memory(n * LISTED * sizeof *cloud->out);
    cloud->d_out = bench_buffer(thesis->context, NULL, n * LISTED);
}

static void cloud_close(struct cloud *cloud)
{
    points_deinit(&cloud->points, cloud->thesis->context);
    prm_buffer_destroy(cloud->thesis->context, &cloud->d_out);
    free(cloud->out);
}

/* Index and lists by the cloud's options; recall and pairs unless NULL. */
static void search_all(struct cloud *cloud, double *recall, double *pairs)
{
    struct prm_arena *arena = cloud->thesis->arena;
    struct prm_neighbor_index *index = NULL;
    uint64_t tested = 0;
    bench_must(prm_neighbor_index_create(arena, &index, &cloud->points.embedding,
                                         cloud->points.device, cloud->points.count,
                                         &cloud->options),
               "neighbours");
    bench_must(
        prm_neighbors_self(arena, cloud->d_out, PRM_NO_BUFFER, index, 0, cloud->points.count),
        "neighbours");
    if (recall)
        bench_must(prm_neighbors_recall(arena, recall, index, cloud->d_out, RECALL_SAMPLES),
                   "recall");
    if (pairs)
        bench_must(prm_neighbor_pairs(index, &tested), "pairs");
    if (pairs)
        *pairs = (double)tested;
    bench_must(prm_context_finish(cloud->thesis->context), "neighbours");
    prm_neighbor_index_destroy(index);
}

static void search(void *work)
{
    search_all(work, NULL, NULL);
}

static void search_plain(void *work)
{
    struct cloud *cloud = work;
    plain_neighbors(cloud->out, cloud->points.columns, cloud->points.count,
                    cloud->points.embedding.dof, K, 1);
}

/* ---- mean neighbours against the parameters ---- */

/* So few points that lists are not full, and two clouds of them: 6 and 12 dimensions. */
enum { POINTS = 200, SEEDS = 16, CLOUDS = 2 };

/* How many a point has in its lists, the mean over points and seeds. */
static double mean_listed(struct cloud *cloud)
{
    size_t listed = 0;
    for (cloud->options.seed = 1; cloud->options.seed <= SEEDS; cloud->options.seed++) {
        search(cloud);
        bench_must(prm_buffer_read(cloud->thesis->context, cloud->d_out, 0, cloud->out,
                                   cloud->points.count * LISTED * sizeof *cloud->out),
                   "neighbours");
        for (size_t i = 0; i < cloud->points.count * LISTED; i++)
            listed += cloud->out[i] != UINT32_MAX;
    }
    return (double)listed / (double)(cloud->points.count * SEEDS);
}

/* A line of a table: the parameter's value, and the mean in each cloud. */
static void parameters_row(FILE *file, struct cloud clouds[CLOUDS], double value,
                           uint32_t projections, uint32_t tables, double width)
{
    fprintf(file, "%g", value);
    for (unsigned c = 0; c < CLOUDS; c++) {
        clouds[c].options = (struct prm_neighbor_options){.method = PRM_NEIGHBOR_LSH,
                                                          .k = LISTED,
                                                          .tables = tables,
                                                          .projections = projections,
                                                          .width = width};
        fprintf(file, ",%.4f", mean_listed(&clouds[c]));
    }
    fputc('\n', file);
}

static void parameters_figure(const struct thesis *thesis)
{
    enum { M = 4, M_MAX = 6, L = 4, L_MAX = 16, W_QUARTERS = 6 };
    const double w = 1;
    struct cloud clouds[CLOUDS];
    cloud_open(&clouds[0], thesis, 6, POINTS);
    cloud_open(&clouds[1], thesis, 12, POINTS);

    FILE *file = thesis_csv(thesis, "neighbors_m.csv", "m,dimensions_6,dimensions_12");
    for (uint32_t m = 1; m <= M_MAX; m++)
        parameters_row(file, clouds, m, m, 1, w);
    fclose(file);
    file = thesis_csv(thesis, "neighbors_l.csv", "l,dimensions_6,dimensions_12");
    for (uint32_t l = 1; l <= L_MAX; l++)
        parameters_row(file, clouds, l, M, l, w);
    fclose(file);
    file = thesis_csv(thesis, "neighbors_w.csv", "w,dimensions_6,dimensions_12");
    for (unsigned quarters = 1; quarters <= W_QUARTERS; quarters++)
        parameters_row(file, clouds, quarters / 4.0, M, L, quarters / 4.0);
    fclose(file);
    for (unsigned c = 0; c < CLOUDS; c++)
        cloud_close(&clouds[c]);
}

/* ---- time against n ---- */

static double search_ms(struct cloud *cloud, enum prm_neighbor_method method)
{
    cloud->options = (struct prm_neighbor_options){
        .method = method, .k = K, .target_recall = TARGET_RECALL, .seed = 1};
    return thesis_ms(cloud->thesis, NULL, search, cloud);
}

static void time_figure(const struct thesis *thesis, uint32_t dof, const char *name)
{
    enum { FIRST = 1000, QUADRATIC_LAST = 32000, LAST = 128000 };
    FILE *file =
        thesis_csv(thesis, name, "n,exact_cpu,prm_exact,prm_lsh,prm_tiles,lsh_recall,lsh_pairs");
    for (size_t n = FIRST; n <= LAST; n *= 2) {
        struct cloud cloud;
        double recall, pairs;
        cloud_open(&cloud, thesis, dof, n);
        const bool quadratic = n <= QUADRATIC_LAST;
        fprintf(file, "%zu,%.3f", n,
                quadratic ? thesis_ms(thesis, NULL, search_plain, &cloud) : NAN);
        fprintf(file, ",%.3f", quadratic ? search_ms(&cloud, PRM_NEIGHBOR_EXACT) : NAN);
        const double tiles = search_ms(&cloud, PRM_NEIGHBOR_TILES);
        const double lsh = search_ms(&cloud, PRM_NEIGHBOR_LSH);
        search_all(&cloud, &recall, &pairs);
        fprintf(file, ",%.3f,%.3f,%.4f,%.0f\n", lsh, tiles, recall, pairs);
        cloud_close(&cloud);
    }
    fclose(file);
}

void thesis_neighbors(const struct thesis *thesis)
{
    parameters_figure(thesis);
    time_figure(thesis, 6, "knn_6.csv");
    time_figure(thesis, 12, "knn_12.csv");
}
