/* The configuration space of a robot in a world: coordinates, limits, weights, distance,
 * interpolation.
 *
 * This is the one place that knows how a kind of coordinate behaves; the device side is
 * kernels/metric.h. Host functions work in double precision in the wire's coordinates. A device row
 * is float32: weight · (value − origin) of a linear coordinate, so that the metric is Euclidean
 * there; weight · value of a turn, within half a turn; the unit quaternion itself, with w ≥ 0.
 */
#ifndef PRM_ROADMAP_METRIC_H
#define PRM_ROADMAP_METRIC_H

#include "roadmap/robot/robot.h"
#include "roadmap/world/world.h"

enum { PRM_COORDINATE_NAME_MAX = PRM_NAME_MAX };

/* Within so much of a limit a coordinate is clamped to it, with a warning. */
#define PRM_LIMIT_TOLERANCE 1e-6

enum prm_coordinate_kind {
    PRM_COORDINATE_LINEAR,
    PRM_COORDINATE_TURN,       /* an angle: whole turns are the same state, the short way counts */
    PRM_COORDINATE_QUATERNION, /* one of four, x y z w and the last of the space: one term of the
                                  metric, the angle 2 acos |q·q'|; q and −q are one */
};

struct prm_coordinate {
    enum prm_coordinate_kind kind;
    char name[PRM_COORDINATE_NAME_MAX];
    bool limited;
    double lower, upper; /* inclusive */
    double weight;       /* of its difference in the metric */
    double origin;       /* of the device's float32, in the wire's coordinates; linear */
};

struct prm_space {
    uint32_t dof;
    uint32_t row; /* floats of a device row: 2, 4, 8, 16 or 32 */
    struct prm_coordinate coordinates[PRM_DOF_MAX];
};

/* The space of a robot in `world`: point and ball have x, y (and z), a rigid robot θ or a
 * quaternion besides, an arm its own coordinates. */
enum prm_status prm_space_init(struct prm_space *space, const struct prm_robot_spec *robot,
                               const struct prm_world *world);

/* Floats of the least device row that holds `dof` coordinates. */
uint32_t prm_space_row(uint32_t dof);

/* Whether numbers are a state at all: a quaternion must not be all zero. */
bool prm_space_is_state(const struct prm_space *space, const double *state);

/* √Σ(λᵢΔᵢ)² of two states double[dof]. */
double prm_space_distance(const struct prm_space *space, const double *a, const double *b);

/* The greatest distance of two states within the limits; coordinates without limits count 0. */
double prm_space_diagonal(const struct prm_space *space);

/* out = the state at fraction t of the way from a to b; out may be a or b. Turns run on from a
 * without a jump. */
void prm_space_interpolate(const struct prm_space *space, double *out, const double *a,
                           const double *b, double t);

/* Changes `state` so that it goes on from `previous` without jumps: turns by whole turns and,
 * unless the state is to stay as it was sent, a quaternion by its sign. */
void prm_space_continue(const struct prm_space *space, double *state, const double *previous,
                        bool as_sent);

/* The first coordinate of `state` that is outside its limits by more than PRM_LIMIT_TOLERANCE, or
 * dof if none; a coordinate within the tolerance is clamped in place and *clamped set. */
uint32_t prm_space_clamp(const struct prm_space *space, double *state, bool *clamped);

/* Between wire states and device rows, zeros in the pad. */
void prm_space_to_row(const struct prm_space *space, float *row, const double *state);
void prm_space_from_row(const struct prm_space *space, double *state, const float *row);

/* The limits as rows, rounded inwards; ± half a turn of a turn, ±1 of a quaternion. limits:
 * [2][row], lower and upper. */
void prm_space_limits(const struct prm_space *space, float *limits);

#endif
