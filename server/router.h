/* From a request target to a route of schema/route.h: pure functions on text.
 *
 * A path is split at its raw slashes, each segment is percent-decoded by itself (an encoded slash
 * never separates), and one pass over the segments narrows the set of patterns that still fit.
 * Empty segments, "." and ".." fit nothing. Cost: segments x routes short comparisons, below a
 * microsecond; nothing is allocated, the text is decoded in place.
 *
 * Threads: any; no state.
 */
#ifndef SERVER_ROUTER_H
#define SERVER_ROUTER_H

#include "service/call.h"

#include <stdbool.h>

enum router_outcome {
    ROUTER_FOUND,
    ROUTER_OPTIONS,      /* the path exists and its methods were asked for */
    ROUTER_WRONG_METHOD, /* the path exists, the method does not */
    ROUTER_UNKNOWN,      /* no such path */
    ROUTER_MALFORMED,    /* the path cannot be decoded: `fault` says why */
};

struct router_match {
    enum router_outcome outcome;
    enum route_id route;                     /* where found */
    const char *segments[CALL_SEGMENTS_MAX]; /* decoded, in the caller's path; NULL past the last */
    const char *pattern;                     /* of the path, a label; NULL where unknown */
    char allow[sizeof(((struct reply *)0)->allow)]; /* methods of the path, for Allow; or empty */
    const char *fault;                              /* static text where malformed */
};

/* Finds the route of `method` (HEAD is taken as GET) and `path` (decoded in place; outlives the
 * match).
 * "*" is the path of an OPTIONS request about the whole server. */
void router_match(struct router_match *match, const char *method, char *path);

/* Takes "a=1&b=2" apart into decoded parameters, in place; '+' is a space, a key without '=' has
 * the value "". NULL, or static text that says what is wrong. */
const char *router_query(struct call_parameter parameters[CALL_PARAMETERS_MAX], unsigned *count,
                         char *query);

#endif
