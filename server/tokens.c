#include "server/tokens.h"

#include "server/hex.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINE_BYTES = 1024, TOKENS_MAX = 10000 };

struct token {
    unsigned char hash[SHA256_DIGEST_LENGTH];
    enum route_role role;
    double allowance, filled_s; /* requests left, and when that was so */
    char comment[TOKEN_COMMENT_MAX];
};

/* What a file says. */
struct token_list {
    struct token *items; /* owned */
    unsigned count, capacity;
};

struct tokens {
    char *path;
    double requests_per_s;
    pthread_mutex_t lock; /* of the list */
    struct token_list list;
};

/* ---- the file ---- */

/* 64 hexadecimal digits and nothing else. */
static bool parse_hash(unsigned char hash[SHA256_DIGEST_LENGTH], const char *text)
{
    if (strlen(text) != (size_t)2 * SHA256_DIGEST_LENGTH)
        return false;
    for (size_t i = 0; i < SHA256_DIGEST_LENGTH; i++) {
        const int high = hex_value(text[2 * i]), low = hex_value(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        hash[i] = (unsigned char)(high * 16 + low);
    }
    return true;
}

/* The role of a name in the file; ROLE_OPEN: none. */
static enum route_role parse_role(const char *name)
{
    for (int role = ROLE_READ; role < ROLE_COUNT; role++)
        if (strcmp(name, route_role_names[role]) == 0)
            return (enum route_role)role;
    return ROLE_OPEN;
}

/* Keeps what can stand in a log line. */
static void take_comment(struct token *token, const char *text)
{
    size_t length = 0;
    for (; *text != '\0' && *text != '\n' && length + 1 < TOKEN_COMMENT_MAX; text++)
        if (*text >= ' ' && *text <= '~')
            token->comment[length++] = *text;
    while (length > 0 && token->comment[length - 1] == ' ')
        length--;
    token->comment[length] = '\0';
}

/* One line; NULL or what is wrong with it. `used`: it holds a token. */
static const char *parse_line(struct token *token, bool *used, char *line)
{
    static const char blanks[] = " \t\r\n";
    char *rest = NULL;
    const char *role = strtok_r(line, blanks, &rest);
    *used = role != NULL && *role != '#';
    if (!*used)
        return NULL;
    const char *hash = strtok_r(NULL, blanks, &rest);
    *token = (struct token){.role = parse_role(role)};
    if (token->role == ROLE_OPEN)
        return "the role must be read, plan or write";
    if (hash == NULL || !parse_hash(token->hash, hash))
        return "the token's SHA-256 must follow, 64 hexadecimal digits";
    if (rest != NULL)
        take_comment(token, rest + strspn(rest, blanks));
    return NULL;
}

static const char *add(struct token_list *list, const struct token *token)
{
    for (unsigned i = 0; i < list->count; i++)
        if (memcmp(list->items[i].hash, token->hash, sizeof(token->hash)) == 0)
            return "this token has a line already";
    if (list->count == TOKENS_MAX)
        return "there are too many tokens";
    if (list->count == list->capacity) {
        const unsigned capacity = list->capacity > 0 ? 2 * list->capacity : 16;
        struct token *items = realloc(list->items, capacity * sizeof(*items));
        if (items == NULL)
            return "out of memory";
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = *token;
    return NULL;
}

/* The whole file; false: `fault` is set and the list empty. */
static bool read_file(struct token_list *list, const char *path, char fault[TOKENS_FAULT_MAX])
{
    char line[LINE_BYTES];
    const char *wrong = NULL;
    *list = (struct token_list){0};
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        snprintf(fault, TOKENS_FAULT_MAX, "--token-file: %.100s: %s", path, strerror(errno));
        return false;
    }
    unsigned number = 0;
    while (wrong == NULL && fgets(line, sizeof(line), file) != NULL) {
        struct token token;
        bool used = false;
        number++;
        if (strchr(line, '\n') == NULL && !feof(file))
            wrong = "the line is too long";
        else
            wrong = parse_line(&token, &used, line);
        if (used && wrong == NULL)
            wrong = add(list, &token);
    }
    if (wrong == NULL && ferror(file))
        wrong = "the file cannot be read on";
    fclose(file);
    if (wrong == NULL)
        return true;
    snprintf(fault, TOKENS_FAULT_MAX, "--token-file: %.100s: line %u: %s", path, number, wrong);
    free(list->items);
    *list = (struct token_list){0};
    return false;
}

/* The token of this hash, after a look at every one; NULL: there is none. */
static struct token *find(struct token_list *list, const unsigned char hash[SHA256_DIGEST_LENGTH])
{
    struct token *found = NULL;
    for (unsigned i = 0; i < list->count; i++)
        if (CRYPTO_memcmp(list->items[i].hash, hash, SHA256_DIGEST_LENGTH) == 0)
            found = &list->items[i];
    return found;
}

/* ---- life ---- */

struct tokens *tokens_open(const char *path, double requests_per_s, char fault[TOKENS_FAULT_MAX])
{
    struct tokens *tokens = calloc(1, sizeof(*tokens));
    snprintf(fault, TOKENS_FAULT_MAX, "out of memory");
    if (tokens == NULL)
        return NULL;
    pthread_mutex_init(&tokens->lock, NULL);
    tokens->requests_per_s = requests_per_s;
    tokens->path = strdup(path);
    if (tokens->path == NULL || !read_file(&tokens->list, path, fault)) {
        tokens_close(tokens);
        return NULL;
    }
    return tokens;
}

void tokens_close(struct tokens *tokens)
{
    if (tokens == NULL)
        return;
    free(tokens->list.items);
    free(tokens->path);
    pthread_mutex_destroy(&tokens->lock);
    free(tokens);
}

bool tokens_reload(struct tokens *tokens, char fault[TOKENS_FAULT_MAX])
{
    struct token_list list;
    if (!read_file(&list, tokens->path, fault))
        return false;
    pthread_mutex_lock(&tokens->lock);
    // a token that stays keeps what it has used up
    for (unsigned i = 0; i < list.count; i++) {
        const struct token *old = find(&tokens->list, list.items[i].hash);
        list.items[i].allowance = old != NULL ? old->allowance : 0;
        list.items[i].filled_s = old != NULL ? old->filled_s : 0;
    }
    struct token *items = tokens->list.items;
    tokens->list = list;
    pthread_mutex_unlock(&tokens->lock);
    free(items);
    return true;
}

unsigned tokens_count(struct tokens *tokens)
{
    pthread_mutex_lock(&tokens->lock);
    const unsigned count = tokens->list.count;
    pthread_mutex_unlock(&tokens->lock);
    return count;
}

/* ---- judging ---- */

/* The token of "Bearer TOKEN" (RFC 6750); NULL: it is none. */
static const char *bearer(const char *authorization, size_t *length)
{
    static const char scheme[] = "bearer";
    const size_t scheme_length = sizeof(scheme) - 1;
    if (authorization == NULL || strncasecmp(authorization, scheme, scheme_length) != 0 ||
        authorization[scheme_length] != ' ')
        return NULL;
    const char *token = authorization + scheme_length;
    token += strspn(token, " ");
    *length = strcspn(token, " \t");
    return *length > 0 && token[*length + strspn(token + *length, " \t")] == '\0' ? token : NULL;
}

/* Takes one request of a token's allowance; the seconds until there is one, 0: taken. */
static double take_allowance(struct token *token, double requests_per_s, double now_s)
{
    if (requests_per_s <= 0)
        return 0;
    // the bucket holds a second's worth, and at least the one request that is ever wanted
    const double most = requests_per_s > 1 ? requests_per_s : 1;
    if (token->filled_s == 0)
        token->allowance = most;
    else
        token->allowance += (now_s - token->filled_s) * requests_per_s;
    if (token->allowance > most)
        token->allowance = most;
    token->filled_s = now_s;
    if (token->allowance < 1)
        return (1 - token->allowance) / requests_per_s;
    token->allowance -= 1;
    return 0;
}

struct token_verdict tokens_judge(struct tokens *tokens, const char *authorization,
                                  enum route_role needed, double now_s)
{
    struct token_verdict verdict = {.outcome = TOKEN_ALLOWED};
    unsigned char hash[SHA256_DIGEST_LENGTH];
    size_t length = 0;
    if (needed == ROLE_OPEN)
        return verdict;
    const char *text = bearer(authorization, &length);
    if (text == NULL) {
        verdict.outcome = TOKEN_MISSING;
        return verdict;
    }
    SHA256((const unsigned char *)text, length, hash);

    pthread_mutex_lock(&tokens->lock);
    struct token *token = find(&tokens->list, hash);
    if (token == NULL) {
        verdict.outcome = TOKEN_UNKNOWN;
    } else {
        verdict.role = token->role;
        memcpy(verdict.comment, token->comment, sizeof(verdict.comment));
        verdict.retry_after_s = take_allowance(token, tokens->requests_per_s, now_s);
        if (verdict.retry_after_s > 0)
            verdict.outcome = TOKEN_TOO_OFTEN;
        else if (token->role < needed)
            verdict.outcome = TOKEN_TOO_LOW;
    }
    pthread_mutex_unlock(&tokens->lock);
    return verdict;
}
