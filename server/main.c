/* prmd: the whole program on one page. */
#include "server/config.h"
#include "server/http.h"
#include "server/listener.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
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

enum { CHECK_WAIT_S = 300, POLL_MS = 10, DESCRIPTORS_SPARE = 64 };

static void on_service_event(void *log, const char *event, const char *detail)
{
    log_event(log, LOG_INFO, event, detail);
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
    fputs("prmd: the service did not become ready\n", stderr);
    return false;
}

/* A connection is a descriptor: as many as the limit of connections asks for and the system allows.
 */
static void raise_descriptor_limit(const struct config *config, struct log *log)
{
    const rlim_t wanted = (rlim_t)config->limits.connections + DESCRIPTORS_SPARE;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < wanted)
        log_event(log, LOG_WARNING, "few_descriptors",
                  "the system's limit of open files is below --max-connections");
}

/* Waits until the service has finished what it accepted, the time is over or a second signal cuts
 * it short; after that one the next ends the process, by its default action. */
static void drain(struct service *service, uint64_t seconds, struct log *log,
                  const sigset_t *signals)
{
    const struct timespec poll = {.tv_nsec = POLL_MS * 1000000L};
    uint64_t waited_ms = 0;
    bool is_cut = false;
    service_drain(service);
    for (; service_in_flight(service) > 0 && waited_ms < 1000 * seconds && !is_cut;
         waited_ms += POLL_MS)
        is_cut = sigtimedwait(signals, NULL, &poll) > 0;
    if (service_in_flight(service) > 0)
        log_event(log, LOG_WARNING, "work_cut_short", is_cut ? "second signal" : "time is over");
    if (is_cut) {
        signal(SIGTERM, SIG_DFL);
        signal(SIGINT, SIG_DFL);
        pthread_sigmask(SIG_UNBLOCK, signals, NULL);
    }
}

/* Serves until SIGTERM or SIGINT, then drains: readyz fails, accepted work is finished, the rest
 * refused. */
static void serve(const struct config *config, struct log *log, struct http *http,
                  struct service *service, const sigset_t *signals)
{
    int number;
    sigwait(signals, &number);
    log_event(log, LOG_INFO, "draining", NULL);
    drain(service, config->drain_timeout_s, log, signals);
    http_quiet(http);
}

/* Opens the service; false: it said why. */
static bool open_service(const struct config *config, struct log *log, struct service **service)
{
    struct problem problem = {0};
    const struct service_options options = {
        .device = config->device,
        .tuning = config->tuning,
        .data_dir = config->data_dir,
        .version = PRMD_VERSION,
        .build_step_ms = config->build_step_ms,
        .limits = config->limits,
        .log = on_service_event,
        .log_context = log,
    };
    if (service_open(service, &options, &problem))
        return true;
    fprintf(stderr, "prmd: %s\n", problem.faults[0].detail);
    return false;
}

/* Tells the port, and serves on a listener, which is taken over; NULL: it said why. */
static struct http *open_http(const struct config *config, struct log *log, struct service *service,
                              int listener)
{
    const uint16_t port = listener_port(listener);
    const struct http_options options = {
        .listener = listener,
        .threads = (unsigned)config->threads,
        .idle_timeout_s = (unsigned)config->idle_timeout_s,
        .limits = config->limits,
        .service = service,
        .log = log,
    };
    char fault[LISTENER_FAULT_MAX] = "HTTP could not be started";
    struct http *http = NULL;

    // the socket listens already: who reads the port before HTTP starts is answered a moment later
    if (config->port_file != NULL && !listener_write_port(config->port_file, port, fault))
        close(listener);
    else
        http = http_open(&options);
    if (http == NULL) {
        fprintf(stderr, "prmd: %s\n", fault);
        return NULL;
    }
    struct log_line line;
    if (log_begin(&line, log, LOG_INFO, "listening")) {
        log_string(&line, "listen", config->listen);
        log_u64(&line, "port", port);
        log_end(&line);
    }
    return http;
}

/* From the open listener on: opens the service, serves, closes. */
static enum exit_code run(const struct config *config, int listener, bool is_check,
                          const sigset_t *signals)
{
    struct service *service = NULL;
    struct http *http = NULL;
    enum exit_code code = EXIT_SERVICE;

    struct log *log = log_open(STDERR_FILENO, config->log_format, config->log_level);
    raise_descriptor_limit(config, log);
    if (!open_service(config, log, &service)) {
        if (listener >= 0)
            close(listener);
    } else if (is_check) {
        code = check(service) ? EXIT_FINE : EXIT_SERVICE;
    } else {
        http = open_http(config, log, service, listener);
        if (http != NULL)
            serve(config, log, http, service, signals);
        code = http != NULL ? EXIT_FINE : EXIT_FAILED;
    }

    // the service first: it hands back every call, and the answers leave before connections close
    service_close(service);
    http_close(http);
    log_event(log, LOG_INFO, "stopped", NULL);
    log_close(log);
    return code;
}

int main(int argc, char *argv[])
{
    char fault[CONFIG_FAULT_MAX];
    struct config config;
    sigset_t signals;
    bool is_usage = false;
    int listener = -1;
    enum exit_code code = EXIT_FINE;

    const enum config_outcome outcome = config_read(&config, argc, argv, fault);
    switch (outcome) {
    case CONFIG_HELP:
        config_print_help(stdout);
        goto cleanup;
    case CONFIG_VERSION:
        puts("prmd " PRMD_VERSION);
        goto cleanup;
    case CONFIG_WRONG:
        fprintf(stderr, "prmd: %s\n", fault);
        code = EXIT_USAGE;
        goto cleanup;
    case CONFIG_RUN:
        listener = listener_open(config.listen, config.insecure, fault, &is_usage);
        if (listener < 0) {
            fprintf(stderr, "prmd: %s\n", fault);
            code = is_usage ? EXIT_USAGE : EXIT_FAILED;
            goto cleanup;
        }
        break;
    case CONFIG_CHECK:
        break;
    }

    // blocked before any thread starts, so that only sigwait() sees them
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    code = run(&config, listener, outcome == CONFIG_CHECK, &signals);

cleanup:
    config_deinit(&config);
    return (int)code;
}
