/* Runners that order and find: sort, rank, hash, sample. */
#include "device/try.h"
#include "primitives/cuckoo.h"
#include "primitives/permutation.h"
#include "primitives/random.h"
#include "primitives/rank.h"
#include "service/compute/compute_run.h"

/* ---- sort ---- */

/* An array in the order found, as a result. */
static enum prm_status add_ordered(struct compute_run *run, const char *name,
                                   const struct compute_array *array, struct prm_buffer order)
{
    const uint32_t words = array->kind == COMPUTE_U64 ? 2 : 1;
    enum prm_status status = PRM_OK;
    struct prm_buffer in, out;
    TRY(compute_upload(run, &in, array));
    TRY(compute_take(run, &out, words * array->rows));
    TRY(prm_gather_rows(run->context, out, in, order, array->rows, words));
    TRY(compute_list(run, name, array->kind, out, array->rows, NULL));
cleanup:
    return status;
}

enum prm_status compute_sort(struct compute_run *run, bool *done)
{
    const struct compute_request *request = run->request;
    const struct compute_array *keys = &request->keys;
    const struct prm_sort_options options = {.type = compute_key_type(keys->kind),
                                             .bits_per_pass = request->bits_per_pass,
                                             .descending = request->descending};
    const size_t n = keys->rows;
    enum prm_status status = PRM_OK;
    struct prm_buffer sorted, permutation, order;
    (void)done;

    TRY(compute_upload(run, &sorted, keys));
    TRY(compute_take(run, &permutation, n));
    TRY(compute_take(run, &order, n));
    if (request->segment_size > 0)
        TRY(prm_radix_sort_segments(run->arena, sorted, PRM_NO_BUFFER, permutation, order, n,
                                    request->segment_size, &options));
    else
        TRY(prm_radix_sort(run->arena, sorted, PRM_NO_BUFFER, permutation, order, n, &options));
    TRY(compute_list(run, "keys", keys->kind, sorted, n, NULL));
    TRY(compute_list(run, "permutation", COMPUTE_U32, permutation, n, NULL));
    TRY(compute_list(run, "inverse_permutation", COMPUTE_U32, order, n, NULL));
    if (request->values.present)
        TRY(add_ordered(run, "values", &request->values, order));
cleanup:
    return status;
}

/* ---- rank ---- */

enum prm_status compute_rank(struct compute_run *run, bool *done)
{
    const struct compute_array *next = &run->request->next;
    struct prm_rank_result result = {0};
    enum prm_status status = PRM_OK;
    struct prm_buffer in, rank;
    (void)done;

    TRY(compute_upload(run, &in, next));
    TRY(compute_take(run, &rank, next->rows));
    TRY(prm_rank(run->arena, rank, in, PRM_NO_BUFFER, next->rows, &result));
    TRY(compute_list(run, "rank", COMPUTE_U32, rank, next->rows, NULL));
    TRY(compute_number(run, "rounds", COMPUTE_U32, result.rounds));
cleanup:
    return status;
}

/* ---- hash ---- */

enum prm_status compute_hash(struct compute_run *run, bool *done)
{
    const struct compute_request *request = run->request;
    const struct prm_cuckoo_options options = {.bucket_load = (float)request->bucket_load,
                                               .gamma = (float)request->gamma,
                                               .seed = request->seed};
    const size_t count = request->queries.rows;
    struct prm_cuckoo *table = NULL;
    enum prm_status status = PRM_OK;
    struct prm_buffer keys, values = PRM_NO_BUFFER, queries, found, present;
    struct compute_result *result;
    void *flags;
    (void)done;

    TRY(compute_upload(run, &keys, &request->keys));
    if (request->values.present)
        TRY(compute_upload(run, &values, &request->values));
    TRY(compute_upload(run, &queries, &request->queries));
    TRY(compute_take(run, &found, count));
    TRY(compute_take(run, &present, count));
    TRY(prm_cuckoo_create(run->arena, &table, keys, values, request->keys.rows, &options));
    TRY(prm_cuckoo_find(table, found, present, queries, count));
    TRY(compute_own(run, &flags, count * sizeof(uint32_t)));
    TRY(prm_buffer_read(run->context, present, 0, flags, count * sizeof(uint32_t)));
    // of a set, where the keys are
    TRY(compute_list(run, "values", request->values.present ? request->values.kind : COMPUTE_U32,
                     found, count, &result));
    result->present = flags;

    const struct prm_cuckoo_statistics statistics = prm_cuckoo_statistics(table);
    TRY(compute_number(run, "attempts", COMPUTE_U32, statistics.attempts));
    TRY(compute_number(run, "bytes", COMPUTE_U64, statistics.bytes));
cleanup:
    prm_cuckoo_destroy(table);
    return status;
}

/* ---- sample ---- */

/* A bound of each axis in scratch memory: of the request, one for all or for each, or `otherwise`.
 */
static enum prm_status upload_bound(struct compute_run *run, struct prm_buffer *buffer,
                                    const struct compute_array *bound, float otherwise)
{
    const uint32_t dimension = run->request->dimension;
    const float *given = bound->data;
    float values[COMPUTE_DIMENSION_MAX];
    enum prm_status status = PRM_OK;
    for (uint32_t d = 0; d < dimension; d++)
        values[d] = !bound->present ? otherwise : given[bound->rows > 1 ? d : 0];
    TRY(compute_take(run, buffer, dimension));
    TRY(prm_buffer_write(run->context, *buffer, 0, values, dimension * sizeof(float)));
cleanup:
    return status;
}

/* Brings numbers of [0, 1) into the ranges asked for, in place. */
static enum prm_status scale(struct compute_run *run, struct prm_buffer numbers)
{
    const struct compute_request *request = run->request;
    enum prm_status status = PRM_OK;
    struct prm_buffer lower, upper;
    if (!request->lower.present && !request->upper.present)
        return PRM_OK;
    TRY(upload_bound(run, &lower, &request->lower, 0.0f));
    TRY(upload_bound(run, &upper, &request->upper, 1.0f));
    TRY(prm_random_between(run->arena, numbers, request->count, request->dimension, lower, upper));
cleanup:
    return status;
}

enum prm_status compute_sample(struct compute_run *run, bool *done)
{
    const struct compute_request *request = run->request;
    const size_t numbers = (size_t)request->count * request->dimension;
    enum prm_status status = PRM_OK;
    struct prm_buffer out;
    void *values;
    (void)done;

    TRY(compute_take(run, &out, numbers));
    if (request->distribution == COMPUTE_HALTON)
        TRY(prm_random_halton(run->arena, out, request->count, request->dimension, request->seed,
                              0));
    else if (request->distribution == COMPUTE_NORMAL)
        TRY(prm_random_normal(run->arena, out, numbers, request->seed, 0,
                              request->generator == COMPUTE_PHILOX ? PRM_PHILOX : PRM_MT19937));
    else if (request->generator == COMPUTE_PHILOX)
        TRY(prm_random_philox(run->arena, out, numbers, request->seed, 0));
    else
        TRY(prm_random_uniform(run->arena, out, numbers, request->seed, 0));
    TRY(scale(run, out));
    TRY(compute_own(run, &values, numbers * sizeof(float)));
    TRY(prm_buffer_read(run->context, out, 0, values, numbers * sizeof(float)));
    compute_reply_rows(&run->reply, "values", COMPUTE_F32, values, request->count,
                       request->dimension);
cleanup:
    return status;
}
