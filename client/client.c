#include "client/client.h"

#include "schema/clock.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <curl/curl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    URL_MAX = 8192,
    HEADER_MAX = 1024,
    SILENCE_MAX_S = 60, /* of a stream, which sends comments when there is nothing to tell */
};

struct client {
    CURL *curl;
    char server[512];
    char authorization[HEADER_MAX]; /* header line, or empty */
    const char *ca_file;            /* PRM_CA_FILE; NULL: the system's certificates */
    double connect_timeout_s, timeout_s;
};

static const char *environment(const char *given, const char *variable, const char *otherwise)
{
    const char *value = given ? given : getenv(variable);
    return value && *value ? value : otherwise;
}

/* Whether a URL's host is this machine: a proxy would look for it on its own. */
static bool is_loopback(const char *server)
{
    const char *host = strstr(server, "://");
    host = host ? host + 3 : server;
    const size_t bytes = strcspn(host, *host == '[' ? "/" : ":/");
    struct in_addr address;
    char name[sizeof "255.255.255.255"];
    if (bytes >= sizeof name)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)bytes, host);
    return strcasecmp(name, "localhost") == 0 || strncmp(name, "[::1]", 5) == 0 ||
           (inet_pton(AF_INET, name, &address) == 1 && ntohl(address.s_addr) >> 24 == 127);
}

/* Whether a token can stand in a header; a line feed at its end is a file's, not its own. */
static bool make_authorization(char header[HEADER_MAX], const char *token)
{
    const size_t bytes = strcspn(token, "\r\n");
    if (token[bytes + strspn(token + bytes, "\r\n")] != '\0')
        return false;
    for (size_t i = 0; i < bytes; i++)
        if (token[i] <= ' ' || token[i] > '~')
            return false;
    const int length =
        snprintf(header, HEADER_MAX, "Authorization: Bearer %.*s", (int)bytes, token);
    return length > 0 && length < HEADER_MAX;
}

struct client *client_create(const struct client_options *options)
{
    const char *server = environment(options->server, "PRM_SERVER", CLIENT_SERVER_DEFAULT);
    const char *token = environment(options->token, "PRM_TOKEN", NULL);
    struct client *client = calloc(1, sizeof *client);
    if (!client)
        return NULL;

    // a server given as host:port is meant as http
    int length = snprintf(client->server, sizeof client->server, "%s%s",
                          strstr(server, "://") ? "" : "http://", server);
    if (length < 0 || (size_t)length >= sizeof client->server)
        goto failed;
    while (length > 0 && client->server[length - 1] == '/')
        client->server[--length] = '\0';

    if (token && !make_authorization(client->authorization, token))
        goto failed;
    client->ca_file = environment(NULL, "PRM_CA_FILE", NULL);
    client->connect_timeout_s = options->connect_timeout_s > 0 ? options->connect_timeout_s : 5;
    client->timeout_s = options->timeout_s > 0 ? options->timeout_s : 600;
    client->curl = curl_easy_init();
    if (!client->curl)
        goto failed;
    return client;

failed:
    free(client);
    return NULL;
}

void client_destroy(struct client *client)
{
    if (!client)
        return;
    curl_easy_cleanup(client->curl);
    free(client);
}

const char *client_server(const struct client *client)
{
    return client->server;
}

/* Where an answer goes. */
struct sink {
    CURL *curl;
    const struct client_request *request;
    struct text body;
    double last_s; /* steady clock, when something came */
};

static size_t receive(char *data, size_t size, size_t count, void *context)
{
    struct sink *sink = context;
    long status = 0;
    sink->last_s = clock_steady();
    curl_easy_getinfo(sink->curl, CURLINFO_RESPONSE_CODE, &status);
    if (sink->request->take && status / 100 == 2) {
        sink->request->take(sink->request->context, data, size * count);
        return size * count;
    }
    text_append(&sink->body, data, size * count);
    return sink->body.failed ? 0 : size * count;
}

/* CURLOPT_XFERINFOFUNCTION, called about once a second: whether a stream was silent for too long.
 */
static int is_silent(void *context, curl_off_t total, curl_off_t now, curl_off_t up_total,
                     curl_off_t up_now)
{
    const struct sink *sink = context;
    (void)total, (void)now, (void)up_total, (void)up_now;
    return clock_steady() - sink->last_s > SILENCE_MAX_S;
}

/* Ends a text as a C string that the caller owns; NULL where memory ran out. */
static char *text_take(struct text *text)
{
    text_append(text, "", 1);
    if (text->failed) {
        text_deinit(text);
        return NULL;
    }
    char *string = text->data;
    *text = (struct text){0};
    return string;
}

static struct curl_slist *request_headers(const struct client *client,
                                          const struct client_request *request)
{
    char line[HEADER_MAX];
    snprintf(line, sizeof line, "Accept: %s",
             request->accept ? request->accept : "application/json, */*;q=0.5");
    struct curl_slist *headers = curl_slist_append(NULL, line);
    if (*client->authorization)
        headers = curl_slist_append(headers, client->authorization);
    if (request->body) {
        const char *type = request->content_type ? request->content_type : "application/json";
        snprintf(line, sizeof line, "Content-Type: %s", type);
        headers = curl_slist_append(headers, line);
        // a server on the same machine answers sooner than a 100 Continue is worth
        headers = curl_slist_append(headers, "Expect:");
    }
    if (request->prefer) {
        snprintf(line, sizeof line, "Prefer: %s", request->prefer);
        headers = curl_slist_append(headers, line);
    }
    if (request->last_event_id && *request->last_event_id) {
        snprintf(line, sizeof line, "Last-Event-ID: %s", request->last_event_id);
        headers = curl_slist_append(headers, line);
    }
    return headers;
}

