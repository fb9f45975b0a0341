/* Overlays inside larger bodies; internal to the schema. */
#ifndef SCHEMA_OVERLAY_READ_H
#define SCHEMA_OVERLAY_READ_H

#include "schema/json_read.h"
#include "schema/overlay.h"

/* Reads the members "obstacles" and "ignore" of a body, where they are there. Must be deinitialised
 * whatever was found. */
void overlay_read(struct overlay_document *overlay, const struct json_node *root,
                  const struct limits *limits);

#endif
