/* Planning problems of the project's own, one of every kind of robot, as the wire's documents:
 * random but for ever the same. Benchmarks and references of answers use them, and whoever has no
 * other problems at hand. */
#ifndef BENCH_SCENES_H
#define BENCH_SCENES_H

#include "schema/text.h"

#include <stdbool.h>
#include <stdint.h>

struct scene {
    const char *name;
    const char *about;
};

/* grid, ball and arm are what planners are commonly measured with. */
extern const struct scene scenes[];
extern const unsigned scene_count;

/* The scene's number; scene_count: none has that name. */
unsigned scene_find(const char *name);

/* Appends each document, the same in every call. variant: other numbers, 0 … 999. Queries have
 * random ends, in bounds, free or not. */
void scene_write_world(unsigned scene, unsigned variant, struct text *out);
void scene_write_robot(unsigned scene, struct text *out);
void scene_write_request(unsigned scene, unsigned variant, uint32_t query_count, struct text *out);

#endif
