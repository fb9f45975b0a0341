#include "schema/overlay.h"

#include "schema/overlay_read.h"
#include "schema/world_ids.h"
#include "schema/world_read.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static void read_ignored(struct overlay_document *overlay, const struct json_node *node,
                         const struct limits *limits)
{
    if (!node->json || !json_node_array(node))
        return;
    const size_t count = json_array_size(node->json);
    if (count > limits->obstacles || count > UINT32_MAX) {
        json_node_over(node, limits, LIMIT_obstacles, "obstacles");
        return;
    }
    overlay->ignored = calloc(count + 1, sizeof *overlay->ignored);
    if (!overlay->ignored) {
        json_node_no_memory(node);
        return;
    }
    for (size_t i = 0; i < count && !json_node_full(node); i++) {
        struct json_node element = json_node_element(node, i);
        const char *id = NULL;
        if (json_node_string(&element, OBSTACLE_ID_BYTES_MAX, &id))
            snprintf(overlay->ignored[i], sizeof *overlay->ignored, "%s", id);
    }
    overlay->ignored_count = (uint32_t)count;
}

void overlay_read(struct overlay_document *overlay, const struct json_node *root,
                  const struct limits *limits)
{
    struct world_document list = {0};
    struct json_node obstacles = json_node_nullable(root, "obstacles");
    struct json_node ignored = json_node_nullable(root, "ignore");
    *overlay = (struct overlay_document){0};
    if (obstacles.json)
        world_read_obstacles(&list, &obstacles, limits);
    overlay->obstacles = list.obstacles;
    overlay->obstacle_count = list.obstacle_count;
    read_ignored(overlay, &ignored, limits);
}

void overlay_document_deinit(struct overlay_document *overlay)
{
    for (uint32_t i = 0; i < overlay->obstacle_count; i++)
        obstacle_deinit(&overlay->obstacles[i]);
    free(overlay->obstacles);
    free(overlay->ignored);
    *overlay = (struct overlay_document){0};
}

static int id_compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

void overlay_write(const struct overlay_document *overlay, struct text *out)
{
    const size_t id_bytes = sizeof *overlay->ignored;
    char(*sorted)[OBSTACLE_ID_BYTES_MAX + 1] = malloc(overlay->ignored_count * id_bytes + 1);
    out->failed |= !sorted;
    if (out->failed)
        goto cleanup;
    text_json_open(out, '[');
    for (uint32_t i = 0; i < overlay->obstacle_count; i++)
        obstacle_write(&overlay->obstacles[i], out);
    text_json_close(out, ']');

    // ids to ignore are a set
    if (overlay->ignored_count > 0)
        memcpy(sorted, overlay->ignored, overlay->ignored_count * id_bytes);
    qsort(sorted, overlay->ignored_count, id_bytes, id_compare);
    for (uint32_t i = 0; i < overlay->ignored_count; i++)
        if (i == 0 || strcmp(sorted[i], sorted[i - 1]) != 0)
            text_json_string(out, sorted[i]);

cleanup:
    free(sorted);
}

/* ---- laying over ---- */

