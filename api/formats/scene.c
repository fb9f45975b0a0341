#include "formats/scene.h"

#include "formats/gather.h"
#include "formats/reader.h"
#include "schema/rotation.h"
#include "schema/world_ids.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { AXES = 3, TURNS = 4, COLORS = 4, CORNERS = 3, CONE_SIDES = 64, SIZES_MAX = 3 };

static const double PI = 3.14159265358979323846;

/* What turns by `q` and shifts by `at`. */
struct pose {
    double at[AXES], q[TURNS];
};

struct scene {
    struct reader reader;
    const struct format_file *file;
    struct world_document *world;
    struct format_report *report;
    bool newer; /* of the version with poses of objects and subframes */
    char id[OBSTACLE_ID_BYTES_MAX + 1];
    struct pose pose; /* of the object */
    uint32_t cones;
};

/* ---- words ---- */

static bool read_count(struct scene *scene, const char *what, uint32_t *count)
{
    struct word word;
    uint64_t number;
    if (!reader_word(&scene->reader, &word))
        return reader_fault(&scene->reader, scene->reader.line, "the file ends where %s is due",
                            what);
    if (!word_whole(&word, &number) || number > UINT32_MAX)
        return reader_fault(&scene->reader, word.line, "%s is due, and \"%.*s\" is no whole number",
                            what, WORD_SHOWN(&word));
    *count = (uint32_t)number;
    return true;
}

static bool read_pose(struct scene *scene, struct pose *pose)
{
    struct reader *reader = &scene->reader;
    return reader_places(reader, "a position", pose->at, AXES) &&
           reader_places(reader, "a quaternion", pose->q, TURNS) &&
           (rotation_normalise(pose->q) ||
            reader_fault(reader, reader->line, "a quaternion must not be all zero"));
}

/* A shape's pose, in the object's frame where objects have one, and its colour. */
static bool read_shape_pose(struct scene *scene, struct obstacle_document *obstacle)
{
    struct pose pose;
    double color[COLORS];
    if (!read_pose(scene, &pose) || !reader_places(&scene->reader, "a colour", color, COLORS))
        return false;
    rotation_apply(obstacle->center, scene->pose.q, pose.at);
    for (int axis = 0; axis < AXES; axis++)
        obstacle->center[axis] += scene->pose.at[axis];
    rotation_multiply(obstacle->quaternion, scene->pose.q, pose.q);
    rotation_normalise(obstacle->quaternion);
    obstacle->has_quaternion = obstacle->type != OBSTACLE_SPHERE;
    return true;
}

/* ---- shapes ---- */

static bool check_room(const struct scene *scene)
{
    if (scene->world->obstacle_count < scene->file->limits->obstacles)
        return true;
    struct problem_fault *fault =
        problem_add(scene->file->problem, PROBLEM_LIMIT_EXCEEDED,
                    "the scene has more shapes than a world may have obstacles (%s)",
                    limit_table[LIMIT_obstacles].flag);
    problem_fault_limit(fault, scene->file->limits, LIMIT_obstacles);
    return false;
}

/* Adds a side and its share of the base, from ring vertex `side` on. */
static bool add_cone_side(struct gather *cone, uint32_t side)
{
    const uint32_t apex = CONE_SIDES, base = CONE_SIDES + 1, next = (side + 1) % CONE_SIDES;
    return gather_triangle(cone, (uint32_t[CORNERS]){side, next, apex}) &&
           gather_triangle(cone, (uint32_t[CORNERS]){next, side, base});
}

/* A pyramid about a cone, whose tip is up: its base has the cone's circle inside. */
static bool make_cone(struct gather *cone, double radius, double length)
{
    const double ring = radius / cos(PI / CONE_SIDES);
    bool good = true;
    for (uint32_t i = 0; i < CONE_SIDES && good; i++) {
        const double angle = 2 * PI * i / CONE_SIDES;
        good = gather_row(cone, (double[AXES]){ring * cos(angle), ring * sin(angle), -length / 2});
    }
    good = good && gather_row(cone, (double[AXES]){0, 0, length / 2}) &&
           gather_row(cone, (double[AXES]){0, 0, -length / 2});
    for (uint32_t i = 0; i < CONE_SIDES && good; i++)
        good = add_cone_side(cone, i);
    return good;
}

