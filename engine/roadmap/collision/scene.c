/* Kernel options, arguments and launch shape of scenes. */
#include "roadmap/collision/scene_arguments.h"

#include "kernels/robot_types.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Stretches a chunk's worth of work-items on a CPU, so that costly elements do not leave a core
 * idle. */
enum { STRETCHES_PER_CHUNK = 8 };

/* Configurations that a CPU checks abreast, in the lanes of vectors. */
enum { LANES_ON_CPU = 16 };

/* Appends to options[PRM_SCENE_OPTIONS_MAX], which hold all of any space and robot. */
__attribute__((format(printf, 2, 3))) static void add(char *options, const char *format, ...)
{
    const size_t length = strlen(options);
    va_list values;
    va_start(values, format);
    vsnprintf(options + length, PRM_SCENE_OPTIONS_MAX - length, format, values);
    va_end(values);
}

void prm_space_options(char *options, const struct prm_space *space)
{
    uint32_t turns = 0, quaternion = PRM_DOF_MAX;
    for (uint32_t c = space->dof; c-- > 0;) {
        turns |= (space->coordinates[c].kind == PRM_COORDINATE_TURN ? 1u : 0u) << c;
        quaternion = space->coordinates[c].kind == PRM_COORDINATE_QUATERNION ? c : quaternion;
    }
    *options = 0;
    add(options, "-DROW=%u -DDOF=%u", space->row, space->dof);
    if (turns)
        add(options, " -DTURNS=%uu", turns);
    if (quaternion < PRM_DOF_MAX)
        add(options, " -DQUATERNION=%u", quaternion);
    for (uint32_t c = 0; (turns || quaternion < PRM_DOF_MAX) && c < space->dof; c++)
        add(options, "%s%.9ef", c == 0 ? " -DMETRIC_WEIGHTS=" : ",", space->coordinates[c].weight);
}

/* Adds what robots with spheres need, so many configurations abreast. */
static void add_robot(char *options, const struct prm_scene *scene, uint32_t lanes)
{
    const struct prm_robot *robot = scene->robot;
    if (robot->body_count == 0)
        return;
    add(options, " -DBODIES=%u -DLINKS=%u -DPAIRS=%u -DBODY_LANES=%u", robot->body_count,
        robot->link_count, robot->pair_count, lanes);
    if (robot->kind == PRM_ROBOT_RIGID)
        add(options, " -DRIGID=%u", scene->world->dimension);
    if (scene->whole_travel)
        add(options, " -DWHOLE_TRAVEL");
}

/* Configurations abreast: of one motion, or of a stretch of states. */
static uint32_t lanes_of(const struct prm_context *context)
{
    return prm_context_profile(context)->shape == PRM_SHAPE_GPU ? 1 : LANES_ON_CPU;
}

void prm_robot_options(char *options, const struct prm_context *context,
                       const struct prm_robot *robot, const struct prm_space *space)
{
    prm_space_options(options, space);
    add(options, " -DBODIES=%u -DBODY_LANES=%u", robot->body_count, lanes_of(context));
}

void prm_scene_options(char *options, const struct prm_context *context,
                       const struct prm_scene *scene)
{
    prm_space_options(options, scene->space);
    add_robot(options, scene, lanes_of(context));
    if (scene->edge_check == PRM_EDGE_SAMPLED)
        add(options, " -DEDGE_SAMPLED");
}

void prm_scene_state_options(char *options, const struct prm_context *context,
                             const struct prm_scene *scene)
{
    // states are anywhere: among many obstacles each has its own near it
    const struct prm_obstacle_set *obstacles = scene->obstacles;
    const bool few = obstacles->shape_count - obstacles->grid_count <= BODIES_OBSTACLES_FEW;
    prm_space_options(options, scene->space);
    add_robot(options, scene, few ? lanes_of(context) : 1);
}

void prm_scene_single_options(char *options, const struct prm_scene *scene)
{
    prm_space_options(options, scene->space);
    add_robot(options, scene, 1);
}

struct prm_scene prm_roadmap_scene(const struct prm_roadmap *roadmap, const struct prm_world *world)
{
    return (struct prm_scene){.space = &roadmap->space,
                              .robot = roadmap->robot,
                              .world = world,
                              .obstacles = &world->all,
                              .edge_check = roadmap->params.edge_check,
                              .edge_resolution = roadmap->params.edge_resolution,
                              .allowed = roadmap->allowed,
                              .allowed_count = roadmap->allowed_count};
}

struct prm_scene prm_validity_scene(const struct prm_validity *validity,
                                    const struct prm_world *world)
{
    struct prm_scene scene = prm_roadmap_scene(validity->roadmap, world);
    scene.vicinity = validity->vicinity;
    return scene;
}

float prm_scene_margin(const struct prm_scene *scene)
{
    return prm_round_up(scene->world->margin + scene->robot->rounding);
}

float prm_round_up(double value)
{
    const float rounded = (float)value;
    return (double)rounded < value ? nextafterf(rounded, INFINITY) : rounded;
}

struct prm_share prm_share_of(const struct prm_context *context, size_t count)
{
    const struct prm_profile *profile = prm_context_profile(context);
    if (profile->shape == PRM_SHAPE_GPU)
        return (struct prm_share){count, profile->workgroup};
    const size_t stretches = (size_t)profile->chunks * STRETCHES_PER_CHUNK;
    return (struct prm_share){count < stretches ? count : stretches, profile->workgroup};
}
