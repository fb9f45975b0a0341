/* The configuration space on the host, in double precision. */
#include "roadmap/robot/metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

uint32_t prm_space_row(uint32_t dof)
{
    uint32_t row = 2;
    while (row < dof)
        row *= 2;
    return row;
}

/* Appends a coordinate. */
static struct prm_coordinate *add(struct prm_space *space, enum prm_coordinate_kind kind,
                                  const char *name, double weight)
{
    struct prm_coordinate *coordinate = &space->coordinates[space->dof++];
    coordinate->kind = kind;
    coordinate->weight = weight != 0.0 ? weight : 1.0;
    snprintf(coordinate->name, sizeof(coordinate->name), "%s", name);
    return coordinate;
}

/* x, y (and z): the reference point, within the world's bounds. */
static void add_position(struct prm_space *space, const struct prm_robot_spec *robot,
                         const struct prm_world *world)
{
    static const char *const NAMES[] = {"x", "y", "z"};
    for (uint32_t c = 0; c < world->dimension && c < 3; c++) {
        struct prm_coordinate *coordinate =
            add(space, PRM_COORDINATE_LINEAR, NAMES[c], robot->weights[c]);
        coordinate->limited = world->bounded;
        coordinate->lower = world->lower[c];
        coordinate->upper = world->upper[c];
        coordinate->origin = world->center[c];
    }
}

static void add_orientation(struct prm_space *space, const struct prm_robot_spec *robot,
                            const struct prm_world *world)
{
    static const char *const NAMES[] = {"qx", "qy", "qz", "qw"};
    if (world->dimension == 2) {
        add(space, PRM_COORDINATE_TURN, "theta", robot->weights[2]);
        return;
    }
    for (uint32_t c = 0; c < 4; c++)
        add(space, PRM_COORDINATE_QUATERNION, NAMES[c], robot->weights[3]);
}

static void add_joints(struct prm_space *space, const struct prm_robot_spec *robot)
{
    for (uint32_t c = 0; c < robot->dof; c++) {
        const struct prm_robot_coordinate *from = &robot->coordinates[c];
        struct prm_coordinate *coordinate =
            add(space, from->turn ? PRM_COORDINATE_TURN : PRM_COORDINATE_LINEAR, from->name,
                from->weight);
        coordinate->limited = !from->turn;
        coordinate->lower = from->lower;
        coordinate->upper = from->upper;
    }
}

enum prm_status prm_space_init(struct prm_space *space, const struct prm_robot_spec *robot,
                               const struct prm_world *world)
{
    const enum prm_status status = prm_robot_check(robot);
    if (status != PRM_OK)
        return status;

    *space = (struct prm_space){0};
    if (robot->kind == PRM_ROBOT_ARM) {
        if (world->dimension != 3)
            return prm_fault_set_at(PRM_INVALID_ARGUMENT, "robot", NULL, 0.0,
                                    "an arm needs a world of 3 dimensions, this one has %u",
                                    world->dimension);
        add_joints(space, robot);
    } else {
        add_position(space, robot, world);
    }
    if (robot->kind == PRM_ROBOT_RIGID)
        add_orientation(space, robot, world);
    space->row = prm_space_row(space->dof);
    return PRM_OK;
}

/* The difference of two angles by the short way, within half a turn. */
static double turn_between(double from, double to)
{
    return remainder(to - from, 2 * PI);
}

/* unit = q made unit; the largest first, so that nothing overflows or vanishes. */
static void quaternion_unit(double *unit, const double *q)
{
    const double largest = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
    double squared = 0.0;
    for (int i = 0; i < 4; i++) {
        unit[i] = q[i] / largest;
        squared += unit[i] * unit[i];
    }
    for (int i = 0; i < 4; i++)
        unit[i] /= sqrt(squared);
}

