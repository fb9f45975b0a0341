/* Who may do what: bearer tokens, known by their SHA-256, and the role that each has.
 *
 * The file has a token a line, `role sha256-of-the-token [comment]`, the role one of read, plan and
 * write, each with all that the one before allows; empty lines and lines that begin with # say
 * nothing. It never holds a token itself. All hashes are compared, in constant time, so that the
 * time of an answer tells nothing about them.
 *
 * Each token has an allowance of requests a second (a bucket that fills at that rate and holds one
 * second's worth); what comes past it is refused with the time to wait.
 *
 * Cost: a SHA-256 of the token and 32 bytes of comparison for each line. Threads: any.
 */
#ifndef SERVER_TOKENS_H
#define SERVER_TOKENS_H

#include "schema/route.h"

#include <stdbool.h>

struct tokens;

enum { TOKENS_FAULT_MAX = 256, TOKEN_COMMENT_MAX = 32 };

enum token_outcome {
    TOKEN_ALLOWED,
    TOKEN_MISSING,   /* no Authorization, or not Bearer's: 401 */
    TOKEN_UNKNOWN,   /* not one of the file: 401 */
    TOKEN_TOO_LOW,   /* of a lower role: 403 */
    TOKEN_TOO_OFTEN, /* past its allowance: 429 */
};

struct token_verdict {
    enum token_outcome outcome;
    enum route_role role;            /* of a known token */
    double retry_after_s;            /* of TOKEN_TOO_OFTEN */
    char comment[TOKEN_COMMENT_MAX]; /* of a known token, for the log; cut to its length */
};

/* Reads the file. `requests_per_s`: of each token; 0: no bound. NULL: `fault` names the line. */
struct tokens *tokens_open(const char *path, double requests_per_s, char fault[TOKENS_FAULT_MAX]);
/* NULL is accepted. */
void tokens_close(struct tokens *tokens);

/* Reads the file again. False: `fault` says why, and the tokens stay as they were. */
bool tokens_reload(struct tokens *tokens, char fault[TOKENS_FAULT_MAX]);

unsigned tokens_count(struct tokens *tokens);

/* Judges the value of an Authorization header (NULL: not sent) for a route of the role `needed`, at
 * the monotonic time `now_s`; what is allowed counts against the token's allowance. */
struct token_verdict tokens_judge(struct tokens *tokens, const char *authorization,
                                  enum route_role needed, double now_s);

#endif
