/* A structured log: one event a line, as JSON or as text, on a descriptor that may be slow.
 *
 * Lines are gathered in memory and written by a thread of the log; a reader that does not keep up
 * costs lines, which are counted and reported, never time. What is below the level costs one
 * comparison.
 *
 * Threads: any; a line belongs to one.
 */
#ifndef SERVER_LOG_H
#define SERVER_LOG_H

#include "schema/text.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR };
enum log_format { LOG_JSON, LOG_TEXT };

struct log;

/* A log that writes to `fd`, which stays the caller's. NULL: it could not be made. */
struct log *log_open(int fd, enum log_format format, enum log_level level);
/* Writes what is left. NULL is accepted. */
void log_close(struct log *log);

/* Writes what is logged from now on to another descriptor, which is taken over. Lines on their way
 * still go to the old one; one that was taken over is closed after them. */
void log_redirect(struct log *log, int fd);

/* A line in the making: begin, fields, end. */
struct log_line {
    struct log *log;
    struct text text;
};

/* False: the level is not logged, and the line must not be used. */
bool log_begin(struct log_line *line, struct log *log, enum log_level level, const char *event);
void log_string(struct log_line *line, const char *key, const char *value);
void log_u64(struct log_line *line, const char *key, uint64_t value);
void log_number(struct log_line *line, const char *key, double value);
void log_end(struct log_line *line);

/* A line of one field, `detail` (NULL: none). */
void log_event(struct log *log, enum log_level level, const char *event, const char *detail);

#endif
