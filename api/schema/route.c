#include "schema/route.h"

/* Roles and flags as the table writes them. */
enum { OPEN = ROLE_OPEN, READ = ROLE_READ, PLAN = ROLE_PLAN, WRITE = ROLE_WRITE };
enum { BODY = ROUTE_BODY, WORK = ROUTE_WORK, ANY_TYPE = ROUTE_ANY_TYPE };
enum { ARRAYS = ROUTE_ARRAYS, FILES = ROUTE_FILES, ARCHIVE = ROUTE_ARCHIVE };
enum { PICTURE = ROUTE_PICTURE, EVENTS = ROUTE_EVENTS };

const struct route route_table[ROUTE_COUNT] = {
#define ROUTE(constant, method, pattern, role, flags, summary)                                     \
    {method, pattern, summary, (enum route_role)(role), flags},
#include "schema/routes.def"
#undef ROUTE
};

const char *const route_role_names[ROLE_COUNT] = {"open", "read", "plan", "write"};
