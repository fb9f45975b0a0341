/* Runners that order and find: sort, rank, hash, sample. */
#include "device/try.h"
#include "primitives/cuckoo.h"
#include "primitives/random.h"
#include "primitives/rank.h"
#include "service/compute_run.h"

#include <math.h>
#include <stdlib.h>

/* ---- sort ---- */

/* What turns the order of 32-bit words around, not what is equal; 0: nothing. */
static uint32_t flip_of(const struct compute_request *request)
{
    static const uint32_t SIGN = UINT32_C(1) << 31;
    if (!request->descending)
        return 0;
    return request->keys.kind == COMPUTE_F32 ? SIGN : UINT32_MAX;
}

/* The 32-bit words that are sorted by, `word` of the `words` of a key, so that ascending is the
 * order wanted. */
static enum prm_status upload_words(struct compute_run *run, struct prm_buffer *buffer,
                                    uint32_t word, uint32_t words)
{
    const struct compute_array *keys = &run->request->keys;
    const uint32_t *items = keys->data;
    const uint32_t flip = flip_of(run->request);
    const size_t bytes = keys->rows * sizeof(uint32_t);
    enum prm_status status = PRM_OK;
    uint32_t *copy = NULL;

    TRY(compute_take(run, buffer, keys->rows));
    if (words == 1 && flip == 0) {
        TRY(prm_buffer_write(run->context, *buffer, 0, items, bytes));
        goto cleanup;
    }
    copy = malloc(bytes > 0 ? bytes : 1);
    if (!copy) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu keys", keys->rows);
        goto cleanup;
    }
    for (size_t i = 0; i < keys->rows; i++)
        copy[i] = items[words * i + word] ^ flip;
    TRY(prm_buffer_write(run->context, *buffer, 0, copy, bytes));
cleanup:
    free(copy);
    return status;
}

/* Sorts words and moves `order` along, whole or by segments. */
static enum prm_status sort_words(struct compute_run *run, struct prm_buffer keys,
                                  struct prm_buffer order)
{
    const struct compute_request *request = run->request;
    const struct prm_buffer none = {NULL, 0};
    const struct prm_sort_options options = {.type = compute_key_type(request->keys.kind),
                                             .bits_per_pass = request->bits_per_pass};
    if (request->segment_size > 0)
        return prm_radix_sort_segments(run->arena, keys, order, request->keys.rows,
                                       request->segment_size, &options);
    return prm_radix_sort(run->arena, keys, order, none, none, request->keys.rows, &options);
}

/* order[j] = which key is the j-th: u32[n], device. Keys of two words are sorted by the low ones
 * first, then stably by the high ones. */
static enum prm_status find_order(struct compute_run *run, struct prm_buffer order)
{
    const size_t n = run->request->keys.rows;
    const uint32_t words = run->request->keys.kind == COMPUTE_U64 ? 2 : 1;
    enum prm_status status = PRM_OK;
    struct prm_buffer low, high, moved;
    uint32_t *places = NULL;

    places = malloc((n + 1) * sizeof(*places));
    if (!places) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu keys", n);
        goto cleanup;
    }
    for (size_t i = 0; i < n; i++)
        places[i] = (uint32_t)i;
    TRY(prm_buffer_write(run->context, order, 0, places, n * sizeof(*places)));
    TRY(upload_words(run, &low, 0, words));
    TRY(sort_words(run, low, order));
    if (words > 1) {
        TRY(upload_words(run, &high, 1, words));
        TRY(compute_take(run, &moved, n));
        TRY(prm_gather_rows(run->context, moved, high, order, n, 1));
        TRY(sort_words(run, moved, order));
    }
cleanup:
    free(places);
    return status;
}

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

/* Keys of one word, all together: the sort itself gives keys and both permutations. */
static enum prm_status sort_plain(struct compute_run *run, struct prm_buffer order)
{
    const struct compute_array *keys = &run->request->keys;
    const struct prm_sort_options options = {.type = compute_key_type(keys->kind),
                                             .bits_per_pass = run->request->bits_per_pass};
    const uint32_t flip = flip_of(run->request);
    const struct prm_buffer none = {NULL, 0};
    enum prm_status status = PRM_OK;
    struct prm_buffer words, permutation;

    TRY(upload_words(run, &words, 0, 1));
    TRY(compute_take(run, &permutation, keys->rows));
    TRY(prm_radix_sort(run->arena, words, none, permutation, order, keys->rows, &options));
    TRY(compute_list(run, "keys", keys->kind, words, keys->rows, NULL));
    uint32_t *sorted = run->owned[run->owned_count - 1];
    for (size_t i = 0; flip && i < keys->rows; i++)
        sorted[i] ^= flip;
    TRY(compute_list(run, "permutation", COMPUTE_U32, permutation, keys->rows, NULL));
    TRY(compute_list(run, "inverse_permutation", COMPUTE_U32, order, keys->rows, NULL));
cleanup:
    return status;
}

