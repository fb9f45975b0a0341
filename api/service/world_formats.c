#include "service/world_formats.h"

#include "schema/decimal.h"
#include "schema/length.h"
#include "schema/rotation.h"
#include "schema/world_ids.h"
#include "schema/world_read.h"
#include "service/internal.h"
#include "service/multipart.h"
#include "service/world_box.h"
#include "service/worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a file that is a world, this share of the longest edge is free around it. */
static const double GROWN = 0.1;

enum { POSE_MAX = 7, POSE_2D = 3, FRACTION_DIGITS = 7, SIZE_DIGITS = 9 };

/* The pose of a request: x y z and a quaternion, or in 2D x y and a yaw. */
struct pose {
    bool given;
    double numbers[POSE_MAX];
};

static const struct {
    const char *name;
    unsigned bit;
} parameter_rows[] = {
    {"passable", FORMAT_PASSABLE}, {"unknown", FORMAT_UNKNOWN}, {"pose", FORMAT_POSE},
    {"radius", FORMAT_RADIUS},     {"height", FORMAT_HEIGHT},   {"resolution", FORMAT_RESOLUTION},
    {"base", FORMAT_BASE},
};

/* ---- parameters ---- */

static bool invalid(struct problem *problem, const char *what)
{
    problem_add(problem, PROBLEM_INVALID_ARGUMENT, "%s", what);
    return false;
}

/* Whether each parameter is one of the format's (NULL: there is no file), and comes once. */
static bool check_parameters(struct call *call, const struct format *format)
{
    for (unsigned i = 0; i < call->parameter_count; i++) {
        const char *key = call->parameters[i].key;
        unsigned bit = 0;
        for (unsigned j = 0; j < i; j++) {
            if (strcmp(call->parameters[j].key, key) != 0)
                continue;
            problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT,
                        "the parameter \"%.64s\" comes twice", key);
            return false;
        }
        if (strcmp(key, "format") == 0)
            continue;
        for (size_t row = 0; row < sizeof(parameter_rows) / sizeof(parameter_rows[0]); row++)
            if (strcmp(parameter_rows[row].name, key) == 0)
                bit = parameter_rows[row].bit;
        if (format && (format->parameters & bit))
            continue;
        if (!bit)
            problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT,
                        "there is no parameter \"%.64s\" here", key);
        else
            problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT, "%s%s has no parameter \"%s\"",
                        format ? "format " : "JSON", format ? format->name : "", key);
        return false;
    }
    return true;
}

bool call_has_file(const struct call *call)
{
    const char *format = call_parameter(call, "format");
    return format && strcmp(format, "json") != 0;
}

bool check_no_file(struct call *call)
{
    return check_parameters(call, NULL);
}

/* A number at the head of a text, and where it ends; NULL: there is none in bounds. */
static const char *take_number(const char *text, double *number)
{
    const size_t length = decimal_read(number, text, strlen(text));
    return length && fabs(*number) <= LENGTH_MAX ? text + length : NULL;
}

/* A number, or the default where it is not given. */
static bool read_number(struct call *call, const char *key, bool positive, double *number,
                        bool *given)
{
    const char *text = call_parameter(call, key);
    *given = text;
    if (!text)
        return true;
    const char *end = take_number(text, number);
    if (end && !*end && !(positive && *number <= 0))
        return true;
    problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT,
                "%s must be a %snumber up to %g, not %.64s", key, positive ? "positive " : "",
                LENGTH_MAX, *text ? text : "empty");
    return false;
}

static bool read_pose(struct call *call, uint32_t dimension, struct pose *pose)
{
    const char *text = call_parameter(call, "pose");
    const int count = dimension == 2 ? POSE_2D : POSE_MAX;
    bool good = true;
    pose->given = text;
    for (int i = 0; text && good && i < count; i++) {
        text = take_number(text, &pose->numbers[i]);
        good = text && *text == (i + 1 < count ? ',' : '\0');
        text += good && i + 1 < count;
    }
    if (!good)
        return invalid(&call->problem,
                       dimension == 2 ? "pose must be x,y,yaw" : "pose must be x,y,z,qx,qy,qz,qw");
    if (pose->given && dimension != 2 && !rotation_normalise(pose->numbers + 3))
        return invalid(&call->problem, "pose: the quaternion must not be all zero");
    return true;
}

static bool read_words(struct call *call, struct format_file *file)
{
    static const char *const CLASSES[] = {"T", "W", "TW"};
    const char *unknown = call_parameter(call, "unknown");
    file->passable = call_parameter(call, "passable");
    file->unknown_free = unknown && strcmp(unknown, "free") == 0;
    bool known = !file->passable;
    for (size_t i = 0; i < sizeof(CLASSES) / sizeof(CLASSES[0]); i++)
        known = known || strcmp(file->passable, CLASSES[i]) == 0;
    if (!known)
        return invalid(&call->problem, "passable is T, W or TW");
    if (unknown && !file->unknown_free && strcmp(unknown, "occupied") != 0)
        return invalid(&call->problem, "unknown is free or occupied");
    return true;
}

/* ---- the body ---- */

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
static void move_grid(struct grid_document *grid, const double pose[POSE_2D])
{
    const double c = cos(pose[2]), s = sin(pose[2]), x = grid->origin[0], y = grid->origin[1];
    grid->origin[0] = pose[0] + c * x - s * y;
    grid->origin[1] = pose[1] + s * x + c * y;
    grid->origin[2] += pose[2];
}

/* Moves what was read to where the request has it. false: it would lie farther than any place. */
static bool move(struct world_document *world, const double pose[POSE_MAX], struct problem *problem)
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
    return near || invalid(problem, "pose: the file would lie beyond all places");
}

/* Reads the body with a format, and moves what it holds. */
static bool read_file(struct world_document *world, struct file_report *report, struct call *call,
                      const struct limits *limits)
{
    struct format_file file = {.limits = limits, .problem = &call->problem};
    struct pose pose;
    bool given;
    char names[PROBLEM_DETAIL_MAX / 2];
    *world = (struct world_document){0};
    *report = (struct file_report){.format = format_find(call_parameter(call, "format"))};
    if (!report->format) {
        format_names(names, sizeof(names));
        problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT,
                    "there is no such format; there are %s", names);
        return false;
    }
    if (!check_parameters(call, report->format) || !read_words(call, &file) ||
        !read_number(call, "radius", true, &file.radius, &given) ||
        !read_number(call, "resolution", true, &file.resolution, &given) ||
        !read_number(call, "height", true, &file.height, &given) ||
        !read_number(call, "base", false, &file.base, &file.has_base) ||
        !read_pose(call, report->format->dimension, &pose) ||
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

/* Bounds of a world that has none. false: there is nothing to bound. */
static bool bound(struct world_document *world)
{
    double longest = 0;
    if (world->has_bounds || world_bound_by_grids(world))
        return true;
    if (!world_box(world, world->lower, world->upper))
        return false;
    for (int i = 0; i < 3; i++)
        longest = fmax(longest, world->upper[i] - world->lower[i]);
    for (int i = 0; i < 3; i++) {
        const double room = longest > 0 ? GROWN * longest : 1;
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
    bool good = bound(world);
    if (!good)
        problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT,
                    "the file holds nothing that could bound a world; put it as an obstacle into a "
                    "world with bounds");
    else if (!world_ids_complete(world))
        good = invalid(&call->problem, "no memory for a world");
    if (!good)
        world_deinit(world);
    return good;
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
