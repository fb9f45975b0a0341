/* A world and a robot read from the files that the service is given, as a list of solids. */
#ifndef TOOLS_SCENE_H
#define TOOLS_SCENE_H

#include "schema/document.h"
#include "tools/geometry.h"

struct scene {
    int dimension;
    bool bounded;
    double lower[3], upper[3]; /* of the robot's reference point, inclusive */
    struct solid *solids;      /* owned */
    size_t solid_count;
    double radius; /* of the robot; 0: a point */
};

/* Reads a world (.map or JSON) and a robot (JSON). false: `fault` says why; nothing to
 * deinitialise. What the checker does not know (polygons, padding, other robots) is refused, never
 * ignored. */
bool scene_read(struct scene *scene, const char *world_path, const char *robot_path, char *fault,
                size_t fault_bytes);
void scene_deinit(struct scene *scene);

/* How far the robot at p is from the nearest obstacle; <= 0: it touches. p: double[dimension]. */
double scene_clearance(const struct scene *scene, const double *p);

bool scene_in_bounds(const struct scene *scene, const double *p);

/* A whole file parsed as JSON; NULL: `fault` says why. */
struct document *scene_read_json(const char *path, char *fault, size_t fault_bytes);

#endif