/* Wide keys, and segments: the order first, and what follows from it. */
static enum prm_status sort_by_order(struct compute_run *run, struct prm_buffer order)
{
    const struct compute_array *keys = &run->request->keys;
    enum prm_status status = PRM_OK;
    void *permutation;

    TRY(find_order(run, order));
    TRY(add_ordered(run, "keys", keys, order));
    TRY(compute_list(run, "inverse_permutation", COMPUTE_U32, order, keys->rows, NULL));
    // where each went: the inverse of which came
    const uint32_t *inverse = run->owned[run->owned_count - 1];
    TRY(compute_own(run, &permutation, keys->rows * sizeof(uint32_t)));
    for (size_t j = 0; j < keys->rows; j++)
        ((uint32_t *)permutation)[inverse[j]] = (uint32_t)j;
    compute_reply_list(&run->reply, "permutation", COMPUTE_U32, permutation, keys->rows);
cleanup:
    return status;
}

enum prm_status compute_sort(struct compute_run *run, bool *done)
{
    const struct compute_request *request = run->request;
    const bool is_plain = request->keys.kind != COMPUTE_U64 && request->segment_size == 0;
    enum prm_status status = PRM_OK;
    struct prm_buffer order;
    (void)done;

    TRY(compute_take(run, &order, request->keys.rows));
    TRY(is_plain ? sort_plain(run, order) : sort_by_order(run, order));
    if (request->values.present)
        TRY(add_ordered(run, "values", &request->values, order));
cleanup:
    return status;
}

/* ---- rank ---- */

enum prm_status compute_rank(struct compute_run *run, bool *done)
{
    const struct compute_array *next = &run->request->next;
    const struct prm_buffer none = {NULL, 0};
    struct prm_rank_result result = {0};
    enum prm_status status = PRM_OK;
    struct prm_buffer in, rank;
    (void)done;

    TRY(compute_upload(run, &in, next));
    TRY(compute_take(run, &rank, next->rows));
    TRY(prm_rank(run->arena, rank, in, none, next->rows, &result));
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
    struct prm_buffer keys, values, queries, found, present;
    struct compute_result *result;
    void *flags;
    (void)done;

    TRY(compute_upload(run, &keys, &request->keys));
    TRY(compute_upload(run, &values, &request->values));
    TRY(compute_upload(run, &queries, &request->queries));
    TRY(compute_take(run, &found, count));
    TRY(compute_take(run, &present, count));
    TRY(prm_cuckoo_create(run->arena, &table, keys, values, request->keys.rows, &options));
    TRY(prm_cuckoo_find(table, found, present, queries, count));
    TRY(compute_own(run, &flags, count * sizeof(uint32_t)));
    TRY(prm_buffer_read(run->context, present, 0, flags, count * sizeof(uint32_t)));
    TRY(compute_list(run, "values", request->values.kind, found, count, &result));
    result->present = flags;

    const struct prm_cuckoo_statistics statistics = prm_cuckoo_statistics(table);
    TRY(compute_number(run, "attempts", COMPUTE_U32, statistics.attempts));
    TRY(compute_number(run, "bytes", COMPUTE_U64, statistics.bytes));
cleanup:
    prm_cuckoo_destroy(table);
    return status;
}

/* ---- sample ---- */

/* Brings numbers of [0, 1) into the ranges asked for, in place. A product that rounds up to the
 * upper bound stays below it. */
static void scale(const struct compute_request *request, float *values)
{
    const struct compute_array *lower = &request->lower, *upper = &request->upper;
    const float *low = lower->data, *high = upper->data;
    for (uint32_t d = 0; d < request->dimension; d++) {
        const float from = !lower->present ? 0.0f : low[lower->rows > 1 ? d : 0];
        const float to = !upper->present ? 1.0f : high[upper->rows > 1 ? d : 0];
        for (size_t i = d; i < (size_t)request->count * request->dimension;
             i += request->dimension) {
            const float value =
                (float)((double)from + (double)values[i] * ((double)to - (double)from));
            values[i] = value < to || from == to ? value : nextafterf(to, from);
        }
    }
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
    if (request->distribution == COMPUTE_HALTON) {
        TRY(prm_random_halton(run->arena, out, request->count, request->dimension, request->seed,
                              0));
    } else if (request->distribution == COMPUTE_NORMAL || request->generator == COMPUTE_PHILOX) {
        status = prm_fault_set(PRM_UNSUPPORTED, "only uniform by mt19937 and halton are there yet");
        goto cleanup;
    } else {
        TRY(prm_random_uniform(run->arena, out, numbers, request->seed, 0));
    }
    TRY(compute_own(run, &values, numbers * sizeof(float)));
    TRY(prm_buffer_read(run->context, out, 0, values, numbers * sizeof(float)));
    if (request->lower.present || request->upper.present)
        scale(request, values);
    compute_reply_rows(&run->reply, "values", COMPUTE_F32, values, request->count,
                       request->dimension);
cleanup:
    return status;
}
