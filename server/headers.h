/* What the values of request headers mean (RFC 9110, RFC 7240): pure functions on text.
 *
 * NULL is a header that was not sent. Nothing is allocated. Threads: any; no state.
 */
#ifndef SERVER_HEADERS_H
#define SERVER_HEADERS_H

#include <stdbool.h>

enum content_coding { CODING_IDENTITY, CODING_ZLIB, CODING_UNKNOWN };

/* Whether Accept lets an answer of this media type ("type/subtype") through. Loose: a JSON type of
 * any kind accepts JSON, and only a range that names nothing that fits, or q=0, keeps it out. */
bool headers_accept(const char *accept, const char *media);

/* Whether Accept names exactly this media type, and does not refuse it. */
bool headers_accept_names(const char *accept, const char *media);

/* Whether Accept-Encoding takes gzip. */
bool headers_accept_gzip(const char *accept_encoding);

/* Content-Encoding: gzip, x-gzip and deflate are zlib's; several codings on top of each other are
 * unknown. */
enum content_coding headers_content_coding(const char *content_encoding);

/* Whether a body of this Content-Type is read as JSON: application/json, text/json, anything +json,
 * none, and application/x-www-form-urlencoded, which curl -d and urllib send when they are told
 * nothing. */
bool headers_content_json(const char *content_type);

/* The seconds of `wait` in Prefer; negative where there is none or it is no number. */
double headers_prefer_wait(const char *prefer);

/* Whether a client's X-Request-Id can be taken over: 1 … 64 of [A-Za-z0-9._:/+=-]. */
bool headers_request_id(const char *request_id);

#endif
