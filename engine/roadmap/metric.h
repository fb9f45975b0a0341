/* The configuration space of a robot in a world: coordinates, limits, weights, distance,
 * interpolation.
 *
 * This is the one place that knows how a kind of joint behaves; the device side is
 * kernels/metric.h. Host functions work in double precision in the wire's coordinates; device rows
 * are float32 relative to `origin`.
 */
#ifndef PRM_ROADMAP_METRIC_H
#define PRM_ROADMAP_METRIC_H

#include "roadmap/robot.h"
#include "roadmap/world.h"

enum { PRM_DOF_MAX = 32, PRM_COORDINATE_NAME_MAX = 64 };

/* Within so much of a limit a coordinate is clamped to it, with a warning. */
#define PRM_LIMIT_TOLERANCE 1e-6

/* TURN: an angle without limits. QUATERNION: one of the four x, y, z, w of an orientation, which
 * are the last coordinates. */
enum prm_coordinate_kind { PRM_COORDINATE_LINEAR, PRM_COORDINATE_TURN, PRM_COORDINATE_QUATERNION };

struct prm_coordinate {
    enum prm_coordinate_kind kind;
    char name[PRM_COORDINATE_NAME_MAX];
    bool limited;
    double lower, upper; /* inclusive */
    double weight;       /* of its difference in the metric */
    double origin;       /* of the device's float32, in the wire's coordinates */
};

struct prm_space {
    uint32_t dof;
    uint32_t row; /* floats of a device row: 2, 4, 8, 16 or 32 */
    struct prm_coordinate coordinates[PRM_DOF_MAX];
};

/* The space of `robot` in `world`: point and ball have x, y (and z). */
enum prm_status prm_space_init(struct prm_space *space, const struct prm_robot *robot,
                               const struct prm_world *world);

/* √Σ(λᵢΔᵢ)² of two states double[dof]. */
double prm_space_distance(const struct prm_space *space, const double *a, const double *b);

/* out = the state at fraction t of the way from a to b; out may be a or b. */
void prm_space_interpolate(const struct prm_space *space, double *out, const double *a,
                           const double *b, double t);

/* The first coordinate of `state` that is outside its limits by more than PRM_LIMIT_TOLERANCE, or
 * dof if none; a coordinate within the tolerance is clamped in place and *clamped set. */
uint32_t prm_space_clamp(const struct prm_space *space, double *state, bool *clamped);

/* Between wire states and device rows: row[i] = (float)(state[i] - origin[i]), zeros in the pad;
 * and back. */
void prm_space_to_row(const struct prm_space *space, float *row, const double *state);
void prm_space_from_row(const struct prm_space *space, double *state, const float *row);

#endif
