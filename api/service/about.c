/* What the service says about itself: probes, metrics, devices, limits. */
#include "service/internal.h"
#include "service/roadmaps.h"

#include <string.h>

void about_live(struct service *service, struct call *call)
{
    (void)service;
    text_json_open(&call->reply.body, '{');
    text_json_key(&call->reply.body, "status");
    text_json_string(&call->reply.body, "alive");
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
        const char *fault = service_warm_up_fault(service);
        if (fault)
            call_refuse(call, PROBLEM_INTERNAL, "the warm-up failed: %s", fault);
        else
            call_refuse(call, PROBLEM_LOADING, "the server is still warming up");
        return;
    }
    text_json_open(&call->reply.body, '{');
    text_json_key(&call->reply.body, "status");
    text_json_string(&call->reply.body, "ready");
    text_json_close(&call->reply.body, '}');
    call_succeed_json(call, 200);
}

void about_metrics(struct service *service, struct call *call)
{
    service_write_metrics(service, &call->reply.body);
    call_succeed(call, 200, "text/plain; version=0.0.4; charset=utf-8");
}

static void write_routes(struct text *out)
{
    text_json_key(out, "routes");
    text_json_open(out, '[');
    for (unsigned r = 0; r < ROUTE_COUNT; r++) {
        text_json_open(out, '{');
        text_json_key(out, "method");
        text_json_string(out, route_table[r].method);
        text_json_key(out, "path");
        text_json_string(out, route_table[r].pattern);
        text_json_key(out, "summary");
        text_json_string(out, route_table[r].summary);
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
                 {"metrics", "/metrics"},  {"readyz", "/readyz"}};
    struct text *out = &call->reply.body;
    text_json_open(out, '{');
    text_json_key(out, "name");
    text_json_string(out, "prmd");
    text_json_key(out, "version");
    text_json_string(out, service->version);
    text_json_key(out, "links");
    text_json_open(out, '{');
    for (size_t i = 0; i < sizeof(LINKS) / sizeof(LINKS[0]); i++) {
        text_json_key(out, LINKS[i].name);
        text_json_string(out, LINKS[i].path);
    }
    text_json_close(out, '}');
    write_routes(out);
    text_json_close(out, '}');
    call_succeed_json(call, 200);
}

static void write_device(const struct prm_device_info *device, bool in_use, struct text *out)
{
    text_json_open(out, '{');
    text_json_key(out, "platform");
    text_json_string(out, device->platform);
    text_json_key(out, "name");
    text_json_string(out, device->name);
    text_json_key(out, "driver");
    text_json_string(out, device->driver);
    text_json_key(out, "type");
    text_json_string(out, device->is_gpu ? "gpu" : "cpu");
    text_json_key(out, "index");
    text_print(out, "\"%u:%u\"", device->platform_index, device->device_index);
    text_json_key(out, "compute_units");
    text_json_u64(out, device->compute_units);
    text_json_key(out, "memory_bytes");
    text_json_u64(out, device->memory_bytes);
    text_json_key(out, "allocation_max_bytes");
    text_json_u64(out, device->allocation_max);
    text_json_key(out, "in_use");
    text_json_bool(out, in_use);
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
    text_json_key(out, "next");
    text_json_null(out);
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
        text_json_key(out, "value");
        text_json_u64(out, limits_value(&service->limits, (enum limit_id)i));
        text_json_key(out, "flag");
        text_json_string(out, row->flag);
        text_json_key(out, "detail");
        text_json_string(out, row->text);
        text_json_close(out, '}');
    }
    text_json_close(out, '}');
    call_succeed_json(call, 200);
}
