/* Kernel options, arguments and launch shape of scenes. */
#include "roadmap/scene_arguments.h"

#include <math.h>
#include <stdio.h>

/* Stretches a chunk's worth of work-items on a CPU, so that costly elements do not leave a core
 * idle. */
enum { STRETCHES_PER_CHUNK = 8 };

void prm_space_options(char *options, const struct prm_space *space)
{
    snprintf(options, PRM_SCENE_OPTIONS_MAX, "-DROW=%u -DDOF=%u", space->row, space->dof);
}

void prm_scene_options(char *options, const struct prm_scene *scene)
{
    snprintf(options, PRM_SCENE_OPTIONS_MAX, "-DROW=%u -DDOF=%u%s", scene->space->row,
             scene->space->dof, scene->edge_check == PRM_EDGE_SAMPLED ? " -DEDGE_SAMPLED" : "");
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
