#include "formats/srdf.h"

#include "schema/robot_parts.h"

#include <string.h>

/* Groups of groups go no deeper. */
enum { GROUP_DEPTH_MAX = 16 };

/* One selection on its way. */
struct selection {
    const xmlNode *root;
    const struct robot_document *robot;
    bool *selected;
    struct problem *problem;
};

/* The joint above a link; ROBOT_NONE: it is the root. */
static uint32_t joint_above(const struct robot_document *robot, uint32_t link)
{
    for (uint32_t i = 0; i < robot->joint_count; i++)
        if (robot->joints[i].child == link)
            return i;
    return ROBOT_NONE;
}

/* The link or joint that an attribute names; ROBOT_NONE after a fault. */
static uint32_t find_named(const struct selection *selection, const xmlNode *node,
                           const char *attribute, bool joint)
{
    const char *name = xml_name(node, attribute, ROBOT_NAME_BYTES_MAX, selection->problem);
    if (!name)
        return ROBOT_NONE;
    const uint32_t found =
        joint ? robot_find_joint(selection->robot, name) : robot_find_link(selection->robot, name);
    if (found == ROBOT_NONE)
        xml_fault(node, selection->problem, PROBLEM_UNKNOWN_REFERENCE,
                  "<%s %s=\"%s\">: the URDF has no such %s", node->name, attribute, name,
                  joint ? "joint" : "link");
    return found;
}

/* Marks the joints from a link up to another, or to the root. The tree has no loops longer than its
 * joints. */
static bool mark_up(const struct selection *selection, uint32_t link, uint32_t end)
{
    const struct robot_document *robot = selection->robot;
    for (uint32_t steps = 0; link != end && steps <= robot->joint_count; steps++) {
        const uint32_t joint = joint_above(robot, link);
        if (joint == ROBOT_NONE)
            return false;
        selection->selected[joint] = true;
        link = robot->joints[joint].parent;
    }
    return link == end;
}

/* Whether the way up from a link meets another. */
static bool is_above(const struct robot_document *robot, uint32_t above, uint32_t link)
{
    for (uint32_t steps = 0; link != above && steps <= robot->joint_count; steps++) {
        const uint32_t joint = joint_above(robot, link);
        if (joint == ROBOT_NONE)
            return false;
        link = robot->joints[joint].parent;
    }
    return link == above;
}

/* Marks the joints between two links, over where their ways up meet. */
static bool select_chain(const struct selection *selection, const xmlNode *node)
{
    const struct robot_document *robot = selection->robot;
    const uint32_t base = find_named(selection, node, "base_link", false);
    const uint32_t tip = find_named(selection, node, "tip_link", false);
    if (base == ROBOT_NONE || tip == ROBOT_NONE)
        return false;
    uint32_t meeting = base;
    for (uint32_t steps = 0; steps <= robot->joint_count; steps++) {
        if (is_above(robot, meeting, tip))
            return mark_up(selection, base, meeting) && mark_up(selection, tip, meeting);
        const uint32_t joint = joint_above(robot, meeting);
        if (joint == ROBOT_NONE)
            break;
        meeting = robot->joints[joint].parent;
    }
    xml_fault(node, selection->problem, PROBLEM_INVALID_ARGUMENT,
              "the chain's links are not of one tree");
    return false;
}

static bool select_group(const struct selection *selection, const char *name, int depth);

static bool select_member(const struct selection *selection, const xmlNode *node, int depth)
{
    const char *kind = (const char *)node->name;
    if (node->type != XML_ELEMENT_NODE)
        return true;
    if (strcmp(kind, "chain") == 0)
        return select_chain(selection, node);
    if (strcmp(kind, "joint") == 0 || strcmp(kind, "link") == 0) {
        uint32_t found = find_named(selection, node, "name", *kind == 'j');
        if (found == ROBOT_NONE)
            return false;
        if (*kind == 'l')
            found = joint_above(selection->robot, found);
        if (found != ROBOT_NONE)
            selection->selected[found] = true;
        return true;
    }
    if (strcmp(kind, "group") == 0) {
        const char *name = xml_name(node, "name", PROBLEM_DETAIL_MAX, selection->problem);
        return name && select_group(selection, name, depth + 1);
    }
    return true;
}

static bool select_group(const struct selection *selection, const char *name, int depth)
{
    if (depth > GROUP_DEPTH_MAX) {
        xml_fault(selection->root, selection->problem, PROBLEM_INVALID_ARGUMENT,
                  "group \"%.80s\" is part of itself, or groups of groups go too deep", name);
        return false;
    }
    for (xmlNode *group = xml_child(selection->root, "group"); group;
         group = xml_next(group, "group")) {
        const char *own = xml_attribute(group, "name");
        bool good = true;
        if (!own || strcmp(own, name) != 0)
            continue;
        for (const xmlNode *member = group->children; member && good; member = member->next)
            good = select_member(selection, member, depth);
        return good;
    }
    problem_add(selection->problem, PROBLEM_UNKNOWN_REFERENCE, "the SRDF has no group \"%.80s\"",
                name);
    return false;
}

bool srdf_select(const xmlDoc *srdf, const struct robot_document *robot, const char *group,
                 bool *selected, struct problem *problem)
{
    const struct selection selection = {xmlDocGetRootElement(srdf), robot, selected, problem};
    return select_group(&selection, group, 0);
}

bool srdf_ignore(const xmlDoc *srdf, struct robot_document *robot, struct problem *problem)
{
    uint32_t unknown = 0;
    const char *example = NULL;
    xmlNode *pair = xml_child(xmlDocGetRootElement(srdf), "disable_collisions");
    for (; pair; pair = xml_next(pair, "disable_collisions")) {
        static const char *const attributes[] = {"link1", "link2"};
        uint32_t links[2];
        bool known = true;
        for (unsigned k = 0; k < 2; k++) {
            const char *name = xml_name(pair, attributes[k], PROBLEM_DETAIL_MAX, problem);
            if (!name)
                return false;
            links[k] = robot_find_link(robot, name);
            if (links[k] == ROBOT_NONE)
                example = name;
            known &= links[k] != ROBOT_NONE;
        }
        unknown += !known;
        if (known && !robot_append_ignored(robot, links[0], links[1])) {
            problem_no_memory(problem, "a robot");
            return false;
        }
    }
    if (unknown)
        robot_warn(robot, "unknown_link",
                   "%u pair%s of the SRDF name%s a link that the URDF lacks, such as \"%.80s\"",
                   unknown, unknown == 1 ? "" : "s", unknown == 1 ? "s" : "", example);
    return true;
}