static void request_configure(struct client *client, const struct client_request *request,
                              const char *url, struct curl_slist *headers, struct sink *sink)
{
    CURL *curl = client->curl;
    curl_easy_reset(curl); // options only; the connection stays
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "prm");
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)(1000 * client->connect_timeout_s));
    if (request->take) {
        // not curl's low speed, for which a few bytes now and then are nothing
        curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
        curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, is_silent);
        curl_easy_setopt(curl, CURLOPT_XFERINFODATA, sink);
    } else {
        curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(1000 * client->timeout_s));
    }
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, sink);
    if (client->ca_file)
        curl_easy_setopt(curl, CURLOPT_CAINFO, client->ca_file);
    if (is_loopback(client->server))
        curl_easy_setopt(curl, CURLOPT_PROXY, "");
    if (request->body) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_bytes);
    }
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
}

/* Whether an answer is JSON by its media type: application/json, or anything+json. */
static bool is_json(CURL *curl)
{
    const char *type = NULL;
    curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
    return type && strstr(type, "json");
}

static enum client_outcome no_answer(struct client_reply *reply, const char *what,
                                     const char *detail)
{
    struct text error = {0};
    text_print(&error, "%s: %s", what, detail);
    reply->error = text_take(&error);
    return reply->outcome = CLIENT_FAILED;
}

/* Sets outcome and error text from status and body. */
static enum client_outcome judge(struct client_reply *reply)
{
    if (reply->status / 100 == 2)
        return reply->outcome = CLIENT_DONE;
    struct text error = {0};
    if (reply->document)
        client_problem_print(document_root(reply->document), reply->status, &error);
    else
        text_print(&error, "HTTP status %d", reply->status);
    reply->error = text_take(&error);
    return reply->outcome = reply->status / 100 == 4 ? CLIENT_REFUSED : CLIENT_FAILED;
}

enum client_outcome client_send(struct client *client, const struct client_request *request,
                                struct client_reply *reply)
{
    *reply = (struct client_reply){0};
    char url[URL_MAX];
    int length = snprintf(url, sizeof url, "%s%s", client->server, request->path);
    if (length < 0 || (size_t)length >= sizeof url)
        return no_answer(reply, client->server, "the request's URL is too long");

    // one round trip
    struct sink sink = {.curl = client->curl, .request = request, .last_s = clock_steady()};
    struct curl_slist *headers = request_headers(client, request);
    request_configure(client, request, url, headers, &sink);
    CURLcode code = curl_easy_perform(client->curl);
    curl_slist_free_all(headers);
    if (code != CURLE_OK) {
        text_deinit(&sink.body);
        return no_answer(reply, client->server,
                         code == CURLE_ABORTED_BY_CALLBACK ? "nothing came any more"
                                                           : curl_easy_strerror(code));
    }

    // what came back
    long status = 0;
    curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &status);
    reply->status = (int)status;
    reply->bytes = sink.body.length;
    reply->body = text_take(&sink.body);
    if (!reply->body)
        return no_answer(reply, client->server, "out of memory");
    if (is_json(client->curl) && reply->bytes > 0) {
        char fault[200];
        reply->document = document_parse(reply->body, reply->bytes, fault, sizeof fault);
        if (!reply->document)
            return no_answer(reply, "the answer is not JSON", fault);
    }
    return judge(reply);
}

void client_reply_deinit(struct client_reply *reply)
{
    free(reply->body);
    free(reply->error);
    document_destroy(reply->document);
    *reply = (struct client_reply){0};
}

const struct document_value *client_reply_root(const struct client_reply *reply)
{
    return reply->document ? document_root(reply->document) : NULL;
}

/* One fault of a problem: detail, where, which limit. */
static void fault_print(const struct document_value *fault, struct text *out)
{
    const char *detail = document_string(fault, "/detail", NULL);
    const char *pointer = document_string(fault, "/pointer", NULL);
    const char *flag = document_string(fault, "/flag", NULL);
    double line = document_number(fault, "/line", 0);
    if (detail)
        text_print(out, "\n  %s", detail);
    if (pointer)
        text_print(out, "\n    at %s", *pointer ? pointer : "the whole document");
    if (line > 0)
        text_print(out, "\n    at line %.0f, column %.0f", line,
                   document_number(fault, "/column", 0));
    if (document_is_number(document_at(fault, "/limit"))) {
        text_print(out, "\n    the limit is %.15g", document_number(fault, "/limit", 0));
        if (flag)
            text_print(out, " (prmd %s raises it)", flag);
    }
}

void client_problem_print(const struct document_value *problem, int status, struct text *out)
{
    text_print(out, "%s (%d %s)", document_string(problem, "/title", "the request failed"), status,
               document_string(problem, "/code", "without a code"));

    // several faults are all listed; the first of them is also the problem's own
    const struct document_value *errors = document_at(problem, "/errors");
    if (document_length(errors) > 0) {
        for (size_t i = 0; i < document_length(errors); i++)
            fault_print(document_element(errors, i), out);
    } else {
        fault_print(problem, out);
    }
    const char *id = document_string(problem, "/request_id", NULL);
    if (id)
        text_print(out, "\n  request %s", id);
}

void client_url_append(struct text *url, const char *segment)
{
    for (const char *c = segment; *c; c++) {
        if (isalnum((unsigned char)*c) || strchr("-._~", *c))
            text_append(url, c, 1);
        else
            text_print(url, "%%%02X", (unsigned)(unsigned char)*c);
    }
}
