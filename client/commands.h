/* The commands of `prm`, one row each. */
#ifndef CLIENT_COMMANDS_H
#define CLIENT_COMMANDS_H

#include "client/session.h"

struct command {
    const char *words;    /* "world put" */
    const char *operands; /* as shown in the help */
    unsigned operands_min, operands_max;
    const char *options; /* names of the options it takes, separated by spaces */
    const char *summary;
    /* words[0 …] of the arguments are the operands */
    enum exit_code (*run)(const struct session *session, const struct arguments *arguments);
};

/* The command that the words begin with, removed from them. NULL: none. */
const struct command *command_find(struct arguments *arguments);

/* Whether a command takes all the options and operands given; false: `fault` says which not. */
bool command_accepts(const struct command *command, const struct arguments *arguments, char *fault,
                     size_t fault_bytes);

/* All commands, or one with its options. */
void commands_help(FILE *out);
void command_help(const struct command *command, FILE *out);

enum exit_code command_world_put(const struct session *, const struct arguments *);
enum exit_code command_world_list(const struct session *, const struct arguments *);
enum exit_code command_world_get(const struct session *, const struct arguments *);
enum exit_code command_world_delete(const struct session *, const struct arguments *);
enum exit_code command_robot_put(const struct session *, const struct arguments *);
enum exit_code command_robot_list(const struct session *, const struct arguments *);
enum exit_code command_robot_get(const struct session *, const struct arguments *);
enum exit_code command_robot_delete(const struct session *, const struct arguments *);
enum exit_code command_roadmap_build(const struct session *, const struct arguments *);
enum exit_code command_roadmap_list(const struct session *, const struct arguments *);
enum exit_code command_roadmap_get(const struct session *, const struct arguments *);
enum exit_code command_roadmap_save(const struct session *, const struct arguments *);
enum exit_code command_roadmap_load(const struct session *, const struct arguments *);
enum exit_code command_roadmap_delete(const struct session *, const struct arguments *);
enum exit_code command_plan(const struct session *, const struct arguments *);
enum exit_code command_matrix(const struct session *, const struct arguments *);
enum exit_code command_validate(const struct session *, const struct arguments *);
enum exit_code command_nearest(const struct session *, const struct arguments *);
enum exit_code command_graph(const struct session *, const struct arguments *);
enum exit_code command_roadmap_grow(const struct session *, const struct arguments *);
enum exit_code command_picture(const struct session *, const struct arguments *);
enum exit_code command_compute(const struct session *, const struct arguments *);
enum exit_code command_job_list(const struct session *, const struct arguments *);
enum exit_code command_job_watch(const struct session *, const struct arguments *);
enum exit_code command_job_cancel(const struct session *, const struct arguments *);
enum exit_code command_status(const struct session *, const struct arguments *);
enum exit_code command_health(const struct session *, const struct arguments *);

/* POSTs a body to /v1/roadmaps/NAME…SUFFIX, as session_send() does. */
enum exit_code roadmap_post(const struct session *session, const char *roadmap, const char *suffix,
                            const struct text *body, struct client_reply *reply);

/* Writes "1,2,3" as an array; false: not numbers. */
bool state_write(const char *value, struct text *out);

/* Follows a job with a progress bar until it ends; says why where it failed. */
enum exit_code job_follow(const struct session *session, const char *id);

/* The plan request that the options describe, for plan and picture. */
struct plan_body {
    struct text text; /* owned */
    double *optima;   /* [optimum_count] of a scenario, owned; NULL otherwise */
    unsigned optimum_count;
};

/* The caller deinitialises `body` whatever comes back. */
enum exit_code plan_body_init(struct plan_body *body, const struct session *session,
                              const struct arguments *arguments, const char *roadmap);
void plan_body_deinit(struct plan_body *body);

/* Writes the options that are members of the request; false: one has no number. */
bool plan_members_write(const struct arguments *arguments, struct text *out, char *fault,
                        size_t bytes);

#endif
