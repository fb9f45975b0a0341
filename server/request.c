#include "server/request.h"

#include "schema/clock.h"
#include "schema/media_type.h"
#include "server/headers.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    SKIPPED_MAX = 1 << 20, /* of a refused body: longer ones are not read over */
    RETRY_AFTER_S = 1,
};

static const char NPZ[] = "application/x-npz";

/* The method as a label of metrics: a client must not be able to make new ones. */
static const char *method_label(const char *method)
{
    static const char *const labels[] = {"GET",   "HEAD",   "PUT",    "POST",
                                         "PATCH", "DELETE", "OPTIONS"};
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
        if (strcmp(method, labels[i]) == 0)
            return labels[i];
    return "other";
}

/* splitmix64's mixing: numbers in a row become ids that do not look alike. */
static void make_id(char id[static 17], uint64_t number)
{
    uint64_t z = number + UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    snprintf(id, 17, "%016llx", (unsigned long long)(z ^ (z >> 31)));
}

static bool has_flag(const struct request *request, enum route_flag flag)
{
    return (route_table[request->call.route].flags & flag) != 0;
}

/* Joins another line to the value of a list. */
static void join(char **joined, struct request_head *head, const char **value, const char *line)
{
    const size_t bytes = strlen(*value) + strlen(line) + sizeof(", ");
    char *text = malloc(bytes);
    if (text == NULL) {
        head->is_cut = true;
        return;
    }
    snprintf(text, bytes, "%s, %s", *value, line);
    free(*joined);
    *joined = text;
    *value = text;
}

void request_take_header(struct request *request, struct request_head *head, const char *name,
                         const char *value)
{
    // lists first, in the order of request->lists
    const struct {
        const char *name, **value;
    } wanted[] = {
        {"Content-Encoding", &head->content_encoding},
        {"Accept", &head->accept},
        {"Accept-Encoding", &head->accept_encoding},
        {"Prefer", &head->prefer},
        {"If-Match", &head->if_match},
        {"If-None-Match", &head->if_none_match},
        {"Transfer-Encoding", &head->transfer_encoding},
        {"Content-Type", &head->content_type},
        {"X-Request-Id", &head->request_id},
        {"Expect", &head->expect},
        {"Content-Length", &head->content_length},
        {"Last-Event-ID", &head->last_event_id},
        {"Authorization", &head->authorization},
        {"Origin", &head->origin},
        {"Host", &head->host},
        {"Access-Control-Request-Method", &head->preflight_method},
    };
    if (strcasecmp(name, "Content-Length") == 0 && head->content_length != NULL &&
        strcmp(head->content_length, value) != 0)
        head->lengths_differ = true;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        if (strcasecmp(name, wanted[i].name) != 0)
            continue;
        if (*wanted[i].value == NULL)
            *wanted[i].value = value;
        else if (i < REQUEST_LISTS)
            join(&request->lists[i], head, wanted[i].value, value);
    }
}

bool request_init(struct request *request, const char *target)
{
    request->target = strdup(target);
    return request->target != NULL;
}

void request_deinit(struct request *request)
{
    text_deinit(&request->call.reply.body);
    body_deinit(&request->body);
    for (unsigned i = 0; i < REQUEST_LISTS; i++) {
        free(request->lists[i]);
        request->lists[i] = NULL;
    }
    free(request->target);
    request->target = NULL;
}

/* Writes call.problem as the answer. */
static void answer_problem(struct request *request)
{
    struct reply *reply = &request->call.reply;
    text_deinit(&reply->body);
    reply->status = problem_code_status(request->call.problem.faults[0].code);
    reply->content_type = "application/problem+json";
    problem_write(&request->call.problem, request->call.request_id, &reply->body);
    if (reply->status == 503)
        reply->retry_after_s = RETRY_AFTER_S;
    request->answered = true;
}

void request_refuse(struct request *request, enum problem_code code, const char *format, ...)
{
    char detail[PROBLEM_DETAIL_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof(detail), format, arguments);
    va_end(arguments);
    request->call.problem.fault_count = 0;
    problem_add(&request->call.problem, code, "%s", detail);
    answer_problem(request);
}

static void refuse_limit(struct request *request, enum problem_code code, enum limit_id limit,
                         const char *detail)
{
    request->call.problem.fault_count = 0;
    problem_fault_limit(problem_add(&request->call.problem, code, "%s", detail), request->limits,
                        limit);
    answer_problem(request);
}

/* How the body is framed (RFC 9112, 6.3). What two readers could understand differently is refused,
 * and the connection with it. False: refused. */
static bool judge_framing(struct request *request, const struct request_head *head)
{
    const char *fault = NULL;
    if (head->transfer_encoding != NULL && head->content_length != NULL)
        fault = "Content-Length and Transfer-Encoding must not come together";
    else if (head->transfer_encoding != NULL && strcasecmp(head->transfer_encoding, "chunked") != 0)
        fault = "chunked is the only Transfer-Encoding known here";
    else if (head->lengths_differ)
        fault = "Content-Length was sent with two values";
    if (fault == NULL)
        return true;
    request_refuse(request, PROBLEM_MALFORMED, "%s", fault);
    request->closes = true;
    return false;
}

