/* What the daemon is told: options on the command line, in the environment, in a file.
 *
 * One table describes each option; every limit of schema/limits.h is a row of its own. For each
 * option the first that is given counts: --name VALUE, PRMD_NAME, `name = value` in the file of
 * --config, the default.
 */
#ifndef SERVER_CONFIG_H
#define SERVER_CONFIG_H

#include "schema/limits.h"
#include "server/log.h"

#include <stdio.h>

struct config {
    char *listen;                  /* ADDRESS:PORT */
    char *port_file;               /* NULL: none is written */
    char *data_dir;                /* NULL only before config_read */
    char *device;                  /* NULL: the best */
    char *tuning;                  /* NULL: the device's profile */
    char *token_file;              /* NULL: nobody needs one */
    char *tls_cert, *tls_key;      /* NULL, both: plain HTTP */
    char *cors_origin, *base_path; /* NULL: none */
    char *metrics_listen;          /* ADDRESS:PORT; NULL: none of their own */
    char *log_file;                /* NULL: stderr */
    uint64_t threads;
    uint64_t idle_timeout_s, receive_timeout_s, request_timeout_s, drain_timeout_s;
    double token_requests_per_s; /* 0: no bound */
    uint64_t batch_queries, batch_wait_us;
    double build_step_ms; /* 0: the service's default */
    enum log_format log_format;
    enum log_level log_level;
    bool insecure; /* any address, although there are no tokens */
    struct limits limits;
};

enum config_outcome {
    CONFIG_RUN,
    CONFIG_CHECK,   /* load everything, say so, exit */
    CONFIG_HELP,    /* was asked for */
    CONFIG_VERSION, /* was asked for */
    CONFIG_WRONG,   /* `fault` names the option, its value and what it may be */
};

enum { CONFIG_FAULT_MAX = 512 };

/* Reads arguments, environment and file into `config`, which config_deinit() frees whatever the
 * outcome. */
enum config_outcome config_read(struct config *config, int argc, char *argv[],
                                char fault[CONFIG_FAULT_MAX]);
void config_deinit(struct config *config);

/* The options with their defaults. */
void config_print_help(FILE *out);

#endif
