/* Worlds from files: PUT of a world with ?format=…. */
#ifndef SERVICE_WORLD_FORMATS_H
#define SERVICE_WORLD_FORMATS_H

#include "schema/world.h"
#include "service/call.h"

/* Reads the body as a file of `format`. false: the call's problem says why not. */
bool world_read_format(struct world_document *document, struct call *call, const char *format,
                       const struct limits *limits);

#endif
