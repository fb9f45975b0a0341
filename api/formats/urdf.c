#include "formats/urdf.h"

#include "formats/robot_spheres.h"
#include "formats/srdf.h"
#include "formats/urdf_joints.h"
#include "formats/urdf_links.h"
#include "schema/robot_options.h"
#include "schema/robot_parts.h"
#include "schema/robot_tree.h"
#include "schema/rotation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One robot on its way. */
struct urdf_reader {
    const struct urdf_files *files;
    struct robot_document *robot;
    const struct limits *limits;
    struct problem *problem;

    /* owned; what is not there is zero */
    xmlDoc *urdf, *srdf;
    struct robot_spheres spheres;
    struct robot_options options;
    const xmlNode **nodes; /* of the joints */
    bool has_spheres, has_options;
};

/* ---- parts ---- */

/* Leads the faults added since `before` by the part that they are in. */
static void name_part(const struct urdf_reader *reader, unsigned before, const char *part)
{
    struct problem *problem = reader->problem;
    for (unsigned i = before; i < problem->fault_count && i < PROBLEM_FAULTS_MAX; i++) {
        char detail[PROBLEM_DETAIL_MAX];
        if (!reader->files->parts)
            continue;
        memcpy(detail, problem->faults[i].detail, sizeof detail);
        const int room = (int)(PROBLEM_DETAIL_MAX - strlen(part) - sizeof "part : ");
        snprintf(problem->faults[i].detail, sizeof problem->faults[i].detail, "part %s: %.*s", part,
                 room, detail);
    }
}

/* Reads all files as what they are by themselves. */
static bool read_parts(struct urdf_reader *reader)
{
    const struct urdf_files *files = reader->files;
    struct problem *problem = reader->problem;
    unsigned before = problem->fault_count;
    reader->urdf = xml_read(files->urdf.data, files->urdf.bytes, "robot", reader->limits, problem);
    name_part(reader, before, "urdf");

    before = problem->fault_count;
    if (files->srdf.data)
        reader->srdf =
            xml_read(files->srdf.data, files->srdf.bytes, "robot", reader->limits, problem);
    name_part(reader, before, "srdf");

    before = problem->fault_count;
    if (files->spheres.data)
        reader->has_spheres = robot_spheres_read(&reader->spheres, files->spheres.data,
                                                 files->spheres.bytes, problem);
    name_part(reader, before, "spheres");

    before = problem->fault_count;
    if (files->options.data)
        reader->has_options = robot_options_read(&reader->options, files->options.data,
                                                 files->options.bytes, reader->limits, problem);
    name_part(reader, before, "options");
    return problem->fault_count == 0;
}

/* A fault of the options, at their pointer. */
static void options_fault(const struct urdf_reader *reader, enum problem_code code,
                          const char *member, const char *key, const char *what)
{
    const bool has_key = key && *key;
    struct problem_fault *fault = problem_add(reader->problem, code, "/options/%s%s%s %s", member,
                                              has_key ? "/" : "", has_key ? key : "", what);
    fault->has_pointer = true;
    snprintf(fault->pointer, sizeof fault->pointer, "/options/%s%s%.80s", member,
             has_key ? "/" : "", has_key ? key : "");
}

/* ---- joints that stand ---- */

/* Joints at values: NAN where they move. */
struct standing {
    bool *stands;   /* [joint_count] */
    double *values; /* likewise */
};

