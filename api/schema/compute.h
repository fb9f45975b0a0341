/* The algorithms on their own: requests and replies of POST /v1/compute/{op} (api page, section 7),
 * JSON or npy/npz <-> plain structs.
 *
 * A request is one struct for all operations: named arrays and named options, of which each
 * operation has its own; one table says which (compute_table.h). Whatever the schema can check is
 * checked before it answers: kinds, ranges, lengths, order, indices. What only the device can see
 * (a repeated key, a cycle) is the engine's to refuse.
 *
 * Cost: an array whose items are already of the right kind is not copied but borrowed from the
 * body; others are converted once.
 */
#ifndef SCHEMA_COMPUTE_H
#define SCHEMA_COMPUTE_H

#include "schema/npy.h"

enum compute_op {
    COMPUTE_SCAN,
    COMPUTE_COMPACT,
    COMPUTE_REPEATS,
    COMPUTE_UNIQUE,
    COMPUTE_SPLIT,
    COMPUTE_BIN,
    COMPUTE_HISTOGRAM,
    COMPUTE_SORT,
    COMPUTE_RANK,
    COMPUTE_HASH,
    COMPUTE_SAMPLE,
    COMPUTE_KNN,
    COMPUTE_BFS,
    COMPUTE_OP_COUNT
};

/* The operation of a name, or COMPUTE_OP_COUNT. */
enum compute_op compute_op_find(const char *name);
const char *compute_op_name(enum compute_op op);

enum compute_kind { COMPUTE_U32, COMPUTE_I32, COMPUTE_F32, COMPUTE_U64, COMPUTE_I64, COMPUTE_F64 };

enum { COMPUTE_DIMENSION_MAX = 32, COMPUTE_SORT_BITS_MAX = 8, COMPUTE_TABLES_MAX = 64 };

/* An array of a request. Row-major; a list has one column. */
struct compute_array {
    bool present;
    enum compute_kind kind; /* U32, I32, F32 or U64 */
    size_t rows, columns;
    const void *data; /* [rows][columns], aligned to its items; of the body, or in `owned` */
    void *owned;
};

enum compute_scan { COMPUTE_SCAN_AUTO, COMPUTE_SCAN_BLELLOCH, COMPUTE_SCAN_HILLIS_STEELE };
enum compute_distribution { COMPUTE_UNIFORM, COMPUTE_NORMAL, COMPUTE_HALTON };
enum compute_generator { COMPUTE_MT19937, COMPUTE_PHILOX };
enum compute_knn { COMPUTE_KNN_AUTO, COMPUTE_KNN_LSH, COMPUTE_KNN_TILES, COMPUTE_KNN_EXACT };
enum compute_objective { COMPUTE_OBJECTIVE_NONE, COMPUTE_HOPS, COMPUTE_LENGTH };

struct compute_request {
    enum compute_op op;
    enum compute_kind kind; /* of the arrays that `type` speaks of */

    /* arrays; those that a request lacks are not present */
    struct compute_array values;    /* scan … hash: kind; of sort: its own kind */
    struct compute_array flags;     /* compact: u32[values.rows] of 0 and 1 */
    struct compute_array edges;     /* bin: kind, ascending · bfs: u32[][2], below `vertices` */
    struct compute_array intervals; /* bin: kind [][2], lower <= upper, half open */
    struct compute_array keys;      /* sort: kind · hash: u32[values.rows] */
    struct compute_array next;      /* rank: u32, each below next.rows */
    struct compute_array points;    /* knn: f32, finite */
    struct compute_array queries;   /* knn: f32[][points.columns] · hash: u32 */
    struct compute_array weights; /* knn: f32[points.columns], > 0 · bfs: f32[edges.rows], >= 0 */
    struct compute_array sources; /* bfs: u32, below `vertices` */
    struct compute_array lower, upper; /* sample's min and max: f32[1] or [dimension] */

