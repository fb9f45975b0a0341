/* JSON laid out for people: what fits a line stands on one, the rest an item a line.
 *
 * Internal to the schema.
 */
#ifndef SCHEMA_JSON_LAYOUT_H
#define SCHEMA_JSON_LAYOUT_H

#include "schema/text.h"

#include <jansson.h>

/* Appends the value, which is not changed, members in their order; numbers read back as the same.
 */
void json_layout_write(json_t *json, struct text *out);

#endif
