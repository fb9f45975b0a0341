#include "service/pictures/projection.h"

#include "schema/rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points of a circle that stands for a rim or a cap. */
enum { RIM_POINTS = 24 };

enum { RECTANGLE_CORNERS = 4, CORNERS = 8 };

static const double PI = 3.14159265358979323846;

struct paper_point project(enum view view, const double *point)
{
    if (view == VIEW_FLAT)
        return (struct paper_point){point[0], point[1]};
    // the viewer looks along x and y, or along x and against y
    const double x = point[0], y = view == VIEW_LEFT ? point[1] : -point[1];
    const double across = view == VIEW_LEFT ? x - y : y - x;
    return (struct paper_point){across / sqrt(2), (x + y) / sqrt(6) + point[2] * sqrt(2.0 / 3.0)};
}

void place(double out[3], const struct obstacle_document *obstacle, const double v[3])
{
    rotation_apply(out, obstacle->quaternion, v);
    for (unsigned i = 0; i < 3; i++)
        out[i] += obstacle->center[i];
}

static double cross(struct paper_point o, struct paper_point a, struct paper_point b)
{
    return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

static int compare(const void *a, const void *b)
{
    const struct paper_point *p = a, *q = b;
    if (p->x < q->x || (p->x <= q->x && p->y < q->y))
        return -1;
    return p->x > q->x || p->y > q->y;
}

/* The convex hull of three or more points by monotone chains (Andrew 1979), in place. */
static void hull(struct outline *outline)
{
    struct paper_point chain[2 * OUTLINE_POINTS_MAX] = {0};
    const unsigned count = outline->count;
    unsigned size = 0;
    qsort(outline->points, count, sizeof(outline->points[0]), compare);
    for (unsigned i = 0; i < count; i++) {
        while (size >= 2 && cross(chain[size - 2], chain[size - 1], outline->points[i]) <= 0)
            size--;
        chain[size++] = outline->points[i];
    }
    const unsigned lower = size + 1;
    for (unsigned i = count - 1; i > 0; i--) {
        while (size >= lower &&
               cross(chain[size - 2], chain[size - 1], outline->points[i - 1]) <= 0)
            size--;
        chain[size++] = outline->points[i - 1];
    }
    // the first point ends the chain again
    outline->count = size > 1 ? size - 1 : size;
    memcpy(outline->points, chain, outline->count * sizeof(chain[0]));
}

static void put_corners(struct outline *outline, enum view view,
                        const struct obstacle_document *obstacle)
{
    for (unsigned i = 0; i < CORNERS; i++) {
        const double v[3] = {(i & 1 ? 0.5 : -0.5) * obstacle->size[0],
                             (i & 2 ? 0.5 : -0.5) * obstacle->size[1],
                             (i & 4 ? 0.5 : -0.5) * obstacle->size[2]};
        double corner[3];
        place(corner, obstacle, v);
        outline->points[i] = project(view, corner);
    }
    outline->count = CORNERS;
}

/* The corners of a rectangle, turned about its centre. */
static void put_rectangle(struct outline *outline, const struct obstacle_document *obstacle)
{
    const double c = cos(obstacle->angle), s = sin(obstacle->angle);
    for (unsigned i = 0; i < RECTANGLE_CORNERS; i++) {
        const double x = (i & 1 ? 0.5 : -0.5) * obstacle->size[0];
        const double y = (i & 2 ? 0.5 : -0.5) * obstacle->size[1];
        outline->points[i] = (struct paper_point){obstacle->center[0] + c * x - s * y,
                                                  obstacle->center[1] + s * x + c * y};
    }
    outline->count = RECTANGLE_CORNERS;
}

/* Both ends: rims of a cylinder, whole balls of a capsule. */
static void put_ends(struct outline *outline, enum view view,
                     const struct obstacle_document *obstacle)
{
    const bool capsule = obstacle->type == OBSTACLE_CAPSULE;
    for (unsigned i = 0; i < 2 * RIM_POINTS; i++) {
        const double angle = 2 * PI * i / RIM_POINTS;
        const double x = obstacle->radius * cos(angle), y = obstacle->radius * sin(angle);
        const double end = (i < RIM_POINTS ? -0.5 : 0.5) * obstacle->length;
        const double v[3] = {capsule ? 0 : x, capsule ? 0 : y, end};
        double placed[3];
        place(placed, obstacle, v);
        outline->points[i] = project(view, placed);
        if (capsule) {
            outline->points[i].x += x;
            outline->points[i].y += y;
        }
    }
    outline->count = 2 * RIM_POINTS;
}

void outline_of(struct outline *outline, enum view view, const struct obstacle_document *obstacle)
{
    outline->count = 0;
    switch (obstacle->type) {
    case OBSTACLE_BOX:
        put_corners(outline, view, obstacle);
        break;
    case OBSTACLE_RECTANGLE:
        put_rectangle(outline, obstacle);
        break;
    case OBSTACLE_CYLINDER:
    case OBSTACLE_CAPSULE:
        put_ends(outline, view, obstacle);
        break;
    case OBSTACLE_SPHERE:
    case OBSTACLE_CIRCLE:
    case OBSTACLE_POLYGON:
    case OBSTACLE_GRID:
    case OBSTACLE_BOXES:
    case OBSTACLE_POINTS:
    case OBSTACLE_MESH:
        return;
    }
    hull(outline);
}
