/* Calls: parameters, preconditions, pages, and the ways that a call is completed. */
#include "service/call.h"

#include "schema/clock.h"
#include "schema/roadmap.h"
#include "service/internal.h"
#include "service/persistence/persistence.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_LIMIT_DEFAULT = 100, PAGE_LIMIT_MAX = 1000, FINGERPRINT_SHOWN = 16 };

const char *call_parameter(const struct call *call, const char *key)
{
    for (unsigned i = 0; i < call->parameter_count; i++)
        if (strcmp(call->parameters[i].key, key) == 0)
            return call->parameters[i].value;
    return NULL;
}

const char *call_body(const struct call *call)
{
    return call->body ? call->body : "";
}

/* ---- completion ---- */

/* Hands the call back; from here on it is the transport's. */
static void finish(struct call *call)
{
    struct service *service = call->service;
    call->complete(call);
    if (service)
        atomic_fetch_sub(&service->calls, 1);
}

void call_fail(struct call *call)
{
    struct reply *reply = &call->reply;
    text_deinit(&reply->body);
    if (call->problem.fault_count == 0)
        problem_add(&call->problem, PROBLEM_INTERNAL, "the request failed without a reason");
    problem_write(&call->problem, call->request_id, &reply->body);
    if (reply->body.failed)
        text_deinit(&reply->body);

    const enum problem_code code = call->problem.faults[0].code;
    reply->status = problem_code_status(code);
    reply->content_type = "application/problem+json";
    reply->etag[0] = reply->location[0] = reply->preference_applied[0] = '\0';
    reply->header_count = 0;
    if (code == PROBLEM_OVERLOADED)
        reply->retry_after_s = RETRY_OVERLOADED_S;
    else if (code == PROBLEM_LOADING)
        reply->retry_after_s = RETRY_LOADING_S;
    else if (code == PROBLEM_DRAINING)
        reply->retry_after_s = RETRY_DRAINING_S;
    finish(call);
}

void call_succeed(struct call *call, int status, const char *content_type)
{
    if (call->reply.body.failed) {
        call_no_memory(call, "the answer");
        return;
    }
    call->reply.status = status;
    call->reply.content_type = content_type;
    finish(call);
}

void call_succeed_json(struct call *call, int status)
{
    text_append(&call->reply.body, "\n", 1);
    call_succeed(call, status, "application/json");
}

void call_succeed_empty(struct call *call, int status)
{
    text_deinit(&call->reply.body);
    call_succeed(call, status, NULL);
}

void call_refuse(struct call *call, enum problem_code code, const char *format, ...)
{
    char detail[PROBLEM_DETAIL_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof(detail), format, arguments);
    va_end(arguments);
    problem_add(&call->problem, code, "%s", detail);
    call_fail(call);
}

void call_no_memory(struct call *call, const char *what)
{
    problem_no_memory(&call->problem, "%s", what);
    call_fail(call);
}

void problem_add_limit(struct problem *problem, const struct limits *limits, enum limit_id limit)
{
    struct problem_fault *fault =
        problem_add(problem, PROBLEM_LIMIT_EXCEEDED, "%s: there may be at most %llu",
                    limit_table[limit].text, (unsigned long long)limits_value(limits, limit));
    problem_fault_limit(fault, limits, limit);
}

void problem_add_refusal(struct service *service, struct problem *problem)
{
    if (atomic_load(&service->draining))
        problem_add(problem, PROBLEM_DRAINING, "the server is shutting down");
    else
        problem_add(problem, PROBLEM_OVERLOADED, "as many requests wait for the device as may");
}

/* ---- preconditions ---- */

static void etag_write(char etag[ETAG_BYTES], const struct version *version, const char *mark)
{
    snprintf(etag, ETAG_BYTES, "\"%llu-%.*s%s\"", (unsigned long long)version->revision,
             FINGERPRINT_SHOWN, version->fingerprint, mark);
}

void call_add_header(struct call *call, const char *name, const char *format, ...)
{
    struct reply *reply = &call->reply;
    assert(reply->header_count < REPLY_HEADERS_MAX);
    struct reply_header *header = &reply->headers[reply->header_count++];
    va_list arguments;
    header->name = name;
    va_start(arguments, format);
    vsnprintf(header->value, sizeof(header->value), format, arguments);
    va_end(arguments);
}

void call_set_etag(struct call *call, const struct version *version)
{
    call_set_etag_marked(call, version, "");
}

