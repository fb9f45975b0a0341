/* The route table as data. */
#ifndef SCHEMA_ROUTE_H
#define SCHEMA_ROUTE_H

enum route_flag {
    ROUTE_BODY = 1,
    ROUTE_WORK = 2,
    ROUTE_ANY_TYPE = 4,
    ROUTE_ARRAYS = 8,
    ROUTE_FILES = 16,
    ROUTE_ARCHIVE = 32,
    ROUTE_PICTURE = 64,
    ROUTE_EVENTS = 128,
};

/* What a token allows, and what a route needs: each role includes those before it. */
enum route_role { ROLE_OPEN, ROLE_READ, ROLE_PLAN, ROLE_WRITE, ROLE_COUNT };

enum route_id {
#define ROUTE(constant, method, pattern, role, flags, summary) ROUTE_##constant,
#include "schema/routes.def"
#undef ROUTE
    ROUTE_COUNT
};

struct route {
    const char *method, *pattern, *summary;
    enum route_role role;
    unsigned flags;
};

extern const struct route route_table[ROUTE_COUNT];

/* "open", "read", "plan", "write". */
extern const char *const route_role_names[ROLE_COUNT];

#endif
