/* Server-sent events taken apart as they come (WHATWG HTML, 9.2.6), in pieces of any size.
 *
 * Kept are the fields event, data and id; several data lines are joined by line feeds; comments,
 * unknown fields and an event that is cut short are passed over. An event larger than a megabyte is
 * dropped.
 *
 * Threads: a reader belongs to one thread at a time.
 */
#ifndef CLIENT_EVENTS_H
#define CLIENT_EVENTS_H

#include "schema/text.h"

#include <stdbool.h>

enum { EVENT_WORD_BYTES = 64 };

struct events {
    /* Called for each event that has data: its type ("message" where it says none), and the data,
     * terminated. */
    void (*on_event)(void *context, const char *type, const char *data, size_t bytes);
    void *context;
    char last_id[EVENT_WORD_BYTES]; /* the last that was said up to the last event, or empty */

    struct text line, data;
    char type[EVENT_WORD_BYTES], id[EVENT_WORD_BYTES];
    bool has_data, after_return, too_large;
    bool has_comment; /* since the stream began */
};

/* Begins a stream; last_id and what is to be called stay. */
void events_begin(struct events *events);
void events_take(struct events *events, const char *data, size_t bytes);
void events_deinit(struct events *events);

#endif
