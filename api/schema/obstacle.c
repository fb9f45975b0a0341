#include "schema/obstacle.h"

#include "schema/elements.h"
#include "schema/grid.h"
#include "schema/length.h"
#include "schema/polygon.h"
#include "schema/rotation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT = 17, POLYGON_POINTS_MIN = 3, MEMBERS_MAX = 16 };

/* What an obstacle may have besides id, type, padding, dynamic and enabled. */
enum {
    CENTER = 1,
    RADIUS = 2,
    LENGTH = 4,
    SIZE = 8,
    ANGLE = 16,
    ROTATION = 32,
    POLYGON = 64,
    GRID = 128,
    PLACE = 256,          /* a centre that may be left out */
    SIZE_OF_POINTS = 512, /* a radius that may be 0 or left out */
    ELEMENTS = 1024,      /* many of one kind, by the type */
};

/* By enum obstacle_type. */
static const struct {
    uint32_t dimension;
    unsigned members;
} shapes[] = {
    [OBSTACLE_SPHERE] = {3, CENTER | RADIUS},
    [OBSTACLE_BOX] = {3, CENTER | SIZE | ROTATION},
    [OBSTACLE_CYLINDER] = {3, CENTER | RADIUS | LENGTH | ROTATION},
    [OBSTACLE_CAPSULE] = {3, CENTER | RADIUS | LENGTH | ROTATION},
    [OBSTACLE_CIRCLE] = {2, CENTER | RADIUS},
    [OBSTACLE_RECTANGLE] = {2, CENTER | SIZE | ANGLE},
    [OBSTACLE_POLYGON] = {2, POLYGON},
    [OBSTACLE_GRID] = {2, GRID},
    [OBSTACLE_BOXES] = {3, PLACE | ROTATION | ELEMENTS},
    [OBSTACLE_POINTS] = {3, PLACE | ROTATION | ELEMENTS | SIZE_OF_POINTS},
    [OBSTACLE_MESH] = {3, PLACE | ROTATION | ELEMENTS},
};

/* In the enum's order. */
static const struct json_word type_words[] = {
    {"sphere", OBSTACLE_SPHERE},   {"box", OBSTACLE_BOX},       {"cylinder", OBSTACLE_CYLINDER},
    {"capsule", OBSTACLE_CAPSULE}, {"circle", OBSTACLE_CIRCLE}, {"rectangle", OBSTACLE_RECTANGLE},
    {"polygon", OBSTACLE_POLYGON}, {"grid", OBSTACLE_GRID},     {"boxes", OBSTACLE_BOXES},
    {"points", OBSTACLE_POINTS},   {"mesh", OBSTACLE_MESH},     {NULL, 0},
};

static const struct {
    unsigned bit;
    const char *member;
} member_rows[] = {
    {CENTER, "center"},       {RADIUS, "radius"},
    {LENGTH, "length"},       {SIZE, "size"},
    {ANGLE, "angle"},         {ROTATION, "quaternion"},
    {ROTATION, "rpy"},        {POLYGON, "points"},
    {GRID, "width"},          {GRID, "height"},
    {GRID, "rows"},           {GRID, "resolution"},
    {GRID, "origin"},         {GRID, "passable"},
    {PLACE, "center"},        {SIZE_OF_POINTS, "radius"},
    {ELEMENTS, "resolution"},
};

uint32_t obstacle_dimension(enum obstacle_type type)
{
    return shapes[type].dimension;
}

/* ---- parts ---- */

/* Reports members that the type does not have. */
static void check_members(const struct json_node *node, enum obstacle_type type)
{
    const unsigned members = shapes[type].members;
    const char *list[MEMBERS_MAX] = {"id", "type", "padding", "dynamic", "enabled"};
    size_t count = 5;
    for (size_t i = 0; i < sizeof member_rows / sizeof *member_rows; i++)
        if (members & member_rows[i].bit)
            list[count++] = member_rows[i].member;
    if (members & ELEMENTS)
        elements_members(type, list + count);
    json_node_object(node, list, NULL);
}

