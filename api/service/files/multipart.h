/* Bodies of several files: multipart/form-data (RFC 7578, on RFC 2046 5.1).
 *
 *     --BOUNDARY CRLF  header lines CRLF CRLF  content  CRLF --BOUNDARY …  CRLF --BOUNDARY--
 *
 * Parts are told apart by the name of their Content-Disposition; file names, types and order do not
 * matter. Contents are bytes as they came, and may hold anything but the delimiter. Lines end in
 * CRLF, the closing delimiter is required, names are not empty and come once; transfer encodings
 * other than none are refused, as RFC 7578 has dropped them. Linear in the body's size; nothing is
 * copied.
 */
#ifndef SERVICE_MULTIPART_H
#define SERVICE_MULTIPART_H

#include "schema/problem.h"

#include <stddef.h>

enum { MULTIPART_PARTS_MAX = 16, MULTIPART_NAME_BYTES = 65 };

struct multipart_part {
    char name[MULTIPART_NAME_BYTES];
    const char *data; /* inside the body */
    size_t bytes;
};

struct multipart {
    struct multipart_part parts[MULTIPART_PARTS_MAX];
    unsigned count;
};

/* Whether a Content-Type (NULL: none was sent) is multipart/form-data. */
bool multipart_is(const char *content_type);

/* Takes a body apart. `names`, up to a NULL, are the parts that may be there. false: `problem` says
 * what is wrong. content_type: as sent, with the boundary; where it is of another type, or NULL,
 * the boundary is what the body's first line has behind --. */
bool multipart_read(struct multipart *form, const char *content_type, const char *body,
                    size_t bytes, const char *const *names, struct problem *problem);

/* The part of a name; NULL: there is none. */
const struct multipart_part *multipart_part(const struct multipart *form, const char *name);

#endif
