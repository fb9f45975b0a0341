#include "schema/world.h"

#include "schema/grid.h"
#include "schema/length.h"
#include "schema/obstacle.h"
#include "schema/world_ids.h"
#include "schema/world_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bounds narrower than this share of their longest side are too thin for float32 to see within. */
#define SHARE_LEAST 4e-7

enum { EXACT = 17, DIMENSION_MIN = 2, DIMENSION_MAX = 3, CAPACITY_MIN = 8 };

static const char *const read_only[] = {"name",    "revision", "fingerprint", "created",
                                        "updated", "warnings", "roadmaps",    "statistics",
                                        "cells",   "unknown",  NULL};

/* ---- obstacles ---- */

bool world_append(struct world_document *world, struct obstacle_document *obstacle)
{
    if (world->obstacle_count == world->obstacle_capacity) {
        uint32_t capacity = world->obstacle_capacity ? world->obstacle_capacity * 2 : CAPACITY_MIN;
        struct obstacle_document *obstacles =
            realloc(world->obstacles, capacity * sizeof *obstacles);
        if (!obstacles) {
            obstacle_deinit(obstacle);
            return false;
        }
        world->obstacles = obstacles;
        world->obstacle_capacity = capacity;
    }
    world->obstacles[world->obstacle_count++] = *obstacle;
    return true;
}

/* Reports each id that an earlier obstacle has; `before` obstacles precede the array. */
static void check_ids(const struct world_document *world, const struct json_node *array,
                      uint32_t before)
{
    struct world_ids ids;
    if (!world_ids_init(&ids, world)) {
        json_node_no_memory(array);
        return;
    }
    for (uint32_t i = 1; i < ids.count; i++) {
        if (strcmp(ids.rows[i - 1].id, ids.rows[i].id) != 0 || ids.rows[i].index < before)
            continue;
        struct json_node element = json_node_element(array, ids.rows[i].index - before);
        struct json_node id = json_node_member(&element, "id");
        json_node_fault(&id, PROBLEM_DUPLICATE_ID, "\"%s\" is used twice", ids.rows[i].id);
    }
    world_ids_deinit(&ids);
}

void world_read_obstacles(struct world_document *world, const struct json_node *array,
                          const struct limits *limits)
{
    if (!json_node_array(array))
        return;
    uint32_t before = world->obstacle_count;
    size_t count = json_array_size(array->json);
    if (before + count > limits->obstacles || before + count > UINT32_MAX / 2) {
        json_node_over(array, limits, LIMIT_obstacles, "obstacles");
        return;
    }

    // ids can only be told apart where all obstacles were read
    unsigned faults_before = array->problem->fault_count;
    for (size_t i = 0; i < count && !json_node_full(array); i++) {
        struct json_node element = json_node_element(array, i);
        struct obstacle_document obstacle;
        if (!obstacle_read_node(&obstacle, world->dimension, &element, limits))
            continue;
        if (!world_append(world, &obstacle)) {
            json_node_no_memory(array);
            return;
        }
    }
    if (array->problem->fault_count == faults_before)
        check_ids(world, array, before);
}

/* ---- bounds ---- */

bool world_bound_by_grids(struct world_document *world)
{
    bool found = false;
    for (uint32_t i = 0; i < world->obstacle_count; i++) {
        if (world->obstacles[i].type != OBSTACLE_GRID)
            continue;
        double lower[2], upper[2];
        grid_box(&world->obstacles[i].grid, lower, upper);
        for (int axis = 0; axis < 2; axis++) {
            world->lower[axis] = found ? fmin(world->lower[axis], lower[axis]) : lower[axis];
            world->upper[axis] = found ? fmax(world->upper[axis], upper[axis]) : upper[axis];
        }
        found = true;
    }
    world->has_bounds |= found;
    world->bounds_of_grid = found;
    return found;
}

/* "bounds": {"min": […], "max": […]}. */
static void read_bounds(struct world_document *world, const struct json_node *node)
{
    static const char *const members[] = {"min", "max", NULL};
    if (!json_node_object(node, members, NULL) || !json_is_object(node->json))
        return;
    struct json_node min = json_node_member(node, "min");
    struct json_node max = json_node_member(node, "max");
    bool good =
        json_node_required(&min) && length_read_all(&min, JSON_ANY, world->lower, world->dimension);
    good &=
        json_node_required(&max) && length_read_all(&max, JSON_ANY, world->upper, world->dimension);
    if (!good)
        return;
    world->has_bounds = true;
    double longest = 0;
    for (uint32_t i = 0; i < world->dimension; i++)
        longest = fmax(longest, world->upper[i] - world->lower[i]);
    const double least = fmax(LENGTH_LEAST, SHARE_LEAST * longest);
    for (uint32_t i = 0; i < world->dimension; i++) {
        struct json_node coordinate = json_node_element(&max, i);
        if (!(world->lower[i] < world->upper[i]))
            json_node_fault(&coordinate, PROBLEM_INVALID_ARGUMENT, "must be above the minimum");
        else if (!(world->upper[i] - world->lower[i] >= least))
            json_node_fault(&coordinate, PROBLEM_INVALID_ARGUMENT,
                            "must be above the minimum by %g at least: numbers are too coarse for "
                            "less",
                            least);
    }
}