/* Unit quaternions of a and of b, the latter on the side of the former. */
static void quaternions_beside(double *p, double *q, const double *a, const double *b)
{
    double dot = 0.0;
    quaternion_unit(p, a);
    quaternion_unit(q, b);
    for (int i = 0; i < 4; i++)
        dot += p[i] * q[i];
    for (int i = 0; i < 4 && dot < 0.0; i++)
        q[i] = -q[i];
}

/* The angle between the orientations of two quaternions, of any length but 0. */
static double rotation_between(const double *a, const double *b)
{
    double p[4], q[4], minus = 0.0, plus = 0.0;
    quaternions_beside(p, q, a, b);
    // 2 atan2(|p − q|, |p + q|) is half the angle, and exact for small ones too
    for (int i = 0; i < 4; i++) {
        minus += (p[i] - q[i]) * (p[i] - q[i]);
        plus += (p[i] + q[i]) * (p[i] + q[i]);
    }
    return 4 * atan2(sqrt(minus), sqrt(plus));
}

bool prm_space_is_state(const struct prm_space *space, const double *state)
{
    // a quaternion is the last four
    if (space->coordinates[space->dof - 1].kind != PRM_COORDINATE_QUATERNION)
        return true;
    const double *q = state + space->dof - 4;
    return q[0] != 0.0 || q[1] != 0.0 || q[2] != 0.0 || q[3] != 0.0;
}

double prm_space_distance(const struct prm_space *space, const double *a, const double *b)
{
    double sum = 0.0;
    for (uint32_t c = 0; c < space->dof; c++) {
        const struct prm_coordinate *coordinate = &space->coordinates[c];
        double delta = 0.0;
        switch (coordinate->kind) {
        case PRM_COORDINATE_LINEAR:
            delta = a[c] - b[c];
            break;
        case PRM_COORDINATE_TURN:
            delta = turn_between(a[c], b[c]);
            break;
        case PRM_COORDINATE_QUATERNION:
            delta = rotation_between(a + c, b + c);
            c += 3;
            break;
        }
        sum += coordinate->weight * delta * (coordinate->weight * delta);
    }
    return sqrt(sum);
}

double prm_space_diagonal(const struct prm_space *space)
{
    double sum = 0.0;
    for (uint32_t c = 0; c < space->dof; c++) {
        const struct prm_coordinate *coordinate = &space->coordinates[c];
        double span = PI;
        if (coordinate->kind == PRM_COORDINATE_LINEAR)
            span = coordinate->limited ? coordinate->upper - coordinate->lower : 0.0;
        else if (coordinate->kind == PRM_COORDINATE_QUATERNION)
            c += 3;
        sum += coordinate->weight * span * (coordinate->weight * span);
    }
    return sqrt(sum);
}

/* out = slerp of two quaternions by the short way. */
static void slerp(double *out, const double *a, const double *b, double t)
{
    const double half = rotation_between(a, b) / 2;
    double from = 1.0 - t, to = t, p[4], q[4];
    quaternions_beside(p, q, a, b);
    if (sin(half) > 1e-9) {
        from = sin((1.0 - t) * half) / sin(half);
        to = sin(t * half) / sin(half);
    }
    for (int i = 0; i < 4; i++)
        out[i] = from * p[i] + to * q[i];
}

void prm_space_interpolate(const struct prm_space *space, double *out, const double *a,
                           const double *b, double t)
{
    for (uint32_t c = 0; c < space->dof; c++) {
        switch (space->coordinates[c].kind) {
        case PRM_COORDINATE_LINEAR:
            out[c] = a[c] + t * (b[c] - a[c]);
            break;
        case PRM_COORDINATE_TURN:
            out[c] = a[c] + t * turn_between(a[c], b[c]);
            break;
        case PRM_COORDINATE_QUATERNION:
            slerp(out + c, a + c, b + c, t);
            c += 3;
            break;
        }
    }
}

