/* Changes of a world, each made on a copy: all of it or nothing. */
#include "schema/obstacle.h"
#include "schema/world.h"
#include "schema/world_ids.h"
#include "schema/world_read.h"

#include <stdlib.h>
#include <string.h>

/* A copy without obstacle `left_out`; with all of them where no obstacle has that index. */
static bool world_copy_without(struct world_document *copy, const struct world_document *world,
                               uint32_t left_out)
{
    *copy = *world;
    copy->obstacles = NULL;
    copy->obstacle_count = copy->obstacle_capacity = 0;
    for (uint32_t i = 0; i < world->obstacle_count; i++) {
        struct obstacle_document obstacle;
        if (i == left_out)
            continue;
        if (!obstacle_copy(&obstacle, &world->obstacles[i]) || !world_append(copy, &obstacle)) {
            world_deinit(copy);
            return false;
        }
    }
    return true;
}

static bool world_copy(struct world_document *copy, const struct world_document *world)
{
    return world_copy_without(copy, world, world->obstacle_count);
}

/* Names and bounds after a change. Where the last grid went, its box stays. */
static bool world_settle(struct world_document *world)
{
    if (world->bounds_of_grid)
        world_bound_by_grids(world);
    return world_ids_complete(world);
}

static bool memory_fault(struct problem *problem)
{
    problem_no_memory(problem, "a change of a world");
    return false;
}

/* ---- the lists of a patch ---- */

/* "put": replaces by id, else appends. */
static void patch_put(struct world_document *world, const struct json_node *node,
                      const struct limits *limits)
{
    struct world_document put = {.dimension = world->dimension};
    struct world_ids ids = {0};
    unsigned faults_before = node->problem->fault_count;
    world_read_obstacles(&put, node, limits);
    if (node->problem->fault_count > faults_before)
        goto cleanup;
    if (!world_ids_init(&ids, world)) {
        memory_fault(node->problem);
        goto cleanup;
    }

    // what is appended moves the array: replacements first, by index
    uint32_t added = 0;
    for (uint32_t i = 0; i < put.obstacle_count; i++) {
        struct obstacle_document *obstacle = &put.obstacles[i];
        uint32_t index = *obstacle->id ? world_ids_find(&ids, obstacle->id) : UINT32_MAX;
        if (index == UINT32_MAX) {
            put.obstacles[added++] = *obstacle;
            continue;
        }
        obstacle_deinit(&world->obstacles[index]);
        world->obstacles[index] = *obstacle;
    }
    put.obstacle_count = added;
    if ((uint64_t)world->obstacle_count + added > limits->obstacles) {
        json_node_over(node, limits, LIMIT_obstacles, "obstacles");
        goto cleanup;
    }
    for (uint32_t i = 0; i < added; i++) {
        struct obstacle_document obstacle = put.obstacles[i];
        put.obstacles[i] = (struct obstacle_document){0};
        if (!world_append(world, &obstacle)) {
            memory_fault(node->problem);
            break;
        }
    }

cleanup:
    world_ids_deinit(&ids);
    world_deinit(&put);
}

/* The obstacle that an id of the body means, or UINT32_MAX after a fault. */
static uint32_t find(const struct world_ids *ids, const struct json_node *node)
{
    const char *id = NULL;
    if (!json_node_required(node) || !json_node_string(node, OBSTACLE_ID_BYTES_MAX, &id))
        return UINT32_MAX;
    uint32_t index = world_ids_find(ids, id);
    if (index == UINT32_MAX)
        json_node_fault(node, PROBLEM_UNKNOWN_REFERENCE, "is \"%s\", which the world does not have",
                        id);
    return index;
}

/* "set": changes flags and padding. */
static void patch_set(struct world_document *world, const struct world_ids *ids,
                      const struct json_node *node)
{
    static const char *const members[] = {"id", "enabled", "dynamic", "padding", NULL};
    if (!json_node_array(node))
        return;
    for (size_t i = 0; i < json_array_size(node->json) && !json_node_full(node); i++) {
        struct json_node element = json_node_element(node, i);
        json_node_object(&element, members, NULL);
        if (!json_is_object(element.json))
            continue;
        struct json_node id = json_node_member(&element, "id");
        uint32_t index = find(ids, &id);
        if (index != UINT32_MAX)
            obstacle_read_flags(&world->obstacles[index], &element);
    }
}

