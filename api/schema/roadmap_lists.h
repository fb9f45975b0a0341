/* The lists of a roadmap's document: anchors and what may touch. Internal to the schema. */
#ifndef SCHEMA_ROADMAP_LISTS_H
#define SCHEMA_ROADMAP_LISTS_H

#include "schema/json_read.h"
#include "schema/roadmap.h"

/* Reads `anchors` and `allow`; what they are of is known only where robot and world are. */
void roadmap_lists_read(struct roadmap_document *roadmap, const struct json_node *root,
                        const struct limits *limits);

void roadmap_lists_write(const struct roadmap_document *roadmap, struct text *out);

#endif
