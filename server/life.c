#include "server/life.h"

#include "schema/clock.h"
#include "server/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <time.h>

enum {
    POLL_MS = 10,
    READY_POLL_MS = 50,
    TELL_EVERY_MS = 5000, /* the manager, that loading goes on */
    MORE_TIME_S = 60,     /* asked of it each time */
    LOG_MODE = 0640,
};

static const struct timespec poll_time = {.tv_nsec = POLL_MS * 1000000L};

sigset_t life_signals(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    return signals;
}

bool life_open_log(struct log *log, const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, LOG_MODE);
    if (fd >= 0)
        log_redirect(log, fd);
    return fd >= 0;
}

/* ---- while it serves ---- */

/* Everything that SIGHUP renews, each by itself. */
static void renew(const struct life *life)
{
    const struct config *config = life->config;
    char fault[CONFIG_FAULT_MAX];

    // the log first, so that the rest is said in the new one
    if (config->log_file != NULL && !life_open_log(life->log, config->log_file))
        log_event(life->log, LOG_ERROR, "log_not_reopened", strerror(errno));
    if (life->tokens != NULL && !tokens_reload(life->tokens, fault))
        log_event(life->log, LOG_ERROR, "tokens_not_reloaded", fault);
    if (config->tls_cert != NULL && !tls_reload(fault))
        log_event(life->log, LOG_ERROR, "certificate_not_reloaded", fault);

    struct log_line line;
    if (log_begin(&line, life->log, LOG_INFO, "reloaded")) {
        if (life->tokens != NULL)
            log_u64(&line, "tokens", tokens_count(life->tokens));
        log_end(&line);
    }
}

/* The same, and tells the manager, which must take it neither for the end of
 * loading nor for the mend of a warm-up that failed. */
static void reload(const struct life *life, bool is_ready)
{
    if (is_ready)
        sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
                   (unsigned long long)(1e6 * clock_steady()));
    renew(life);
    if (is_ready)
        sd_notify(0, "READY=1");
}

/* How far the service has come, as the manager was told. */
enum progress { LOADING, READY, FAILED };

/* Tells the service manager once requests can be answered, or why they never will be. */
static enum progress tell_progress(const struct life *life)
{
    const char *fault = service_warm_up_fault(life->service);
    if (fault != NULL) {
        sd_notifyf(0, "STATUS=The warm-up failed: %s", fault);
        return FAILED;
    }
    if (!service_ready(life->service))
        return LOADING;
    sd_notify(0, "READY=1\nSTATUS=Ready");
    log_event(life->log, LOG_INFO, "ready", NULL);
    return READY;
}

/* Until the first signal that ends it. */
static void wait_for_end(const struct life *life)
{
    const sigset_t signals = life_signals();
    const struct timespec ready_poll = {.tv_nsec = READY_POLL_MS * 1000000L};
    enum progress progress = LOADING;
    sd_notify(0, "STATUS=Loading");
    for (int waited_ms = 0;; waited_ms += READY_POLL_MS) {
        if (progress == LOADING && waited_ms % TELL_EVERY_MS == 0)
            sd_notifyf(0, "EXTEND_TIMEOUT_USEC=%lld", MORE_TIME_S * 1000000LL);
        const int number = progress == LOADING ? sigtimedwait(&signals, NULL, &ready_poll)
                                               : sigwaitinfo(&signals, NULL);
        if (number == SIGHUP)
            reload(life, progress == READY);
        else if (number > 0)
            return;
        if (progress == LOADING)
            progress = tell_progress(life);
    }
}

/* ---- at the end ---- */

/* Whether something that was accepted is not finished, or its answer still on its way. */
static bool is_busy(const struct life *life)
{
    return service_in_flight(life->service) > 0 || http_sending(life->http) > 0;
}

/* Waits until all is finished, the time is over or a second signal cuts it short; after that one
 * the next ends the process, by its default action. */
static void drain(const struct life *life)
{
    const uint64_t limit_ms = 1000 * life->config->drain_timeout_s;
    sigset_t signals;
    uint64_t waited_ms = 0;
    bool is_cut = false;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);

    service_drain(life->service);
    http_drain(life->http);
    for (; is_busy(life) && waited_ms < limit_ms && !is_cut; waited_ms += POLL_MS)
        is_cut = sigtimedwait(&signals, NULL, &poll_time) > 0;
    if (is_busy(life))
        log_event(life->log, LOG_WARNING, "work_cut_short",
                  is_cut ? "second signal" : "time is over");
    if (is_cut) {
        signal(SIGTERM, SIG_DFL);
        signal(SIGINT, SIG_DFL);
        pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    }
}

void life_serve(const struct life *life)
{
    wait_for_end(life);
    sd_notifyf(0, "STOPPING=1\nSTATUS=Draining\nEXTEND_TIMEOUT_USEC=%llu",
               (unsigned long long)(life->config->drain_timeout_s + MORE_TIME_S) * 1000000);
    log_event(life->log, LOG_INFO, "draining", NULL);
    drain(life);
    http_quiet(life->http);
    if (life->metrics != NULL)
        http_quiet(life->metrics);
}
