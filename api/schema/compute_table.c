#include "schema/compute_table.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- words ---- */

static const struct json_word scan_words[] = {{"auto", COMPUTE_SCAN_AUTO},
                                              {"blelloch", COMPUTE_SCAN_BLELLOCH},
                                              {"hillis-steele", COMPUTE_SCAN_HILLIS_STEELE},
                                              {NULL, 0}};
static const struct json_word distribution_words[] = {{"uniform", COMPUTE_UNIFORM},
                                                      {"normal", COMPUTE_NORMAL},
                                                      {"halton", COMPUTE_HALTON},
                                                      {NULL, 0}};
static const struct json_word generator_words[] = {
    {"mt19937", COMPUTE_MT19937}, {"philox", COMPUTE_PHILOX}, {NULL, 0}};
static const struct json_word knn_words[] = {{"auto", COMPUTE_KNN_AUTO},
                                             {"lsh", COMPUTE_KNN_LSH},
                                             {"tiles", COMPUTE_KNN_TILES},
                                             {"exact", COMPUTE_KNN_EXACT},
                                             {NULL, 0}};
static const struct json_word objective_words[] = {
    {"hops", COMPUTE_HOPS}, {"length", COMPUTE_LENGTH}, {NULL, 0}};

const struct json_word compute_type_words[] = {{"u32", COMPUTE_U32},
                                               {"i32", COMPUTE_I32},
                                               {"f32", COMPUTE_F32},
                                               {"u64", COMPUTE_U64},
                                               {NULL, 0}};

const struct compute_request compute_defaults = {
    .exclusive = true,
    .bucket_load = 0.7,
    .gamma = 0.3,
    .seed = 1,
    .dimension = 1,
    .target_recall = 0.95,
};

/* ---- fields ---- */

#define AT(member) offsetof(struct compute_request, member)
#define ARRAY(name, kind, flags, member)                                                           \
    {                                                                                              \
        name, kind, flags, AT(member), 0, 0, 0, NULL                                               \
    }
#define FLAGGED(name, member)                                                                      \
    {                                                                                              \
        name, FIELD_BOOL, 0, AT(member), 0, 0, 0, NULL                                             \
    }
#define WHOLE(name, flags, member, min, max)                                                       \
    {                                                                                              \
        name, FIELD_U32, flags, AT(member), min, max, 0, NULL                                      \
    }
#define LIMITED(name, member, min, limit)                                                          \
    {                                                                                              \
        name, FIELD_U32, FIELD_REQUIRED | FIELD_LIMITED, AT(member), min, 0, LIMIT_##limit, NULL   \
    }
#define REAL(name, flags, member, min, max)                                                        \
    {                                                                                              \
        name, FIELD_DOUBLE, flags, AT(member), min, max, 0, NULL                                   \
    }
#define WORD(name, member, words)                                                                  \
    {                                                                                              \
        name, FIELD_WORD, 0, AT(member), 0, 0, 0, words                                            \
    }
#define TYPE                                                                                       \
    {                                                                                              \
        "type", FIELD_TYPE, 0, AT(kind), 0, 0, 0, NULL                                             \
    }
#define SEED                                                                                       \
    {                                                                                              \
        "seed", FIELD_SEED, 0, AT(seed), 0, 0, 0, NULL                                             \
    }
#define SEGMENT_SIZE WHOLE("segment_size", 0, segment_size, 1, UINT32_MAX)

enum { BIT_MAX = 31 };

static const struct compute_field scan_fields[] = {
    ARRAY("values", FIELD_TYPED, FIELD_REQUIRED, values), TYPE, FLAGGED("exclusive", exclusive),
    WORD("method", scan_method, scan_words), SEGMENT_SIZE};

static const struct compute_field compact_fields[] = {
    ARRAY("values", FIELD_TYPED, FIELD_REQUIRED, values), TYPE,
    ARRAY("flags", FIELD_FLAG, FIELD_REQUIRED, flags), SEGMENT_SIZE};

/* repeats and unique */
static const struct compute_field run_fields[] = {
    ARRAY("values", FIELD_TYPED, FIELD_REQUIRED, values), TYPE};

static const struct compute_field split_fields[] = {
    ARRAY("values", FIELD_TYPED, FIELD_REQUIRED, values), TYPE,
    WHOLE("bit", FIELD_REQUIRED, bit, 0, BIT_MAX)};

static const struct compute_field bin_fields[] = {
    ARRAY("values", FIELD_TYPED, FIELD_REQUIRED, values), TYPE,
    ARRAY("edges", FIELD_TYPED, FIELD_FINITE, edges),
    ARRAY("intervals", FIELD_TYPED, FIELD_FINITE | FIELD_PAIRS, intervals)};

static const struct compute_field histogram_fields[] = {
    ARRAY("values", FIELD_TYPED, FIELD_REQUIRED, values), TYPE,
    LIMITED("bins", bins, 1, compute_elements),
    REAL("min", FIELD_REQUIRED, min, -INFINITY, INFINITY),
    REAL("max", FIELD_REQUIRED, max, -INFINITY, INFINITY)};

