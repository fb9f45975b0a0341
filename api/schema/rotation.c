#include "schema/rotation.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Below this deviation a quaternion's squared norm is 1 but for rounding: it is kept as it is, so
 * that what was normalised once stays the same. */
#define UNIT_ERROR (8 * DBL_EPSILON)

bool rotation_normalise(double q[4])
{
    double largest = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
    for (int i = 0; i < 4; i++)
        if (!isfinite(q[i]))
            return false;
    if (!(largest > 0))
        return false;
    double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (fabs(square - 1) <= UNIT_ERROR)
        return true;

    // the largest first, so that nothing overflows or vanishes
    double scaled[4], norm = 0;
    for (int i = 0; i < 4; i++) {
        scaled[i] = q[i] / largest;
        norm += scaled[i] * scaled[i];
    }
    norm = sqrt(norm);
    for (int i = 0; i < 4; i++)
        q[i] = scaled[i] / norm;
    return true;
}

void rotation_of_rpy(const double rpy[3], double q[4])
{
    double cr = cos(rpy[0] / 2), sr = sin(rpy[0] / 2);
    double cp = cos(rpy[1] / 2), sp = sin(rpy[1] / 2);
    double cy = cos(rpy[2] / 2), sy = sin(rpy[2] / 2);
    q[0] = sr * cp * cy - cr * sp * sy;
    q[1] = cr * sp * cy + sr * cp * sy;
    q[2] = cr * cp * sy - sr * sp * cy;
    q[3] = cr * cp * cy + sr * sp * sy;
    rotation_normalise(q);
}

bool rotation_normalise_axis(double axis[3])
{
    double q[4] = {axis[0], axis[1], axis[2], 0};
    const bool good = rotation_normalise(q);
    memcpy(axis, q, 3 * sizeof *axis);
    return good;
}

void rotation_of_axis(const double axis[3], double angle, double q[4])
{
    const double s = sin(angle / 2);
    for (int i = 0; i < 3; i++)
        q[i] = s * axis[i];
    q[3] = cos(angle / 2);
    rotation_normalise(q);
}

void rotation_multiply(double out[4], const double a[4], const double b[4])
{
    const double product[4] = {
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    };
    memcpy(out, product, sizeof product);
}

void rotation_apply(double out[3], const double q[4], const double v[3])
{
    // v + 2 w (u × v) + 2 u × (u × v), u the vector part
    const double t[3] = {2 * (q[1] * v[2] - q[2] * v[1]), 2 * (q[2] * v[0] - q[0] * v[2]),
                         2 * (q[0] * v[1] - q[1] * v[0])};
    const double turned[3] = {v[0] + q[3] * t[0] + q[1] * t[2] - q[2] * t[1],
                              v[1] + q[3] * t[1] + q[2] * t[0] - q[0] * t[2],
                              v[2] + q[3] * t[2] + q[0] * t[1] - q[1] * t[0]};
    memcpy(out, turned, sizeof turned);
}