/* The path of a target in absolute form ("http://host/path"), which proxies send. */
static char *path_of(char *target)
{
    char *scheme = strstr(target, "://");
    if (*target == '/' || scheme == NULL)
        return target;
    return scheme + 3 + strcspn(scheme + 3, "/?");
}

/* Whether the request may be answered at all. Paths and methods that are not there need the least
 * role, so that nothing is to be learnt without a token. */
static bool judge_access(struct request *request, const struct request_head *head)
{
    const enum router_outcome outcome = request->match.outcome;
    const enum route_role needed = outcome == ROUTER_FOUND ? route_table[request->match.route].role
                                   : outcome == ROUTER_OPTIONS ? ROLE_OPEN
                                                               : ROLE_READ;
    const struct access_claim claim = {
        .authorization = head->authorization,
        .origin = head->origin,
        .host = head->host,
        .only_reads = strcmp(head->method, "GET") == 0 || strcmp(head->method, "HEAD") == 0 ||
                      strcmp(head->method, "OPTIONS") == 0,
    };
    const struct access_decision decision =
        access_decide(request->access, &claim, needed, clock_steady());
    memcpy(request->client, decision.client, sizeof(request->client));
    if (decision.code == PROBLEM_NONE)
        return true;
    memcpy(request->challenge, decision.challenge, sizeof(request->challenge));
    request_refuse(request, decision.code, "%s", decision.detail);
    request->call.reply.retry_after_s = decision.retry_after_s;
    return false;
}

/* Where the path leads, behind the prefix and on a listener of its kind. */
static void find_route(struct request *request, const char *method, char *path)
{
    struct router_match *match = &request->match;
    char *rest = access_strip(request->access, path);
    *match = (struct router_match){.outcome = ROUTER_UNKNOWN};
    if (rest == NULL && strcmp(path, "*") != 0)
        return;
    router_match(match, method, rest != NULL ? rest : path);
    // nor does a listener of metrics tell by its refusals what there is elsewhere
    const enum route_id route = match->route;
    const bool is_here = match->outcome == ROUTER_FOUND &&
                         (route == ROUTE_METRICS || route_table[route].role == ROLE_OPEN);
    if (request->access->metrics_only && !is_here)
        *match = (struct router_match){.outcome = ROUTER_UNKNOWN};
}

/* Finds route and parameters, or answers. */
static bool judge_target(struct request *request, const struct request_head *head)
{
    struct call *call = &request->call;
    struct router_match *match = &request->match;
    char *path = path_of(request->target), *query = strchr(path, '?');
    if (query != NULL)
        *query++ = '\0';

    find_route(request, head->method, path);
    if (!judge_access(request, head))
        return false;
    snprintf(call->reply.allow, sizeof(call->reply.allow), "%s",
             match->outcome == ROUTER_OPTIONS || match->outcome == ROUTER_WRONG_METHOD
                 ? match->allow
                 : "");
    switch (match->outcome) {
    case ROUTER_FOUND:
        break;
    case ROUTER_OPTIONS:
        call->reply.status = 204;
        request->answered = true;
        return false;
    case ROUTER_WRONG_METHOD:
        request_refuse(request, PROBLEM_METHOD_NOT_ALLOWED, "this path takes %s", match->allow);
        return false;
    case ROUTER_UNKNOWN:
        request_refuse(request, PROBLEM_UNKNOWN_ROUTE, "there is nothing at this path");
        return false;
    case ROUTER_MALFORMED:
        request_refuse(request, PROBLEM_MALFORMED, "the path: %s", match->fault);
        return false;
    }

    const char *fault = router_query(call->parameters, &call->parameter_count, query);
    if (fault != NULL)
        request_refuse(request, PROBLEM_MALFORMED, "the query string: %s", fault);
    call->route = match->route;
    for (unsigned i = 0; i < CALL_SEGMENTS_MAX; i++)
        call->segments[i] = match->segments[i];
    return fault == NULL;
}

