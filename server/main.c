/* prmd: the whole program on one page. */
#include "server/config.h"
#include "server/http.h"
#include "server/life.h"
#include "server/listener.h"
#include "server/tls.h"
#include "server/watcher.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum exit_code {
    EXIT_FINE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_SERVICE =
        3, /* no OpenCL device, or the data folder cannot be used, or --check found a fault */
};

enum {
    CHECK_WAIT_S = 300,
    POLL_MS = 10,
    DESCRIPTORS_SPARE = 64,   /* of files, devices and whatever else is open */
    METRICS_CONNECTIONS = 64, /* of --metrics-listen */
};

/* What is open, from the sockets on. */
struct program {
    const struct config *config;
    int listener, metrics_listener; /* negative: none, or taken over */
    struct log *log;
    struct tokens *tokens;
    struct service *service;
    struct http *http, *metrics;
};

static void on_service_event(void *log, const char *event, const char *detail)
{
    log_event(log, LOG_INFO, event, detail);
}

static bool say(const char *fault)
{
    fprintf(stderr, "prmd: %s\n", fault);
    return false;
}

/* Whether the service became ready in time, said in a line. */
static bool check(const struct service *service)
{
    const struct timespec poll = {.tv_nsec = POLL_MS * 1000000L};
    for (int waited_ms = 0; waited_ms < 1000 * CHECK_WAIT_S; waited_ms += POLL_MS) {
        const char *fault = service_warm_up_fault(service);
        if (fault != NULL) {
            fprintf(stderr, "prmd: the warm-up failed: %s\n", fault);
            return false;
        }
        if (service_ready(service)) {
            puts("prmd: all is well");
            return true;
        }
        nanosleep(&poll, NULL);
    }
    return say("the service did not become ready");
}

/* A connection is a descriptor, and so is one that lingers: as many as the listeners may have and
 * the system allows. */
static void raise_descriptor_limit(const struct config *config, struct log *log)
{
    rlim_t wanted = (rlim_t)config->limits.connections + WATCHER_LINGERING_MAX + DESCRIPTORS_SPARE;
    struct rlimit limit;
    if (config->metrics_listen != NULL)
        wanted += METRICS_CONNECTIONS + WATCHER_LINGERING_MAX;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < wanted)
        log_event(log, LOG_WARNING, "few_descriptors",
                  "the system's limit of open files is below --max-connections");
}

/* Log, tokens and certificate; false: it said what is wrong. */
static bool open_files(struct program *program)
{
    const struct config *config = program->config;
    char fault[CONFIG_FAULT_MAX];
    program->log = log_open(STDERR_FILENO, config->log_format, config->log_level);
    if (config->log_file != NULL && !life_open_log(program->log, config->log_file)) {
        fprintf(stderr, "prmd: --log-file: %s: %s\n", config->log_file, strerror(errno));
        return false;
    }
    if (config->token_file != NULL) {
        program->tokens = tokens_open(config->token_file, config->token_requests_per_s, fault);
        if (program->tokens == NULL)
            return say(fault);
    }
    return config->tls_cert == NULL || tls_open(config->tls_cert, config->tls_key, fault) ||
           say(fault);
}

/* Opens the service; false: it said why. */
static bool open_service(struct program *program)
{
    const struct config *config = program->config;
    struct problem problem = {0};
    const struct service_options options = {
        .device = config->device,
        .tuning = config->tuning,
        .data_dir = config->data_dir,
        .version = PRMD_VERSION,
        .base_path = config->base_path,
        .tokens = config->token_file != NULL,
        .build_step_ms = config->build_step_ms,
        .batch_queries = config->batch_queries,
        .batch_wait_us = (double)config->batch_wait_us,
        .limits = config->limits,
        .log = on_service_event,
        .log_context = program->log,
    };
    return service_open(&program->service, &options, &problem) || say(problem.faults[0].detail);
}

static void log_listening(struct log *log, const char *event, const char *listen,
                          const struct http_options *options)
{
    struct log_line line;
    if (!log_begin(&line, log, LOG_INFO, event))
        return;
    log_string(&line, "listen", listen);
    log_u64(&line, "port", listener_port(options->listener));
    log_string(&line, "scheme", options->with_tls ? "https" : "http");
    if (options->access.tokens != NULL)
        log_u64(&line, "tokens", tokens_count(options->access.tokens));
    log_end(&line);
}

/* The listener of metrics alone, where one is wanted. */
static bool open_metrics(struct program *program, struct http_options options)
{
    if (program->metrics_listener < 0)
        return true;
    options.listener = program->metrics_listener;
    options.threads = 1;
    options.limits.connections = METRICS_CONNECTIONS;
    options.access = (struct access){.metrics_only = true};
    options.with_tls = false;
    log_listening(program->log, "metrics_listening", program->config->metrics_listen, &options);
    program->metrics_listener = -1;
    program->metrics = http_open(&options);
    return program->metrics != NULL || say("HTTP of --metrics-listen could not be started");
}

