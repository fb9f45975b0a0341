#include "tools/geometry.h"

#include <math.h>

/* Distance to a region given by how far the point is beyond each of its sides (negative: within).
 */
static double beyond(const double *over, int count)
{
    double squares = 0, deepest = -INFINITY;
    for (int i = 0; i < count; i++) {
        squares += over[i] > 0 ? over[i] * over[i] : 0;
        deepest = fmax(deepest, over[i]);
    }
    return squares > 0 ? sqrt(squares) : deepest;
}

/* Distance to the nearest blocked cell, searched in growing square rings; outside the grid all is
 * blocked. */
static double cells_distance(const struct cells *cells, double x, double y)
{
    x /= cells->resolution;
    y /= cells->resolution;
    int column = (int)floor(x), row = (int)floor(y);
    double nearest = INFINITY;

    // a ring at distance r in cells is at least r - 1 away
    for (int ring = 0; ring - 1 < nearest && ring <= cells->width + cells->height; ring++) {
        for (int j = row - ring; j <= row + ring; j++) {
            bool edge = j == row - ring || j == row + ring;
            for (int i = column - ring; i <= column + ring; i += edge || ring == 0 ? 1 : 2 * ring) {
                bool inside = i >= 0 && j >= 0 && i < cells->width && j < cells->height;
                if (inside && !cells->blocked[(size_t)j * (size_t)cells->width + (size_t)i])
                    continue;
                double dx = fmax(fmax(i - x, x - (i + 1)), 0),
                       dy = fmax(fmax(j - y, y - (j + 1)), 0);
                nearest = fmin(nearest, hypot(dx, dy));
            }
        }
    }
    return nearest * cells->resolution;
}

double solid_distance(const struct solid *solid, const double *p, int dimension)
{
    // the point in the solid's frame
    double local[3] = {0, 0, 0};
    for (int axis = 0; axis < dimension; axis++) {
        for (int i = 0; i < dimension; i++)
            local[axis] += solid->axes[axis][i] * (p[i] - solid->center[i]);
    }
    double over[3];
    switch (solid->kind) {
    case SOLID_SPHERE:
        return sqrt(local[0] * local[0] + local[1] * local[1] + local[2] * local[2]) -
               solid->radius;
    case SOLID_BOX:
        for (int i = 0; i < dimension; i++)
            over[i] = fabs(local[i]) - solid->half[i];
        return beyond(over, dimension);
    case SOLID_CYLINDER:
        over[0] = hypot(local[0], local[1]) - solid->radius;
        over[1] = fabs(local[2]) - solid->half_length;
        return beyond(over, 2);
    case SOLID_CAPSULE:
        local[2] = fmax(fabs(local[2]) - solid->half_length, 0);
        return sqrt(local[0] * local[0] + local[1] * local[1] + local[2] * local[2]) -
               solid->radius;
    case SOLID_GRID:
        return cells_distance(&solid->cells, local[0], local[1]);
    }
    return -INFINITY;
}

void solid_turn_quaternion(struct solid *solid, const double quaternion[4])
{
    double norm = sqrt(quaternion[0] * quaternion[0] + quaternion[1] * quaternion[1] +
                       quaternion[2] * quaternion[2] + quaternion[3] * quaternion[3]);
    double x = quaternion[0] / norm, y = quaternion[1] / norm, z = quaternion[2] / norm,
           w = quaternion[3] / norm;
    double axes[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
        {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
        {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)},
    };
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            solid->axes[i][j] = axes[i][j];
    }
}

void solid_turn_rpy(struct solid *solid, const double rpy[3])
{
    double cr = cos(rpy[0]), sr = sin(rpy[0]), cp = cos(rpy[1]), sp = sin(rpy[1]), cy = cos(rpy[2]),
           sy = sin(rpy[2]);
    double axes[3][3] = {
        {cy * cp, sy * cp, -sp},
        {cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr},
        {cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr},
    };
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            solid->axes[i][j] = axes[i][j];
    }
}
