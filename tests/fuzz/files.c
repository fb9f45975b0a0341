/* Foreign files: worlds and robots as people have them, through what the service makes of a request
 * that brings one. */
#include "formats/format.h"
#include "formats/robot_spheres.h"
#include "fuzz.h"
#include "roadmap/robot/robot.h"
#include "roadmap/world/world.h"
#include "service/files/multipart.h"
#include "service/robots/robot_read.h"
#include "service/translate.h"
#include "service/translate_robot.h"
#include "service/worlds/world_formats.h"

#include <string.h>

/* A file of a format, with the parameters that its first line brings. What is taken, the engine can
 * check, and the service write and read again. */
static void read_file(const char *format, const char *data, size_t bytes)
{
    struct call call;
    char line[FUZZ_LINE_BYTES];
    struct world_document world;
    struct file_report report = {0};
    fuzz_call(&call, line, data, bytes);
    if (call.parameter_count == CALL_PARAMETERS_MAX)
        return;
    call.parameters[call.parameter_count++] = (struct call_parameter){"format", format};
    const bool good = world_read_format(&world, &report, &call, fuzz_limits());
    fuzz_judge(good, &call.problem);
    if (!good)
        return;
    struct world_spec spec = {0};
    struct text first = {0}, second = {0};
    struct problem problem = {0};
    if (world_spec_init(&spec, &world) == PRM_OK)
        (void)prm_world_check(&spec.spec);
    world_spec_deinit(&spec);
    text_append(&first, "{", 1);
    world_write_members(&world, &first);
    text_append(&first, "}", 1);
    world_deinit(&world);

    fuzz_taken(world_read(&world, first.data, first.length, fuzz_limits(), &problem), &first,
               &problem);
    text_append(&second, "{", 1);
    world_write_members(&world, &second);
    text_append(&second, "}", 1);
    fuzz_same(&first, &second);
    world_deinit(&world);
    text_deinit(&first);
    text_deinit(&second);
}

/* A target for each format: FILE_TARGET(its name here, the format's name). */
#define FILE_TARGET(name, format)                                                                  \
    void fuzz_##name(const char *data, size_t bytes)                                               \
    {                                                                                              \
        read_file(format, data, bytes);                                                            \
    }
FILE_TARGET(movingai, "movingai")
FILE_TARGET(ros_map, "ros-map")
FILE_TARGET(octomap, "octomap")
FILE_TARGET(scene, "scene")
FILE_TARGET(pcd, "pcd")
FILE_TARGET(ply, "ply")
FILE_TARGET(xyz, "xyz")
FILE_TARGET(npy_points, "npy")
FILE_TARGET(stl, "stl")
FILE_TARGET(obj, "obj")
FILE_TARGET(heightfield, "heightfield")

/* A form where it begins as one, else a URDF. */
void fuzz_urdf(const char *data, size_t bytes)
{
    struct call call;
    char line[FUZZ_LINE_BYTES];
    struct robot_document robot;
    fuzz_call(&call, line, data, bytes);
    const bool is_form = call.body_bytes > 2 && memcmp(call.body, "--", 2) == 0;
    call.content_type = is_form ? "multipart/form-data; boundary=X" : "application/xml";
    const bool good = robot_read_call(&robot, &call, fuzz_limits());
    fuzz_judge(good, &call.problem);
    if (!good)
        return;
    struct robot_spec spec = {0};
    if (robot_spec_init(&spec, &robot) == PRM_OK)
        (void)prm_robot_check(&spec.spec);
    robot_spec_deinit(&spec);
    robot_deinit(&robot);
}

/* A link's spheres, and the pairs to ignore, of a robot with two links. */
static void take_spheres(const struct robot_spheres *spheres)
{
    static const char text[] =
        "{\"type\":\"arm\",\"joints\":[{\"name\":\"j\",\"type\":\"continuous\",\"axis\":[0,0,1],"
        "\"child\":\"b\"}],\"links\":[{\"name\":\"b\",\"spheres\":[]}]}";
    struct robot_document robot;
    struct problem none = {0}, problem = {0};
    fuzz_must(robot_read(&robot, text, sizeof(text) - 1, fuzz_limits(), &none));
    bool good = true;
    if (robot_spheres_has(spheres, "b"))
        good = robot_spheres_append(spheres, "b", &robot, fuzz_limits(), &problem);
    if (good)
        good = robot_spheres_finish(spheres, &robot, &problem);
    fuzz_judge(good, &problem);
    robot_deinit(&robot);
}

void fuzz_yaml(const char *data, size_t bytes)
{
    struct robot_spheres spheres;
    struct problem problem = {0};
    const bool good = robot_spheres_read(&spheres, data, bytes, &problem);
    fuzz_judge(good, &problem);
    if (!good)
        return;
    take_spheres(&spheres);
    robot_spheres_deinit(&spheres);
}

void fuzz_multipart(const char *data, size_t bytes)
{
    static const char *const names[] = {"yaml", "image", NULL};
    static const char *const types[] = {NULL, "multipart/form-data; boundary=X",
                                        "multipart/form-data; boundary=\"a b?\""};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        struct multipart form;
        struct problem problem = {0};
        const bool good = multipart_read(&form, types[i], data, bytes, names, &problem);
        fuzz_judge(good, &problem);
        for (unsigned j = 0; good && j < form.count; j++) {
            const struct multipart_part *part = &form.parts[j];
            fuzz_must(part->data >= data && part->data + part->bytes <= data + bytes);
            fuzz_must(multipart_part(&form, part->name) == part);
        }
    }
}
