/* Lengths and places of a world, which are bounded: what float32 about the world's centre can tell
 * apart, squares included.
 *
 * Internal to the schema. Readers report into the node's problem and return false, as those of
 * json_read.h do.
 */
#ifndef SCHEMA_LENGTH_H
#define SCHEMA_LENGTH_H

#include "schema/json_read.h"
#include "schema/world.h"

/* A number from -LENGTH_MAX to LENGTH_MAX, of the sign asked for. */
bool length_read(const struct json_node *node, enum json_sign sign, double *value);

/* An array of just `count` of them. */
bool length_read_all(const struct json_node *node, enum json_sign sign, double *values,
                     size_t count);

#endif