/* "remove": takes ids out, keeping the order of the rest. The ids are of no use afterwards. */
static void patch_remove(struct world_document *world, const struct world_ids *ids,
                         const struct json_node *node)
{
    if (!json_node_array(node) || !json_array_size(node->json))
        return;
    bool *gone = calloc(world->obstacle_count + 1, sizeof *gone);
    if (!gone) {
        memory_fault(node->problem);
        return;
    }
    for (size_t i = 0; i < json_array_size(node->json) && !json_node_full(node); i++) {
        struct json_node element = json_node_element(node, i);
        uint32_t index = find(ids, &element);
        if (index != UINT32_MAX)
            gone[index] = true;
    }

    uint32_t kept = 0;
    for (uint32_t i = 0; i < world->obstacle_count; i++) {
        if (gone[i])
            obstacle_deinit(&world->obstacles[i]);
        else
            world->obstacles[kept++] = world->obstacles[i];
    }
    world->obstacle_count = kept;
    free(gone);
}

static void patch_apply(struct world_document *world, const struct json_node *root,
                        const struct limits *limits)
{
    struct json_node put = json_node_member(root, "put");
    struct json_node set = json_node_member(root, "set");
    struct json_node gone = json_node_member(root, "remove");
    struct world_ids ids;

    patch_put(world, &put, limits);
    if (!world_ids_init(&ids, world)) {
        memory_fault(root->problem);
        return;
    }
    patch_set(world, &ids, &set);
    patch_remove(world, &ids, &gone);
    world_ids_deinit(&ids);
    if (!world_settle(world))
        memory_fault(root->problem);
}

bool world_patch(struct world_document *patched, const struct world_document *world,
                 const char *body, size_t bytes, const struct limits *limits,
                 struct problem *problem)
{
    static const char *const members[] = {"put", "set", "remove", NULL};
    json_t *json = json_read(body, bytes, problem);
    if (!json)
        return false;
    struct json_node root = json_node_root(json, problem);
    json_node_object(&root, members, NULL);
    bool copied = json_is_object(json) && world_copy(patched, world);
    if (copied)
        patch_apply(patched, &root, limits);
    else if (json_is_object(json))
        memory_fault(problem);

    json_decref(json);
    if (!problem->fault_count)
        return true;
    if (copied)
        world_deinit(patched);
    return false;
}

/* ---- one obstacle ---- */

static uint32_t find_by_id(const struct world_document *world, const char *id)
{
    uint32_t i = 0;
    while (i < world->obstacle_count && strcmp(world->obstacles[i].id, id) != 0)
        i++;
    return i;
}

bool world_with_obstacle(struct world_document *changed, const struct world_document *world,
                         struct obstacle_document *obstacle, const struct limits *limits,
                         struct problem *problem)
{
    struct obstacle_document taken = *obstacle;
    *obstacle = (struct obstacle_document){0};
    uint32_t index = find_by_id(world, taken.id);
    bool added = index == world->obstacle_count || !*taken.id;
    if (added && world->obstacle_count >= limits->obstacles) {
        struct problem_fault *fault = problem_add(problem, PROBLEM_LIMIT_EXCEEDED,
                                                  "the world has all the obstacles that it may");
        problem_fault_limit(fault, limits, LIMIT_obstacles);
        obstacle_deinit(&taken);
        return false;
    }
    if (!world_copy(changed, world)) {
        obstacle_deinit(&taken);
        return memory_fault(problem);
    }

    bool good = true;
    if (added) {
        good = world_append(changed, &taken);
    } else {
        obstacle_deinit(&changed->obstacles[index]);
        changed->obstacles[index] = taken;
    }
    if (good && world_settle(changed))
        return true;
    world_deinit(changed);
    return memory_fault(problem);
}

bool world_without_obstacle(struct world_document *changed, const struct world_document *world,
                            const char *id, struct problem *problem)
{
    uint32_t index = find_by_id(world, id);
    if (index == world->obstacle_count) {
        problem_add(problem, PROBLEM_UNKNOWN_OBSTACLE, "the world has no obstacle \"%s\"", id);
        return false;
    }
    if (!world_copy_without(changed, world, index))
        return memory_fault(problem);
    if (world_settle(changed))
        return true;
    world_deinit(changed);
    return memory_fault(problem);
}