static const struct compute_field sort_fields[] = {
    ARRAY("keys", FIELD_TYPED, FIELD_REQUIRED, keys),
    TYPE,
    ARRAY("values", FIELD_PAYLOAD, 0, values),
    WHOLE("bits_per_pass", 0, bits_per_pass, 1, COMPUTE_SORT_BITS_MAX),
    SEGMENT_SIZE,
    FLAGGED("descending", descending)};

static const struct compute_field rank_fields[] = {ARRAY("next", FIELD_INDEX, FIELD_REQUIRED, next),
                                                   TYPE};

static const struct compute_field hash_fields[] = {
    ARRAY("keys", FIELD_INDEX, FIELD_REQUIRED, keys),
    TYPE,
    ARRAY("values", FIELD_TYPED, 0, values),
    ARRAY("queries", FIELD_INDEX, FIELD_REQUIRED, queries),
    REAL("bucket_load", 0, bucket_load, 0, 1),
    REAL("gamma", 0, gamma, 0, 1),
    SEED};

static const struct compute_field sample_fields[] = {
    SEED,
    TYPE,
    LIMITED("count", count, 0, compute_elements),
    WHOLE("dimension", 0, dimension, 1, COMPUTE_DIMENSION_MAX),
    WORD("distribution", distribution, distribution_words),
    WORD("generator", generator, generator_words),
    ARRAY("min", FIELD_REAL, FIELD_FINITE | FIELD_ONE, lower),
    ARRAY("max", FIELD_REAL, FIELD_FINITE | FIELD_ONE, upper)};

static const struct compute_field knn_fields[] = {
    ARRAY("points", FIELD_REAL, FIELD_REQUIRED | FIELD_FINITE | FIELD_ROWS, points),
    TYPE,
    ARRAY("queries", FIELD_REAL, FIELD_FINITE | FIELD_ROWS, queries),
    LIMITED("k", k, 1, neighbors),
    REAL("radius", 0, radius, 0, INFINITY),
    ARRAY("weights", FIELD_REAL, FIELD_FINITE, weights),
    WORD("method", knn_method, knn_words),
    WHOLE("tables", 0, tables, 1, COMPUTE_TABLES_MAX),
    WHOLE("projections", 0, projections, 1, COMPUTE_DIMENSION_MAX),
    REAL("width", 0, width, 0, INFINITY),
    REAL("target_recall", FIELD_CLOSED, target_recall, 0, 1),
    SEED};

static const struct compute_field bfs_fields[] = {
    ARRAY("edges", FIELD_INDEX, FIELD_REQUIRED | FIELD_PAIRS, edges),
    TYPE,
    LIMITED("vertices", vertices, 0, compute_elements),
    ARRAY("weights", FIELD_REAL, FIELD_FINITE, weights),
    ARRAY("sources", FIELD_INDEX, FIELD_REQUIRED, sources),
    WORD("objective", objective, objective_words)};

/* ---- operations ---- */

#define FIELDS(fields) fields, sizeof(fields) / sizeof *(fields)

enum {
    U32 = 1 << COMPUTE_U32,
    I32 = 1 << COMPUTE_I32,
    F32 = 1 << COMPUTE_F32,
    U64 = 1 << COMPUTE_U64,
    WHOLE_32 = U32 | I32,
    ANY_32 = U32 | I32 | F32,
};

const struct compute_row compute_table[COMPUTE_OP_COUNT] = {
    [COMPUTE_SCAN] = {"scan", WHOLE_32, true, FIELDS(scan_fields)},
    [COMPUTE_COMPACT] = {"compact", ANY_32, true, FIELDS(compact_fields)},
    [COMPUTE_REPEATS] = {"repeats", ANY_32, true, FIELDS(run_fields)},
    [COMPUTE_UNIQUE] = {"unique", ANY_32, true, FIELDS(run_fields)},
    [COMPUTE_SPLIT] = {"split", WHOLE_32, true, FIELDS(split_fields)},
    [COMPUTE_BIN] = {"bin", ANY_32, true, FIELDS(bin_fields)},
    [COMPUTE_HISTOGRAM] = {"histogram", ANY_32, true, FIELDS(histogram_fields)},
    [COMPUTE_SORT] = {"sort", ANY_32 | U64, true, FIELDS(sort_fields)},
    [COMPUTE_RANK] = {"rank", U32, true, FIELDS(rank_fields)},
    [COMPUTE_HASH] = {"hash", ANY_32, true, FIELDS(hash_fields)},
    [COMPUTE_SAMPLE] = {"sample", F32, false, FIELDS(sample_fields)},
    [COMPUTE_KNN] = {"knn", F32, true, FIELDS(knn_fields)},
    [COMPUTE_BFS] = {"bfs", U32, true, FIELDS(bfs_fields)},
};

enum compute_op compute_op_find(const char *name)
{
    unsigned op = 0;
    while (op < COMPUTE_OP_COUNT && strcmp(compute_table[op].name, name) != 0)
        op++;
    return (enum compute_op)op;
}

const char *compute_op_name(enum compute_op op)
{
    return compute_table[op].name;
}

struct compute_array *compute_field_array(struct compute_request *request,
                                          const struct compute_field *field)
{
    return (struct compute_array *)((char *)request + field->offset);
}
