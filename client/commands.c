#include "client/commands.h"

#include <string.h>

#define QUERY_OPTIONS "start goal queries objective output interpolate no-simplify expand"

static const struct command command_table[] = {
    {"world put", "NAME FILE…", 2, 3, "format obstacle set",
     "make or replace a world, or an obstacle of it, from a file (- for stdin)", command_world_put},
    {"world list", "", 0, 0, "", "list worlds", command_world_list},
    {"world get", "NAME", 1, 1, "", "show a world", command_world_get},
    {"world delete", "NAME", 1, 1, "", "delete a world", command_world_delete},
    {"robot put", "NAME FILE…", 2, 5, "format",
     "make or replace a robot: JSON, or a URDF with its SRDF, spheres (.yml) and options (.json)",
     command_robot_put},
    {"robot list", "", 0, 0, "", "list robots", command_robot_list},
    {"robot get", "NAME", 1, 1, "", "show a robot", command_robot_get},
    {"robot delete", "NAME", 1, 1, "", "delete a robot", command_robot_delete},
    {"roadmap build", "NAME", 1, 1,
     "world robot samples method neighbors radius seed params no-wait", "build a roadmap",
     command_roadmap_build},
    {"roadmap grow", "NAME", 1, 1, "samples no-wait",
     "build a roadmap with so many more milestones", command_roadmap_grow},
    {"roadmap list", "", 0, 0, "", "list roadmaps", command_roadmap_list},
    {"roadmap get", "NAME", 1, 1, "", "show a roadmap and its statistics", command_roadmap_get},
    {"roadmap delete", "NAME", 1, 1, "", "delete a roadmap", command_roadmap_delete},
    {"roadmap save", "NAME FILE.zip", 2, 2, "", "save a roadmap with its world and robot",
     command_roadmap_save},
    {"roadmap load", "NAME FILE.zip", 2, 2, "world robot no-wait",
     "take a roadmap that was saved, its world and robot under their names or others",
     command_roadmap_load},
    {"plan", "NAME", 1, 1, QUERY_OPTIONS " save", "answer queries on a roadmap", command_plan},
    {"matrix", "NAME [FILE.json]", 1, 2, "state objective expand",
     "show the costs between states, each to each", command_matrix},
    {"validate", "NAME [FILE.json]", 1, 2, "state",
     "judge states, and the path along several, or a request's edges and paths", command_validate},
    {"nearest", "NAME [FILE.json]", 1, 2, "state neighbors", "list the milestones near to states",
     command_nearest},
    {"graph", "NAME FILE", 2, 2, "format", "save milestones and edges: .json, .graphml or .npz",
     command_graph},
    {"picture", "NAME FILE.svg", 2, 2, QUERY_OPTIONS, "draw world, roadmap and paths",
     command_picture},
    {"compute", "OP FILE", 2, 2, "set save",
     "run one algorithm on a file's arrays: .json, .npy, .npz (- for stdin)", command_compute},
    {"job list", "", 0, 0, "", "list jobs", command_job_list},
    {"job watch", "ID", 1, 1, "", "follow a job until it ends", command_job_watch},
    {"job cancel", "ID", 1, 1, "", "cancel a job", command_job_cancel},
    {"status", "", 0, 0, "", "show server, device and what it holds", command_status},
    {"health", "", 0, 0, "", "exit 0 when the server takes requests", command_health},
};
enum { COMMAND_COUNT = sizeof command_table / sizeof *command_table };

/* What every command takes. */
static const char common_options[] = "server timeout json help version";

/* Words that the row's words and the arguments share; 0 unless all of the row's. */
static unsigned words_match(const char *words, const struct arguments *arguments)
{
    unsigned count = 0;
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, " ");
        if (count == arguments->word_count || strlen(arguments->words[count]) != length ||
            memcmp(arguments->words[count], at, length) != 0)
            return 0;
        count++;
        at += length + (at[length] == ' ');
    }
    return count;
}

const struct command *command_find(struct arguments *arguments)
{
    for (unsigned i = 0; i < COMMAND_COUNT; i++) {
        unsigned count = words_match(command_table[i].words, arguments);
        if (count == 0)
            continue;
        arguments->word_count -= count;
        memmove(arguments->words, arguments->words + count,
                arguments->word_count * sizeof *arguments->words);
        return &command_table[i];
    }
    return NULL;
}

/* Whether a name is in a list separated by spaces. */
static bool list_has(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    }
    return false;
}

bool command_accepts(const struct command *command, const struct arguments *arguments, char *fault,
                     size_t fault_bytes)
{
    for (unsigned i = 0; i < arguments->option_count; i++) {
        const char *name = arguments->options[i].name;
        if (!list_has(common_options, name) && !list_has(command->options, name)) {
            snprintf(fault, fault_bytes, "prm %s takes no --%s", command->words, name);
            return false;
        }
    }
    if (arguments->word_count < command->operands_min ||
        arguments->word_count > command->operands_max) {
        snprintf(fault, fault_bytes, "usage: prm %s %s%s", command->words, command->operands,
                 *command->options ? " [options]" : "");
        return false;
    }
    return true;
}

/* One option's line of help. */
static void option_help(const char *name, FILE *out)
{
    char left[64];
    const char *operand = arguments_operand(name);
    snprintf(left, sizeof left, "--%s%s%s", name, operand ? " " : "", operand ? operand : "");
    int wide = 0; // bytes that take no column
    for (const char *c = left; *c; c++)
        wide += ((unsigned char)*c & 0xC0) == 0x80;
    fprintf(out, "  %-*s %s\n", 22 + wide, left, arguments_summary(name));
}

/* The lines of all options in a list separated by spaces. */
static void options_help(const char *list, FILE *out)
{
    char name[32];
    for (const char *at = list; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        option_help(name, out);
        at += length;
    }
}

void commands_help(FILE *out)
{
    fputs("prm: the client of prmd, motion planning as a service\n\n"
          "usage: prm [--server URL] [--json] COMMAND …\n\n",
          out);
    for (unsigned i = 0; i < COMMAND_COUNT; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", command_table[i].words, command_table[i].operands);
        fprintf(out, "  %-24s %s\n", left, command_table[i].summary);
    }
    fputs("\noptions of every command:\n", out);
    options_help(common_options, out);
    fputs(
        "\nprm COMMAND --help lists the options of one command. PRM_SERVER and PRM_TOKEN name the "
        "server and\na bearer token, PRM_CA_FILE certificates to trust (PEM). Exit codes: 0 all "
        "solved, 1 some query\nfailed, 2 usage, 3 server or network, 4 refused.\n",
        out);
}

void command_help(const struct command *command, FILE *out)
{
    fprintf(out, "usage: prm %s %s%s\n%s\n", command->words, command->operands,
            *command->options ? " [options]" : "", command->summary);
    if (*command->options)
        fputs("\n", out);
    options_help(command->options, out);
    fputs("\noptions of every command:\n", out);
    options_help(common_options, out);
}
