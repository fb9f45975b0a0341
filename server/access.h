/* What a listener lets in: tokens, browsers' pages of other origins, and the prefix of its paths.
 *
 * Browsers: a page of another origin reads an answer only where --cors-origin allows it (the CORS
 * protocol of the Fetch standard). Where no token is asked for, a browser could still be made to
 * send what it must not, since plain POSTs need nobody's leave: requests that name a foreign origin
 * are refused unless they only read. A page's own origin is one whose host is an address.
 *
 * Threads: any; pure functions on text, but for the tokens.
 */
#ifndef SERVER_ACCESS_H
#define SERVER_ACCESS_H

#include "schema/problem.h"
#include "server/tokens.h"

struct access {
    struct tokens *tokens;   /* borrowed; NULL: everybody may do all */
    const char *cors_origin; /* allowed origins, separated by commas, or "*"; NULL: none */
    const char *base_path;   /* "/prefix" of every path and link; NULL: none */
    bool metrics_only;       /* a listener for /metrics and probes alone, which needs no token */
};

/* What a request says of itself; NULL: not sent. */
struct access_claim {
    const char *authorization, *origin, *host;
    bool only_reads; /* GET, HEAD or OPTIONS */
};

/* An answer to it. */
struct access_decision {
    enum problem_code code;         /* PROBLEM_NONE: let in */
    const char *detail;             /* static text, of a refusal */
    char challenge[96];             /* WWW-Authenticate, or empty */
    unsigned retry_after_s;         /* 0: none */
    char client[TOKEN_COMMENT_MAX]; /* the token's comment, for the log; or empty */
};

/* Decides on a request for a route of the role `needed` at the monotonic time `now_s`. */
struct access_decision access_decide(const struct access *access, const struct access_claim *claim,
                                     enum route_role needed, double now_s);

/* The value of Access-Control-Allow-Origin for a page of this origin; NULL: it is not allowed. */
const char *access_allow_origin(const struct access *access, const char *origin);

/* The path behind the prefix; NULL where it is not under it. */
char *access_strip(const struct access *access, char *path);

/* Whether a text can be a prefix of paths: "/a/b", of letters, digits and "._~-". */
bool access_base_path_valid(const char *text);

#endif
