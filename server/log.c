#include "server/log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    HELD_BYTES_MAX = 1 << 20, /* lines waiting for a slow reader */
    GATHER_MS = 10,           /* lines of so long leave in one write */
    CLOSE_WAIT_MS = 1000,     /* for a reader that is stuck at the end */
    NUMBER_DIGITS = 6,
};

static const char *const level_names[] = {"debug", "info", "warning", "error"};

struct log {
    int fd;
    enum log_format format;
    enum log_level level;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct text held; /* whole lines */
    int next_fd;      /* taken over and not in use yet; negative: none */
    bool owns_fd;
    uint64_t dropped;
    bool closing;
};

/* Writes all, waiting for a slow reader; at the end of the log only so long. */
static void write_out(struct log *log, const char *data, size_t bytes, bool last)
{
    while (bytes > 0) {
        struct pollfd polled = {.fd = log->fd, .events = POLLOUT};
        if (poll(&polled, 1, last ? CLOSE_WAIT_MS : -1) == 0)
            return;
        // pieces of a pipe's atomic size go out whole once it is writable
        const ssize_t written = write(log->fd, data, bytes < 4096 ? bytes : 4096);
        if (written < 0 && errno != EINTR && errno != EAGAIN)
            return;
        if (written > 0) {
            data += written;
            bytes -= (size_t)written;
        }
    }
}

/* Goes over to the descriptor that log_redirect() gave. Under the lock. */
static void switch_over(struct log *log)
{
    if (log->next_fd < 0)
        return;
    if (log->owns_fd)
        close(log->fd);
    log->fd = log->next_fd;
    log->owns_fd = true;
    log->next_fd = -1;
}

static void *run(void *argument)
{
    struct log *log = argument;
    const struct timespec gather = {.tv_nsec = GATHER_MS * 1000000L};

    pthread_mutex_lock(&log->lock);
    for (;;) {
        while (log->held.length == 0 && !log->closing)
            pthread_cond_wait(&log->filled, &log->lock);
        switch_over(log);
        const bool last = log->closing;
        struct text lines = log->held;
        const uint64_t dropped = log->dropped;
        log->held = (struct text){0};
        log->dropped = 0;
        pthread_mutex_unlock(&log->lock);

        write_out(log, lines.data, lines.length, last);
        text_deinit(&lines);
        struct log_line line;
        if (dropped > 0 && log_begin(&line, log, LOG_WARNING, "log_lines_dropped")) {
            log_u64(&line, "lines", dropped);
            log_end(&line);
        }
        if (last)
            return NULL;
        nanosleep(&gather, NULL);
        pthread_mutex_lock(&log->lock);
    }
}

struct log *log_open(int fd, enum log_format format, enum log_level level)
{
    struct log *log = calloc(1, sizeof(*log));
    if (log == NULL)
        return NULL;
    log->fd = fd;
    log->next_fd = -1;
    log->format = format;
    log->level = level;
    pthread_mutex_init(&log->lock, NULL);
    pthread_cond_init(&log->filled, NULL);
    if (pthread_create(&log->thread, NULL, run, log) != 0) {
        pthread_cond_destroy(&log->filled);
        pthread_mutex_destroy(&log->lock);
        free(log);
        return NULL;
    }
    return log;
}

void log_close(struct log *log)
{
    if (log == NULL)
        return;
    pthread_mutex_lock(&log->lock);
    log->closing = true;
    pthread_cond_signal(&log->filled);
    pthread_mutex_unlock(&log->lock);
    pthread_join(log->thread, NULL);
    switch_over(log);
    if (log->owns_fd)
        close(log->fd);
    text_deinit(&log->held);
    pthread_cond_destroy(&log->filled);
    pthread_mutex_destroy(&log->lock);
    free(log);
}

void log_redirect(struct log *log, int fd)
{
    if (log == NULL) {
        close(fd);
        return;
    }
    pthread_mutex_lock(&log->lock);
    // a descriptor that never came into use is of no use any more
    if (log->next_fd >= 0)
        close(log->next_fd);
    log->next_fd = fd;
    pthread_mutex_unlock(&log->lock);
}

/* RFC 3339 in UTC with milliseconds. */
static void write_time(struct text *text)
{
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    text_print(text, "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ", utc.tm_year + 1900, utc.tm_mon + 1,
               utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, now.tv_nsec / 1000000);
}

/* A JSON string by itself: the text format quotes the same way. */
static void write_quoted(struct text *text, const char *value)
{
    struct text quoted = {0};
    text_json_string(&quoted, value);
    text_append(text, quoted.data, quoted.length);
    text->failed |= quoted.failed;
    text_deinit(&quoted);
}

bool log_begin(struct log_line *line, struct log *log, enum log_level level, const char *event)
{
    if (log == NULL || level < log->level)
        return false;
    *line = (struct log_line){.log = log};
    if (log->format == LOG_TEXT) {
        write_time(&line->text);
        text_print(&line->text, " %-7s %s", level_names[level], event);
    } else {
        text_print(&line->text, "{\"ts\":\"");
        write_time(&line->text);
        text_print(&line->text, "\",\"level\":\"%s\",\"event\":", level_names[level]);
        write_quoted(&line->text, event);
    }
    return true;
}

static void write_key(struct log_line *line, const char *key)
{
    text_print(&line->text, line->log->format == LOG_TEXT ? " %s=" : ",\"%s\":", key);
}

void log_string(struct log_line *line, const char *key, const char *value)
{
    write_key(line, key);
    write_quoted(&line->text, value);
}

void log_u64(struct log_line *line, const char *key, uint64_t value)
{
    write_key(line, key);
    text_print(&line->text, "%llu", (unsigned long long)value);
}

void log_number(struct log_line *line, const char *key, double value)
{
    struct text number = {0};
    write_key(line, key);
    text_json_number(&number, value, NUMBER_DIGITS);
    text_append(&line->text, number.data, number.length);
    text_deinit(&number);
}

void log_end(struct log_line *line)
{
    struct log *log = line->log;
    text_print(&line->text, log->format == LOG_TEXT ? "\n" : "}\n");

    pthread_mutex_lock(&log->lock);
    const bool has_room = log->held.length + line->text.length <= HELD_BYTES_MAX;
    if (!has_room || line->text.failed) {
        log->dropped++;
    } else {
        if (log->held.length == 0)
            pthread_cond_signal(&log->filled);
        text_append(&log->held, line->text.data, line->text.length);
    }
    pthread_mutex_unlock(&log->lock);
    text_deinit(&line->text);
}

void log_event(struct log *log, enum log_level level, const char *event, const char *detail)
{
    struct log_line line;
    if (!log_begin(&line, log, level, event))
        return;
    if (detail != NULL)
        log_string(&line, "detail", detail);
    log_end(&line);
}
