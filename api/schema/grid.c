#include "schema/grid.h"

#include "schema/length.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT = 17 };

/* What `passable` may free besides the ground. */
enum { TREES = 1, WATER = 2 };
static const struct json_word passable_words[] = {
    {"", 0}, {"T", TREES}, {"W", WATER}, {"TW", TREES | WATER}, {"WT", TREES | WATER}, {NULL, 0}};

void grid_box(const struct grid_document *grid, double lower[2], double upper[2])
{
    double c = cos(grid->origin[2]), s = sin(grid->origin[2]);
    for (int corner = 0; corner < 4; corner++) {
        double x = (corner & 1) ? grid->width * grid->resolution : 0;
        double y = (corner & 2) ? grid->height * grid->resolution : 0;
        double at[2] = {grid->origin[0] + (c * x - s * y), grid->origin[1] + (s * x + c * y)};
        for (int i = 0; i < 2; i++) {
            lower[i] = corner ? fmin(lower[i], at[i]) : at[i];
            upper[i] = corner ? fmax(upper[i], at[i]) : at[i];
        }
    }
}

bool grid_box_holds(const struct grid_document *grid)
{
    double lower[2], upper[2];
    grid_box(grid, lower, upper);
    return isfinite(lower[0]) && isfinite(lower[1]) && isfinite(upper[0]) && isfinite(upper[1]) &&
           lower[0] < upper[0] && lower[1] < upper[1];
}

/* One row: its length and its characters. */
static bool read_row(const struct grid_document *grid, const struct json_node *node, char *row)
{
    static const char known[] = ".GSTW@O";
    if (!json_is_string(node->json)) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must be a string");
        return false;
    }
    const char *text = json_string_value(node->json);
    size_t length = json_string_length(node->json);
    if (length != grid->width) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must have %u cells, not %zu", grid->width,
                        length);
        return false;
    }
    size_t good = strspn(text, known);
    if (good < length) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT,
                        "must be of . G S T W @ O, column %zu is not", good);
        return false;
    }
    memcpy(row, text, length);
    return true;
}

static void read_rows(struct grid_document *grid, const struct json_node *parent)
{
    struct json_node node = json_node_member(parent, "rows");
    if (!json_node_required(&node) || !json_node_array(&node))
        return;
    if (json_array_size(node.json) != grid->height) {
        json_node_fault(&node, PROBLEM_INVALID_ARGUMENT, "must have %u rows, not %zu", grid->height,
                        json_array_size(node.json));
        return;
    }
    grid->rows = malloc((size_t)grid->width * grid->height);
    if (!grid->rows) {
        json_node_no_memory(&node);
        return;
    }
    for (size_t i = 0; i < grid->height && !json_node_full(&node); i++) {
        struct json_node row = json_node_element(&node, i);
        read_row(grid, &row, grid->rows + i * grid->width);
    }
}

/* Width and height, and whether so many cells are allowed. */
static bool read_extent(struct grid_document *grid, const struct json_node *node,
                        const struct limits *limits)
{
    struct json_node width = json_node_member(node, "width");
    struct json_node height = json_node_member(node, "height");
    bool good = json_node_required(&width) &&
                json_node_limited(&width, 1, limits, LIMIT_grid_cells, &grid->width);
    good &= json_node_required(&height) &&
            json_node_limited(&height, 1, limits, LIMIT_grid_cells, &grid->height);
    if (good && (grid->width > GRID_SIDE_MAX || grid->height > GRID_SIDE_MAX)) {
        json_node_fault(grid->width > GRID_SIDE_MAX ? &width : &height, PROBLEM_INVALID_ARGUMENT,
                        "must be at most %d", GRID_SIDE_MAX);
        return false;
    }
    if (good && (uint64_t)grid->width * grid->height > limits->grid_cells) {
        json_node_over(node, limits, LIMIT_grid_cells, limit_table[LIMIT_grid_cells].text);
        good = false;
    }
    return good;
}

static bool read_resolution(struct grid_document *grid, const struct json_node *node)
{
    if (!length_read(node, JSON_POSITIVE, &grid->resolution))
        return false;
    if (grid->resolution >= LENGTH_LEAST)
        return true;
    json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must be at least %g", LENGTH_LEAST);
    return false;
}

void grid_read_node(struct grid_document *grid, const struct json_node *node,
                    const struct limits *limits)
{
    bool good = read_extent(grid, node, limits);
    grid->resolution = 1;
    struct json_node resolution = json_node_member(node, "resolution");
    good &= read_resolution(grid, &resolution);
    struct json_node origin = json_node_member(node, "origin");
    good &= length_read_all(&origin, JSON_ANY, grid->origin, 3);

    int passable = 0;
    struct json_node classes = json_node_member(node, "passable");
    json_node_word(&classes, passable_words, &passable);
    grid->passable_trees = passable & TREES;
    grid->passable_water = passable & WATER;

    if (good && !grid_box_holds(grid))
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT,
                        "is larger than numbers can tell, or too "
                        "small for where it lies");
    else if (good)
        read_rows(grid, node);
}

void grid_write_members(const struct grid_document *grid, struct text *out)
{
    text_member_u64(out, "width", grid->width);
    text_member_u64(out, "height", grid->height);
    text_member_number(out, "resolution", grid->resolution, EXACT);
    text_json_numbers(out, "origin", grid->origin, 3);
    if (grid->passable_trees || grid->passable_water) {
        text_member_string(out, "passable",
                           grid->passable_trees ? (grid->passable_water ? "TW" : "T") : "W");
    }

    // rows hold nothing to escape
    text_json_key(out, "rows");
    text_json_open(out, '[');
    for (size_t i = 0; i < grid->height; i++) {
        if (i)
            text_append(out, ",", 1);
        text_append(out, "\"", 1);
        text_append(out, grid->rows + i * grid->width, grid->width);
        text_append(out, "\"", 1);
    }
    text_json_close(out, ']');
}