/* Whether a body's media type is one of those that the route takes besides JSON. */
static bool takes_type(const struct request *request, const char *content_type)
{
    static const struct {
        enum route_flag flag;
        const char *type;
    } rows[] = {
        {ROUTE_ARRAYS, "application/x-npy"},
        {ROUTE_ARRAYS, NPZ},
        {ROUTE_ARRAYS, "application/octet-stream"},
        {ROUTE_FILES, "application/xml"},
        {ROUTE_FILES, "text/xml"},
        {ROUTE_FILES, "multipart/form-data"},
        {ROUTE_ARCHIVE, "application/zip"},
        {ROUTE_ARCHIVE, "application/octet-stream"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (has_flag(request, rows[i].flag) && media_type_is(content_type, rows[i].type))
            return true;
    return false;
}

/* Whether the body's type, coding and length are possible. */
static bool judge_body(struct request *request, const struct request_head *head, uint64_t declared)
{
    const bool is_archive = has_flag(request, ROUTE_ARCHIVE);
    bool is_usual = !is_archive && headers_content_json(head->content_type);
    // who names the format of a file need not name its type as well
    for (unsigned i = 0; i < request->call.parameter_count && !is_archive; i++)
        is_usual |= strcmp(request->call.parameters[i].key, "format") == 0;
    if (!is_usual && !takes_type(request, head->content_type)) {
        request_refuse(request, PROBLEM_UNSUPPORTED_MEDIA_TYPE, "the body must be %s",
                       is_archive ? "application/zip" : "application/json");
        return false;
    }
    if (headers_content_coding(head->content_encoding) == CODING_UNKNOWN) {
        request_refuse(request, PROBLEM_UNSUPPORTED_MEDIA_TYPE,
                       "Content-Encoding may be gzip or deflate");
        return false;
    }
    if (declared > request->limits->body_bytes) {
        refuse_limit(request, PROBLEM_TOO_LARGE, LIMIT_body_bytes, "the body is too large");
        return false;
    }
    return true;
}

/* Whether the client takes what the route answers with. */
static bool judge_answer(struct request *request, const struct request_head *head)
{
    const char *media = has_flag(request, ROUTE_EVENTS)    ? "text/event-stream"
                        : has_flag(request, ROUTE_PICTURE) ? "image/svg+xml"
                                                           : "application/json";
    request->call.takes_npz = headers_accept_names(head->accept, NPZ);
    if (has_flag(request, ROUTE_ANY_TYPE) || headers_accept(head->accept, media) ||
        (has_flag(request, ROUTE_ARRAYS) && request->call.takes_npz))
        return true;
    request_refuse(request, PROBLEM_NOT_ACCEPTABLE, "the answer is %s", media);
    return false;
}

/* What the service is told of the headers. */
static void take_headers(struct request *request, const struct request_head *head, uint64_t number)
{
    struct call *call = &request->call;
    if (headers_request_id(head->request_id))
        snprintf(call->request_id, sizeof(call->request_id), "%s", head->request_id);
    else
        make_id(call->request_id, number);
    call->if_match = head->if_match;
    call->if_none_match = head->if_none_match;
    call->content_type = head->content_type;
    call->last_event_id = head->last_event_id;
    request->allowed_origin = access_allow_origin(request->access, head->origin);
    request->is_preflight = head->preflight_method != NULL;
    call->wait_s = headers_prefer_wait(head->prefer);
    if (call->wait_s > (double)request->limits->wait_s)
        call->wait_s = (double)request->limits->wait_s;
    request->method = method_label(head->method);
    request->is_head = strcmp(head->method, "HEAD") == 0;
    request->takes_gzip = !request->is_head && headers_accept_gzip(head->accept_encoding);
}

void request_begin(struct request *request, const struct request_head *head,
                   const struct limits *limits, const struct access *access, struct budget *budget,
                   uint64_t number)
{
    // the library has checked that a length is a number
    const uint64_t declared =
        head->content_length != NULL ? strtoull(head->content_length, NULL, 10) : 0;
    request->limits = limits;
    request->access = access;
    take_headers(request, head, number);
    if (head->is_cut)
        request_refuse(request, PROBLEM_NO_MEMORY, "found no memory for the head");
    else if (judge_framing(request, head) && judge_target(request, head)) {
        const bool has_body = declared > 0 || head->transfer_encoding != NULL;
        const bool takes_body = has_flag(request, ROUTE_BODY);
        if ((!takes_body || !has_body || judge_body(request, head, declared)) &&
            judge_answer(request, head) && takes_body)
            body_init(&request->body, limits->body_bytes, budget,
                      headers_content_coding(head->content_encoding) == CODING_ZLIB, declared);
    }

    // a refused body is not worth waiting for where it is long or not yet on its way
    if (request->answered && (declared > SKIPPED_MAX || head->expect != NULL))
        request->closes = true;
}

bool request_take(struct request *request, const char *data, size_t bytes)
{
    if (!request->answered && request->body.budget != NULL)
        body_append(&request->body, data, bytes);
    if (request->answered || request->body.budget == NULL || request->body.fault != BODY_FINE)
        request->skipped += bytes;
    // who is not let in, or sends what nobody asked for, cannot hold a connection with it
    const bool is_wanted = !request->answered && request->body.budget != NULL;
    return request->skipped <= (is_wanted ? 2 * request->limits->body_bytes : 0) + SKIPPED_MAX;
}

void request_end(struct request *request)
{
    struct body *body = &request->body;
    if (request->answered || body->budget == NULL)
        return;
    body_end(body);
    switch (body->fault) {
    case BODY_FINE:
        request->call.body = body->data;
        request->call.body_bytes = body->bytes;
        break;
    case BODY_TOO_LARGE:
        refuse_limit(request, PROBLEM_TOO_LARGE, LIMIT_body_bytes, "the body is too large");
        break;
    case BODY_OVERLOADED:
        refuse_limit(request, PROBLEM_OVERLOADED, LIMIT_host_bytes,
                     "too many bytes of requests and answers are in flight");
        break;
    case BODY_NOT_PACKED:
        request_refuse(request, PROBLEM_MALFORMED,
                       "the body is not what its Content-Encoding says, or is cut short");
        break;
    }
}