/* A fault at a place of the body; the detail is led by it. */
__attribute__((format(printf, 4, 5))) static struct problem_fault *fault_at(struct problem *problem,
                                                                            enum problem_code code,
                                                                            const char *pointer,
                                                                            const char *format, ...)
{
    char detail[PROBLEM_DETAIL_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    struct problem_fault *fault = problem_add(problem, code, "%s: %s", pointer, detail);
    fault->has_pointer = true;
    snprintf(fault->pointer, sizeof fault->pointer, "%s", pointer);
    return fault;
}

enum { POINTER_BYTES = 64 };

/* What an obstacle of the world is under the overlay. */
enum { UNCHANGED, REPLACED, IGNORED };

/* Puts the overlay's obstacles into the list, which has room for all of them. changes: by place of
 * the world's obstacles. */
static void put_obstacles(struct world_document *overlaid, uint8_t *changes,
                          const struct world_ids *ids, const struct overlay_document *overlay,
                          struct problem *problem)
{
    char pointer[POINTER_BYTES];
    for (uint32_t i = 0; i < overlay->obstacle_count; i++) {
        const struct obstacle_document *obstacle = &overlay->obstacles[i];
        const uint32_t dimension = obstacle_dimension(obstacle->type);
        if (dimension != overlaid->dimension) {
            snprintf(pointer, sizeof pointer, "/obstacles/%" PRIu32 "/type", i);
            fault_at(problem, PROBLEM_INVALID_ARGUMENT, pointer,
                     "is of %" PRIu32 " dimensions in a world of %" PRIu32, dimension,
                     overlaid->dimension);
            continue;
        }
        const uint32_t place = *obstacle->id ? world_ids_find(ids, obstacle->id) : UINT32_MAX;
        if (place == UINT32_MAX) {
            overlaid->obstacles[overlaid->obstacle_count++] = *obstacle;
        } else {
            overlaid->obstacles[place] = *obstacle;
            changes[place] = REPLACED;
        }
    }
}

static void ignore_obstacles(struct world_document *overlaid, uint8_t *changes,
                             const struct world_ids *ids, const struct overlay_document *overlay,
                             struct problem *problem)
{
    char pointer[POINTER_BYTES];
    for (uint32_t i = 0; i < overlay->ignored_count; i++) {
        const char *id = overlay->ignored[i];
        const uint32_t place = world_ids_find(ids, id);
        snprintf(pointer, sizeof pointer, "/ignore/%" PRIu32, i);
        if (place == UINT32_MAX) {
            fault_at(problem, PROBLEM_UNKNOWN_REFERENCE, pointer,
                     "is \"%s\", which the world does not have", id);
        } else if (changes[place] == REPLACED) {
            fault_at(problem, PROBLEM_INVALID_ARGUMENT, pointer,
                     "is \"%s\", which \"obstacles\" replaces", id);
        } else if (!overlaid->obstacles[place].dynamic) {
            fault_at(problem, PROBLEM_INVALID_ARGUMENT, pointer,
                     "is \"%s\", which is not dynamic: the roadmap was built around it", id);
        } else {
            overlaid->obstacles[place].enabled = false;
            changes[place] = IGNORED;
        }
    }
}

bool overlay_apply(struct overlaid_world *overlaid, const struct world_document *world,
                   const struct overlay_document *overlay, const struct limits *limits,
                   struct problem *problem)
{
    const unsigned faults_before = problem->fault_count;
    const size_t count = world->obstacle_count;
    struct world_document *document = &overlaid->document;
    struct world_ids ids = {0};
    *overlaid = (struct overlaid_world){.document = *world};
    document->obstacles =
        malloc((count + overlay->obstacle_count + 1) * sizeof *document->obstacles);
    overlaid->changed = calloc(count + 1, sizeof *overlaid->changed);
    uint8_t *changes = calloc(count + 1, 1);
    bool good = document->obstacles && overlaid->changed && changes && world_ids_init(&ids, world);
    if (good) {
        memcpy(document->obstacles, world->obstacles, count * sizeof *document->obstacles);
        put_obstacles(document, changes, &ids, overlay, problem);
        ignore_obstacles(document, changes, &ids, overlay, problem);
        for (uint32_t i = 0; i < count; i++)
            if (changes[i] != UNCHANGED)
                overlaid->changed[overlaid->changed_count++] = i;
        good = world_ids_complete(document);
    }
    if (!good)
        problem_no_memory(problem, "a world under other obstacles");
    else if (document->obstacle_count > limits->obstacles)
        problem_fault_limit(fault_at(problem, PROBLEM_LIMIT_EXCEEDED, "/obstacles",
                                     "makes more obstacles than a world may have"),
                            limits, LIMIT_obstacles);

    world_ids_deinit(&ids);
    free(changes);
    if (problem->fault_count == faults_before)
        return true;
    overlaid_world_deinit(overlaid);
    return false;
}

void overlaid_world_deinit(struct overlaid_world *overlaid)
{
    free(overlaid->document.obstacles);
    free(overlaid->changed);
    *overlaid = (struct overlaid_world){0};
}
