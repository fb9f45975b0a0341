#include "tools/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a whole file; NULL: it cannot be read. */
static char *file_read(const char *path, size_t *bytes)
{
    struct text content = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char block[65536];
    size_t got;
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        text_append(&content, block, got);
    bool failed = ferror(file) || content.failed;
    fclose(file);
    text_append(&content, "", 1);
    if (failed || content.failed) {
        text_deinit(&content);
        return NULL;
    }
    *bytes = content.length - 1;
    return content.data;
}

struct document *scene_read_json(const char *path, char *fault, size_t fault_bytes)
{
    size_t bytes;
    char why[160], *data = file_read(path, &bytes);
    if (!data) {
        snprintf(fault, fault_bytes, "%s cannot be read", path);
        return NULL;
    }
    struct document *document = document_parse(data, bytes, why, sizeof why);
    free(data);
    if (!document)
        snprintf(fault, fault_bytes, "%s: %s", path, why);
    return document;
}

/* Reads up to 3 numbers of an array; how many there were. */
static int vector_read(const struct document_value *array, double *vector)
{
    int count = 0;
    for (; count < 3 && count < (int)document_length(array); count++)
        vector[count] = document_number(document_element(array, (size_t)count), "", NAN);
    return count;
}

static struct solid *solid_add(struct scene *scene)
{
    struct solid *solids = realloc(scene->solids, (scene->solid_count + 1) * sizeof *scene->solids);
    if (!solids)
        return NULL;
    scene->solids = solids;
    struct solid *solid = &solids[scene->solid_count++];
    *solid = (struct solid){.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return solid;
}

/* A row of a grid in MovingAI's letters: ground is free, all else is blocked. */
static void row_set(struct cells *cells, int row, const char *letters)
{
    for (int i = 0; i < cells->width; i++)
        cells->blocked[row * cells->width + i] = !strchr(".GS", letters[i]);
}

static bool cells_init(struct cells *cells, int width, int height, double resolution)
{
    *cells = (struct cells){.width = width, .height = height, .resolution = resolution};
    bool sane = width > 0 && height > 0 && width <= 65536 && height <= 65536;
    cells->blocked = sane ? calloc((size_t)width * (size_t)height, sizeof *cells->blocked) : NULL;
    return cells->blocked;
}

/* Parses "type …, height H, width W, map" and the rows. */
static bool map_read(struct scene *scene, const char *path, char *fault, size_t fault_bytes)
{
    size_t bytes;
    char *data = file_read(path, &bytes);
    int height = 0, width = 0, header = 0;
    struct solid *solid = NULL;
    snprintf(fault, fault_bytes, "%s is not a map", path);
    bool good = data &&
                sscanf(data, "type %*s height %d width %d map%n", &height, &width, &header) == 2 &&
                header > 0;
    good = good && (solid = solid_add(scene)) && cells_init(&solid->cells, width, height, 1);

    // rows are drawn top-down; the grid counts from below
    const char *at = good ? data + header : NULL;
    for (int row = height - 1; good && row >= 0; row--) {
        at += strspn(at, "\r\n");
        good = strcspn(at, "\r\n") == (size_t)width;
        if (good)
            row_set(&solid->cells, row, at);
        at += good ? width : 0;
    }
    if (good) {
        solid->kind = SOLID_GRID;
        scene->dimension = 2;
        scene->bounded = true;
        scene->upper[0] = width;
        scene->upper[1] = height;
    }
    free(data);
    return good;
}

static bool grid_read(struct solid *solid, const struct document_value *grid)
{
    const struct document_value *rows = document_at(grid, "/rows");
    int height = (int)document_number(grid, "/height", (double)document_length(rows));
    int width = (int)document_number(grid, "/width", 0);
    if ((size_t)height != document_length(rows) ||
        !cells_init(&solid->cells, width, height, document_number(grid, "/resolution", 1)))
        return false;
    for (int row = 0; row < height; row++) {
        const char *letters =
            document_string(document_element(rows, (size_t)(height - 1 - row)), "", "");
        if (strlen(letters) != (size_t)width)
            return false;
        row_set(&solid->cells, row, letters);
    }
    double origin[3] = {0, 0, 0};
    vector_read(document_at(grid, "/origin"), origin);
    solid->kind = SOLID_GRID;
    solid->center[0] = origin[0];
    solid->center[1] = origin[1];
    solid_turn_rpy(solid, (const double[3]){0, 0, origin[2]});
    return true;
}

/* One obstacle of the wire as a solid; false: not known here. */
static bool obstacle_read(struct solid *solid, const struct document_value *obstacle)
{
    const char *type = document_string(obstacle, "/type", "");
    if (strcmp(type, "grid") == 0)
        return grid_read(solid, obstacle);
    vector_read(document_at(obstacle, "/center"), solid->center);
    vector_read(document_at(obstacle, "/size"), solid->half);
    for (int i = 0; i < 3; i++)
        solid->half[i] *= 0.5;
    solid->radius = document_number(obstacle, "/radius", 0);
    solid->half_length = 0.5 * document_number(obstacle, "/length", 0);

    // how it is turned
    const struct document_value *quaternion = document_at(obstacle, "/quaternion");
    double rpy[3] = {0, 0, document_number(obstacle, "/angle", 0)};
    if (document_length(quaternion) == 4) {
        double q[4];
        for (size_t i = 0; i < 4; i++)
            q[i] = document_number(document_element(quaternion, i), "", NAN);
        solid_turn_quaternion(solid, q);
    } else {
        vector_read(document_at(obstacle, "/rpy"), rpy);
        solid_turn_rpy(solid, rpy);
    }

    static const struct {
        const char *type;
        enum solid_kind kind;
    } kinds[] = {{"sphere", SOLID_SPHERE},     {"circle", SOLID_SPHERE},
                 {"box", SOLID_BOX},           {"rectangle", SOLID_BOX},
                 {"cylinder", SOLID_CYLINDER}, {"capsule", SOLID_CAPSULE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(type, kinds[i].type) == 0) {
            solid->kind = kinds[i].kind;
            return document_number(obstacle, "/padding", 0) == 0;
        }
    }
    return false;
}

static bool world_read(struct scene *scene, const struct document_value *world)
{
    scene->dimension = (int)document_number(world, "/dimension", 0);
    if (scene->dimension < 2 || scene->dimension > 3 || document_number(world, "/padding", 0) != 0)
        return false;

    // bounds as given, or the grid's box
    scene->bounded = vector_read(document_at(world, "/bounds/min"), scene->lower) > 0 &&
                     vector_read(document_at(world, "/bounds/max"), scene->upper) > 0;
    const struct document_value *grid = document_at(world, "/grid");
    if (grid) {
        struct solid *solid = solid_add(scene);
        if (!solid || !grid_read(solid, grid))
            return false;
        if (!scene->bounded) {
            scene->bounded = true;
            scene->lower[0] = solid->center[0];
            scene->lower[1] = solid->center[1];
            scene->upper[0] = scene->lower[0] + solid->cells.width * solid->cells.resolution;
            scene->upper[1] = scene->lower[1] + solid->cells.height * solid->cells.resolution;
        }
    }
    const struct document_value *obstacles = document_at(world, "/obstacles");
    for (size_t i = 0; i < document_length(obstacles); i++) {
        const struct document_value *obstacle = document_element(obstacles, i);
        if (!document_bool(obstacle, "/enabled", true))
            continue;
        struct solid *solid = solid_add(scene);
        if (!solid || !obstacle_read(solid, obstacle))
            return false;
    }
    return true;
}

static bool robot_read(struct scene *scene, const struct document_value *robot)
{
    const char *type = document_string(robot, "/type", "");
    scene->radius = strcmp(type, "ball") == 0 ? document_number(robot, "/radius", NAN) : 0;
    return strcmp(type, "point") == 0 || scene->radius > 0;
}

bool scene_read(struct scene *scene, const char *world_path, const char *robot_path, char *fault,
                size_t fault_bytes)
{
    *scene = (struct scene){0};
    struct document *world = NULL, *robot = NULL;
    size_t length = strlen(world_path);
    bool good;
    if (length > 4 && strcmp(world_path + length - 4, ".map") == 0) {
        good = map_read(scene, world_path, fault, fault_bytes);
    } else {
        world = scene_read_json(world_path, fault, fault_bytes);
        good = world && world_read(scene, document_root(world));
        if (world && !good)
            snprintf(fault, fault_bytes, "%s has something that this checker does not know",
                     world_path);
    }
    if (good) {
        robot = scene_read_json(robot_path, fault, fault_bytes);
        good = robot && robot_read(scene, document_root(robot));
        if (robot && !good)
            snprintf(fault, fault_bytes, "%s is neither point nor ball", robot_path);
    }
    document_destroy(world);
    document_destroy(robot);
    if (!good)
        scene_deinit(scene);
    return good;
}

void scene_deinit(struct scene *scene)
{
    for (size_t i = 0; i < scene->solid_count; i++)
        free(scene->solids[i].cells.blocked);
    free(scene->solids);
    *scene = (struct scene){0};
}

double scene_clearance(const struct scene *scene, const double *p)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < scene->solid_count; i++)
        nearest = fmin(nearest, solid_distance(&scene->solids[i], p, scene->dimension));
    return nearest - scene->radius;
}

bool scene_in_bounds(const struct scene *scene, const double *p)
{
    for (int i = 0; i < scene->dimension && scene->bounded; i++) {
        if (p[i] < scene->lower[i] || p[i] > scene->upper[i])
            return false;
    }
    return true;
}
