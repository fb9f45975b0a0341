/* Robots as requests give them: JSON, a URDF, or a form of a URDF and what goes with it. */
#ifndef SERVICE_ROBOT_READ_H
#define SERVICE_ROBOT_READ_H

#include "schema/robot.h"
#include "service/call.h"

/* Reads the call's body by its format and Content-Type. false: the call's problem says why not;
 * `robot` then needs no deinit. */
bool robot_read_call(struct robot_document *robot, struct call *call, const struct limits *limits);

#endif
