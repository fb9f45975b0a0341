/* The route table as data. */
#ifndef SCHEMA_ROUTE_H
#define SCHEMA_ROUTE_H

enum route_flag { ROUTE_BODY = 1, ROUTE_WORK = 2, ROUTE_ANY_TYPE = 4 };

enum route_id {
#define ROUTE(constant, method, pattern, flags, summary) ROUTE_##constant,
#include "schema/routes.def"
#undef ROUTE
    ROUTE_COUNT
};

struct route {
    const char *method, *pattern, *summary;
    unsigned flags;
};

extern const struct route route_table[ROUTE_COUNT];

#endif
