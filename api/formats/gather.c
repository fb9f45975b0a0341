#include "formats/gather.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MIN = 64, CORNERS = 3 };

struct gather gather_begin(enum obstacle_type type, const struct format_file *file)
{
    return (struct gather){
        .obstacle = {.type = type, .enabled = true, .quaternion = {0, 0, 0, 1}},
        .file = file,
    };
}

/* The rows with room for one more, within the limit; NULL after a fault, and they are as before. */
static void *make_room(const struct gather *gather, void *rows, uint32_t count, uint32_t *capacity,
                       size_t row_bytes, enum limit_id limit)
{
    struct problem *problem = gather->file->problem;
    if (count >= limits_value(gather->file->limits, limit) || count >= UINT32_MAX / 2) {
        struct problem_fault *fault = problem_add(
            problem, PROBLEM_LIMIT_EXCEEDED, "the file makes more than the limit of %u %s (%s)",
            count, limit_table[limit].text, limit_table[limit].flag);
        problem_fault_limit(fault, gather->file->limits, limit);
        return NULL;
    }
    if (count < *capacity)
        return rows;
    const uint32_t next = *capacity ? 2 * *capacity : CAPACITY_MIN;
    void *grown = realloc(rows, next * row_bytes);
    if (grown)
        *capacity = next;
    else
        problem_no_memory(problem, "%u %s", next, limit_table[limit].text);
    return grown;
}

bool gather_row(struct gather *gather, const double *row)
{
    struct obstacle_document *obstacle = &gather->obstacle;
    const bool boxes = obstacle->type == OBSTACLE_BOXES;
    const size_t width = obstacle_point_width(obstacle->type);
    for (size_t i = 0; i < width; i++) {
        if (fabs(row[i]) <= LENGTH_MAX)
            continue;
        problem_add(gather->file->problem, PROBLEM_INVALID_ARGUMENT,
                    "coordinates must be from %g to %g; %s %u (from 0) has %g", -LENGTH_MAX,
                    LENGTH_MAX, boxes ? "box" : "point", obstacle->point_count, row[i]);
        return false;
    }
    double *points =
        make_room(gather, obstacle->points, obstacle->point_count, &gather->point_capacity,
                  width * sizeof *row, boxes ? LIMIT_boxes : LIMIT_points);
    if (!points)
        return false;
    obstacle->points = points;
    memcpy(points + width * obstacle->point_count++, row, width * sizeof *row);
    return true;
}

bool gather_point(struct gather *gather, const double point[3])
{
    if (isfinite(point[0]) && isfinite(point[1]) && isfinite(point[2]))
        return gather_row(gather, point);
    gather->dropped++;
    return true;
}

bool gather_triangle(struct gather *gather, const uint32_t corners[3])
{
    struct obstacle_document *obstacle = &gather->obstacle;
    uint32_t *triangles =
        make_room(gather, obstacle->triangles, obstacle->triangle_count, &gather->triangle_capacity,
                  CORNERS * sizeof *corners, LIMIT_triangles);
    if (!triangles)
        return false;
    obstacle->triangles = triangles;
    memcpy(triangles + CORNERS * (size_t)obstacle->triangle_count++, corners,
           CORNERS * sizeof *corners);
    return true;
}

/* Whether a triangle has no area, as its doubles say: it is a segment or a point then. */
static bool is_flat(const struct obstacle_document *mesh, const uint32_t *corners)
{
    const double *a = mesh->points + 3 * (size_t)corners[0];
    const double *b = mesh->points + 3 * (size_t)corners[1];
    const double *c = mesh->points + 3 * (size_t)corners[2];
    const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    return !(fabs(u[1] * v[2] - u[2] * v[1]) > 0) && !(fabs(u[2] * v[0] - u[0] * v[2]) > 0) &&
           !(fabs(u[0] * v[1] - u[1] * v[0]) > 0);
}

/* Corners are rows that there are; triangles without area are told, and kept: they are closed sets
 * as all others. */
static bool check_triangles(struct gather *gather, struct format_report *report)
{
    const struct obstacle_document *mesh = &gather->obstacle;
    uint32_t flat = 0;
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        const uint32_t *corners = mesh->triangles + CORNERS * (size_t)i;
        for (int corner = 0; corner < CORNERS; corner++) {
            if (corners[corner] < mesh->point_count)
                continue;
            problem_add(gather->file->problem, PROBLEM_INVALID_ARGUMENT,
                        "triangle %u has vertex %u, and there are %u (all counted from 0)", i,
                        corners[corner], mesh->point_count);
            return false;
        }
        flat += is_flat(mesh, corners);
    }
    if (flat)
        report_warn(report, "%u of %u triangles have no area; they count as segments and points.",
                    flat, mesh->triangle_count);
    return true;
}

/* What the request says of the elements. */
static bool set_sizes(struct gather *gather)
{
    struct obstacle_document *obstacle = &gather->obstacle;
    obstacle->resolution = gather->file->resolution;
    if (obstacle->type == OBSTACLE_POINTS)
        obstacle->radius = gather->file->radius;
    if (obstacle->type == OBSTACLE_POINTS || !(gather->file->radius > 0))
        return true;
    problem_add(gather->file->problem, PROBLEM_INVALID_ARGUMENT,
                "radius is for points, and the file holds a mesh: leave it out");
    return false;
}

bool gather_end(struct gather *gather, struct world_document *world, struct format_report *report,
                bool good)
{
    if (!good || !set_sizes(gather) || !check_triangles(gather, report)) {
        obstacle_deinit(&gather->obstacle);
        return false;
    }
    if (gather->dropped)
        report_warn(report, "%" PRIu64 " of %" PRIu64 " points are not finite and were left out.",
                    gather->dropped, gather->dropped + gather->obstacle.point_count);
    world->dimension = 3;
    if (world_append(world, &gather->obstacle))
        return true;
    problem_no_memory(gather->file->problem, "an obstacle");
    return false;
}

void report_warn(struct format_report *report, const char *format, ...)
{
    const size_t length = strlen(report->warning), room = sizeof report->warning - length;
    const bool apart = length && room > 1;
    va_list arguments;
    va_start(arguments, format);
    if (apart)
        report->warning[length] = ' ';
    vsnprintf(report->warning + length + apart, room - apart, format, arguments);
    va_end(arguments);
}
