#include "schema/route.h"

/* The flags as the table writes them. */
enum { BODY = ROUTE_BODY, DEVICE = ROUTE_DEVICE, OPEN = ROUTE_OPEN, PROBE = ROUTE_PROBE };

const struct route route_table[ROUTE_COUNT] = {
#define ROUTE(constant, method, pattern, flags, summary) {method, pattern, summary, flags},
#include "schema/routes.def"
#undef ROUTE
};
