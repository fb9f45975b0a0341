#include "server/access.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Whether a Host is an address, or localhost: any other name could be made to point here by whoever
 * owns it (DNS rebinding). */
static bool is_address(const char *host)
{
    static const char local[] = "localhost";
    const size_t length = strcspn(host, ":");
    return *host == '[' || strspn(host, "0123456789.") == length ||
           (length == sizeof(local) - 1 && strncasecmp(host, local, length) == 0);
}

/* Whether an origin is the server's own: what stands behind its scheme is the Host that was asked
 * for. */
static bool is_own_origin(const char *origin, const char *host)
{
    const char *authority = strstr(origin, "://");
    return authority != NULL && host != NULL && strcasecmp(authority + 3, host) == 0 &&
           is_address(host);
}

const char *access_allow_origin(const struct access *access, const char *origin)
{
    if (origin == NULL || access->cors_origin == NULL)
        return NULL;
    if (strcmp(access->cors_origin, "*") == 0)
        return "*";
    const size_t length = strlen(origin);
    for (const char *item = access->cors_origin; *item != '\0';) {
        item += strspn(item, " ,");
        const size_t item_length = strcspn(item, " ,");
        if (length > 0 && item_length == length && strncasecmp(item, origin, length) == 0)
            return origin;
        item += item_length;
    }
    return NULL;
}

static void refuse(struct access_decision *decision, enum problem_code code, const char *detail,
                   const char *challenge)
{
    decision->code = code;
    decision->detail = detail;
    snprintf(decision->challenge, sizeof(decision->challenge), "%s", challenge);
}

/* What the token says. */
static void decide_by_token(struct access_decision *decision, const struct token_verdict *verdict,
                            enum route_role needed)
{
    memcpy(decision->client, verdict->comment, sizeof(decision->client));
    switch (verdict->outcome) {
    case TOKEN_ALLOWED:
        break;
    case TOKEN_MISSING:
        refuse(decision, PROBLEM_UNAUTHENTICATED, "send `Authorization: Bearer TOKEN`",
               "Bearer realm=\"prmd\"");
        break;
    case TOKEN_UNKNOWN:
        refuse(decision, PROBLEM_UNAUTHENTICATED, "the token is not known",
               "Bearer realm=\"prmd\", error=\"invalid_token\"");
        break;
    case TOKEN_TOO_LOW:
        refuse(decision, PROBLEM_FORBIDDEN,
               needed == ROLE_WRITE ? "this needs a token of the role write"
                                    : "this needs a token of the role plan or write",
               "");
        snprintf(decision->challenge, sizeof(decision->challenge),
                 "Bearer realm=\"prmd\", error=\"insufficient_scope\", scope=\"%s\"",
                 route_role_names[needed]);
        break;
    case TOKEN_TOO_OFTEN:
        refuse(decision, PROBLEM_TOO_MANY_REQUESTS,
               "the token's requests come faster than --token-requests-per-s allows", "");
        decision->retry_after_s = (unsigned)ceil(verdict->retry_after_s);
        break;
    }
}

struct access_decision access_decide(const struct access *access, const struct access_claim *claim,
                                     enum route_role needed, double now_s)
{
    struct access_decision decision = {.code = PROBLEM_NONE};
    if (needed == ROLE_OPEN || access->metrics_only)
        return decision;
    if (access->tokens != NULL) {
        const struct token_verdict verdict =
            tokens_judge(access->tokens, claim->authorization, needed, now_s);
        decide_by_token(&decision, &verdict, needed);
    } else if (claim->origin != NULL && !claim->only_reads &&
               !is_own_origin(claim->origin, claim->host) &&
               access_allow_origin(access, claim->origin) == NULL) {
        refuse(&decision, PROBLEM_FORBIDDEN,
               "pages of this origin may not do that: --cors-origin allows it", "");
    }
    return decision;
}

char *access_strip(const struct access *access, char *path)
{
    if (access->base_path == NULL)
        return path;
    const size_t length = strlen(access->base_path);
    return strncmp(path, access->base_path, length) == 0 && path[length] == '/' ? path + length
                                                                                : NULL;
}

bool access_base_path_valid(const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._~-";
    while (*text == '/') {
        const char *segment = text + 1;
        const size_t length = strspn(segment, allowed);
        const bool is_dots = (length == 1 && segment[0] == '.') ||
                             (length == 2 && segment[0] == '.' && segment[1] == '.');
        if (length == 0 || is_dots)
            return false;
        text = segment + length;
        if (*text == '\0')
            return true;
    }
    return false;
}
