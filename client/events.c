#include "client/events.h"

#include <stdio.h>
#include <string.h>

enum { EVENT_MAX = 1 << 20 };

static void clear(struct events *events)
{
    events->data.length = 0;
    events->type[0] = '\0';
    events->has_data = events->too_large = false;
}

void events_begin(struct events *events)
{
    clear(events);
    events->line.length = 0;
    events->after_return = events->has_comment = false;
    memcpy(events->id, events->last_id, sizeof(events->id));
}

void events_deinit(struct events *events)
{
    text_deinit(&events->line);
    text_deinit(&events->data);
}

/* An empty line ends an event. */
static void dispatch(struct events *events)
{
    text_append(&events->data, "", 1);
    memcpy(events->last_id, events->id, sizeof(events->last_id));
    if (events->has_data && !events->too_large && !events->data.failed)
        events->on_event(events->context, *events->type ? events->type : "message",
                         events->data.data, events->data.length - 1);
    clear(events);
}

/* A line "field: value", "field:value" or "field". */
static void take_line(struct events *events)
{
    text_append(&events->line, "", 1);
    if (events->line.failed)
        return;
    char *field = events->line.data, *value = field + strcspn(field, ":");
    if (*value != '\0')
        *value++ = '\0';
    if (*value == ' ')
        value++;

    if (*field == '\0') {
        events->has_comment = true;
    } else if (strcmp(field, "event") == 0) {
        snprintf(events->type, sizeof(events->type), "%s", value);
    } else if (strcmp(field, "id") == 0) {
        snprintf(events->id, sizeof(events->id), "%s", value);
    } else if (strcmp(field, "data") == 0) {
        if (events->has_data)
            text_append(&events->data, "\n", 1);
        text_append(&events->data, value, strlen(value));
        events->has_data = true;
    }
}

void events_take(struct events *events, const char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const bool is_end = data[i] == '\n' || data[i] == '\r';
        const bool is_pair = data[i] == '\n' && events->after_return;
        events->after_return = data[i] == '\r';
        if (is_pair)
            continue;
        if (!is_end) {
            if (events->line.length + events->data.length >= EVENT_MAX)
                events->too_large = true;
            else
                text_append(&events->line, &data[i], 1);
            continue;
        }
        if (events->line.length == 0)
            dispatch(events);
        else
            take_line(events);
        events->line.length = 0;
    }
}
