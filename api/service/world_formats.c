#include "service/world_formats.h"

#include "formats/movingai.h"
#include "service/internal.h"

#include <string.h>

static bool read_movingai(struct world_document *document, struct call *call,
                          const struct limits *limits)
{
    static const char *const WORDS[] = {"T", "W", "TW"};
    const char *passable = call_parameter(call, "passable");
    bool known = !passable;
    for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++)
        known = known || strcmp(passable, WORDS[i]) == 0;
    if (!known) {
        problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT, "passable is T, W or TW");
        return false;
    }
    return movingai_read(document, call_body(call), call->body_bytes, passable, limits,
                         &call->problem);
}

bool world_read_format(struct world_document *document, struct call *call, const char *format,
                       const struct limits *limits)
{
    static const char *const PLANNED[] = {"ros-map", "octomap", "scene", "pcd", "ply",
                                          "xyz",     "npy",     "stl",   "obj", "heightfield"};
    if (strcmp(format, "movingai") == 0)
        return read_movingai(document, call, limits);
    for (size_t i = 0; i < sizeof(PLANNED) / sizeof(PLANNED[0]); i++) {
        if (strcmp(format, PLANNED[i]) == 0) {
            problem_add(&call->problem, PROBLEM_UNSUPPORTED, "format %s cannot be read yet",
                        format);
            return false;
        }
    }
    problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT, "there is no such format");
    return false;
}