/* Tells the port, and serves; false: it said why. */
static bool open_http(struct program *program)
{
    const struct config *config = program->config;
    const struct http_options options = {
        .listener = program->listener,
        .threads = (unsigned)config->threads,
        .idle_timeout_s = (unsigned)config->idle_timeout_s,
        .receive_timeout_s = (unsigned)config->receive_timeout_s,
        .request_timeout_s = (unsigned)config->request_timeout_s,
        .limits = config->limits,
        .access = {.tokens = program->tokens,
                   .cors_origin = config->cors_origin,
                   .base_path = config->base_path},
        .with_tls = config->tls_cert != NULL,
        .service = program->service,
        .log = program->log,
    };
    char fault[LISTENER_FAULT_MAX];

    // the socket listens already: who reads the port before HTTP starts is answered a moment later
    if (config->port_file != NULL &&
        !listener_write_port(config->port_file, listener_port(program->listener), fault))
        return say(fault);
    program->listener = -1;
    program->http = http_open(&options);
    if (program->http == NULL)
        return say("HTTP could not be started");
    log_listening(program->log, "listening", config->listen, &options);
    return open_metrics(program, options);
}

/* From the open listeners on: opens the service, serves. */
static enum exit_code run(struct program *program, bool is_check)
{
    if (!open_files(program))
        return EXIT_FAILED;
    raise_descriptor_limit(program->config, program->log);
    if (!open_service(program))
        return EXIT_SERVICE;
    if (is_check)
        return check(program->service) ? EXIT_FINE : EXIT_SERVICE;
    if (!open_http(program))
        return EXIT_FAILED;
    life_serve(&(struct life){
        .config = program->config,
        .log = program->log,
        .service = program->service,
        .http = program->http,
        .metrics = program->metrics,
        .tokens = program->tokens,
    });
    return EXIT_FINE;
}

/* Closes what is open, after life_serve() or a part of run(). */
static void finish(struct program *program)
{
    // no call may enter a service that closes
    if (program->http != NULL)
        http_quiet(program->http);
    if (program->metrics != NULL)
        http_quiet(program->metrics);
    // the service first: it hands back every call, and the answers leave before connections close
    service_close(program->service);
    http_close(program->http);
    http_close(program->metrics);
    if (program->listener >= 0)
        close(program->listener);
    if (program->metrics_listener >= 0)
        close(program->metrics_listener);
    tls_close();
    tokens_close(program->tokens);
    log_event(program->log, LOG_INFO, "stopped", NULL);
    log_close(program->log);
}

/* Opens the sockets before all else: a port in use is known at once. A check only judges them. */
static enum exit_code open_listeners(struct program *program, bool is_check)
{
    const struct config *config = program->config;
    const struct {
        const char *flag, *text;
        int *listener;
        enum listener_guard guard;
    } wanted[] = {
        {"--listen", config->listen, &program->listener,
         config->insecure || config->token_file != NULL ? LISTENER_GUARDED
                                                        : LISTENER_TOKENS_WOULD_DO},
        // tokens are not asked for there
        {"--metrics-listen", config->metrics_listen, &program->metrics_listener,
         config->insecure ? LISTENER_GUARDED : LISTENER_OPEN},
    };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        char fault[LISTENER_FAULT_MAX];
        bool is_usage = true, fine = true;
        if (wanted[i].text != NULL && is_check)
            fine = listener_judge(wanted[i].text, wanted[i].guard, fault);
        if (wanted[i].text != NULL && !is_check) {
            *wanted[i].listener = listener_open(wanted[i].text, wanted[i].guard, fault, &is_usage);
            fine = *wanted[i].listener >= 0;
        }
        if (!fine) {
            fprintf(stderr, "prmd: %s: %s\n", wanted[i].flag, fault);
            return is_usage ? EXIT_USAGE : EXIT_FAILED;
        }
    }
    return EXIT_FINE;
}

int main(int argc, char *argv[])
{
    char fault[CONFIG_FAULT_MAX];
    struct config config;
    struct program program = {.config = &config, .listener = -1, .metrics_listener = -1};
    enum exit_code code = EXIT_FINE;
    const sigset_t signals = life_signals();

    const enum config_outcome outcome = config_read(&config, argc, argv, fault);
    switch (outcome) {
    case CONFIG_HELP:
        config_print_help(stdout);
        goto cleanup;
    case CONFIG_VERSION:
        puts("prmd " PRMD_VERSION);
        goto cleanup;
    case CONFIG_WRONG:
        say(fault);
        code = EXIT_USAGE;
        goto cleanup;
    case CONFIG_RUN:
        // blocked before any thread starts, so that only life_serve() sees them
        pthread_sigmask(SIG_BLOCK, &signals, NULL);
        break;
    case CONFIG_CHECK:
        break;
    }

    code = open_listeners(&program, outcome == CONFIG_CHECK);
    signal(SIGPIPE, SIG_IGN);
    if (code == EXIT_FINE)
        code = run(&program, outcome == CONFIG_CHECK);
    finish(&program);

cleanup:
    config_deinit(&config);
    return (int)code;
}
