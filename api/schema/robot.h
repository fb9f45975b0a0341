/* The robot resource: wire document <-> plain struct (api page, section 4). */
#ifndef SCHEMA_ROBOT_H
#define SCHEMA_ROBOT_H

#include "schema/limits.h"
#include "schema/problem.h"

enum robot_type { ROBOT_POINT, ROBOT_BALL };

struct robot_document {
    enum robot_type type;
    double radius; /* ball */
};

bool robot_read(struct robot_document *robot, const char *body, size_t bytes,
                const struct limits *limits, struct problem *problem);

/* Members without braces, canonical: see world_write_members. */
void robot_write_members(const struct robot_document *robot, struct text *out);

#endif
