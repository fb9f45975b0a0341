#include "service/files/file_options.h"

#include "schema/decimal.h"
#include "schema/rotation.h"
#include "service/internal.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned bit;
} parameter_rows[] = {
    {"passable", FORMAT_PASSABLE}, {"unknown", FORMAT_UNKNOWN}, {"pose", FORMAT_POSE},
    {"radius", FORMAT_RADIUS},     {"height", FORMAT_HEIGHT},   {"resolution", FORMAT_RESOLUTION},
    {"base", FORMAT_BASE},
};

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

static bool read_pose(struct call *call, uint32_t dimension, struct file_pose *pose)
{
    const char *text = call_parameter(call, "pose");
    const int count = dimension == 2 ? FILE_POSE_NUMBERS_2D : FILE_POSE_NUMBERS;
    bool good = true;
    pose->given = text;
    for (int i = 0; text && good && i < count; i++) {
        text = take_number(text, &pose->numbers[i]);
        good = text && *text == (i + 1 < count ? ',' : '\0');
        if (good && i + 1 < count)
            text++;
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

bool file_options_read(struct format_file *file, struct file_pose *pose, struct call *call,
                       const struct format *format)
{
    bool given;
    return check_parameters(call, format) && read_words(call, file) &&
           read_number(call, "radius", true, &file->radius, &given) &&
           read_number(call, "resolution", true, &file->resolution, &given) &&
           read_number(call, "height", true, &file->height, &given) &&
           read_number(call, "base", false, &file->base, &file->has_base) &&
           read_pose(call, format->dimension, pose);
}