static void read_required(const struct json_node *node, const char *key, enum json_sign sign,
                          double *value)
{
    struct json_node member = json_node_member(node, key);
    if (json_node_required(&member))
        length_read(&member, sign, value);
}

static void read_vector(const struct json_node *node, const char *key, enum json_sign sign,
                        double *values, uint32_t count)
{
    struct json_node member = json_node_member(node, key);
    if (json_node_required(&member))
        length_read_all(&member, sign, values, count);
}

static void read_rotation(struct obstacle_document *obstacle, const struct json_node *node)
{
    struct json_node quaternion = json_node_member(node, "quaternion");
    struct json_node rpy = json_node_member(node, "rpy");
    if (quaternion.json && rpy.json) {
        json_node_fault(&rpy, PROBLEM_INVALID_ARGUMENT, "and quaternion exclude each other");
        return;
    }
    if (quaternion.json && json_node_numbers(&quaternion, JSON_ANY, obstacle->quaternion, 4)) {
        obstacle->has_quaternion = true;
        if (!rotation_normalise(obstacle->quaternion))
            json_node_fault(&quaternion, PROBLEM_INVALID_ARGUMENT, "must not be all zero");
    }
    if (rpy.json && json_node_numbers(&rpy, JSON_ANY, obstacle->rpy, 3)) {
        obstacle->has_rpy = true;
        rotation_of_rpy(obstacle->rpy, obstacle->quaternion);
    }
}

/* Area, and no edge that crosses another. */
static void check_polygon(struct obstacle_document *obstacle, const struct json_node *node)
{
    uint32_t first, second;
    bool memory;
    obstacle->point_count = polygon_drop_repeats(obstacle->points, obstacle->point_count);
    bool crosses =
        polygon_crosses_itself(obstacle->points, obstacle->point_count, &first, &second, &memory);
    if (!memory)
        json_node_no_memory(node);
    else if (crosses)
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT,
                        "must not cross itself: the edges from points %u and %u do", first, second);
    else if (obstacle->point_count < POLYGON_POINTS_MIN ||
             !polygon_has_area(obstacle->points, obstacle->point_count))
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must enclose an area");
}

static void read_polygon(struct obstacle_document *obstacle, const struct json_node *parent,
                         const struct limits *limits)
{
    struct json_node node = json_node_member(parent, "points");
    if (!json_node_required(&node) || !json_node_array(&node))
        return;
    size_t count = json_array_size(node.json);
    if (count < POLYGON_POINTS_MIN) {
        json_node_fault(&node, PROBLEM_INVALID_ARGUMENT, "must have at least 3 points");
        return;
    }
    if (count > limits->polygon_points || count > UINT32_MAX) {
        json_node_over(&node, limits, LIMIT_polygon_points, "points");
        return;
    }
    obstacle->points = malloc(count * 2 * sizeof *obstacle->points);
    if (!obstacle->points) {
        json_node_no_memory(&node);
        return;
    }
    obstacle->point_count = (uint32_t)count;

    bool good = true;
    for (size_t i = 0; i < count && !json_node_full(&node); i++) {
        struct json_node point = json_node_element(&node, i);
        good &= length_read_all(&point, JSON_ANY, obstacle->points + 2 * i, 2);
    }
    if (good && !json_node_full(&node))
        check_polygon(obstacle, &node);
}

/* ---- an obstacle ---- */

static void read_common(struct obstacle_document *obstacle, const struct json_node *node)
{
    const char *id = "";
    struct json_node member = json_node_member(node, "id");
    json_node_string(&member, OBSTACLE_ID_BYTES_MAX, &id);
    snprintf(obstacle->id, sizeof obstacle->id, "%s", id);
    obstacle->enabled = true;
    obstacle_read_flags(obstacle, node);
}

