/* What a request says of a robot's file: the part `options`. */
#ifndef SCHEMA_ROBOT_OPTIONS_H
#define SCHEMA_ROBOT_OPTIONS_H

#include "schema/robot.h"

/* A joint and a number for it. */
struct robot_value {
    char joint[ROBOT_NAME_BYTES_MAX + 1];
    double value;
};

struct robot_options {
    char group[ROBOT_NAME_BYTES_MAX + 1]; /* of the SRDF; empty: all joints that move */
    bool has_base;
    struct robot_frame base;
    double padding;         /* grows all spheres */
    double cover_tolerance; /* 0: the default */

    /* owned */
    struct robot_value *locked, *weights;
    uint32_t locked_count, weight_count;
};

/* false: `problem` says what is wrong, with pointers below /options; nothing is owned then. */
bool robot_options_read(struct robot_options *options, const char *body, size_t bytes,
                        const struct limits *limits, struct problem *problem);
void robot_options_deinit(struct robot_options *options);

#endif
