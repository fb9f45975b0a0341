/* Robots: what is allowed. */
#include "roadmap/robot/robot.h"

#include <math.h>

static bool finite3(const double *v)
{
    return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

static enum prm_status check_spheres(const struct prm_robot_spec *spec)
{
    uint32_t active = 0;
    if (spec->sphere_count > PRM_SPHERES_MAX)
        return prm_fault_set(PRM_LIMIT_EXCEEDED, "%u spheres, at most %d", spec->sphere_count,
                             PRM_SPHERES_MAX);
    for (uint32_t i = 0; i < spec->sphere_count; i++) {
        const struct prm_sphere *sphere = &spec->spheres[i];
        if (!finite3(sphere->center) || !isfinite(sphere->radius))
            return prm_fault_set_element(PRM_INVALID_ARGUMENT, "spheres", i,
                                         "sphere %u is not of finite numbers", i);
        active += sphere->radius >= 0.0;
    }
    if (active == 0)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "the robot has no spheres");
    return PRM_OK;
}

static enum prm_status check_joint(const struct prm_robot_spec *spec, uint32_t j)
{
    const struct prm_joint *joint = &spec->joints[j];
    const double axis = joint->axis[0] * joint->axis[0] + joint->axis[1] * joint->axis[1] +
                        joint->axis[2] * joint->axis[2];
    if (joint->parent >= spec->link_count || joint->child >= spec->link_count)
        return prm_fault_set_element(PRM_INVALID_ARGUMENT, "joints", j,
                                     "joint %u joins links %u and %u of %u", j, joint->parent,
                                     joint->child, spec->link_count);
    if (joint->kind != PRM_JOINT_FIXED && !(axis > 0.0 && isfinite(axis)))
        return prm_fault_set_element(PRM_INVALID_ARGUMENT, "joints", j, "joint %u has no axis", j);
    if (joint->coordinate != UINT32_MAX && joint->coordinate >= spec->dof)
        return prm_fault_set_element(PRM_INVALID_ARGUMENT, "joints", j,
                                     "joint %u moves by coordinate %u of %u", j, joint->coordinate,
                                     spec->dof);
    if (!finite3(joint->origin.xyz) || !isfinite(joint->multiplier) || !isfinite(joint->offset))
        return prm_fault_set_element(PRM_INVALID_ARGUMENT, "joints", j,
                                     "joint %u is not of finite numbers", j);
    return PRM_OK;
}

/* Every link but the root is the child of one joint, and parents come before children. */
static enum prm_status check_tree(const struct prm_robot_spec *spec)
{
    bool placed[PRM_LINKS_MAX] = {true};
    for (uint32_t j = 0; j < spec->joint_count; j++) {
        const struct prm_joint *joint = &spec->joints[j];
        const enum prm_status status = check_joint(spec, j);
        if (status != PRM_OK)
            return status;
        if (!placed[joint->parent] || placed[joint->child])
            return prm_fault_set_element(PRM_INVALID_ARGUMENT, "joints", j,
                                         "joints are no tree from the first link, or not in its "
                                         "order: see joint %u",
                                         j);
        placed[joint->child] = true;
    }
    if (spec->joint_count + 1 != spec->link_count)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "%u links and %u joints make no tree",
                             spec->link_count, spec->joint_count);
    return PRM_OK;
}

static enum prm_status check_arm(const struct prm_robot_spec *spec)
{
    if (spec->dof < 1 || spec->dof > PRM_DOF_MAX)
        return prm_fault_set_at(PRM_LIMIT_EXCEEDED, "joints", "dof", PRM_DOF_MAX,
                                "%u coordinates, 1 to %d are possible", spec->dof, PRM_DOF_MAX);
    if (spec->link_count < 1 || spec->link_count > PRM_LINKS_MAX)
        return prm_fault_set(PRM_LIMIT_EXCEEDED, "%u links, 1 to %d are possible", spec->link_count,
                             PRM_LINKS_MAX);
    for (uint32_t c = 0; c < spec->dof; c++) {
        const struct prm_robot_coordinate *coordinate = &spec->coordinates[c];
        if (!(coordinate->weight > 0.0) || !isfinite(coordinate->weight))
            return prm_fault_set(PRM_INVALID_ARGUMENT, "the weight of %s is %g, not above 0",
                                 coordinate->name, coordinate->weight);
        if (!coordinate->turn && !(coordinate->lower <= coordinate->upper))
            return prm_fault_set(PRM_INVALID_ARGUMENT, "%s is limited to %g … %g", coordinate->name,
                                 coordinate->lower, coordinate->upper);
    }
    for (uint32_t l = 0; l < spec->link_count; l++) {
        const struct prm_link *link = &spec->links[l];
        if (link->sphere_first > spec->sphere_count ||
            link->sphere_count > spec->sphere_count - link->sphere_first)
            return prm_fault_set(PRM_INVALID_ARGUMENT, "link %s has spheres that are not there",
                                 link->name);
    }
    for (uint32_t i = 0; i < 2 * spec->ignored_count; i++)
        if (spec->ignored[i] >= spec->link_count)
            return prm_fault_set_element(PRM_INVALID_ARGUMENT, "ignore_pairs", i / 2,
                                         "pair %u names link %u of %u", i / 2, spec->ignored[i],
                                         spec->link_count);
    const enum prm_status status = check_tree(spec);
    return status != PRM_OK ? status : check_spheres(spec);
}

enum prm_status prm_robot_check(const struct prm_robot_spec *spec)
{
    switch (spec->kind) {
    case PRM_ROBOT_POINT:
        if (spec->radius != 0.0)
            return prm_fault_set(PRM_INVALID_ARGUMENT, "radius is %g: a point has none",
                                 spec->radius);
        return PRM_OK;
    case PRM_ROBOT_BALL:
        if (!(spec->radius > 0.0) || !isfinite(spec->radius))
            return prm_fault_set(PRM_INVALID_ARGUMENT, "radius is %g, not a number above 0",
                                 spec->radius);
        return PRM_OK;
    case PRM_ROBOT_RIGID:
        for (int i = 0; i < 4; i++)
            if (!(spec->weights[i] >= 0.0) || !isfinite(spec->weights[i]))
                return prm_fault_set_element(PRM_INVALID_ARGUMENT, "weights", (uint64_t)i,
                                             "weight %d is %g, not above 0", i, spec->weights[i]);
        return check_spheres(spec);
    case PRM_ROBOT_ARM:
        return check_arm(spec);
    }
    return prm_fault_set(PRM_INVALID_ARGUMENT, "kind of robot %d is not known", (int)spec->kind);
}
