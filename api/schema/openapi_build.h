/* What the makers of the OpenAPI document share; internal to the schema. */
#ifndef SCHEMA_OPENAPI_BUILD_H
#define SCHEMA_OPENAPI_BUILD_H

#include "schema/compute_table.h"
#include "schema/openapi.h"
#include "schema/route.h"

#include <jansson.h>

/* An embedded document. */
struct openapi_text {
    const char *name;
    const unsigned char *bytes;
    size_t size;
};

extern const struct openapi_text openapi_texts[];
extern const unsigned openapi_text_count;

/* A document on its way. */
struct openapi {
    const struct openapi_options *options;
    json_t *parts; /* expanded, as they are used elsewhere */
    bool failed;   /* no memory; the document is worth nothing then */
};

/* Sets a member, or adds an element; the value is taken over, and NULL is want of memory. */
void openapi_set(struct openapi *openapi, json_t *object, const char *key, json_t *value);
void openapi_add(struct openapi *openapi, json_t *array, json_t *value);

/* An embedded document with all that stands for something else put in; the caller's. */
json_t *openapi_load(struct openapi *openapi, const char *name);

/* {"$ref": "#/components/ROOM/NAME"} */
json_t *openapi_reference(const char *room, const char *name);

/* A limit, or `most` where that is less (0: no such bound). */
json_t *openapi_limit(const struct openapi *openapi, enum limit_id limit, uint64_t most);

/* The paths: openapi_paths.c. */
json_t *openapi_paths(struct openapi *openapi);

/* components.responses by status, "Problem404"; and all codes: openapi_problems.c. */
json_t *openapi_problems(struct openapi *openapi);
json_t *openapi_problem_codes(struct openapi *openapi);

/* Adds the codes of a problem to the responses of an operation, by their status, and to the list
 * "x-problems". */
void openapi_add_problem(struct openapi *openapi, json_t *operation, const char *code);

/* What an operation of /v1/compute takes: openapi_compute.c. */
json_t *openapi_compute_request(struct openapi *openapi, const struct compute_row *row);

/* "ComputeScan", or with a suffix "ComputeScanReply". */
enum { OPENAPI_NAME_BYTES = 64 };
void openapi_compute_name(char name[OPENAPI_NAME_BYTES], const struct compute_row *row,
                          const char *suffix);

#endif
