/* Joints and links as a tree: whatever the file said, the same rules. */
#ifndef SCHEMA_ROBOT_TREE_H
#define SCHEMA_ROBOT_TREE_H

#include "schema/robot.h"

/* What is wrong with a joint or link. */
struct robot_fault {
    enum problem_code code;
    uint32_t joint, link; /* one of both, or neither: ROBOT_NONE */
    const char *member;   /* of it, or NULL: all of it */
    char detail[256];
    bool over_limit; /* `limit` was hit */
    enum limit_id limit;
};
typedef void robot_report(void *context, const struct robot_fault *fault);

/* Checks an arm and makes what follows from its joints: axes of unit length, mimics that lead to
 * the joint that moves, coordinates, order, which links move. Rules: names are unique; the links
 * are one tree; limits are in order and there where they are needed; what is followed moves, by
 * itself; a joint that follows a continuous one turns by a whole multiple; dof from 1 to the limit.
 * Reports each fault and returns false then, or where memory is out (reported too). */
bool robot_settle(struct robot_document *robot, const struct limits *limits, robot_report *report,
                  void *context);

#endif