void call_set_etag_marked(struct call *call, const struct version *version, const char *mark)
{
    etag_write(call->reply.etag, version, mark);
}

/* Whether a header's list of entity tags has this one; `*` is any. `weak` tags count in comparisons
 * of If-None-Match only (RFC 9110, 8.8.3.2). */
static bool etag_listed(const char *list, const char *etag, bool weak)
{
    const size_t length = strlen(etag);
    if (strcmp(list, "*") == 0)
        return true;

    for (const char *at = list; *at;) {
        at += strspn(at, " \t,");
        const bool is_weak = strncmp(at, "W/", 2) == 0;
        if (is_weak)
            at += 2;
        const size_t token = strcspn(at, ",");
        const size_t trimmed = token >= length && at[length - 1] == '"' ? length : token;
        if ((weak || !is_weak) && trimmed == length && strncmp(at, etag, length) == 0)
            return true;
        at += token;
    }
    return false;
}

bool call_may_change(struct call *call, const struct version *version)
{
    return call_may_change_marked(call, version, "");
}

bool call_may_change_marked(struct call *call, const struct version *version, const char *mark)
{
    char etag[ETAG_BYTES];
    if (version)
        etag_write(etag, version, mark);
    if (call->if_match && !(version && etag_listed(call->if_match, etag, false))) {
        problem_add(&call->problem, PROBLEM_PRECONDITION_FAILED,
                    version ? "If-Match does not name the present revision"
                            : "If-Match is given, and there is no such resource");
        return false;
    }
    if (call->if_none_match && version && etag_listed(call->if_none_match, etag, true)) {
        problem_add(&call->problem, PROBLEM_PRECONDITION_FAILED,
                    "If-None-Match names the present revision");
        return false;
    }
    return true;
}

bool call_not_modified(struct call *call)
{
    if (!call->if_none_match || !etag_listed(call->if_none_match, call->reply.etag, true))
        return false;
    call_succeed_empty(call, 304);
    return true;
}

/* ---- names and pages ---- */

bool call_name_valid(struct call *call)
{
    if (name_valid(call->segments[0]))
        return true;
    call_refuse(call, PROBLEM_INVALID_ARGUMENT,
                "a name is a letter or digit and up to 63 more letters, digits and . _ -");
    return false;
}

bool call_page(struct call *call, struct page *page)
{
    const char *limit = call_parameter(call, "limit");
    const char *prefix = call_parameter(call, "prefix");
    const char *after = call_parameter(call, "after");
    *page = (struct page){prefix ? prefix : "", after ? after : "", PAGE_LIMIT_DEFAULT};
    if (!limit)
        return true;

    const size_t digits = strspn(limit, "0123456789");
    const unsigned long value = digits > 0 && !limit[digits] ? strtoul(limit, NULL, 10) : 0;
    if (value < 1 || value > PAGE_LIMIT_MAX) {
        call_refuse(call, PROBLEM_INVALID_ARGUMENT, "limit is an integer from 1 to %d",
                    PAGE_LIMIT_MAX);
        return false;
    }
    page->limit = (unsigned)value;
    return true;
}

/* A page of a store: names and versions, taken, and whether more follow. */
struct listing {
    struct listed {
        char name[STORE_NAME_BYTES];
        struct version *version;
    } * items; /* [count], to be freed */
    unsigned count;
    bool more;
};

/* false: no memory. */
static bool listing_init(struct listing *listing, const struct page *page,
                         const struct store *store)
{
    const size_t most = store->count < page->limit ? store->count : page->limit;
    *listing = (struct listing){.items = malloc((most + 1) * sizeof(*listing->items))};
    if (!listing->items)
        return false;
    const struct store_entry *entry = store_next(store, page->prefix, page->after);
    for (; entry && listing->count < most; entry = store_next(store, page->prefix, entry->name)) {
        struct listed *item = &listing->items[listing->count++];
        memcpy(item->name, entry->name, sizeof(item->name));
        item->version = entry->version;
        version_take(item->version);
    }
    listing->more = entry && listing->count > 0;
    return true;
}

