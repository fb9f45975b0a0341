#include "service/robots/robot_read.h"

#include "formats/urdf.h"
#include "service/files/multipart.h"
#include "service/internal.h"

#include <string.h>

/* The parts of a form. */
static const char *const PARTS[] = {"urdf", "srdf", "spheres", "options", NULL};

static struct urdf_part part_of(const struct multipart *form, const char *name)
{
    const struct multipart_part *part = multipart_part(form, name);
    return part ? (struct urdf_part){part->data, part->bytes} : (struct urdf_part){0};
}

static bool read_form(struct robot_document *robot, struct call *call, const struct limits *limits)
{
    struct multipart form;
    if (!multipart_read(&form, call->content_type, call_body(call), call->body_bytes, PARTS,
                        &call->problem))
        return false;
    const struct urdf_files files = {.urdf = part_of(&form, "urdf"),
                                     .srdf = part_of(&form, "srdf"),
                                     .spheres = part_of(&form, "spheres"),
                                     .options = part_of(&form, "options"),
                                     .parts = true};
    if (!files.urdf.data) {
        problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT, "the form has no part urdf");
        return false;
    }
    return urdf_read(robot, &files, limits, &call->problem);
}

bool robot_read_call(struct robot_document *robot, struct call *call, const struct limits *limits)
{
    const char *format = call_parameter(call, "format");
    const bool is_urdf = format && strcmp(format, "urdf") == 0;
    const bool is_json = format && strcmp(format, "json") == 0;
    const bool is_xml = call->content_type && strstr(call->content_type, "xml");
    if (format && !is_urdf && !is_json) {
        problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT,
                    "there is no format \"%.64s\" of robots: json, urdf", format);
        return false;
    }
    if (!is_json && multipart_is(call->content_type))
        return read_form(robot, call, limits);
    if (is_urdf || (!is_json && is_xml)) {
        const struct urdf_files files = {.urdf = {call_body(call), call->body_bytes}};
        return urdf_read(robot, &files, limits, &call->problem);
    }
    return robot_read(robot, call_body(call), call->body_bytes, limits, &call->problem);
}
