/* What the service says about itself: probes, metrics, devices, limits. */
#include "schema/openapi.h"
#include "service/internal.h"
#include "service/roadmaps/roadmaps.h"

#include <string.h>

void about_live(struct service *service, struct call *call)
{
    (void)service;
    text_json_open(&call->reply.body, '{');
    text_member_string(&call->reply.body, "status", "alive");
    text_json_close(&call->reply.body, '}');
    call_succeed_json(call, 200);
}

void about_ready(struct service *service, struct call *call)
{
    if (atomic_load(&service->draining)) {
        call_refuse(call, PROBLEM_DRAINING, "the server is shutting down");
        return;
    }
    if (!service_ready(service)) {
        // why names build options and paths, which anybody could read here
        if (service_warm_up_fault(service))
            call_refuse(call, PROBLEM_INTERNAL, "the warm-up failed; the log says why");
        else
            call_refuse(call, PROBLEM_LOADING, "the server is still loading");
        return;
    }
    text_json_open(&call->reply.body, '{');
    text_member_string(&call->reply.body, "status", "ready");
    text_json_close(&call->reply.body, '}');
    call_succeed_json(call, 200);
}

void about_metrics(struct service *service, struct call *call)
{
    service_write_metrics(service, &call->reply.body);
    call_succeed(call, 200, "text/plain; version=0.0.4; charset=utf-8");
}

/* A path as clients know it. */
static void write_path(const struct service *service, const char *path, struct text *out)
{
    struct text whole = {0};
    text_print(&whole, "%s%s", service->base_path, path);
    text_append(&whole, "", 1);
    text_json_string(out, whole.failed ? path : whole.data);
    out->failed |= whole.failed;
    text_deinit(&whole);
}

static void write_routes(const struct service *service, struct text *out)
{
    text_json_key(out, "routes");
    text_json_open(out, '[');
    for (unsigned r = 0; r < ROUTE_COUNT; r++) {
        text_json_open(out, '{');
        text_member_string(out, "method", route_table[r].method);
        text_json_key(out, "path");
        write_path(service, route_table[r].pattern, out);
        text_member_string(out, "summary", route_table[r].summary);
        text_json_close(out, '}');
    }
    text_json_close(out, ']');
}

void about_root(struct service *service, struct call *call)
{
    static const struct {
        const char *name, *path;
    } LINKS[] = {{"worlds", "/v1/worlds"}, {"robots", "/v1/robots"}, {"roadmaps", "/v1/roadmaps"},
                 {"jobs", "/v1/jobs"},     {"limits", "/v1/limits"}, {"devices", "/v1/devices"},
                 {"metrics", "/metrics"},  {"readyz", "/readyz"},    {"openapi", "/openapi.json"}};
    struct text *out = &call->reply.body;
    text_json_open(out, '{');
    text_member_string(out, "name", "prmd");
    text_member_string(out, "version", service->version);
    text_json_key(out, "links");
    text_json_open(out, '{');
    for (size_t i = 0; i < sizeof(LINKS) / sizeof(LINKS[0]); i++) {
        text_json_key(out, LINKS[i].name);
        write_path(service, LINKS[i].path, out);
    }
    text_json_close(out, '}');
    write_routes(service, out);
    text_json_close(out, '}');
    call_succeed_json(call, 200);
}

void about_openapi(struct service *service, struct call *call)
{
    const struct openapi_options options = {.version = service->version,
                                            .base_path = service->base_path,
                                            .tokens = service->tokens,
                                            .limits = service->limits};
    openapi_write(&options, &call->reply.body);
    call_succeed(call, 200, "application/json");
}

static void write_device(const struct prm_device_info *device, bool in_use, struct text *out)
{
    text_json_open(out, '{');
    text_member_string(out, "platform", device->platform);
    text_member_string(out, "name", device->name);
    text_member_string(out, "driver", device->driver);
    text_member_string(out, "type", device->is_gpu ? "gpu" : "cpu");
    text_json_key(out, "index");
    text_print(out, "\"%u:%u\"", device->platform_index, device->device_index);
    text_member_u64(out, "compute_units", device->compute_units);
    text_member_u64(out, "memory_bytes", device->memory_bytes);
    text_member_u64(out, "allocation_max_bytes", device->allocation_max);
    text_member_bool(out, "in_use", in_use);
    text_json_close(out, '}');
}

void about_devices(struct service *service, struct call *call)
{
    const struct prm_device_info *used = device_thread_info(service->device);
    struct text *out = &call->reply.body;
    text_json_open(out, '{');
    text_json_key(out, "items");
    text_json_open(out, '[');
    for (size_t i = 0; i < service->device_count; i++) {
        const struct prm_device_info *device = &service->devices[i];
        write_device(device,
                     device->platform_index == used->platform_index &&
                         device->device_index == used->device_index,
                     out);
    }
    text_json_close(out, ']');
    text_member_null(out, "next");
    text_json_close(out, '}');
    call_succeed_json(call, 200);
}

void about_limits(struct service *service, struct call *call)
{
    struct text *out = &call->reply.body;
    text_json_open(out, '{');
    for (unsigned i = 0; i < LIMIT_COUNT; i++) {
        const struct limit_row *row = &limit_table[i];
        text_json_key(out, row->member);
        text_json_open(out, '{');
        text_member_u64(out, "value", limits_value(&service->limits, (enum limit_id)i));
        text_member_string(out, "flag", row->flag);
        text_member_string(out, "detail", row->text);
        text_json_close(out, '}');
    }
    text_json_close(out, '}');
    call_succeed_json(call, 200);
}
