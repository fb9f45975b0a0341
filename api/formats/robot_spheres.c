#include "formats/robot_spheres.h"

#include "schema/robot_parts.h"
#include "schema/world.h"

#include <math.h>
#include <string.h>

static const struct yaml_value *member_of(const struct yaml_value *mapping, const char *key)
{
    return mapping ? yaml_member(mapping, key) : NULL;
}

/* The member of a document that may be wrapped as cuRobo's whole configuration. */
static const struct yaml_value *find_member(const struct yaml_value *root, const char *key)
{
    const struct yaml_value *inner = member_of(member_of(root, "robot_cfg"), "kinematics");
    const struct yaml_value *found = member_of(root, key);
    if (!found)
        found = member_of(member_of(root, "kinematics"), key);
    return found ? found : member_of(inner, key);
}

bool robot_spheres_read(struct robot_spheres *spheres, const char *data, size_t bytes,
                        struct problem *problem)
{
    *spheres = (struct robot_spheres){0};
    if (!yaml_document_read(&spheres->document, data, bytes, problem))
        return false;
    const struct yaml_value *root = spheres->document.root;
    spheres->links = find_member(root, "collision_spheres");
    spheres->buffer = find_member(root, "collision_sphere_buffer");
    spheres->ignored = find_member(root, "self_collision_ignore");
    spheres->self_buffer = find_member(root, "self_collision_buffer");
    if (!spheres->links)
        spheres->links = root;
    if (spheres->links && spheres->links->kind == YAML_MAPPING)
        return true;
    if (spheres->links)
        yaml_fault(spheres->links, problem, PROBLEM_INVALID_ARGUMENT,
                   "a mapping from links to lists of spheres is needed");
    else
        problem_add(problem, PROBLEM_INVALID_ARGUMENT, "the part has no spheres");
    robot_spheres_deinit(spheres);
    return false;
}

void robot_spheres_deinit(struct robot_spheres *spheres)
{
    yaml_document_deinit(&spheres->document);
    *spheres = (struct robot_spheres){0};
}

bool robot_spheres_has(const struct robot_spheres *spheres, const char *link)
{
    return yaml_member(spheres->links, link) != NULL;
}

/* What a link's radii grow by. */
static bool read_buffer(const struct yaml_value *buffer, const char *link, double *value,
                        struct problem *problem)
{
    const struct yaml_value *own =
        buffer && buffer->kind == YAML_MAPPING ? yaml_member(buffer, link) : buffer;
    *value = 0;
    return !own || yaml_number(own, "the buffer", value, problem);
}

static bool append_sphere(const struct yaml_value *value, double buffer,
                          struct robot_document *robot, const struct limits *limits,
                          struct problem *problem)
{
    const struct yaml_value *center = yaml_member(value, "center");
    const struct yaml_value *size = yaml_member(value, "radius");
    double place[3], radius;
    if (!center || !size) {
        yaml_fault(value, problem, PROBLEM_INVALID_ARGUMENT, "a sphere has a center and a radius");
        return false;
    }
    if (!yaml_numbers(center, "center", place, 3, problem) ||
        !yaml_number(size, "radius", &radius, problem))
        return false;
    // one that is switched off stays so
    radius = radius < 0 ? radius : fmax(0, radius + buffer);
    if (!(fabs(place[0]) <= LENGTH_MAX && fabs(place[1]) <= LENGTH_MAX &&
          fabs(place[2]) <= LENGTH_MAX && fabs(radius) <= LENGTH_MAX)) {
        yaml_fault(value, problem, PROBLEM_INVALID_ARGUMENT, "a sphere's numbers are at most 1e9");
        return false;
    }
    if (robot->sphere_count >= limits->spheres) {
        problem_fault_limit(yaml_fault(value, problem, PROBLEM_LIMIT_EXCEEDED,
                                       "the robot has more spheres than it may"),
                            limits, LIMIT_spheres);
        return false;
    }
    if (robot_append_sphere(robot, place, radius))
        return true;
    problem_no_memory(problem, "a robot");
    return false;
}

bool robot_spheres_append(const struct robot_spheres *spheres, const char *link,
                          struct robot_document *robot, const struct limits *limits,
                          struct problem *problem)
{
    const struct yaml_value *list = yaml_member(spheres->links, link);
    double buffer;
    if (list->kind == YAML_MAPPING ||
        (list->kind == YAML_SCALAR && *list->text && strcmp(list->text, "null") != 0)) {
        yaml_fault(list, problem, PROBLEM_INVALID_ARGUMENT,
                   "link \"%.80s\" needs a list of spheres", link);
        return false;
    }
    if (!read_buffer(spheres->buffer, link, &buffer, problem))
        return false;
    for (const struct yaml_value *sphere = list->child; sphere; sphere = sphere->next)
        if (!append_sphere(sphere, buffer, robot, limits, problem))
            return false;
    return true;
}

/* Spheres and pairs of links that the robot lacks. */
struct unknown {
    uint32_t count;
    const char *example;
};

static bool ignore_pairs(const struct robot_spheres *spheres, struct robot_document *robot,
                         struct unknown *unknown, struct problem *problem)
{
    const struct yaml_value *of = spheres->ignored ? spheres->ignored->child : NULL;
    for (; of; of = of->next) {
        for (const struct yaml_value *other = of->child; other; other = other->next) {
            const uint32_t a = robot_find_link(robot, of->key);
            const uint32_t b = robot_find_link(robot, other->text);
            if (a == ROBOT_NONE || b == ROBOT_NONE) {
                unknown->count++;
                unknown->example = a == ROBOT_NONE ? of->key : other->text;
            } else if (!robot_append_ignored(robot, a, b)) {
                problem_no_memory(problem, "a robot");
                return false;
            }
        }
    }
    return true;
}

bool robot_spheres_finish(const struct robot_spheres *spheres, struct robot_document *robot,
                          struct problem *problem)
{
    struct unknown unknown = {0};
    const struct yaml_value *link = spheres->links->child;
    for (; link; link = link->next) {
        if (link->child && robot_find_link(robot, link->key) == ROBOT_NONE) {
            unknown.count++;
            unknown.example = link->key;
        }
    }
    if (!ignore_pairs(spheres, robot, &unknown, problem))
        return false;
    if (unknown.count)
        robot_warn(robot, "unknown_link",
                   "%u entr%s of the spheres name%s a link that the URDF lacks, such as \"%.80s\"",
                   unknown.count, unknown.count == 1 ? "y" : "ies", unknown.count == 1 ? "s" : "",
                   unknown.example);
    if (spheres->self_buffer)
        robot_warn(robot, "unused_buffer",
                   "self_collision_buffer is not used: a sphere has one radius");
    return true;
}