/* Counts, vertices and triangles of a mesh. */
static bool read_mesh(struct scene *scene, struct gather *mesh)
{
    uint32_t vertices = 0, triangles = 0;
    if (!read_count(scene, "a mesh's count of vertices", &vertices) ||
        !read_count(scene, "a mesh's count of triangles", &triangles))
        return false;
    for (uint32_t i = 0; i < vertices; i++) {
        double point[AXES];
        if (!reader_places(&scene->reader, "a vertex", point, AXES) || !gather_row(mesh, point))
            return false;
    }
    for (uint32_t i = 0; i < triangles; i++) {
        uint32_t corners[CORNERS] = {0};
        for (int corner = 0; corner < CORNERS; corner++) {
            if (!read_count(scene, "a triangle's vertex", corners + corner))
                return false;
            if (corners[corner] >= vertices)
                return reader_fault(&scene->reader, scene->reader.line,
                                    "vertex %" PRIu32 " of a mesh of %" PRIu32, corners[corner],
                                    vertices);
        }
        if (!gather_triangle(mesh, corners))
            return false;
    }
    return true;
}

/* A cone of these sizes, or a mesh (NULL), with its pose. */
static bool read_triangles(struct scene *scene, const double *cone)
{
    struct gather gather = gather_begin(OBSTACLE_MESH, scene->file);
    bool good = cone ? make_cone(&gather, cone[0], cone[1]) : read_mesh(scene, &gather);
    good = good && read_shape_pose(scene, &gather.obstacle);
    memcpy(gather.obstacle.id, scene->id, sizeof scene->id);
    scene->cones += cone != NULL;
    return gather_end(&gather, scene->world, scene->report, good);
}

/* A shape of one body. */
static bool read_solid(struct scene *scene, enum obstacle_type type, const double *sizes)
{
    struct obstacle_document obstacle = {.type = type, .enabled = true};
    memcpy(obstacle.id, scene->id, sizeof scene->id);
    if (type == OBSTACLE_BOX) {
        memcpy(obstacle.size, sizes, sizeof obstacle.size);
    } else {
        obstacle.radius = sizes[0];
        obstacle.length = type == OBSTACLE_CYLINDER ? sizes[1] : 0;
    }
    if (!read_shape_pose(scene, &obstacle))
        return false;
    if (world_append(scene->world, &obstacle))
        return true;
    problem_no_memory(scene->file->problem, "a scene");
    return false;
}

static bool read_shape(struct scene *scene)
{
    static const struct {
        const char *word;
        enum obstacle_type type;
        size_t sizes;
    } shapes[] = {
        {"sphere", OBSTACLE_SPHERE, 1},     {"box", OBSTACLE_BOX, SIZES_MAX},
        {"cylinder", OBSTACLE_CYLINDER, 2}, {"cone", OBSTACLE_MESH, 2},
        {"mesh", OBSTACLE_MESH, 0},
    };
    struct word word;
    double sizes[SIZES_MAX] = {0};
    if (!check_room(scene))
        return false;
    if (!reader_word(&scene->reader, &word))
        return reader_fault(&scene->reader, scene->reader.line,
                            "the file ends where a shape is due");
    if (word_is(&word, "plane"))
        return reader_unsupported(&scene->reader, word.line,
                                  "planes have no end, which no obstacle here can have: use a box");
    size_t i = 0;
    while (i < sizeof shapes / sizeof *shapes && !word_is(&word, shapes[i].word))
        i++;
    if (i == sizeof shapes / sizeof *shapes)
        return reader_fault(&scene->reader, word.line, "\"%.*s\" is no shape of a scene",
                            WORD_SHOWN(&word));
    if (!reader_places(&scene->reader, "a size", sizes, shapes[i].sizes))
        return false;
    for (size_t size = 0; size < shapes[i].sizes; size++)
        if (!(sizes[size] > 0))
            return reader_fault(&scene->reader, word.line, "a size must be greater than 0, not %g",
                                sizes[size]);
    if (shapes[i].type == OBSTACLE_MESH)
        return read_triangles(scene, shapes[i].sizes ? sizes : NULL);
    return read_solid(scene, shapes[i].type, sizes);
}

/* ---- objects ---- */

/* The id that is the rest of a line; empty: none. */
static bool read_id(struct scene *scene)
{
    struct word line;
    if (!reader_line(&scene->reader, &line))
        return reader_fault(&scene->reader, scene->reader.line, "the file ends where an id is due");
    while (line.length && (*line.text == ' ' || *line.text == '\t')) {
        line.text++;
        line.length--;
    }
    while (line.length && (line.text[line.length - 1] == ' ' || line.text[line.length - 1] == '\t'))
        line.length--;
    if (line.length > OBSTACLE_ID_BYTES_MAX)
        return reader_fault(&scene->reader, line.line, "an id has at most %d bytes",
                            OBSTACLE_ID_BYTES_MAX);
    memset(scene->id, 0, sizeof scene->id);
    memcpy(scene->id, line.text, line.length);
    return (strlen(scene->id) == line.length && text_is_utf8(scene->id)) ||
           reader_fault(&scene->reader, line.line, "an id must be UTF-8");
}

