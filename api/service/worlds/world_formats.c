#include "service/worlds/world_formats.h"

#include "schema/length.h"
#include "schema/world_ids.h"
#include "schema/world_read.h"
#include "service/files/file_options.h"
#include "service/files/multipart.h"
#include "service/internal.h"
#include "service/worlds/world_box.h"
#include "service/worlds/worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a file that is a world, this share of the longest edge is free around it. */
static const double GROWN = 0.1;

/* The least room about what a file holds: what doubles still tell apart at LENGTH_MAX. */
static const double ROOM_LEAST = 1e-6;

enum { FRACTION_DIGITS = 7, SIZE_DIGITS = 9 };

/* ---- reading ---- */

/* The file, or the files of a form. */
static bool read_body(struct format_file *file, const struct format *format,
                      const struct call *call, struct problem *problem)
{
    file->data = call_body(call);
    file->bytes = call->body_bytes;
    if (!format->main)
        return true;

    struct multipart form;
    const char *const names[] = {format->main, "image", NULL};
    if (!multipart_read(&form, call->content_type, file->data, file->bytes, names, problem))
        return false;
    const struct multipart_part *main = multipart_part(&form, format->main);
    const struct multipart_part *image = multipart_part(&form, "image");
    if (!main || !image) {
        problem_add(problem, PROBLEM_INVALID_ARGUMENT, "format %s needs a part \"%s\"",
                    format->name, main ? "image" : format->main);
        return false;
    }
    file->data = main->data;
    file->bytes = main->bytes;
    file->image = image->data;
    file->image_bytes = image->bytes;
    return true;
}

/* Moves a grid. */
static void move_grid(struct grid_document *grid, const double pose[FILE_POSE_NUMBERS_2D])
{
    const double c = cos(pose[2]), s = sin(pose[2]), x = grid->origin[0], y = grid->origin[1];
    grid->origin[0] = pose[0] + c * x - s * y;
    grid->origin[1] = pose[1] + s * x + c * y;
    grid->origin[2] += pose[2];
}

/* Moves the bounds that a file has: the box of the box that they become. */
static void move_bounds(struct world_document *world, const double pose[FILE_POSE_NUMBERS])
{
    struct obstacle_document box = {.type = OBSTACLE_BOX, .quaternion = {0, 0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        box.center[i] = (world->lower[i] + world->upper[i]) / 2;
        box.size[i] = world->upper[i] - world->lower[i];
    }
    obstacle_move(&box, pose, pose + 3);
    const struct world_document moved = {.dimension = 3, .obstacles = &box, .obstacle_count = 1};
    world_box(&moved, world->lower, world->upper);
}

/* Moves what was read to where the request has it. false: it would lie farther than any place. */
static bool move(struct world_document *world, const double pose[FILE_POSE_NUMBERS],
                 struct problem *problem)
{
    bool near = true;
    for (uint32_t i = 0; i < world->obstacle_count; i++) {
        struct obstacle_document *obstacle = &world->obstacles[i];
        const double *place = world->dimension == 2 ? obstacle->grid.origin : obstacle->center;
        if (world->dimension == 2)
            move_grid(&obstacle->grid, pose);
        else
            obstacle_move(obstacle, pose, pose + 3);
        for (uint32_t axis = 0; axis < world->dimension; axis++)
            near = near && fabs(place[axis]) <= LENGTH_MAX;
    }
    if (world->has_bounds && world->dimension != 2)
        move_bounds(world, pose);
    if (!near)
        problem_add(problem, PROBLEM_INVALID_ARGUMENT,
                    "pose: the file would lie beyond all places");
    return near;
}

/* Reads the body with a format, and moves what it holds. */
static bool read_file(struct world_document *world, struct file_report *report, struct call *call,
                      const struct limits *limits)
{
    struct format_file file = {.limits = limits, .problem = &call->problem};
    struct file_pose pose;
    char names[PROBLEM_DETAIL_MAX / 2];
    *world = (struct world_document){0};
    *report = (struct file_report){.format = format_find(call_parameter(call, "format"))};
    if (!report->format) {
        format_names(names, sizeof(names));
        problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT,
                    "there is no such format; there are %s", names);
        return false;
    }
    if (!file_options_read(&file, &pose, call, report->format) ||
        !read_body(&file, report->format, call, &call->problem) ||
        !report->format->read(world, &report->counts, &file))
        return false;
    report->unknown_free = file.unknown_free;
    if (!pose.given || move(world, pose.numbers, &call->problem))
        return true;
    world_deinit(world);
    return false;
}

