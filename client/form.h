/* Several files in one body: multipart/form-data (RFC 7578). */
#ifndef CLIENT_FORM_H
#define CLIENT_FORM_H

#include "schema/text.h"

enum { FORM_TYPE_BYTES = 96 };

/* A file under a name. Names and contents are borrowed. */
struct form_part {
    const char *name;
    const char *data;
    size_t bytes;
};

/* Writes the parts as a body, and its Content-Type, with a boundary that none of them holds. The
 * caller deinitialises the body, whose `failed` tells that memory ran out. */
void form_write(struct text *body, char type[FORM_TYPE_BYTES], const struct form_part *parts,
                size_t count);

/* The value of a key of a yaml's top level, as far as map files write it: on a line of its own,
 * plain or in quotes, a comment behind it. false: it is not there, or longer than `bytes`. */
bool form_yaml_value(const char *yaml, size_t yaml_bytes, const char *key, char *value,
                     size_t bytes);

/* The path of a file that another one names: relative to that one's folder. false: too long. */
bool form_path_beside(const char *path, const char *name, char *out, size_t bytes);

#endif
