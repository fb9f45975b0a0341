#include "schema/states_read.h"

#include <math.h>
#include <string.h>

enum { QUATERNION = 4 };

static void read_named(const struct question_space *space, const struct json_node *node,
                       double *state)
{
    const char *key;
    json_t *value;
    for (uint32_t i = 0; i < space->dof; i++) {
        struct json_node member = json_node_member(node, space->coordinates[i]);
        if (json_node_required(&member))
            json_node_number(&member, JSON_ANY, &state[i]);
    }
    json_object_foreach(node->json, key, value)
    {
        uint32_t i = 0;
        while (i < space->dof && strcmp(key, space->coordinates[i]) != 0)
            i++;
        struct json_node member = json_node_member(node, key);
        if (i == space->dof)
            json_node_fault(&member, PROBLEM_UNKNOWN_MEMBER, "is no coordinate of the robot");
    }
}

void state_read(const struct question_space *space, const struct json_node *node, double *state)
{
    const unsigned faults = node->problem->fault_count;
    if (json_is_object(node->json))
        read_named(space, node, state);
    else
        json_node_numbers(node, JSON_ANY, state, space->dof);
    if (space->quaternion == UINT32_MAX || node->problem->fault_count > faults)
        return;
    const double *q = state + space->quaternion;
    double largest = 0;
    for (int i = 0; i < QUATERNION; i++)
        largest = fmax(largest, fabs(q[i]));
    // numbers so small or large that their squares are none count as well
    if (!(largest > 1 / STATE_COORDINATE_MAX && largest < STATE_COORDINATE_MAX))
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT,
                        "has a quaternion that cannot be made unit");
}

void states_read(const struct question_space *space, const struct json_node *node, double *states)
{
    const size_t count = json_array_size(node->json);
    for (size_t i = 0; i < count && !json_node_full(node); i++) {
        struct json_node element = json_node_element(node, i);
        state_read(space, &element, states + i * space->dof);
    }
}
