/* The queries of a plan request's body, read without a tree of the document in between.
 *
 * Takes the form that nearly all clients send: `queries` an array of objects of `start`, `goal` and
 * `id`, states as arrays of as many numbers as there are coordinates. Whatever differs is left to
 * the reader of documents, as are all faults, so that there is one place that knows them
 * (plan_request.c). Cost: one pass over the text, some 10 ns a number. Internal to the schema.
 */
#ifndef SCHEMA_PLAN_SCAN_H
#define SCHEMA_PLAN_SCAN_H

#include "schema/plan.h"

/* Reads the queries into a request that has none, and appends to `rest` the same document with no
 * queries in it; that this is JSON and holds "queries" once is still to be checked: then the body
 * is and does, too. false: the body is of another form; both are the caller's to deinit either way.
 */
bool plan_scan(struct plan_request *request, struct text *rest, const char *body, size_t bytes,
               uint32_t dof, const struct limits *limits);

#endif
