#include "service/translate_robot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSION_3D = 3 };

static struct prm_frame frame_translate(const struct robot_frame *from)
{
    struct prm_frame to;
    memcpy(to.xyz, from->xyz, sizeof(to.xyz));
    memcpy(to.quaternion, from->quaternion, sizeof(to.quaternion));
    return to;
}

static enum prm_joint_kind joint_kind_translate(enum joint_type type)
{
    switch (type) {
    case JOINT_REVOLUTE:
        return PRM_JOINT_REVOLUTE;
    case JOINT_CONTINUOUS:
        return PRM_JOINT_CONTINUOUS;
    case JOINT_PRISMATIC:
        return PRM_JOINT_PRISMATIC;
    case JOINT_FIXED:
        break;
    }
    return PRM_JOINT_FIXED;
}

uint32_t robot_spec_link(const struct robot_document *document, uint32_t link)
{
    if (link == document->root)
        return 0;
    return link < document->root ? link + 1 : link;
}

const char *robot_link_text(const struct robot_document *document, uint32_t link)
{
    if (document->type == ROBOT_RIGID && link == 0)
        return "body";
    if (document->type != ROBOT_ARM || link >= document->link_count)
        return NULL;
    // the root comes first, those before it move up by one
    const uint32_t own = link == 0 ? document->root : link <= document->root ? link - 1 : link;
    return document->links[own].name;
}

static struct prm_joint joint_translate(const struct robot_document *document,
                                        const struct robot_joint *from)
{
    const bool follows = from->mimic != ROBOT_NONE;
    struct prm_joint to = {
        .kind = joint_kind_translate(from->type),
        .parent = robot_spec_link(document, from->parent),
        .child = robot_spec_link(document, from->child),
        .origin = frame_translate(&from->origin),
        .coordinate = from->coordinate,
        .multiplier = follows ? from->multiplier : 1,
        .offset = follows ? from->offset : 0,
    };
    memcpy(to.axis, from->axis, sizeof(to.axis));
    return to;
}

/* The coordinate of a joint that moves by itself. */
static struct prm_robot_coordinate coordinate_translate(const struct robot_joint *from)
{
    struct prm_robot_coordinate to = {.turn = from->type == JOINT_CONTINUOUS,
                                      .lower = from->lower,
                                      .upper = from->upper,
                                      .weight = from->weight};
    snprintf(to.name, sizeof(to.name), "%s", from->name);
    return to;
}

static void translate_arm(struct robot_spec *spec, const struct robot_document *document)
{
    for (uint32_t i = 0; i < document->link_count; i++) {
        const struct robot_link *from = &document->links[i];
        struct prm_link *to = &spec->links[robot_spec_link(document, i)];
        to->sphere_first = from->sphere_first;
        to->sphere_count = from->sphere_count;
        snprintf(to->name, sizeof(to->name), "%s", from->name);
    }
    for (uint32_t i = 0; i < document->joint_count; i++)
        spec->joints[i] = joint_translate(document, &document->joints[document->order[i]]);
    for (uint32_t i = 0; i < document->dof; i++)
        spec->coordinates[i] = coordinate_translate(&document->joints[document->coordinates[i]]);
    for (uint32_t i = 0; i < document->ignored_count; i++)
        for (unsigned k = 0; k < 2; k++)
            spec->ignored[2 * i + k] = robot_spec_link(document, document->ignored[i][k]);
}

static enum prm_robot_kind robot_kind_translate(enum robot_type type)
{
    switch (type) {
    case ROBOT_BALL:
        return PRM_ROBOT_BALL;
    case ROBOT_RIGID:
        return PRM_ROBOT_RIGID;
    case ROBOT_ARM:
        return PRM_ROBOT_ARM;
    case ROBOT_POINT:
        break;
    }
    return PRM_ROBOT_POINT;
}

enum prm_status robot_spec_init(struct robot_spec *spec, const struct robot_document *document)
{
    *spec = (struct robot_spec){
        .spheres = calloc(document->sphere_count + 1, sizeof(*spec->spheres)),
        .links = calloc(document->link_count + 1, sizeof(*spec->links)),
        .joints = calloc(document->joint_count + 1, sizeof(*spec->joints)),
        .coordinates = calloc(document->dof + 1, sizeof(*spec->coordinates)),
        .ignored = calloc(2 * (size_t)document->ignored_count + 1, sizeof(*spec->ignored)),
    };
    if (!spec->spheres || !spec->links || !spec->joints || !spec->coordinates || !spec->ignored)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a robot of %u links",
                             document->link_count);
    for (uint32_t i = 0; i < document->sphere_count; i++) {
        const struct robot_sphere *from = &document->spheres[i];
        spec->spheres[i] =
            (struct prm_sphere){{from->center[0], from->center[1], from->center[2]}, from->radius};
    }
    if (document->type == ROBOT_ARM)
        translate_arm(spec, document);

    spec->spec = (struct prm_robot_spec){
        .kind = robot_kind_translate(document->type),
        .radius = document->radius,
        .spheres = spec->spheres,
        .sphere_count = document->sphere_count,
        .links = spec->links,
        .link_count = document->link_count,
        .joints = spec->joints,
        .joint_count = document->joint_count,
        .base = frame_translate(&document->base),
        .coordinates = spec->coordinates,
        .dof = document->dof,
        .ignored = spec->ignored,
        .ignored_count = document->ignored_count,
    };
    memcpy(spec->spec.weights, document->weights, sizeof(spec->spec.weights));
    return PRM_OK;
}

void robot_spec_deinit(struct robot_spec *spec)
{
    free(spec->spheres);
    free(spec->links);
    free(spec->joints);
    free(spec->coordinates);
    free(spec->ignored);
    *spec = (struct robot_spec){0};
}

/* Whether any sphere is switched on. */
static bool has_spheres(const struct robot_document *document)
{
    for (uint32_t i = 0; i < document->sphere_count; i++)
        if (document->spheres[i].radius >= 0)
            return true;
    return false;
}

const char *robot_misfit(const struct robot_document *document, uint32_t dimension)
{
    switch (document->type) {
    case ROBOT_ARM:
        if (!has_spheres(document))
            return "is an arm without spheres: nothing of it could touch anything";
        return dimension == DIMENSION_3D ? NULL : "is an arm, which needs a world of 3 dimensions";
    case ROBOT_RIGID:
        if (!document->dimension || document->dimension == dimension)
            return NULL;
        return dimension == DIMENSION_3D
                   ? "is of 2 dimensions (a footprint, centres of 2 numbers, or "
                     "3 weights), the world of 3"
                   : "is of 3 dimensions (boxes, centres off the plane, or 4 "
                     "weights), the world of 2";
    case ROBOT_POINT:
    case ROBOT_BALL:
        break;
    }
    return NULL;
}
