#include "formats/format.h"

#include "formats/heightfield.h"
#include "formats/movingai.h"
#include "formats/npy_points.h"
#include "formats/obj.h"
#include "formats/octomap.h"
#include "formats/pcd.h"
#include "formats/ply.h"
#include "formats/ros_map.h"
#include "formats/scene.h"
#include "formats/stl.h"
#include "formats/xyz.h"

#include <stdio.h>
#include <string.h>

static bool read_movingai(struct world_document *world, struct format_report *report,
                          const struct format_file *file)
{
    (void)report;
    if (!movingai_read(world, file->data, file->bytes, file->passable, file->limits, file->problem))
        return false;
    if (file->resolution > 0)
        world->obstacles[0].grid.resolution = file->resolution;
    return true;
}

static const struct format formats[] = {
    {"movingai", 2, FORMAT_PASSABLE | FORMAT_RESOLUTION | FORMAT_POSE, NULL, read_movingai},
    {"ros-map", 2, FORMAT_UNKNOWN | FORMAT_POSE, "yaml", ros_map_read},
    {"octomap", 3, FORMAT_UNKNOWN | FORMAT_POSE | FORMAT_RESOLUTION, NULL, octomap_read},
    {"scene", 3, FORMAT_POSE | FORMAT_RESOLUTION, NULL, scene_read},
    {"pcd", 3, FORMAT_RADIUS | FORMAT_POSE | FORMAT_RESOLUTION, NULL, pcd_read},
    {"ply", 3, FORMAT_RADIUS | FORMAT_POSE | FORMAT_RESOLUTION, NULL, ply_read},
    {"xyz", 3, FORMAT_RADIUS | FORMAT_POSE | FORMAT_RESOLUTION, NULL, xyz_read},
    {"npy", 3, FORMAT_RADIUS | FORMAT_POSE | FORMAT_RESOLUTION, NULL, npy_points_read},
    {"stl", 3, FORMAT_POSE | FORMAT_RESOLUTION, NULL, stl_read},
    {"obj", 3, FORMAT_POSE | FORMAT_RESOLUTION, NULL, obj_read},
    {"heightfield", 3, FORMAT_POSE | FORMAT_RESOLUTION | FORMAT_HEIGHT | FORMAT_BASE, NULL,
     heightfield_read},
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const struct format *format_find(const char *name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

void format_names(char *out, size_t bytes)
{
    size_t length = 0;
    for (size_t i = 0; i < FORMAT_COUNT && length < bytes; i++)
        length +=
            (size_t)snprintf(out + length, bytes - length, "%s%s", i ? ", " : "", formats[i].name);
}
