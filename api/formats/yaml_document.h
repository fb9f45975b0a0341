/* YAML as data, read by libyaml: one document of mappings, sequences and scalars.
 *
 * What formats need and no more: aliases and merge keys are refused, which also ends every bomb of
 * them; tags, several documents and keys that are not scalars too; a key given twice in a mapping
 * is a fault. Every fault names line and column. Anchors are of no matter without aliases.
 *
 * Cost: linear in the bytes but for one sort of each mapping's keys; memory some 100 times the
 * bytes at worst, which are at most YAML_BYTES_MAX. Threads: a document belongs to one at a time.
 */
#ifndef FORMATS_YAML_DOCUMENT_H
#define FORMATS_YAML_DOCUMENT_H

#include "schema/problem.h"

#include <stddef.h>

enum { YAML_BYTES_MAX = 1 << 20, YAML_DEPTH_MAX = 32 };

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

struct yaml_value {
    enum yaml_kind kind;
    int line, column; /* from 1 */
    const char *key;  /* of a member of a mapping; else "" */
    const char *text; /* of a scalar, as it means; else "" */
    bool plain;       /* the scalar stood without quotes: it may be null, true or a number */
    uint32_t count;   /* members or elements */
    struct yaml_value *child; /* the first of them; NULL: none */
    struct yaml_value *next;  /* the next of the same parent; NULL: none */
    struct yaml_value *made;  /* the one made before it, for their end */
};

struct yaml_document {
    struct yaml_value *root;
    struct yaml_value *made; /* all values, owned */
};

/* Reads a document. false: `problem` says what is wrong; nothing is owned then. */
bool yaml_document_read(struct yaml_document *document, const char *data, size_t bytes,
                        struct problem *problem);
void yaml_document_deinit(struct yaml_document *document);

/* The member of a mapping; NULL: there is none, or it is no mapping. Time: its members. */
const struct yaml_value *yaml_member(const struct yaml_value *mapping, const char *key);

/* Adds a fault at a value's place. */
struct problem_fault *yaml_fault(const struct yaml_value *value, struct problem *problem,
                                 enum problem_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A finite number; `name` is what the fault calls it. */
bool yaml_number(const struct yaml_value *value, const char *name, double *number,
                 struct problem *problem);

/* A sequence of just `count` finite numbers. */
bool yaml_numbers(const struct yaml_value *value, const char *name, double *numbers, size_t count,
                  struct problem *problem);

#endif