/* ---- what becomes of it ---- */

/* Bounds of a world: the box of its grids where they now lie, its own, or about all that it holds.
 * false: there is nothing to bound. */
static bool bound(struct world_document *world)
{
    double longest = 0;
    if (world_bound_by_grids(world) || world->has_bounds)
        return true;
    if (!world_box(world, world->lower, world->upper))
        return false;
    for (int i = 0; i < 3; i++)
        longest = fmax(longest, world->upper[i] - world->lower[i]);
    for (int i = 0; i < 3; i++) {
        const double room = longest > 0 ? fmax(GROWN * longest, ROOM_LEAST) : 1;
        world->lower[i] = fmax(world->lower[i] - room, -LENGTH_MAX);
        world->upper[i] = fmin(world->upper[i] + room, LENGTH_MAX);
    }
    world->has_bounds = true;
    return true;
}

bool world_read_format(struct world_document *world, struct file_report *report, struct call *call,
                       const struct limits *limits)
{
    if (!read_file(world, report, call, limits))
        return false;
    if (world->obstacle_count == 1 && !*world->obstacles[0].id)
        snprintf(world->obstacles[0].id, sizeof(world->obstacles[0].id), "%s",
                 report->format->name);
    const bool bounded = bound(world), named = world_ids_complete(world);
    if (!bounded)
        problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT,
                    "the file holds nothing that could bound a world; put it as an obstacle into a "
                    "world with bounds");
    else if (!named)
        problem_no_memory(&call->problem, "a world");
    if (!bounded || !named)
        world_deinit(world);
    return bounded && named;
}

bool obstacle_read_format(struct obstacle_document *obstacle, struct file_report *report,
                          uint32_t dimension, struct call *call, const struct limits *limits)
{
    struct world_document world;
    if (!read_file(&world, report, call, limits))
        return false;
    const bool fits = world.dimension == dimension, one = world.obstacle_count == 1;
    if (!fits)
        problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT,
                    "format %s is of %u dimensions, the world of %u", report->format->name,
                    world.dimension, dimension);
    else if (!one)
        problem_add(
            &call->problem, PROBLEM_INVALID_ARGUMENT,
            "the file holds %u obstacles, and one obstacle is one; put the file as a world, "
            "or its obstacles one by one",
            world.obstacle_count);
    if (fits && one) {
        *obstacle = world.obstacles[0];
        *obstacle->id = '\0';
        world.obstacle_count = 0;
    }
    world_deinit(&world);
    return fits && one;
}

/* ---- the reply ---- */

void file_report_write(const struct file_report *report, struct text *out)
{
    const struct format_report *counts = &report->counts;
    if (report->format && counts->counts_cells) {
        text_json_key(out, "cells");
        text_json_open(out, '{');
        text_member_u64(out, "occupied", counts->occupied);
        text_member_u64(out, "free", counts->free);
        text_member_u64(out, "unknown", counts->unknown);
        text_json_close(out, '}');
    }
    if (report->format && counts->has_unknown) {
        text_json_key(out, "unknown");
        text_json_open(out, '{');
        text_member_string(out, "taken_as", report->unknown_free ? "free" : "occupied");
        text_member_number(out, "fraction", counts->unknown_fraction, FRACTION_DIGITS);
        text_member_number(out, report->format->dimension == 2 ? "area" : "volume",
                           counts->unknown_size, SIZE_DIGITS);
        text_json_close(out, '}');
    }
}

void file_report_write_warnings(const struct file_report *report, struct text *out)
{
    char detail[PROBLEM_DETAIL_MAX];
    if (!report->format)
        return;
    if (report->counts.has_unknown && report->counts.unknown_fraction > 0) {
        snprintf(
            detail, sizeof(detail),
            "%.3g %% of the file's space is unknown and is taken as %s; unknown=%s takes it as "
            "%s",
            100 * report->counts.unknown_fraction, report->unknown_free ? "free" : "occupied",
            report->unknown_free ? "occupied" : "free", report->unknown_free ? "occupied" : "free");
        warning_write("unknown_space", detail, out);
    }
    if (*report->counts.warning)
        warning_write("file", report->counts.warning, out);
}
