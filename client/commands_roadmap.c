/* Roadmaps: build and follow, list, get; archives of them. */
#include "client/commands.h"
#include "client/listing.h"
#include "client/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Members of the document that options set; the rest comes from --params. */
struct build_options {
    const char *world, *robot, *method;
    bool has_count, has_k, has_radius, has_seed;
    unsigned long long count, k, seed;
    double radius;
};

static bool build_options_read(struct build_options *build, const struct arguments *arguments,
                               char *fault, size_t bytes)
{
    const char *count = arguments_option(arguments, "samples");
    const char *k = arguments_option(arguments, "neighbors");
    const char *radius = arguments_option(arguments, "radius");
    const char *seed = arguments_option(arguments, "seed");
    *build = (struct build_options){.world = arguments_option(arguments, "world"),
                                    .robot = arguments_option(arguments, "robot"),
                                    .method = arguments_option(arguments, "method"),
                                    .has_count = count,
                                    .has_k = k,
                                    .has_radius = radius,
                                    .has_seed = seed};
    return (!count || arguments_count("samples", count, &build->count, fault, bytes)) &&
           (!k || arguments_count("neighbors", k, &build->k, fault, bytes)) &&
           (!radius || arguments_number("radius", radius, &build->radius, fault, bytes)) &&
           (!seed || arguments_count("seed", seed, &build->seed, fault, bytes));
}

/* Writes the members of `object` but those in `set`, a list that NULL ends. */
static void members_write(const struct document_value *object, const char *const *set,
                          struct text *out)
{
    for (const char *key = document_next_key(object, NULL); key;
         key = document_next_key(object, key)) {
        bool is_set = false;
        for (const char *const *name = set; *name; name++)
            is_set = is_set || strcmp(*name, key) == 0;
        if (is_set)
            continue;
        text_json_key(out, key);
        document_write(document_member(object, key), out);
    }
}

/* The PUT body: the parameters of the file, with what the options say in their place. */
static void build_write(const struct build_options *build, const struct document_value *params,
                        struct text *out)
{
    bool samples = build->has_count || build->method;
    bool neighbors = build->has_k || build->has_radius;
    text_json_open(out, '{');
    members_write(params,
                  (const char *const[]){build->world ? "world" : "", build->robot ? "robot" : "",
                                        build->has_seed ? "seed" : "", samples ? "samples" : "",
                                        neighbors ? "neighbors" : "", NULL},
                  out);
    if (build->world) {
        text_member_string(out, "world", build->world);
    }
    if (build->robot) {
        text_member_string(out, "robot", build->robot);
    }
    if (build->has_seed) {
        text_member_u64(out, "seed", build->seed);
    }
    if (samples) {
        text_json_key(out, "samples");
        text_json_open(out, '{');
        members_write(document_at(params, "/samples"),
                      (const char *const[]){build->has_count ? "count" : "",
                                            build->method ? "method" : "", NULL},
                      out);
        if (build->has_count) {
            text_member_u64(out, "count", build->count);
        }
        if (build->method) {
            text_member_string(out, "method", build->method);
        }
        text_json_close(out, '}');
    }
    if (neighbors) {
        text_json_key(out, "neighbors");
        text_json_open(out, '{');
        members_write(
            document_at(params, "/neighbors"),
            (const char *const[]){build->has_k ? "k" : "", build->has_radius ? "radius" : "", NULL},
            out);
        if (build->has_k) {
            text_member_u64(out, "k", build->k);
        }
        if (build->has_radius) {
            text_member_number(out, "radius", build->radius, 17);
        }
        text_json_close(out, '}');
    }
    text_json_close(out, '}');
}

static void stages_print(const struct document_value *stages, FILE *out)
{
    struct table table;
    table_init(&table, (const char *const[]){"STAGE", ">MS", NULL});
    double total = 0;
    for (const char *key = document_next_key(stages, NULL); key;
         key = document_next_key(stages, key)) {
        double ms = document_number(document_member(stages, key), "", NAN);
        if (!isfinite(ms))
            continue;
        table_cell(&table, "%s", key);
        table_cell(&table, "%.2f", ms);
        total += ms;
    }
    table_cell(&table, "sum");
    table_cell(&table, "%.2f", total);
    table_print(&table, out);
    table_deinit(&table);
}

