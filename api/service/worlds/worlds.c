#include "service/worlds/worlds.h"

#include "service/fingerprint.h"
#include "service/internal.h"
#include "service/roadmaps/roadmaps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void world_version_destroy(struct counted *counted)
{
    struct world_version *world = (struct world_version *)counted;
    world_deinit(&world->document);
    text_deinit(&world->members);
    free(world);
}

struct world_version *world_version_create(struct world_document *document,
                                           const struct prm_precision *precision)
{
    struct world_version *world = calloc(1, sizeof(*world));
    if (!world) {
        world_deinit(document);
        return NULL;
    }
    counted_init(&world->version.counted, world_version_destroy);
    world->document = *document;
    world->precision = *precision;
    world_write_members(&world->document, &world->members);
    if (world->members.failed ||
        !fingerprint_of(world->version.fingerprint, world->members.data, world->members.length)) {
        version_release(&world->version);
        return NULL;
    }
    return world;
}

/* The first grid, which a lattice follows; NULL: none. */
static const struct grid_document *first_grid(const struct world_document *document)
{
    for (uint32_t i = 0; i < document->obstacle_count; i++)
        if (document->obstacles[i].type == OBSTACLE_GRID)
            return &document->obstacles[i].grid;
    return NULL;
}

static bool same_numbers(const double *a, const double *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(a[i] == b[i]))
            return false;
    return true;
}

static bool same_lattice(const struct grid_document *a, const struct grid_document *b)
{
    if (!a || !b)
        return a == b;
    return a->width == b->width && a->height == b->height &&
           same_numbers(&a->resolution, &b->resolution, 1) && same_numbers(a->origin, b->origin, 3);
}

bool world_fits(const struct world_version *from, const struct world_version *to, bool lattice)
{
    const struct world_document *a = &from->document, *b = &to->document;
    if (a->dimension != b->dimension || a->has_bounds != b->has_bounds)
        return false;
    if (a->has_bounds && !(same_numbers(a->lower, b->lower, a->dimension) &&
                           same_numbers(a->upper, b->upper, a->dimension)))
        return false;
    return !lattice || same_lattice(first_grid(a), first_grid(b));
}

void world_write_open(const char *name, const struct world_version *world, struct text *out)
{
    text_json_open(out, '{');
    version_write_members(name, &world->version, out);
    text_append(out, ",", 1);
    text_append(out, world->members.data, world->members.length);
}

void warning_write(const char *code, const char *detail, struct text *out)
{
    text_json_open(out, '{');
    text_member_string(out, "code", code);
    text_member_string(out, "detail", detail);
    text_json_close(out, '}');
}

void world_write_warnings(const struct world_version *world, struct text *out)
{
    const struct prm_precision *precision = &world->precision;
    char detail[PROBLEM_DETAIL_MAX];
    if (precision->margin > PRM_MARGIN_NOTABLE) {
        snprintf(detail, sizeof(detail),
                 "the world is so large that clearances below %.2g count as none: that is the "
                 "rounding margin; smaller bounds make it smaller",
                 precision->margin);
        warning_write("rounding_margin", detail, out);
    }
    if (precision->margin > precision->finest) {
        snprintf(detail, sizeof(detail),
                 "the narrowest obstacle is %.2g wide, less than the rounding margin of %.2g: no "
                 "roadmap can be built here with certified edges",
                 precision->finest, precision->margin);
        warning_write("narrow_obstacle", detail, out);
    }
}

static void write_summary(const struct version *version, struct text *out)
{
    const struct world_version *world = (const struct world_version *)version;
    text_member_u64(out, "dimension", world->document.dimension);
    text_member_u64(out, "obstacle_count", world->document.obstacle_count);
}

void world_list(struct service *service, struct call *call)
{
    call_list(call, &service->worlds, write_summary);
}

/* The world in the URL, taken; NULL: completed. */
static struct world_version *take_world(struct service *service, struct call *call)
{
    service_lock(service);
    struct version *version = store_take(&service->worlds, call->segments[0]);
    service_unlock(service);
    if (!version)
        call_refuse(call, PROBLEM_UNKNOWN_WORLD, "there is no world \"%s\"", call->segments[0]);
    return (struct world_version *)version;
}

void world_get(struct service *service, struct call *call)
{
    struct world_version *world = take_world(service, call);
    if (!world)
        return;
    call_set_etag(call, &world->version);
    if (!call_not_modified(call)) {
        struct text *out = &call->reply.body;
        world_write_open(call->segments[0], world, out);
        text_json_key(out, "warnings");
        text_json_open(out, '[');
        world_write_warnings(world, out);
        text_json_close(out, ']');
        text_json_close(out, '}');
        call_succeed_json(call, 200);
    }
    version_release(&world->version);
}

static bool may_delete(struct call *call, const char *name, const struct version *version)
{
    return call_may_change(call, version) && !roadmaps_refuse_in_use(call, USED_WORLD, name);
}

void world_delete(struct service *service, struct call *call)
{
    (void)service;
    call_delete(call, BLOB_WORLDS, may_delete, NULL);
}

void obstacle_get(struct service *service, struct call *call)
{
    struct world_version *world = take_world(service, call);
    if (!world)
        return;
    const struct obstacle_document *found = NULL;
    for (uint32_t i = 0; i < world->document.obstacle_count && !found; i++)
        if (strcmp(world->document.obstacles[i].id, call->segments[1]) == 0)
            found = &world->document.obstacles[i];

    call_set_etag(call, &world->version);
    if (!found) {
        call_refuse(call, PROBLEM_UNKNOWN_OBSTACLE, "world \"%s\" has no obstacle \"%s\"",
                    call->segments[0], call->segments[1]);
    } else if (!call_not_modified(call)) {
        obstacle_write(found, &call->reply.body);
        call_succeed_json(call, 200);
    }
    version_release(&world->version);
}
