/* Worlds and robots from files: put. */
#include "client/commands.h"
#include "client/form.h"

#include <string.h>

enum { PATH_BYTES = 4096, FILES_MAX = 4 };

/* What a PUT sends: a file as it is, or several as a form. */
struct upload {
    struct text files[FILES_MAX]; /* owned */
    struct text form;             /* owned; where there are several */
    char type[FORM_TYPE_BYTES];   /* of the form, or empty */
};

/* The format that a file's name tells; NULL: the name tells nothing. */
static const char *format_of(const char *path)
{
    static const struct {
        const char *ending, *format;
    } endings[] = {
        {".json", "json"},  {".map", "movingai"},    {".yaml", "ros-map"}, {".yml", "ros-map"},
        {".bt", "octomap"}, {".ot", "octomap"},      {".scene", "scene"},  {".pcd", "pcd"},
        {".ply", "ply"},    {".xyz", "xyz"},         {".npy", "npy"},      {".stl", "stl"},
        {".obj", "obj"},    {".png", "heightfield"}, {".urdf", "urdf"},
    };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (name_ends_with(path, endings[i].ending))
            return endings[i].format;
    }
    return strcmp(path, "-") == 0 ? "json" : NULL;
}

static void upload_deinit(struct upload *upload)
{
    for (size_t i = 0; i < FILES_MAX; i++)
        text_deinit(&upload->files[i]);
    text_deinit(&upload->form);
}

/* The image of a ROS map: the second file, or what the yaml names, beside it. */
static enum exit_code image_path(const struct session *session, const struct arguments *arguments,
                                 const struct text *yaml, char *path)
{
    char name[PATH_BYTES];
    const char *yaml_path = arguments->words[1];
    if (arguments->word_count > 2)
        snprintf(path, PATH_BYTES, "%s", arguments->words[2]);
    else if (!form_yaml_value(yaml->data, yaml->length, "image", name, sizeof name) ||
             !form_path_beside(yaml_path, name, path, PATH_BYTES))
        return session_usage(session, "%s: no line \"image: FILE\"; give the image as another file",
                             yaml_path);
    return EXIT_SOLVED;
}

/* The part that a file beside a URDF is, by its name; NULL: the name does not tell. */
static const char *part_of(const char *path)
{
    static const char *const endings[] = {".yml", ".yaml", ".json"};
    if (name_ends_with(path, ".srdf"))
        return "srdf";
    if (name_ends_with(path, ".urdf"))
        return "urdf";
    if (strstr(path, "options"))
        return "options";
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (name_ends_with(path, endings[i]))
            return "spheres";
    return NULL;
}

/* Reads a URDF and what goes with it. */
static enum exit_code robot_form(struct upload *upload, const struct session *session,
                                 const struct arguments *arguments)
{
    struct form_part parts[FILES_MAX];
    const size_t count = arguments->word_count - 1;
    for (size_t i = 0; i < count; i++) {
        const char *path = arguments->words[1 + i];
        const char *name = i ? part_of(path) : "urdf";
        enum exit_code code = EXIT_SOLVED;
        if (!name)
            return session_usage(session,
                                 "%s: the name does not tell what it is: srdf, spheres "
                                 "(.yml, .json) or options (*options*)",
                                 path);
        if (i)
            code = session_read_file(session, path, &upload->files[i]);
        if (code != EXIT_SOLVED)
            return code;
        parts[i] = (struct form_part){name, upload->files[i].data, upload->files[i].length};
    }
    form_write(&upload->form, upload->type, parts, count);
    return upload->form.failed ? session_usage(session, "out of memory") : EXIT_SOLVED;
}