void call_list(struct call *call, struct store *store,
               void (*write)(const struct version *version, struct text *out))
{
    struct text *out = &call->reply.body;
    struct page page;
    struct listing listing;
    if (!call_page(call, &page))
        return;
    service_lock(call->service);
    const bool listed = listing_init(&listing, &page, store);
    service_unlock(call->service);
    if (!listed) {
        call_no_memory(call, "a list");
        return;
    }

    text_json_open(out, '{');
    text_json_key(out, "items");
    text_json_open(out, '[');
    for (unsigned i = 0; i < listing.count; i++) {
        text_json_open(out, '{');
        version_write_members(listing.items[i].name, listing.items[i].version, out);
        write(listing.items[i].version, out);
        text_json_close(out, '}');
        version_release(listing.items[i].version);
    }
    text_json_close(out, ']');
    if (listing.more)
        text_member_string(out, "next", listing.items[listing.count - 1].name);
    else
        text_member_null(out, "next");
    free(listing.items);
    text_json_close(out, '}');
    call_succeed_json(call, 200);
}

/* A DELETE on its way to the publisher. */
struct deletion {
    struct worker_task work;
    struct call *call;
    enum blob_space space;
    bool (*may)(struct call *call, const char *name, const struct version *version);
    void (*end)(struct call *call, const char *name);
};

/* Where names of a space are, and the fault of one that is not there. */
static struct store *space_store(struct service *service, enum blob_space space, const char **kind,
                                 enum problem_code *unknown)
{
    switch (space) {
    case BLOB_WORLDS:
        *kind = "world";
        *unknown = PROBLEM_UNKNOWN_WORLD;
        return &service->worlds;
    case BLOB_ROBOTS:
        *kind = "robot";
        *unknown = PROBLEM_UNKNOWN_ROBOT;
        return &service->robots;
    case BLOB_ROADMAPS:
    case BLOB_SERVICE:
    case BLOB_SPACE_COUNT:
        break;
    }
    *kind = "roadmap";
    *unknown = PROBLEM_UNKNOWN_ROADMAP;
    return &service->roadmaps;
}

/* Whether a name may be deleted, which it is then about to be; else a fault is added. */
static bool begin_deletion(const struct deletion *deletion, const struct store *store,
                           const char *kind, enum problem_code unknown)
{
    struct call *call = deletion->call;
    struct service *service = call->service;
    const char *name = call->segments[0];
    service_lock(service);
    const struct version *version = store_find(store, name);
    if (!version)
        problem_add(&call->problem, unknown, "there is no %s \"%s\"", kind, name);
    else if (deletion->may(call, name, version))
        service->leaving = version;
    const bool begun = service->leaving;
    service_unlock(service);
    return begun;
}

/* Lets a name that was forgotten stand for nothing, else leaves it. */
static void end_deletion(const struct deletion *deletion, struct store *store, bool forgotten)
{
    struct call *call = deletion->call;
    struct service *service = call->service;
    const char *name = call->segments[0];
    struct version *removed = NULL;
    service_lock(service);
    if (forgotten) {
        // also what builds have made of it meanwhile
        if (deletion->end)
            deletion->end(call, name);
        removed = store_remove(store, name);
    }
    service->leaving = NULL;
    service_unlock(service);
    version_release(removed);
}

/* On the publisher. */
static void delete_name(struct worker_task *work)
{
    struct deletion *deletion = WORK_OF(deletion, work);
    struct call *call = deletion->call;
    struct service *service = call->service;
    const char *kind;
    enum problem_code unknown;
    bool forgotten = false;
    struct store *store = space_store(service, deletion->space, &kind, &unknown);
    if (begin_deletion(deletion, store, kind, unknown)) {
        forgotten = persistence_forget(service->persistence, deletion->space, call->segments[0],
                                       &call->problem);
        end_deletion(deletion, store, forgotten);
    }
    free(deletion);
    if (forgotten)
        call_succeed_empty(call, 204);
    else
        call_fail(call);
}

void call_delete(struct call *call, enum blob_space space,
                 bool (*may)(struct call *call, const char *name, const struct version *version),
                 void (*end)(struct call *call, const char *name))
{
    struct deletion *deletion = malloc(sizeof(*deletion));
    if (!deletion) {
        call_no_memory(call, "a request");
        return;
    }
    *deletion = (struct deletion){{.run = delete_name}, call, space, may, end};
    persistence_publish(call->service->persistence, &deletion->work);
}

void version_write_members(const char *name, const struct version *version, struct text *out)
{
    text_member_string(out, "name", name);
    text_member_u64(out, "revision", version->revision);
    text_member_string(out, "fingerprint", version->fingerprint);
    text_json_key(out, "created");
    clock_write_json(version->created, out);
}
