/* The configuration space on the host, in double precision. */
#include "roadmap/metric.h"

#include <math.h>
#include <stdio.h>

/* Floats of the least device row that holds `dof` coordinates. */
static uint32_t row_for(uint32_t dof)
{
    uint32_t row = 2;
    while (row < dof)
        row *= 2;
    return row;
}

enum prm_status prm_space_init(struct prm_space *space, const struct prm_robot *robot,
                               const struct prm_world *world)
{
    const enum prm_status status = prm_robot_check(robot);
    if (status != PRM_OK)
        return status;

    *space = (struct prm_space){.dof = world->dimension, .row = row_for(world->dimension)};
    for (uint32_t c = 0; c < space->dof; c++) {
        struct prm_coordinate *coordinate = &space->coordinates[c];
        coordinate->kind = PRM_COORDINATE_LINEAR;
        snprintf(coordinate->name, sizeof(coordinate->name), "%c", "xyz"[c]);
        coordinate->limited = world->bounded;
        coordinate->lower = world->lower[c];
        coordinate->upper = world->upper[c];
        coordinate->weight = 1.0;
        coordinate->origin = world->center[c];
    }
    return PRM_OK;
}

double prm_space_distance(const struct prm_space *space, const double *a, const double *b)
{
    double sum = 0.0;
    for (uint32_t c = 0; c < space->dof; c++) {
        const double term = space->coordinates[c].weight * (a[c] - b[c]);
        sum += term * term;
    }
    return sqrt(sum);
}

void prm_space_interpolate(const struct prm_space *space, double *out, const double *a,
                           const double *b, double t)
{
    for (uint32_t c = 0; c < space->dof; c++)
        out[c] = a[c] + t * (b[c] - a[c]);
}

uint32_t prm_space_clamp(const struct prm_space *space, double *state, bool *clamped)
{
    for (uint32_t c = 0; c < space->dof; c++) {
        const struct prm_coordinate *coordinate = &space->coordinates[c];
        if (!coordinate->limited)
            continue;
        if (!(state[c] >= coordinate->lower - PRM_LIMIT_TOLERANCE) ||
            !(state[c] <= coordinate->upper + PRM_LIMIT_TOLERANCE))
            return c;
        if (state[c] < coordinate->lower || state[c] > coordinate->upper) {
            state[c] = state[c] < coordinate->lower ? coordinate->lower : coordinate->upper;
            *clamped = true;
        }
    }
    return space->dof;
}

void prm_space_to_row(const struct prm_space *space, float *row, const double *state)
{
    for (uint32_t c = 0; c < space->row; c++)
        row[c] = c < space->dof ? (float)(state[c] - space->coordinates[c].origin) : 0.0f;
}

void prm_space_from_row(const struct prm_space *space, double *state, const float *row)
{
    for (uint32_t c = 0; c < space->dof; c++)
        state[c] = space->coordinates[c].origin + (double)row[c];
}