/* Reads the files of a world or robot. The caller deinitialises the upload whatever comes back. */
static enum exit_code upload_init(struct upload *upload, const struct session *session,
                                  const struct arguments *arguments, const char *format)
{
    char path[PATH_BYTES];
    *upload = (struct upload){0};
    const bool is_map = strcmp(format, "ros-map") == 0;
    enum exit_code code = session_read_file(session, arguments->words[1], &upload->files[0]);
    if (code != EXIT_SOLVED)
        return code;
    if (strcmp(format, "urdf") == 0 && arguments->word_count > 2)
        return robot_form(upload, session, arguments);
    if (!is_map)
        return arguments->word_count == 2
                   ? EXIT_SOLVED
                   : session_usage(session, "format %s is of one file", format);

    code = image_path(session, arguments, &upload->files[0], path);
    if (code == EXIT_SOLVED)
        code = session_read_file(session, path, &upload->files[1]);
    if (code != EXIT_SOLVED)
        return code;
    const struct form_part parts[] = {
        {"yaml", upload->files[0].data, upload->files[0].length},
        {"image", upload->files[1].data, upload->files[1].length},
    };
    form_write(&upload->form, upload->type, parts, sizeof parts / sizeof *parts);
    return upload->form.failed ? session_usage(session, "out of memory") : EXIT_SOLVED;
}

/* The URL of a PUT: /v1/worlds/NAME, or an obstacle of it, with the format and what is set. */
static enum exit_code url_write(struct text *url, const struct session *session,
                                const struct arguments *arguments, const char *collection,
                                const char *format)
{
    const char *obstacle = arguments_option(arguments, "obstacle");
    char separator = '?';
    text_print(url, "/v1/%s/", collection);
    client_url_append(url, arguments->words[0]);
    if (obstacle) {
        text_print(url, "/obstacles/");
        client_url_append(url, obstacle);
    }
    if (strcmp(format, "json") != 0) {
        text_print(url, "?format=");
        client_url_append(url, format);
        separator = '&';
    }
    return session_end_url(session, arguments, url, separator);
}

/* What became of a file, for people. */
static void reply_print(const struct session *session, const char *name,
                        const struct document_value *reply)
{
    const struct document_value *cells = document_at(reply, "/cells");
    const struct document_value *warnings = document_at(reply, "/warnings");
    fprintf(session->out, "%s: revision %.0f\n", name, document_number(reply, "/revision", 0));
    if (cells)
        fprintf(session->out, "  cells: %.0f occupied, %.0f free, %.0f unknown\n",
                document_number(cells, "/occupied", 0), document_number(cells, "/free", 0),
                document_number(cells, "/unknown", 0));
    for (size_t i = 0; i < document_length(warnings); i++)
        fprintf(session->out, "  %s\n",
                document_string(document_element(warnings, i), "/detail", ""));
}

/* PUTs the files of a resource. */
static enum exit_code resource_put(const struct session *session, const struct arguments *arguments,
                                   const char *collection)
{
    const char *path = arguments->words[1];
    const char *format = arguments_option(arguments, "format");
    if (!format)
        format = format_of(path);
    if (!format)
        return session_usage(session, "%s: the name does not tell the format; give --format", path);

    struct upload upload;
    struct text url = {0};
    struct client_reply reply = {0};
    enum exit_code code = upload_init(&upload, session, arguments, format);
    if (code == EXIT_SOLVED)
        code = url_write(&url, session, arguments, collection, format);
    if (code == EXIT_SOLVED) {
        const bool is_form = *upload.type, is_json = strcmp(format, "json") == 0;
        const struct text *body = is_form ? &upload.form : &upload.files[0];
        const struct client_request request = {.method = "PUT",
                                               .path = url.data,
                                               .body = body->data ? body->data : "",
                                               .body_bytes = body->length,
                                               .content_type = is_form ? upload.type
                                                               : is_json
                                                                   ? NULL
                                                                   : "application/octet-stream"};
        code = session_send(session, &request, &reply);
    }
    if (code == EXIT_SOLVED && session->json)
        session_print_raw(session, &reply);
    else if (code == EXIT_SOLVED)
        reply_print(session, arguments->words[0], client_reply_root(&reply));
    client_reply_deinit(&reply);
    upload_deinit(&upload);
    text_deinit(&url);
    return code;
}

enum exit_code command_world_put(const struct session *session, const struct arguments *arguments)
{
    return resource_put(session, arguments, "worlds");
}

enum exit_code command_robot_put(const struct session *session, const struct arguments *arguments)
{
    return resource_put(session, arguments, "robots");
}
