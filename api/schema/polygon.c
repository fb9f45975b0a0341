#include "schema/polygon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AREA_MIN_SHARE 1e-12

/* Rounding error of the orientation below, relative to its two products (Shewchuk 1997). */
#define ORIENTATION_ERROR 3.3306690738754716e-16

static bool points_equal(const double *a, const double *b)
{
    return a[0] == b[0] && a[1] == b[1];
}

uint32_t polygon_drop_repeats(double *points, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept && points_equal(points + 2 * (size_t)i, points + 2 * (size_t)(kept - 1)))
            continue;
        memmove(points + 2 * (size_t)kept, points + 2 * (size_t)i, 2 * sizeof *points);
        kept++;
    }
    while (kept > 1 && points_equal(points, points + 2 * (size_t)(kept - 1)))
        kept--;
    return kept;
}

bool polygon_has_area(const double *points, uint32_t count)
{
    // about the first point, so that an offset of the whole costs no digits
    double doubled = 0, extent = 0;
    for (uint32_t i = 1; i + 1 < count; i++) {
        const double *a = points + 2 * (size_t)i, *b = a + 2;
        double ax = a[0] - points[0], ay = a[1] - points[1];
        double bx = b[0] - points[0], by = b[1] - points[1];
        doubled += ax * by - ay * bx;
        extent = fmax(extent, fmax(fmax(fabs(ax), fabs(ay)), fmax(fabs(bx), fabs(by))));
    }
    return fabs(doubled) > AREA_MIN_SHARE * extent * extent;
}

/* An edge with its box; ends are kept here so that the sweep reads in one direction. */
struct edge {
    double x_min, x_max, y_min, y_max;
    double a[2], b[2];
    uint32_t index; /* of the point where it begins */
};

static int edge_compare(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    return (a->x_min > b->x_min) - (a->x_min < b->x_min);
}

/* The side of the line ab on which c lies: -1, 1, or 0 where rounding leaves it open. */
static int side(const double *a, const double *b, const double *c)
{
    double left = (b[0] - a[0]) * (c[1] - a[1]);
    double right = (b[1] - a[1]) * (c[0] - a[0]);
    double error = ORIENTATION_ERROR * (fabs(left) + fabs(right));
    double difference = left - right;
    return (difference > error) - (difference < -error);
}

static bool edges_cross(const struct edge *e, const struct edge *f)
{
    return side(e->a, e->b, f->a) * side(e->a, e->b, f->b) < 0 &&
           side(f->a, f->b, e->a) * side(f->a, f->b, e->b) < 0;
}

bool polygon_crosses_itself(const double *points, uint32_t count, uint32_t *first, uint32_t *second,
                            bool *memory)
{
    struct edge *edges = malloc(count * sizeof *edges);
    *memory = edges != NULL;
    if (!edges)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const double *a = points + 2 * (size_t)i, *b = points + 2 * (size_t)((i + 1) % count);
        edges[i] = (struct edge){fmin(a[0], b[0]),
                                 fmax(a[0], b[0]),
                                 fmin(a[1], b[1]),
                                 fmax(a[1], b[1]),
                                 {a[0], a[1]},
                                 {b[0], b[1]},
                                 i};
    }
    qsort(edges, count, sizeof *edges, edge_compare);

    // an edge can only cross those that begin before it ends
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++) {
        for (uint32_t j = i + 1; j < count && edges[j].x_min <= edges[i].x_max && !found; j++) {
            if (edges[j].y_min > edges[i].y_max || edges[j].y_max < edges[i].y_min)
                continue;
            found = edges_cross(&edges[i], &edges[j]);
            if (found) {
                *first = edges[i].index < edges[j].index ? edges[i].index : edges[j].index;
                *second = edges[i].index < edges[j].index ? edges[j].index : edges[i].index;
            }
        }
    }
    free(edges);
    return found;
}
