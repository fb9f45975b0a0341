#include "schema/length.h"

#include <math.h>

/* Whether a value that was read is near enough. */
static bool check(const struct json_node *node, double value)
{
    if (fabs(value) <= LENGTH_MAX)
        return true;
    json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must be a number from %g to %g", -LENGTH_MAX,
                    LENGTH_MAX);
    return false;
}

bool length_read(const struct json_node *node, enum json_sign sign, double *value)
{
    return json_node_number(node, sign, value) && (!node->json || check(node, *value));
}

bool length_read_all(const struct json_node *node, enum json_sign sign, double *values,
                     size_t count)
{
    if (!json_node_numbers(node, sign, values, count))
        return false;
    bool good = true;
    for (size_t i = 0; node->json && i < count; i++) {
        struct json_node element = json_node_element(node, i);
        good &= check(&element, values[i]);
    }
    return good;
}
