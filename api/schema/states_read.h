/* States in the bodies of questions, where each must be one; internal to the schema. */
#ifndef SCHEMA_STATES_READ_H
#define SCHEMA_STATES_READ_H

#include "schema/json_read.h"
#include "schema/questions.h"

/* Beyond it float32 has no square, and so no distance. */
#define STATE_COORDINATE_MAX 1e15

/* Reads one state of the space's coordinates, an array or an object by name, or adds faults.
 * state: [dof] */
void state_read(const struct question_space *space, const struct json_node *node, double *state);

/* Reads all states of an array. states: [its size][dof] */
void states_read(const struct question_space *space, const struct json_node *node, double *states);

#endif