void obstacle_read_flags(struct obstacle_document *obstacle, const struct json_node *node)
{
    struct json_node padding = json_node_nullable(node, "padding");
    if (padding.json)
        obstacle->has_padding = length_read(&padding, JSON_NOT_NEGATIVE, &obstacle->padding);
    struct json_node dynamic = json_node_member(node, "dynamic");
    json_node_bool(&dynamic, &obstacle->dynamic);
    struct json_node enabled = json_node_member(node, "enabled");
    json_node_bool(&enabled, &obstacle->enabled);
}

/* The type of an obstacle, `absent` where it is not given; -1 after a fault. */
static int read_type(const struct json_node *node, uint32_t dimension, int absent)
{
    int type = absent;
    struct json_node member = json_node_member(node, "type");
    if ((absent < 0 && !json_node_required(&member)) || !json_node_word(&member, type_words, &type))
        return -1;
    if (dimension && shapes[type].dimension != dimension) {
        json_node_fault(&member, PROBLEM_INVALID_ARGUMENT,
                        "is \"%s\", of %u dimensions in a world of %u", type_words[type].word,
                        shapes[type].dimension, dimension);
        return -1;
    }
    return type;
}

/* What the type has, once that is known. */
static void read_shape(struct obstacle_document *obstacle, const struct json_node *node,
                       const struct limits *limits)
{
    unsigned members = shapes[obstacle->type].members;
    uint32_t dimension = shapes[obstacle->type].dimension;
    obstacle->quaternion[3] = 1;

    check_members(node, obstacle->type);
    if (members & CENTER)
        read_vector(node, "center", JSON_ANY, obstacle->center, dimension);
    if (members & PLACE) {
        struct json_node center = json_node_member(node, "center");
        length_read_all(&center, JSON_ANY, obstacle->center, dimension);
    }
    if (members & RADIUS)
        read_required(node, "radius", JSON_POSITIVE, &obstacle->radius);
    if (members & SIZE_OF_POINTS) {
        struct json_node radius = json_node_member(node, "radius");
        length_read(&radius, JSON_NOT_NEGATIVE, &obstacle->radius);
    }
    if (members & LENGTH)
        read_required(node, "length", JSON_POSITIVE, &obstacle->length);
    if (members & SIZE)
        read_vector(node, "size", JSON_POSITIVE, obstacle->size, dimension);
    if (members & ANGLE) {
        struct json_node angle = json_node_member(node, "angle");
        json_node_number(&angle, JSON_ANY, &obstacle->angle);
    }
    if (members & ROTATION)
        read_rotation(obstacle, node);
    if (members & POLYGON)
        read_polygon(obstacle, node, limits);
    if (members & ELEMENTS)
        elements_read(obstacle, node, limits);
    if (members & GRID)
        grid_read_node(&obstacle->grid, node, limits);
}

/* An obstacle of a world of this dimension (0: any); `absent` is the type where none is given, or
 * negative. */
static bool read_obstacle(struct obstacle_document *obstacle, uint32_t dimension, int absent,
                          const struct json_node *node, const struct limits *limits)
{
    unsigned faults_before = node->problem->fault_count;
    *obstacle = (struct obstacle_document){0};
    if (!json_is_object(node->json)) {
        json_node_object(node, NULL, NULL);
        return false;
    }

    int type = read_type(node, dimension, absent);
    read_common(obstacle, node);
    if (type >= 0) {
        obstacle->type = (enum obstacle_type)type;
        read_shape(obstacle, node, limits);
    }
    if (node->problem->fault_count == faults_before)
        return true;
    obstacle_deinit(obstacle);
    return false;
}

bool obstacle_read_node(struct obstacle_document *obstacle, uint32_t dimension,
                        const struct json_node *node, const struct limits *limits)
{
    return read_obstacle(obstacle, dimension, -1, node, limits);
}

