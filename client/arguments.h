/* The command line taken apart: words and options, by one table of options.
 *
 * `--name value` and `--name=value` are the same; `--` ends the options. What follows an option
 * that takes a value is that value, so that negative numbers need no care.
 */
#ifndef CLIENT_ARGUMENTS_H
#define CLIENT_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

/* All options of all commands: OPTION(name, value or NULL, what it does). */
#define OPTIONS(OPTION)                                                                            \
    OPTION("server", "URL", "server (default: PRM_SERVER, else http://127.0.0.1:7767)")            \
    OPTION("timeout", "SECONDS", "give up on an answer after this long (default 600)")             \
    OPTION("json", NULL, "print the raw answer")                                                   \
    OPTION("help", NULL, "explain the command")                                                    \
    OPTION("version", NULL, "print the version")                                                   \
    OPTION("format", "FORMAT", "format of the file (default: from its name)")                      \
    OPTION("obstacle", "ID", "put the file as this obstacle of the world")                         \
    OPTION("world", "NAME", "world to build in")                                                   \
    OPTION("robot", "NAME", "robot to build for")                                                  \
    OPTION("samples", "N", "milestones wanted")                                                    \
    OPTION("method", "METHOD", "how they are sampled: uniform, halton, lattice")                   \
    OPTION("neighbors", "K", "neighbours of a milestone")                                          \
    OPTION("radius", "R", "greatest distance of neighbours")                                       \
    OPTION("seed", "S", "seed of the samples")                                                     \
    OPTION("params", "FILE.json", "roadmap parameters; options given here change them")            \
    OPTION("no-wait", NULL, "return when the build is accepted")                                   \
    OPTION("start", "X,Y,…", "start configuration")                                                \
    OPTION("goal", "X,Y,…", "goal configuration; several are alternatives")                        \
    OPTION("state", "X,Y,…", "a configuration to ask about; may be repeated")                      \
    OPTION("queries", "FILE", "queries: a plan request (.json) or a MovingAI scenario (.scen)")    \
    OPTION("objective", "WHAT", "what is least: length (default) or hops")                         \
    OPTION("output", "WHAT", "what is returned: path (default), nodes or cost")                    \
    OPTION("interpolate", "D", "greatest distance between way-points")                             \
    OPTION("no-simplify", NULL, "leave the path as the roadmap has it")                            \
    OPTION("expand", "N", "samples of trees a query that the roadmap does not answer; 0: none")    \
    OPTION("set", "NAME=VALUE", "an option of the algorithm, or of the file; may be repeated")     \
    OPTION("save", "FILE", "also write the raw answer to a file; of compute, as .npz")

enum { ARGUMENTS_MAX = 64 };

struct argument_option {
    const char *name, *value; /* value "" for an option without one */
};

struct arguments {
    const char *words[ARGUMENTS_MAX]; /* in order */
    unsigned word_count;
    struct argument_option options[ARGUMENTS_MAX]; /* in order */
    unsigned option_count;
};

/* Takes argv[1 …] apart; strings are borrowed. false: `fault` says what is wrong. */
bool arguments_parse(struct arguments *arguments, int argc, char **argv, char *fault,
                     size_t fault_bytes);

/* The last value given for an option; NULL: not given. */
const char *arguments_option(const struct arguments *arguments, const char *name);

/* What an option's value is called, NULL for one without; and what the option does. */
const char *arguments_operand(const char *name);
const char *arguments_summary(const char *name);

/* Numbers as options give them, whole and finite; false: `fault` names the option. */
bool arguments_count(const char *name, const char *value, unsigned long long *count, char *fault,
                     size_t fault_bytes);
bool arguments_number(const char *name, const char *value, double *number, char *fault,
                      size_t fault_bytes);

#endif
