#include "schema/elements.h"

#include "schema/length.h"

#include <stdlib.h>

enum { EXACT = 17, CORNERS = 3, BOX_NUMBERS = 6, SIZE_FIRST = 3 };

/* By type: the member that holds the rows, their numbers, and the limit of their count. */
static const struct {
    const char *member;
    uint32_t width;
    enum limit_id limit;
} rows_of[] = {
    [OBSTACLE_POLYGON] = {"points", 2, LIMIT_polygon_points},
    [OBSTACLE_BOXES] = {"boxes", BOX_NUMBERS, LIMIT_boxes},
    [OBSTACLE_POINTS] = {"points", 3, LIMIT_points},
    [OBSTACLE_MESH] = {"vertices", 3, LIMIT_points},
};

uint32_t obstacle_point_width(enum obstacle_type type)
{
    return (size_t)type < sizeof rows_of / sizeof *rows_of ? rows_of[type].width : 0;
}

void elements_members(enum obstacle_type type, const char **members)
{
    members[0] = rows_of[type].member;
    if (type == OBSTACLE_MESH)
        members[1] = "triangles";
}

/* An array within the limit, and room for its rows; NULL after a fault. */
static void *read_count(const struct json_node *node, size_t row_bytes, const struct limits *limits,
                        enum limit_id limit, uint32_t *count)
{
    if (!json_node_required(node) || !json_node_array(node))
        return NULL;
    const size_t size = json_array_size(node->json);
    if (size > limits_value(limits, limit) || size > UINT32_MAX) {
        json_node_over(node, limits, limit, limit_table[limit].text);
        return NULL;
    }
    void *rows = malloc(size * row_bytes + 1);
    if (!rows)
        json_node_no_memory(node);
    else
        *count = (uint32_t)size;
    return rows;
}

/* The sizes of a box, which are the last of its numbers. */
static void check_sizes(const struct json_node *row, const double *values)
{
    for (size_t i = SIZE_FIRST; i < BOX_NUMBERS; i++) {
        struct json_node size = json_node_element(row, i);
        if (!(values[i] > 0))
            json_node_fault(&size, PROBLEM_INVALID_ARGUMENT, "must be greater than 0");
    }
}

static void read_rows(struct obstacle_document *obstacle, const struct json_node *parent,
                      const struct limits *limits)
{
    const size_t width = rows_of[obstacle->type].width;
    struct json_node node = json_node_member(parent, rows_of[obstacle->type].member);
    obstacle->points = read_count(&node, width * sizeof *obstacle->points, limits,
                                  rows_of[obstacle->type].limit, &obstacle->point_count);
    for (size_t i = 0; i < obstacle->point_count && !json_node_full(&node); i++) {
        struct json_node row = json_node_element(&node, i);
        double *values = obstacle->points + width * i;
        if (length_read_all(&row, JSON_ANY, values, width) && obstacle->type == OBSTACLE_BOXES)
            check_sizes(&row, values);
    }
}

/* One triangle: three indices of vertices. */
static void read_triangle(uint32_t *corners, uint32_t vertex_count, const struct json_node *node)
{
    if (!json_is_array(node->json) || json_array_size(node->json) != CORNERS) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must be an array of 3 indices");
        return;
    }
    for (size_t i = 0; i < CORNERS; i++) {
        struct json_node corner = json_node_element(node, i);
        if (vertex_count)
            json_node_u32(&corner, 0, vertex_count - 1, corners + i);
        else
            json_node_fault(&corner, PROBLEM_INVALID_ARGUMENT, "names a vertex of none");
    }
}

static void read_triangles(struct obstacle_document *obstacle, const struct json_node *parent,
                           const struct limits *limits)
{
    struct json_node node = json_node_member(parent, "triangles");
    obstacle->triangles = read_count(&node, CORNERS * sizeof *obstacle->triangles, limits,
                                     LIMIT_triangles, &obstacle->triangle_count);
    for (size_t i = 0; i < obstacle->triangle_count && !json_node_full(&node); i++) {
        struct json_node triangle = json_node_element(&node, i);
        read_triangle(obstacle->triangles + CORNERS * i, obstacle->point_count, &triangle);
    }
}

void elements_read(struct obstacle_document *obstacle, const struct json_node *node,
                   const struct limits *limits)
{
    struct json_node resolution = json_node_nullable(node, "resolution");
    if (length_read(&resolution, JSON_POSITIVE, &obstacle->resolution) && resolution.json &&
        obstacle->resolution < LENGTH_LEAST)
        json_node_fault(&resolution, PROBLEM_INVALID_ARGUMENT, "must be at least %g", LENGTH_LEAST);
    read_rows(obstacle, node, limits);
    if (obstacle->type == OBSTACLE_MESH)
        read_triangles(obstacle, node, limits);
}

void elements_write(const struct obstacle_document *obstacle, struct text *out)
{
    const size_t width = rows_of[obstacle->type].width;
    if (obstacle->resolution > 0)
        text_member_number(out, "resolution", obstacle->resolution, EXACT);
    text_json_key(out, rows_of[obstacle->type].member);
    text_json_open(out, '[');
    for (size_t i = 0; i < obstacle->point_count; i++)
        text_json_numbers(out, NULL, obstacle->points + width * i, width);
    text_json_close(out, ']');
    if (obstacle->type != OBSTACLE_MESH)
        return;
    text_json_key(out, "triangles");
    text_json_open(out, '[');
    for (size_t i = 0; i < obstacle->triangle_count; i++) {
        text_json_open(out, '[');
        for (size_t corner = 0; corner < CORNERS; corner++)
            text_json_u64(out, obstacle->triangles[CORNERS * i + corner]);
        text_json_close(out, ']');
    }
    text_json_close(out, ']');
}