bool obstacle_read_grid_member(struct obstacle_document *obstacle, const struct json_node *node,
                               const struct limits *limits)
{
    static const struct json_word grid_words[] = {{"grid", OBSTACLE_GRID}, {NULL, 0}};
    struct json_node type = json_node_member(node, "type");
    int unused;
    if (!json_node_word(&type, grid_words, &unused) ||
        !read_obstacle(obstacle, 2, OBSTACLE_GRID, node, limits))
        return false;
    if (!*obstacle->id)
        snprintf(obstacle->id, sizeof obstacle->id, "%s", OBSTACLE_ID_OF_GRID);
    return true;
}

bool obstacle_read(struct obstacle_document *obstacle, uint32_t dimension, const char *body,
                   size_t bytes, const struct limits *limits, struct problem *problem)
{
    json_t *json = json_read(body, bytes, problem);
    if (!json)
        return false;
    struct json_node root = json_node_root(json, problem);
    bool good = obstacle_read_node(obstacle, dimension, &root, limits);
    json_decref(json);
    return good;
}

/* ---- life and writing ---- */

void obstacle_deinit(struct obstacle_document *obstacle)
{
    free(obstacle->points);
    free(obstacle->triangles);
    free(obstacle->grid.rows);
    obstacle->points = NULL;
    obstacle->triangles = NULL;
    obstacle->grid.rows = NULL;
}

/* A copy of what is there; *good becomes false where there is no memory for it. */
static void *copy_of(const void *from, size_t bytes, bool *good)
{
    if (!from)
        return NULL;
    void *copy = malloc(bytes + 1);
    if (copy)
        memcpy(copy, from, bytes);
    *good &= copy != NULL;
    return copy;
}

bool obstacle_copy(struct obstacle_document *copy, const struct obstacle_document *obstacle)
{
    const size_t row_bytes = obstacle_point_width(obstacle->type) * sizeof *obstacle->points;
    const size_t cells = (size_t)obstacle->grid.width * obstacle->grid.height;
    bool good = true;
    *copy = *obstacle;
    copy->points = copy_of(obstacle->points, row_bytes * obstacle->point_count, &good);
    copy->triangles = copy_of(obstacle->triangles,
                              3 * sizeof *obstacle->triangles * obstacle->triangle_count, &good);
    copy->grid.rows = copy_of(obstacle->grid.rows, cells, &good);
    if (!good)
        obstacle_deinit(copy);
    return good;
}

static void write_shape(const struct obstacle_document *obstacle, struct text *out)
{
    unsigned members = shapes[obstacle->type].members;
    uint32_t dimension = shapes[obstacle->type].dimension;
    if (members & (CENTER | PLACE))
        text_json_numbers(out, "center", obstacle->center, dimension);
    if (members & (RADIUS | SIZE_OF_POINTS))
        text_member_number(out, "radius", obstacle->radius, EXACT);
    if (members & LENGTH)
        text_member_number(out, "length", obstacle->length, EXACT);
    if (members & SIZE)
        text_json_numbers(out, "size", obstacle->size, dimension);
    if (members & ANGLE)
        text_member_number(out, "angle", obstacle->angle, EXACT);
    if (obstacle->has_rpy)
        text_json_numbers(out, "rpy", obstacle->rpy, 3);
    else if (obstacle->has_quaternion)
        text_json_numbers(out, "quaternion", obstacle->quaternion, 4);
    if (members & GRID)
        grid_write_members(&obstacle->grid, out);
    if (members & (POLYGON | ELEMENTS))
        elements_write(obstacle, out);
}

void obstacle_write(const struct obstacle_document *obstacle, struct text *out)
{
    text_json_open(out, '{');
    text_member_string(out, "id", obstacle->id);
    text_member_string(out, "type", type_words[obstacle->type].word);
    write_shape(obstacle, out);
    if (obstacle->has_padding)
        text_member_number(out, "padding", obstacle->padding, EXACT);
    text_member_bool(out, "dynamic", obstacle->dynamic);
    text_member_bool(out, "enabled", obstacle->enabled);
    text_json_close(out, '}');
}
