/* The body of a request, gathered in pieces of any size and unpacked as they come.
 *
 * The limit counts what is kept, that is, what a packed body unpacks to; the shared budget counts
 * the memory. A fault is sticky: later pieces are read over, so that the connection stays usable.
 *
 * Cost: one copy of each byte; the buffer doubles. Threads: a body belongs to one thread at a time.
 */
#ifndef SERVER_BODY_H
#define SERVER_BODY_H

#include "server/budget.h"

#include <stddef.h>

enum body_fault {
    BODY_FINE,
    BODY_TOO_LARGE,  /* past the limit */
    BODY_OVERLOADED, /* past the budget of all requests, or out of memory */
    BODY_NOT_PACKED, /* not what its Content-Encoding says, or cut short */
};

struct z_stream_s;

struct body {
    char *data; /* owned, not terminated; NULL while empty */
    size_t bytes, capacity;
    uint64_t limit;
    struct budget *budget;       /* borrowed */
    struct z_stream_s *unpacker; /* owned; NULL: the body comes as it is */
    bool member_ended;           /* the packed data are complete so far */
    enum body_fault fault;
};

/* An empty body. `packed`: it comes in gzip or zlib format. `expected_bytes`: as declared, 0 if
 * not; only a modest part of it is believed before it comes. */
void body_init(struct body *body, uint64_t limit, struct budget *budget, bool packed,
               uint64_t expected_bytes);
void body_deinit(struct body *body);

/* Takes a piece. Faults are in body->fault. */
void body_append(struct body *body, const char *data, size_t bytes);

/* After the last piece. */
void body_end(struct body *body);

#endif