static bool bounds_equal(const struct world_document *a, const struct world_document *b)
{
    for (uint32_t i = 0; i < a->dimension; i++)
        if (a->lower[i] != b->lower[i] || a->upper[i] != b->upper[i])
            return false;
    return true;
}

/* Bounds as given, or of the grids. Those given that equal the grids' box follow it too, so that a
 * document that was written and read again is the same. */
static void settle_bounds(struct world_document *world, const struct json_node *root)
{
    struct json_node node = json_node_nullable(root, "bounds");
    if (!node.json) {
        if (!world_bound_by_grids(world))
            json_node_required(&node);
        return;
    }
    read_bounds(world, &node);
    struct world_document box = *world;
    if (world_bound_by_grids(&box) && bounds_equal(&box, world))
        world->bounds_of_grid = true;
}

/* ---- the world ---- */

static void read_grid(struct world_document *world, const struct json_node *node,
                      const struct limits *limits)
{
    struct obstacle_document obstacle;
    if (!node->json)
        return;
    if (world->dimension == DIMENSION_MAX)
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "needs a world of 2 dimensions");
    else if (obstacle_read_grid_member(&obstacle, node, limits) && !world_append(world, &obstacle))
        json_node_no_memory(node);
}

static void read_members(struct world_document *world, const struct json_node *root,
                         const struct limits *limits)
{
    struct problem *problem = root->problem;
    struct json_node dimension = json_node_member(root, "dimension");
    struct json_node grid = json_node_nullable(root, "grid");
    if (!dimension.json && grid.json)
        world->dimension = DIMENSION_MIN;
    else if (json_node_required(&dimension))
        json_node_u32(&dimension, DIMENSION_MIN, DIMENSION_MAX, &world->dimension);

    struct json_node padding = json_node_member(root, "padding");
    length_read(&padding, JSON_NOT_NEGATIVE, &world->padding);
    read_grid(world, &grid, limits);
    struct json_node obstacles = json_node_member(root, "obstacles");
    world_read_obstacles(world, &obstacles, limits);

    // what is missing cannot be told while a grid or the dimension may be at fault
    struct json_node bounds = json_node_nullable(root, "bounds");
    if (world->dimension && (bounds.json || !problem->fault_count))
        settle_bounds(world, root);
    if (!problem->fault_count && !world_ids_complete(world))
        json_node_no_memory(root);
}

bool world_read(struct world_document *world, const char *body, size_t bytes,
                const struct limits *limits, struct problem *problem)
{
    static const char *const members[] = {"dimension", "bounds", "padding",
                                          "obstacles", "grid",   NULL};
    struct json_body json;
    if (!json_body_begin(&json, body, bytes, problem))
        return false;
    *world = (struct world_document){0};

    json_node_object(&json.root, members, read_only);
    if (json_is_object(json.root.json))
        read_members(world, &json.root, limits);

    if (json_body_end(&json))
        return true;
    world_deinit(world);
    return false;
}

bool world_of_grid(struct world_document *world, struct grid_document *grid,
                   const struct limits *limits, struct problem *problem)
{
    struct obstacle_document obstacle = {.type = OBSTACLE_GRID, .enabled = true, .grid = *grid};
    obstacle.quaternion[3] = 1;
    snprintf(obstacle.id, sizeof obstacle.id, "%s", OBSTACLE_ID_OF_GRID);
    *grid = (struct grid_document){0};
    *world = (struct world_document){.dimension = DIMENSION_MIN};

    if ((uint64_t)obstacle.grid.width * obstacle.grid.height > limits->grid_cells) {
        struct problem_fault *fault =
            problem_add(problem, PROBLEM_LIMIT_EXCEEDED, "the grid has %u x %u cells",
                        obstacle.grid.width, obstacle.grid.height);
        problem_fault_limit(fault, limits, LIMIT_grid_cells);
        obstacle_deinit(&obstacle);
        return false;
    }
    if (obstacle.grid.width > GRID_SIDE_MAX || obstacle.grid.height > GRID_SIDE_MAX) {
        problem_add(problem, PROBLEM_INVALID_ARGUMENT,
                    "the grid has %u x %u cells, and a side has at most %d", obstacle.grid.width,
                    obstacle.grid.height, GRID_SIDE_MAX);
        obstacle_deinit(&obstacle);
        return false;
    }
    if (!world_append(world, &obstacle)) {
        problem_no_memory(problem, "a grid");
        return false;
    }
    return world_bound_by_grids(world);
}

void world_deinit(struct world_document *world)
{
    for (uint32_t i = 0; i < world->obstacle_count; i++)
        obstacle_deinit(&world->obstacles[i]);
    free(world->obstacles);
    *world = (struct world_document){0};
}

void world_write_members(const struct world_document *world, struct text *out)
{
    text_member_u64(out, "dimension", world->dimension);
    text_json_key(out, "bounds");
    text_json_open(out, '{');
    text_json_numbers(out, "min", world->lower, world->dimension);
    text_json_numbers(out, "max", world->upper, world->dimension);
    text_json_close(out, '}');
    text_member_number(out, "padding", world->padding, EXACT);

    text_json_key(out, "obstacles");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < world->obstacle_count; i++)
        obstacle_write(&world->obstacles[i], out);
    text_json_close(out, ']');
}