/* Marks what the options lock. */
static bool lock_named(const struct urdf_reader *reader, const struct standing *standing)
{
    const struct robot_document *robot = reader->robot;
    bool good = true;
    for (uint32_t i = 0; i < reader->options.locked_count; i++) {
        const struct robot_value *locked = &reader->options.locked[i];
        const uint32_t index = robot_find_joint(robot, locked->joint);
        const struct robot_joint *joint = index == ROBOT_NONE ? NULL : &robot->joints[index];
        const bool limited = joint && joint->has_limits && joint->type != JOINT_CONTINUOUS;
        const char *what =
            !joint                       ? "names no joint"
            : joint->type == JOINT_FIXED ? "is fixed already"
            : joint->mimic != ROBOT_NONE ? "follows another joint: lock that one"
            : limited && !(locked->value >= joint->lower && locked->value <= joint->upper)
                ? "must be within the joint's limits"
                : NULL;
        if (what) {
            options_fault(reader, joint ? PROBLEM_INVALID_ARGUMENT : PROBLEM_UNKNOWN_REFERENCE,
                          "locked", locked->joint, what);
            good = false;
            continue;
        }
        standing->stands[index] = true;
        standing->values[index] = locked->value;
    }
    return good;
}

/* Marks what is outside the group and not locked. */
static bool lock_others(const struct urdf_reader *reader, const struct standing *standing)
{
    struct robot_document *robot = reader->robot;
    if (!reader->options.group[0])
        return true;
    if (!reader->srdf) {
        options_fault(reader, PROBLEM_INVALID_ARGUMENT, "group", NULL, "needs a part srdf");
        return false;
    }
    bool *selected = calloc(robot->joint_count + 1, sizeof *selected);
    bool good = selected != NULL;
    if (!selected)
        problem_no_memory(reader->problem, "a robot");
    const unsigned before = reader->problem->fault_count;
    good =
        good && srdf_select(reader->srdf, robot, reader->options.group, selected, reader->problem);
    name_part(reader, before, "srdf");
    for (uint32_t i = 0; i < robot->joint_count && good; i++) {
        const struct robot_joint *joint = &robot->joints[i];
        if (joint->type == JOINT_FIXED || joint->mimic != ROBOT_NONE || selected[i] ||
            standing->stands[i])
            continue;
        const bool limited = joint->type != JOINT_CONTINUOUS && joint->has_limits;
        const bool zero = !limited || (joint->lower <= 0 && joint->upper >= 0);
        standing->stands[i] = true;
        standing->values[i] = zero ? 0 : (joint->lower + joint->upper) / 2;
        robot_warn(robot, "joint_locked", "joint \"%s\" is not of the group and stands %s",
                   joint->name, zero ? "at 0" : "halfway between its limits");
    }
    free(selected);
    return good;
}

/* What follows a joint that stands does so too. Chains are followed step by step; loops are left to
 * the check of the tree. */
static void lock_followers(const struct robot_document *robot, const struct standing *standing)
{
    for (uint32_t round = 0; round < robot->joint_count; round++) {
        bool changed = false;
        for (uint32_t i = 0; i < robot->joint_count; i++) {
            const struct robot_joint *joint = &robot->joints[i];
            if (joint->type == JOINT_FIXED || joint->mimic == ROBOT_NONE || standing->stands[i] ||
                !standing->stands[joint->mimic])
                continue;
            standing->stands[i] = changed = true;
            standing->values[i] =
                joint->multiplier * standing->values[joint->mimic] + joint->offset;
        }
        if (!changed)
            return;
    }
}

/* Fixes the joints that stand. An axis that is none stays for the check of the tree to refuse. */
static void fix_joints(struct robot_document *robot, const struct standing *standing)
{
    for (uint32_t i = 0; i < robot->joint_count; i++)
        if (standing->stands[i] && rotation_normalise_axis(robot->joints[i].axis))
            urdf_fix_joint(&robot->joints[i], standing->values[i]);
}

static bool settle_standing(const struct urdf_reader *reader)
{
    struct robot_document *robot = reader->robot;
    struct standing standing = {
        .stands = calloc(robot->joint_count + 1, sizeof *standing.stands),
        .values = calloc(robot->joint_count + 1, sizeof *standing.values),
    };
    bool good = standing.stands && standing.values;
    if (!good)
        problem_no_memory(reader->problem, "a robot");
    good = good && lock_named(reader, &standing) && lock_others(reader, &standing);
    if (good) {
        lock_followers(robot, &standing);
        fix_joints(robot, &standing);
    }
    free(standing.stands);
    free(standing.values);
    return good;
}