/* What follows "*". */
static bool read_object(struct scene *scene)
{
    uint32_t shapes = 0, subframes = 0;
    struct word name;
    struct pose unused;
    scene->pose = (struct pose){.q = {0, 0, 0, 1}};
    if (!read_id(scene) || (scene->newer && !read_pose(scene, &scene->pose)) ||
        !read_count(scene, "a count of shapes", &shapes))
        return false;
    for (uint32_t i = 0; i < shapes; i++)
        if (!read_shape(scene))
            return false;
    if (scene->newer && !read_count(scene, "a count of subframes", &subframes))
        return false;
    for (uint32_t i = 0; i < subframes; i++) {
        if (!reader_word(&scene->reader, &name))
            return reader_fault(&scene->reader, scene->reader.line,
                                "the file ends where a subframe is due");
        if (!read_pose(scene, &unused))
            return false;
    }
    return true;
}

/* Whether the line after the first that begins with "*" has blanks inside. */
static bool is_newer(struct reader reader)
{
    struct word line, word;
    bool found = false;
    while (!found && reader_line(&reader, &line))
        found = word_split(&line, NULL, &word) && *word.text == '*';
    return found && reader_line(&reader, &line) && word_split(&line, NULL, &word) &&
           word_split(&line, NULL, &word);
}

static bool read_objects(struct scene *scene)
{
    struct reader *reader = &scene->reader;
    struct word word;
    if (!reader_line(reader, &word))
        return reader_fault(reader, 1, "the file is empty where a scene's name is due");
    scene->newer = is_newer(*reader);
    while (reader_word(reader, &word)) {
        if (word_is(&word, ".")) {
            struct word more;
            return !reader_word(reader, &more) ||
                   reader_fault(reader, more.line, "something follows the scene's end");
        }
        if (!word_is(&word, "*"))
            return reader_fault(reader, word.line, "\"*\" or \".\" is due, not \"%.*s\"",
                                WORD_SHOWN(&word));
        if (!read_object(scene))
            return false;
    }
    return reader_fault(reader, reader->line, "the file ends without the scene's \".\"");
}

/* ---- names ---- */

/* Numbers the shapes of each object from its second on. */
static bool number_shapes(const struct scene *scene)
{
    struct world_document *world = scene->world;
    struct world_ids ids;
    if (!world_ids_init(&ids, world)) {
        problem_no_memory(scene->file->problem, "a scene");
        return false;
    }

    // the rows hold the ids that are to change
    uint32_t number = 1;
    bool good = true;
    for (uint32_t i = 1; i < ids.count && good; i++) {
        const char *id = world->obstacles[ids.rows[i - number].index].id;
        char *own = world->obstacles[ids.rows[i].index].id;
        number = strcmp(id, own) == 0 ? number + 1 : 1;
        if (number == 1)
            continue;
        char name[OBSTACLE_ID_BYTES_MAX + 16];
        good = snprintf(name, sizeof name, "%s#%" PRIu32, id, number) <= OBSTACLE_ID_BYTES_MAX;
        if (good)
            memcpy(own, name, strlen(name) + 1);
        else
            problem_add(scene->file->problem, PROBLEM_INVALID_ARGUMENT,
                        "the id \"%.40s…\" is too long for an object of several shapes", id);
    }
    world_ids_deinit(&ids);
    return good;
}

/* No id twice, after numbering. */
static bool check_ids(const struct scene *scene)
{
    struct world_ids ids;
    if (!world_ids_init(&ids, scene->world)) {
        problem_no_memory(scene->file->problem, "a scene");
        return false;
    }
    bool good = true;
    for (uint32_t i = 1; i < ids.count && good; i++) {
        good = strcmp(ids.rows[i - 1].id, ids.rows[i].id) != 0;
        if (!good)
            problem_add(scene->file->problem, PROBLEM_DUPLICATE_ID,
                        "the id \"%s\" is used twice: by an object, and for a shape of another",
                        ids.rows[i].id);
    }
    world_ids_deinit(&ids);
    return good;
}

bool scene_read(struct world_document *world, struct format_report *report,
                const struct format_file *file)
{
    struct scene scene = {
        .reader = reader_of(file), .file = file, .world = world, .report = report};
    world->dimension = AXES;
    if (read_objects(&scene) && number_shapes(&scene) && check_ids(&scene)) {
        if (scene.cones)
            report_warn(report, "%u cones are meshes of %d sides, up to %.2g %% wider.",
                        scene.cones, CONE_SIDES, 100 * (1 / cos(PI / CONE_SIDES) - 1));
        return true;
    }
    world_deinit(world);
    return false;
}
