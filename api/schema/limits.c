#include "schema/limits.h"

#include <string.h>

const struct limit_row limit_table[LIMIT_COUNT] = {
#define LIMIT(member, flag, value, most, text) {#member, flag, text, most},
    LIMITS(LIMIT)
#undef LIMIT
};

struct limits limits_default(void)
{
    return (struct limits){
#define LIMIT(member, flag, value, most, text) .member = (value),
        LIMITS(LIMIT)
#undef LIMIT
    };
}

struct limits limits_highest(void)
{
    return (struct limits){
#define LIMIT(member, flag, value, most, text) .member = (most),
        LIMITS(LIMIT)
#undef LIMIT
    };
}

/* The struct is nothing but the limits in the table's order. */
_Static_assert(sizeof(struct limits) == LIMIT_COUNT * sizeof(uint64_t), "limits have padding");

uint64_t limits_value(const struct limits *limits, enum limit_id limit)
{
    uint64_t values[LIMIT_COUNT];
    memcpy(values, limits, sizeof values);
    return values[limit];
}

void limits_set(struct limits *limits, enum limit_id limit, uint64_t value)
{
    uint64_t values[LIMIT_COUNT];
    memcpy(values, limits, sizeof values);
    values[limit] = value;
    memcpy(limits, values, sizeof values);
}
