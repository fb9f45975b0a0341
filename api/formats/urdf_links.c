#include "formats/urdf_links.h"

#include "schema/cover.h"
#include "schema/robot_parts.h"
#include "schema/rotation.h"
#include "schema/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What all links share. */
struct links_reader {
    struct robot_document *robot;
    const struct robot_spheres *spheres;
    double tolerance;
    const struct limits *limits;
    struct problem *problem;
};

bool urdf_frame(const xmlNode *parent, struct robot_frame *frame, struct problem *problem)
{
    const xmlNode *origin = xml_child(parent, "origin");
    *frame = robot_frame_identity();
    if (!origin)
        return true;
    if (!xml_numbers(origin, "xyz", frame->xyz, 3, NULL, problem) ||
        !xml_numbers(origin, "rpy", frame->rpy, 3, &frame->has_rpy, problem))
        return false;
    if (frame->has_rpy)
        rotation_of_rpy(frame->rpy, frame->quaternion);
    return true;
}

/* A sphere of the last link, with its center in the collision's frame. */
static bool append(const struct links_reader *reader, const xmlNode *node,
                   const struct robot_frame *frame, const double center[3], double radius)
{
    double place[3];
    if (reader->robot->sphere_count >= reader->limits->spheres) {
        problem_fault_limit(xml_fault(node, reader->problem, PROBLEM_LIMIT_EXCEEDED,
                                      "the robot has more spheres than it may"),
                            reader->limits, LIMIT_spheres);
        return false;
    }
    rotation_apply(place, frame->quaternion, center);
    for (int a = 0; a < 3; a++)
        place[a] += frame->xyz[a];
    if (robot_append_sphere(reader->robot, place, radius))
        return true;
    problem_no_memory(reader->problem, "a robot");
    return false;
}

/* Appends a cover, which it takes over. */
static bool take_cover(const struct links_reader *reader, const xmlNode *node,
                       const struct robot_frame *frame, struct cover *cover)
{
    bool good = true;
    for (uint32_t i = 0; i < cover->count && good; i++)
        good = append(reader, node, frame, cover->spheres + 4 * (size_t)i,
                      cover->spheres[4 * (size_t)i + 3]);
    reader->robot->cover_excess = fmax(reader->robot->cover_excess, cover->excess);
    free(cover->spheres);
    return good;
}

/* An attribute of lengths above 0 that must be there, neither so small nor so large that they are
 * none. */
static bool lengths(const struct links_reader *reader, const xmlNode *node, const char *name,
                    double *numbers, size_t count)
{
    bool found, good = xml_numbers(node, name, numbers, count, &found, reader->problem);
    for (size_t i = 0; i < count && good && found; i++)
        found = numbers[i] >= LENGTH_LEAST && numbers[i] <= LENGTH_MAX;
    if (good && !found) {
        xml_fault(node, reader->problem, PROBLEM_INVALID_ARGUMENT,
                  "<%s> needs a %s greater than 0, of %g to %g", node->name, name, LENGTH_LEAST,
                  LENGTH_MAX);
        return false;
    }
    return good;
}

static bool read_shape(const struct links_reader *reader, const xmlNode *shape,
                       const struct robot_frame *frame)
{
    static const double middle[3] = {0};
    const char *kind = (const char *)shape->name;
    struct cover cover;
    double radius = 0, length = 0, size[3] = {0};
    if (strcmp(kind, "sphere") == 0)
        return lengths(reader, shape, "radius", &radius, 1) &&
               append(reader, shape, frame, middle, radius);
    if (strcmp(kind, "box") == 0) {
        if (!lengths(reader, shape, "size", size, 3))
            return false;
        if (cover_box(&cover, size, reader->tolerance))
            return take_cover(reader, shape, frame, &cover);
    } else if (strcmp(kind, "cylinder") == 0) {
        if (!lengths(reader, shape, "radius", &radius, 1) ||
            !lengths(reader, shape, "length", &length, 1))
            return false;
        if (cover_cylinder(&cover, radius, length, reader->tolerance))
            return take_cover(reader, shape, frame, &cover);
    } else {
        xml_fault(shape, reader->problem, PROBLEM_UNSUPPORTED,
                  "<%s> is no geometry known here: sphere, box, cylinder, mesh", kind);
        return false;
    }
    problem_no_memory(reader->problem, "a robot");
    return false;
}

static const xmlNode *first_element(const xmlNode *parent)
{
    const xmlNode *node = parent ? parent->children : NULL;
    while (node && node->type != XML_ELEMENT_NODE)
        node = node->next;
    return node;
}

/* All that a link collides with. */
static bool read_collisions(const struct links_reader *reader, const xmlNode *link,
                            const char *name)
{
    uint32_t meshes = 0, shapes = 0;
    for (const xmlNode *collision = xml_child(link, "collision"); collision;
         collision = xml_next(collision, "collision")) {
        const xmlNode *shape = first_element(xml_child(collision, "geometry"));
        struct robot_frame frame;
        if (!shape) {
            xml_fault(collision, reader->problem, PROBLEM_INVALID_ARGUMENT,
                      "link \"%s\": a <collision> without geometry", name);
            return false;
        }
        if (strcmp((const char *)shape->name, "mesh") == 0) {
            meshes++;
            continue;
        }
        shapes++;
        if (!urdf_frame(collision, &frame, reader->problem) || !read_shape(reader, shape, &frame))
            return false;
    }
    if (meshes && !shapes) {
        xml_fault(
            link, reader->problem, PROBLEM_UNSUPPORTED,
            "link \"%s\" has only meshes to collide with, which are not read: give it spheres, "
            "boxes or cylinders, or send a part `spheres` that has it",
            name);
        return false;
    }
    if (meshes)
        robot_warn(reader->robot, "mesh_left_out",
                   "link \"%s\": %u mesh%s beside other shapes %s left out", name, meshes,
                   meshes == 1 ? "" : "es", meshes == 1 ? "is" : "are");
    return true;
}

static bool read_link(const struct links_reader *reader, const xmlNode *link)
{
    const char *name = xml_name(link, "name", ROBOT_NAME_BYTES_MAX, reader->problem);
    if (!name)
        return false;
    if (robot_find_link(reader->robot, name) != ROBOT_NONE) {
        xml_fault(link, reader->problem, PROBLEM_DUPLICATE_ID, "two links are named \"%s\"", name);
        return false;
    }
    if (robot_append_link(reader->robot, name) == ROBOT_NONE) {
        problem_no_memory(reader->problem, "a robot");
        return false;
    }
    if (reader->spheres && robot_spheres_has(reader->spheres, name))
        return robot_spheres_append(reader->spheres, name, reader->robot, reader->limits,
                                    reader->problem);
    return read_collisions(reader, link, name);
}

bool urdf_read_links(const xmlNode *root, const struct robot_spheres *spheres, double tolerance,
                     struct robot_document *robot, const struct limits *limits,
                     struct problem *problem)
{
    const struct links_reader reader = {robot, spheres, tolerance, limits, problem};
    bool good = true;
    for (xmlNode *link = xml_child(root, "link"); link && problem->fault_count < PROBLEM_FAULTS_MAX;
         link = xml_next(link, "link")) {
        if (robot->link_count >= limits->links) {
            problem_fault_limit(xml_fault(link, problem, PROBLEM_LIMIT_EXCEEDED,
                                          "the robot has more links than it may"),
                                limits, LIMIT_links);
            return false;
        }
        good &= read_link(&reader, link);
    }
    return good;
}