static void roadmap_print(const struct document_value *roadmap, FILE *out)
{
    const struct document_value *statistics = document_at(roadmap, "/statistics");
    fprintf(out, "roadmap      %s, %s\nworld        %s\nrobot        %s\nrevision     %.0f\n",
            document_string(roadmap, "/name", "?"), document_string(roadmap, "/state", "?"),
            document_string(roadmap, "/world", "?"), document_string(roadmap, "/robot", "?"),
            document_number(roadmap, "/revision", 0));
    if (document_string(roadmap, "/digest", NULL))
        fprintf(out, "digest       %s\n", document_string(roadmap, "/digest", ""));
    if (document_is_object(document_at(roadmap, "/last_error")))
        fprintf(out, "last error   %s\n", document_string(roadmap, "/last_error/detail", "-"));
    const struct document_value *warnings = document_at(roadmap, "/warnings");
    for (size_t i = 0; i < document_length(warnings); i++)
        fprintf(out, "warning      %s\n",
                document_string(document_element(warnings, i), "/detail", "?"));
    if (!document_is_object(statistics))
        return;
    fprintf(out, "milestones   %.0f of %.0f samples\nedges        %.0f\n",
            document_number(statistics, "/milestones", 0),
            document_number(statistics, "/samples_drawn", 0),
            document_number(statistics, "/edges", 0));
    fprintf(out, "components   %.0f, the largest with %.4g %% of the milestones\n",
            document_number(statistics, "/components", 0),
            100 * document_number(statistics, "/largest_component_share", 0));
    fprintf(out, "neighbours   %s, recall %.4g\n",
            document_string(statistics, "/neighbors/method", "?"),
            document_number(statistics, "/recall", NAN));
    if (document_at(statistics, "/stages_ms"))
        stages_print(document_at(statistics, "/stages_ms"), out);
}

enum exit_code command_roadmap_get(const struct session *session, const struct arguments *arguments)
{
    struct client_reply reply;
    enum exit_code code = session_call(session, "GET", "roadmaps", arguments->words[0], "", &reply);
    if (code == EXIT_SOLVED && session->json)
        session_print_raw(session, &reply);
    else if (code == EXIT_SOLVED)
        roadmap_print(client_reply_root(&reply), session->out);
    client_reply_deinit(&reply);
    return code;
}

enum exit_code command_roadmap_list(const struct session *session,
                                    const struct arguments *arguments)
{
    (void)arguments;
    static const struct listing_column columns[] = {{"ROADMAP", "/name"},
                                                    {"STATE", "/state"},
                                                    {"WORLD", "/world"},
                                                    {"ROBOT", "/robot"},
                                                    {">MILESTONES", "/milestones"},
                                                    {">REVISION", "/revision"},
                                                    {NULL, NULL}};
    return listing_print(session, "roadmaps", columns);
}

/* Sends the document, or what content_type (NULL: JSON) says, and, unless told not to, follows the
 * job that builds it. */
static enum exit_code build_run(const struct session *session, const struct arguments *arguments,
                                const char *method, const char *suffix, const char *content_type,
                                const struct text *body)
{
    struct text path = {0};
    text_print(&path, "/v1/roadmaps/");
    client_url_append(&path, arguments->words[0]);
    text_print(&path, "%s", suffix);
    text_append(&path, "", 1);
    if (path.failed || body->failed) {
        text_deinit(&path);
        return session_usage(session, "out of memory");
    }
    struct client_request request = {.method = method,
                                     .path = path.data,
                                     .body = body->data,
                                     .body_bytes = body->length,
                                     .content_type = content_type};
    struct client_reply reply;
    enum exit_code code = session_send(session, &request, &reply);
    text_deinit(&path);

    // 202 brings a job; 200 says that the same roadmap is there already
    bool is_job = code == EXIT_SOLVED && reply.status == 202;
    const char *id = document_string(client_reply_root(&reply), "/id", NULL);
    if (is_job && !arguments_option(arguments, "no-wait") && id) {
        code = job_follow(session, id);
        client_reply_deinit(&reply);
        return code == EXIT_SOLVED ? command_roadmap_get(session, arguments) : code;
    }
    if (code == EXIT_SOLVED && session->json)
        session_print_raw(session, &reply);
    else if (is_job)
        fprintf(session->out, "job %s\n", id ? id : "?");
    else if (code == EXIT_SOLVED)
        roadmap_print(client_reply_root(&reply), session->out);
    client_reply_deinit(&reply);
    return code;
}