    /* options */
    uint32_t segment_size;  /* divides the values or keys; 0: none */
    bool exclusive;         /* scan */
    int scan_method;        /* enum compute_scan */
    uint32_t bit;           /* split: 0 … 31 */
    uint32_t bins;          /* histogram */
    double min, max;        /* histogram: min < max */
    uint32_t bits_per_pass; /* sort; 0: the device's choice */
    bool descending;
    double bucket_load, gamma; /* hash */
    uint64_t seed;             /* hash, sample, knn */
    uint32_t count, dimension; /* sample */
    int distribution;          /* enum compute_distribution */
    int generator;             /* enum compute_generator */
    uint32_t k;                /* knn */
    double radius;             /* 0: none */
    int knn_method;            /* enum compute_knn */
    uint32_t tables, projections;
    double width; /* lsh; 0: chosen */
    double target_recall;
    uint32_t vertices; /* bfs */
    int objective;     /* COMPUTE_HOPS or COMPUTE_LENGTH after reading */
};

/* What a body is. */
enum compute_format { COMPUTE_JSON, COMPUTE_NPY, COMPUTE_NPZ };

/* The format of a Content-Type, parameters ignored; JSON where there is none (NULL). -1: unknown.
 */
int compute_format_of(const char *content_type);

/* An option in the URL, decoded. */
struct compute_parameter {
    const char *key, *value;
};

/* Parses and validates a body. JSON: an object of all members. npy: one array, the operation's main
 * member. npz: members by their names, options as arrays of one item. Options may come as URL
 * parameters in each. The request may borrow from the body, which must stay. false: `problem` says
 * all that is wrong, with the element ("/values/17"), and there is nothing to deinit. */
bool compute_request_read(struct compute_request *request, enum compute_op op,
                          enum compute_format format, const char *body, size_t bytes,
                          const struct compute_parameter *parameters, unsigned parameter_count,
                          const struct limits *limits, struct problem *problem);
void compute_request_deinit(struct compute_request *request);

/* ---- replies ---- */

/* How a result says "none": u32 by UINT32_MAX, f32 by what is not finite. npz has these as they
 * are. */
enum compute_none {
    COMPUTE_NONE_NEVER, /* every value is one */
    COMPUTE_NONE_NULL,  /* null in JSON */
    COMPUTE_NONE_CUT,   /* in JSON the row ends before the first */
};

/* A named result; all is borrowed. */
struct compute_result {
    const char *name;
    enum compute_kind kind;
    unsigned axes; /* 0: one number, 1: a list, 2: rows */
    size_t rows, columns;
    const void *data;
    enum compute_none none;
    const uint32_t *present; /* u32[rows] of 0 and 1: null where 0, npz member "present"; or NULL */
};

enum { COMPUTE_RESULTS_MAX = 8 };

struct compute_times {
    double queue_ms, parse_ms, run_ms, total_ms;
};

struct compute_reply {
    struct compute_result results[COMPUTE_RESULTS_MAX];
    unsigned result_count;
    const char *device;
    struct compute_times times;
};

/* Adds a result, for the caller to set `none` or `present` of. `data` stays the caller's. */
struct compute_result *compute_reply_list(struct compute_reply *reply, const char *name,
                                          enum compute_kind kind, const void *data, size_t rows);
struct compute_result *compute_reply_rows(struct compute_reply *reply, const char *name,
                                          enum compute_kind kind, const void *data, size_t rows,
                                          size_t columns);
struct compute_result *compute_reply_number(struct compute_reply *reply, const char *name,
                                            enum compute_kind kind, const void *number);

/* Appends the document: results, device, timing_ms with `write` filled in. A float is written with
 * the fewest digits that read back as the same float; one that is not finite as null. */
void compute_reply_write_json(const struct compute_reply *reply, struct text *out);

/* Appends the archive: a member a result, "device", and "timing_ms.total" … as f64. */
void compute_reply_write_npz(const struct compute_reply *reply, struct text *out);

#endif
