/* The one table of what each operation of /v1/compute takes. Internal to the schema: the reader is
 * driven by it.
 */
#ifndef SCHEMA_COMPUTE_TABLE_H
#define SCHEMA_COMPUTE_TABLE_H

#include "schema/compute.h"
#include "schema/json_read.h"

enum compute_field_kind {
    /* arrays */
    FIELD_TYPED,   /* of the request's kind */
    FIELD_PAYLOAD, /* of any kind, its own */
    FIELD_INDEX,   /* u32 */
    FIELD_FLAG,    /* u32 of 0 and 1; booleans too */
    FIELD_REAL,    /* f32 */
    FIELD_ARRAYS_END,
    /* options */
    FIELD_TYPE = FIELD_ARRAYS_END,
    FIELD_BOOL,
    FIELD_U32,
    FIELD_SEED,
    FIELD_DOUBLE,
    FIELD_WORD,
};

enum compute_field_flag {
    FIELD_REQUIRED = 1,
    FIELD_FINITE = 2,   /* no infinities, no NaN */
    FIELD_ROWS = 4,     /* an array of rows; a list counts as rows of one */
    FIELD_PAIRS = 8,    /* an array of rows of two */
    FIELD_ONE = 16,     /* a number alone counts as a list of it */
    FIELD_CLOSED = 32,  /* a double may be its greatest value */
    FIELD_LIMITED = 64, /* at most the limit, instead of `max` */
};

struct compute_field {
    const char *name;
    enum compute_field_kind kind;
    unsigned flags;
    size_t offset;                 /* in struct compute_request */
    double min, max;               /* u32: in min … max; double: min < x < max */
    enum limit_id limit;           /* of FIELD_LIMITED */
    const struct json_word *words; /* of FIELD_WORD */
};

enum { COMPUTE_FIELDS_MAX = 14 };

/* An operation: the kinds that `type` may say, as bits 1 << kind, and its fields; the main array,
 * which a bare npy body is, comes first (sample has none). */
struct compute_row {
    const char *name;
    unsigned kinds;
    bool has_main;
    const struct compute_field *fields;
    unsigned field_count;
};

extern const struct compute_row compute_table[COMPUTE_OP_COUNT];

/* What all requests start from: every default. */
extern const struct compute_request compute_defaults;

/* The names that `type` may have. */
extern const struct json_word compute_type_words[];

/* The place of an array in a request. */
struct compute_array *compute_field_array(struct compute_request *request,
                                          const struct compute_field *field);

/* Checks across members, of a request whose every member is good by itself. */
void compute_check(struct compute_request *request, const struct json_node *root,
                   const struct limits *limits);

#endif