enum exit_code command_roadmap_build(const struct session *session,
                                     const struct arguments *arguments)
{
    struct build_options build;
    struct document *params = NULL;
    char fault[256];
    if (!build_options_read(&build, arguments, fault, sizeof fault))
        return session_usage(session, "%s", fault);
    const char *file = arguments_option(arguments, "params");
    enum exit_code code = file ? session_read_json(session, file, &params) : EXIT_SOLVED;
    if (code != EXIT_SOLVED)
        return code;
    const struct document_value *root = document_root(params);
    if (params && !document_is_object(root)) {
        code = session_usage(session, "%s: not a JSON object", file);
    } else if (!(build.world || document_at(root, "/world")) ||
               !(build.robot || document_at(root, "/robot"))) {
        code = session_usage(session, "a roadmap needs --world and --robot");
    } else {
        struct text body = {0};
        build_write(&build, root, &body);
        code = build_run(session, arguments, "PUT", "", NULL, &body);
        text_deinit(&body);
    }
    document_destroy(params);
    return code;
}

enum exit_code command_roadmap_grow(const struct session *session,
                                    const struct arguments *arguments)
{
    const char *samples = arguments_option(arguments, "samples");
    unsigned long long count;
    char fault[256];
    if (!samples)
        return session_usage(session, "give --samples, how many more milestones");
    if (!arguments_count("samples", samples, &count, fault, sizeof fault))
        return session_usage(session, "%s", fault);
    struct text body = {0};
    text_json_open(&body, '{');
    text_member_u64(&body, "count", count);
    text_json_close(&body, '}');
    const enum exit_code code = build_run(session, arguments, "POST", "/grow", NULL, &body);
    text_deinit(&body);
    return code;
}

enum exit_code command_roadmap_save(const struct session *session,
                                    const struct arguments *arguments)
{
    const char *path = arguments->words[1];
    struct client_reply reply;
    enum exit_code code =
        session_call(session, "GET", "roadmaps", arguments->words[0], "/archive", &reply);
    if (code == EXIT_SOLVED)
        code = session_write_file(session, path, reply.body, reply.bytes);
    if (code == EXIT_SOLVED)
        fprintf(session->out, "%s: %zu bytes\n", path, reply.bytes);
    client_reply_deinit(&reply);
    return code;
}

/* Appends an option as a URL parameter of its name, where it is given. */
static void parameter_append(struct text *url, const struct arguments *arguments, const char *name)
{
    const char *value = arguments_option(arguments, name);
    if (!value)
        return;
    text_print(url, "%c%s=", memchr(url->data, '?', url->length) ? '&' : '?', name);
    client_url_append(url, value);
}

enum exit_code command_roadmap_load(const struct session *session,
                                    const struct arguments *arguments)
{
    struct text suffix = {0}, body = {0};
    text_print(&suffix, "/archive");
    parameter_append(&suffix, arguments, "world");
    parameter_append(&suffix, arguments, "robot");
    text_append(&suffix, "", 1);
    enum exit_code code = session_read_file(session, arguments->words[1], &body);
    if (code == EXIT_SOLVED && suffix.failed)
        code = session_usage(session, "out of memory");
    if (code == EXIT_SOLVED)
        code = build_run(session, arguments, "PUT", suffix.data, "application/zip", &body);
    text_deinit(&suffix);
    text_deinit(&body);
    return code;
}