void prm_space_continue(const struct prm_space *space, double *state, const double *previous,
                        bool as_sent)
{
    for (uint32_t c = 0; c < space->dof; c++) {
        switch (space->coordinates[c].kind) {
        case PRM_COORDINATE_LINEAR:
            break;
        case PRM_COORDINATE_TURN:
            state[c] += 2 * PI * rint((previous[c] - state[c]) / (2 * PI));
            break;
        case PRM_COORDINATE_QUATERNION: {
            double dot = 0.0;
            for (uint32_t i = 0; i < 4; i++)
                dot += state[c + i] * previous[c + i];
            for (uint32_t i = 0; i < 4 && dot < 0.0 && !as_sent; i++)
                state[c + i] = -state[c + i];
            c += 3;
            break;
        }
        }
    }
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

/* row = the unit quaternion with w ≥ 0 (of w = 0 the first that is not, positive). */
static void quaternion_to_row(float *row, const double *q)
{
    double unit[4], leading = q[3];
    quaternion_unit(unit, q);
    for (int i = 0; i < 3 && leading == 0.0; i++)
        leading = q[i];
    for (int i = 0; i < 4; i++)
        row[i] = (float)(leading < 0.0 ? -unit[i] : unit[i]);
}

void prm_space_to_row(const struct prm_space *space, float *row, const double *state)
{
    memset(row, 0, space->row * sizeof(*row));
    for (uint32_t c = 0; c < space->dof; c++) {
        const struct prm_coordinate *coordinate = &space->coordinates[c];
        switch (coordinate->kind) {
        case PRM_COORDINATE_LINEAR:
            row[c] = (float)(coordinate->weight * (state[c] - coordinate->origin));
            break;
        case PRM_COORDINATE_TURN: {
            // one value for the half turn that is there twice
            const double angle = remainder(state[c], 2 * PI);
            const float whole = (float)(coordinate->weight * PI);
            row[c] = (float)(coordinate->weight * angle);
            row[c] = row[c] <= -whole ? whole : row[c];
            break;
        }
        case PRM_COORDINATE_QUATERNION:
            quaternion_to_row(row + c, state + c);
            c += 3;
            break;
        }
    }
}

void prm_space_from_row(const struct prm_space *space, double *state, const float *row)
{
    for (uint32_t c = 0; c < space->dof; c++) {
        const struct prm_coordinate *coordinate = &space->coordinates[c];
        switch (coordinate->kind) {
        case PRM_COORDINATE_LINEAR:
            state[c] = coordinate->origin + (double)row[c] / coordinate->weight;
            break;
        case PRM_COORDINATE_TURN:
            state[c] = (double)row[c] / coordinate->weight;
            break;
        case PRM_COORDINATE_QUATERNION:
            state[c] = (double)row[c];
            break;
        }
    }
}

/* A value that is inside of a limit after rounding. sign: −1 of a lower limit, 1 of an upper one.
 */
static float round_inwards(double value, double sign)
{
    const float rounded = (float)value;
    return sign * ((double)rounded - value) > 0 ? nextafterf(rounded, (float)-sign * INFINITY)
                                                : rounded;
}

void prm_space_limits(const struct prm_space *space, float *limits)
{
    float *lower = limits, *upper = limits + space->row;
    memset(limits, 0, (size_t)2 * space->row * sizeof(*limits));
    for (uint32_t c = 0; c < space->dof; c++) {
        const struct prm_coordinate *coordinate = &space->coordinates[c];
        double low = coordinate->lower - coordinate->origin;
        double high = coordinate->upper - coordinate->origin;
        double weight = coordinate->weight;
        if (coordinate->kind == PRM_COORDINATE_TURN) {
            low = -PI;
            high = PI;
        } else if (coordinate->kind == PRM_COORDINATE_QUATERNION) {
            low = -1.0;
            high = weight = 1.0;
        }
        lower[c] = round_inwards(weight * low, -1.0);
        upper[c] = round_inwards(weight * high, 1.0);
    }
}