/* ---- the whole ---- */

/* Faults of the tree at their element. */
static void report(void *context, const struct robot_fault *fault)
{
    const struct urdf_reader *reader = context;
    if (fault->over_limit)
        problem_fault_limit(problem_add(reader->problem, fault->code, "%s", fault->detail),
                            reader->limits, fault->limit);
    else
        xml_fault(fault->joint == ROBOT_NONE ? xmlDocGetRootElement(reader->urdf)
                                             : reader->nodes[fault->joint],
                  reader->problem, fault->code, "%s", fault->detail);
}

static bool apply_weights(const struct urdf_reader *reader)
{
    struct robot_document *robot = reader->robot;
    bool good = true;
    for (uint32_t i = 0; i < reader->options.weight_count; i++) {
        const struct robot_value *weight = &reader->options.weights[i];
        const uint32_t index = robot_find_joint(robot, weight->joint);
        const bool moves = index != ROBOT_NONE && robot->joints[index].type != JOINT_FIXED &&
                           robot->joints[index].mimic == ROBOT_NONE;
        if (moves)
            robot->joints[index].weight = weight->value;
        else
            options_fault(reader, PROBLEM_UNKNOWN_REFERENCE, "weights", weight->joint,
                          "names no joint that moves by itself");
        good &= moves;
    }
    return good;
}

/* What becomes of the robot once its tree stands. */
static bool finish(struct urdf_reader *reader)
{
    struct robot_document *robot = reader->robot;
    bool good = apply_weights(reader);
    unsigned before;
    if (reader->srdf) {
        before = reader->problem->fault_count;
        good &= srdf_ignore(reader->srdf, robot, reader->problem);
        name_part(reader, before, "srdf");
    }
    if (reader->has_spheres) {
        before = reader->problem->fault_count;
        good &= robot_spheres_finish(&reader->spheres, robot, reader->problem);
        name_part(reader, before, "spheres");
    }
    robot->base = reader->options.has_base ? reader->options.base : robot_frame_identity();
    for (uint32_t i = 0; i < robot->sphere_count; i++)
        if (robot->spheres[i].radius >= 0)
            robot->spheres[i].radius += reader->options.padding;
    return good;
}

static bool read_robot(struct urdf_reader *reader)
{
    struct robot_document *robot = reader->robot;
    if (!read_parts(reader))
        return false;
    const unsigned before = reader->problem->fault_count;
    const xmlNode *root = xmlDocGetRootElement(reader->urdf);
    bool good =
        urdf_read_links(root, reader->has_spheres ? &reader->spheres : NULL,
                        reader->options.cover_tolerance, robot, reader->limits, reader->problem);
    good &= urdf_read_joints(root, robot, &reader->nodes, reader->limits, reader->problem);
    name_part(reader, before, "urdf");
    return good && settle_standing(reader) && robot_settle(robot, reader->limits, report, reader) &&
           finish(reader);
}

bool urdf_read(struct robot_document *robot, const struct urdf_files *files,
               const struct limits *limits, struct problem *problem)
{
    struct urdf_reader reader = {
        .files = files, .robot = robot, .limits = limits, .problem = problem};
    *robot = (struct robot_document){.type = ROBOT_ARM, .cover_excess = -1};
    const bool good = read_robot(&reader);
    free(reader.nodes);
    if (reader.has_options)
        robot_options_deinit(&reader.options);
    if (reader.has_spheres)
        robot_spheres_deinit(&reader.spheres);
    xmlFreeDoc(reader.srdf);
    xmlFreeDoc(reader.urdf);
    if (!good)
        robot_deinit(robot);
    return good;
}
