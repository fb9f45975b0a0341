/* Parts of reading a plan request that a matrix needs too; internal to the schema. */
#ifndef SCHEMA_PLAN_READ_H
#define SCHEMA_PLAN_READ_H

#include "schema/json_read.h"
#include "schema/plan.h"

/* Reads what says how queries are answered, but for how the answers look: the members "objective",
 * "connect", "expand", "deadline_ms", "obstacles", "ignore", "allow_stale" and "diagnose". */
void plan_options_read(struct plan_request *request, const struct json_node *root,
                       const struct limits *limits);

/* Reads what says how the answers look: the members "output", "simplify" and "interpolate". */
void plan_output_read(struct plan_request *request, const struct json_node *root);

#endif
