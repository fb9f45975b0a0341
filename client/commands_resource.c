/* Worlds and robots: list, get, delete. */
#include "client/commands.h"
#include "client/listing.h"

#include <string.h>

static enum exit_code resource_delete(const struct session *session,
                                      const struct arguments *arguments, const char *collection)
{
    struct client_reply reply;
    enum exit_code code =
        session_call(session, "DELETE", collection, arguments->words[0], "", &reply);
    if (code == EXIT_SOLVED && session->json && reply.bytes > 0)
        session_print_raw(session, &reply);
    else if (code == EXIT_SOLVED && !session->json)
        fprintf(session->out, "%s: deleted\n", arguments->words[0]);
    client_reply_deinit(&reply);
    return code;
}

enum exit_code command_world_delete(const struct session *session,
                                    const struct arguments *arguments)
{
    return resource_delete(session, arguments, "worlds");
}

enum exit_code command_robot_delete(const struct session *session,
                                    const struct arguments *arguments)
{
    return resource_delete(session, arguments, "robots");
}

enum exit_code command_roadmap_delete(const struct session *session,
                                      const struct arguments *arguments)
{
    return resource_delete(session, arguments, "roadmaps");
}

enum exit_code command_world_list(const struct session *session, const struct arguments *arguments)
{
    (void)arguments;
    static const struct listing_column columns[] = {{"WORLD", "/name"},
                                                    {">DIMENSION", "/dimension"},
                                                    {">OBSTACLES", "/obstacle_count"},
                                                    {">REVISION", "/revision"},
                                                    {NULL, NULL}};
    return listing_print(session, "worlds", columns);
}

enum exit_code command_robot_list(const struct session *session, const struct arguments *arguments)
{
    (void)arguments;
    static const struct listing_column columns[] = {
        {"ROBOT", "/name"}, {"TYPE", "/type"}, {">REVISION", "/revision"}, {NULL, NULL}};
    return listing_print(session, "robots", columns);
}

/* Obstacles by type, "12 box, 3 sphere", in the order of first appearance. */
static void obstacles_print(const struct document_value *world, FILE *out)
{
    const struct document_value *obstacles = document_at(world, "/obstacles");
    size_t count = document_length(obstacles), dynamic = 0;
    fprintf(out, "obstacles    %zu", count);
    for (size_t i = 0; i < count; i++) {
        const char *type = document_string(document_element(obstacles, i), "/type", "?");
        dynamic += document_bool(document_element(obstacles, i), "/dynamic", false);

        // counted where the type appears first
        size_t alike = 0;
        bool first = true;
        for (size_t j = 0; j < count && first; j++) {
            bool same =
                strcmp(type, document_string(document_element(obstacles, j), "/type", "?")) == 0;
            first = !(same && j < i);
            alike += same;
        }
        if (first)
            fprintf(out, ", %zu %s", alike, type);
    }
    if (dynamic > 0)
        fprintf(out, "; %zu dynamic", dynamic);
    fputc('\n', out);
}

/* A grid wherever the document has it: as a member, or as an obstacle. */
static const struct document_value *world_grid(const struct document_value *world)
{
    const struct document_value *grid = document_at(world, "/grid");
    const struct document_value *obstacles = document_at(world, "/obstacles");
    for (size_t i = 0; !grid && i < document_length(obstacles); i++) {
        const struct document_value *obstacle = document_element(obstacles, i);
        if (strcmp(document_string(obstacle, "/type", ""), "grid") == 0)
            grid = obstacle;
    }
    return grid;
}

static void point_print(const struct document_value *point, FILE *out)
{
    fputc('(', out);
    for (size_t i = 0; i < document_length(point); i++)
        fprintf(out, "%s%.10g", i ? ", " : "", document_number(document_element(point, i), "", 0));
    fputc(')', out);
}

static void world_print(const struct document_value *world, FILE *out)
{
    fprintf(out, "world        %s\nrevision     %.0f\nfingerprint  %s\ndimension    %.0f\n",
            document_string(world, "/name", "?"), document_number(world, "/revision", 0),
            document_string(world, "/fingerprint", "?"), document_number(world, "/dimension", 0));
    if (document_at(world, "/bounds/min")) {
        fputs("bounds       ", out);
        point_print(document_at(world, "/bounds/min"), out);
        fputs(" to ", out);
        point_print(document_at(world, "/bounds/max"), out);
        fputc('\n', out);
    }
    const struct document_value *grid = world_grid(world);
    if (grid)
        fprintf(out, "grid         %.0f x %.0f cells\n", document_number(grid, "/width", 0),
                document_number(grid, "/height", 0));
    obstacles_print(world, out);
}

enum exit_code command_world_get(const struct session *session, const struct arguments *arguments)
{
    struct client_reply reply;
    enum exit_code code = session_call(session, "GET", "worlds", arguments->words[0], "", &reply);
    if (code == EXIT_SOLVED && session->json)
        session_print_raw(session, &reply);
    else if (code == EXIT_SOLVED)
        world_print(client_reply_root(&reply), session->out);
    client_reply_deinit(&reply);
    return code;
}

enum exit_code command_robot_get(const struct session *session, const struct arguments *arguments)
{
    struct client_reply reply;
    enum exit_code code = session_call(session, "GET", "robots", arguments->words[0], "", &reply);
    if (code == EXIT_SOLVED && session->json) {
        session_print_raw(session, &reply);
    } else if (code == EXIT_SOLVED) {
        const struct document_value *robot = client_reply_root(&reply);
        fprintf(session->out,
                "robot        %s\nrevision     %.0f\nfingerprint  %s\ntype         %s\n",
                document_string(robot, "/name", "?"), document_number(robot, "/revision", 0),
                document_string(robot, "/fingerprint", "?"), document_string(robot, "/type", "?"));
        const struct document_value *coordinates = document_at(robot, "/coordinates");
        for (size_t i = 0; i < document_length(coordinates); i++)
            fprintf(session->out, "%s%s", i ? ", " : "coordinates  ",
                    document_string(document_element(coordinates, i), "", "?"));
        if (coordinates)
            fputc('\n', session->out);
        if (document_at(robot, "/cover_excess"))
            fprintf(session->out, "cover excess %.6g m\n",
                    document_number(robot, "/cover_excess", 0));
        if (document_at(robot, "/radius"))
            fprintf(session->out, "radius       %.10g\n", document_number(robot, "/radius", 0));
    }
    client_reply_deinit(&reply);
    return code;
}
