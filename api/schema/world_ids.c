#include "schema/world_ids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int row_compare(const void *left, const void *right)
{
    const struct world_id *a = left, *b = right;
    int order = strcmp(a->id, b->id);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

bool world_ids_init(struct world_ids *ids, const struct world_document *world)
{
    *ids = (struct world_ids){.rows = calloc((size_t)world->obstacle_count + 1, sizeof *ids->rows)};
    if (!ids->rows)
        return false;
    for (uint32_t i = 0; i < world->obstacle_count; i++)
        if (*world->obstacles[i].id)
            ids->rows[ids->count++] = (struct world_id){world->obstacles[i].id, i};
    qsort(ids->rows, ids->count, sizeof *ids->rows, row_compare);
    return true;
}

void world_ids_deinit(struct world_ids *ids)
{
    free(ids->rows);
    *ids = (struct world_ids){0};
}

uint32_t world_ids_find(const struct world_ids *ids, const char *id)
{
    // the first row that is not below
    uint32_t low = 0, high = ids->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(ids->rows[middle].id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < ids->count && strcmp(ids->rows[low].id, id) == 0;
    return found ? ids->rows[low].index : UINT32_MAX;
}

bool world_ids_complete(struct world_document *world)
{
    struct world_ids given;
    if (!world_ids_init(&given, world))
        return false;

    // names made here differ among themselves: the number only grows
    unsigned number = 0;
    for (uint32_t i = 0; i < world->obstacle_count; i++) {
        struct obstacle_document *obstacle = &world->obstacles[i];
        char name[sizeof obstacle->id];
        if (*obstacle->id)
            continue;
        do
            snprintf(name, sizeof name, "obstacle-%u", ++number);
        while (world_ids_find(&given, name) != UINT32_MAX);
        memcpy(obstacle->id, name, sizeof name);
    }
    world_ids_deinit(&given);
    return true;
}
