#include "schema/route.h"

/* The flags as the table writes them. */
enum { BODY = ROUTE_BODY, WORK = ROUTE_WORK, ANY_TYPE = ROUTE_ANY_TYPE };

const struct route route_table[ROUTE_COUNT] = {
#define ROUTE(constant, method, pattern, flags, summary) {method, pattern, summary, flags},
#include "schema/routes.def"
#undef ROUTE
};
