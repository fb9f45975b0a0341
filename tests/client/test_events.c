/* Goal: events come out as the page of the standard says, however the bytes are cut. Method:
 * streams by hand, whole, byte by byte and in threes. Oracle: the events by hand; ids as kept for
 * going on. */
#include "client/events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Writes events down as "type=data;". */
static void note(void *context, const char *type, const char *data, size_t bytes)
{
    assert_int_equal(strlen(data), bytes);
    text_print(context, "%s=%s;", type, data);
}

static void streams(void **state)
{
    static const struct {
        const char *stream, *events, *last_id;
    } ROWS[] = {
        {"", "", ""},
        {"data: a\n\n", "message=a;", ""},
        {"id: 1\nevent: progress\ndata: {\"x\":1}\n\n", "progress={\"x\":1};", "1"},
        {"event:done\ndata:a\ndata: b\ndata\n\n", "done=a\nb\n;", ""},
        {": a comment\n\nid: 7\ndata: x\n\n:\n\n", "message=x;", "7"},
        {"data: a\r\n\r\ndata: b\r\rdata: c\n\n", "message=a;message=b;message=c;", ""},
        // what is cut short is no event, nor its id one to go on from
        {"id: 1\ndata: a\n\nid: 2\ndata: b\n", "message=a;", "1"},
        // an event without data is none, but its id counts
        {"id: 3\nevent: none\n\n", "", "3"},
        {"id: 3\ndata: a\n\ndata: b\n\n", "message=a;message=b;", "3"},
        {"retry: 10\nunknown: x\nno colon\ndata:  two blanks\n\n", "message= two blanks;", ""},
        {"data:\n\n", "message=;", ""},
    };
    (void)state;
    for (size_t r = 0; r < sizeof(ROWS) / sizeof(ROWS[0]); r++)
        for (size_t piece = 0; piece < 4; piece++) {
            struct text noted = {0};
            struct events events = {.on_event = note, .context = &noted};
            const size_t bytes = strlen(ROWS[r].stream), step = piece == 0 ? bytes + 1 : piece;
            events_begin(&events);
            for (size_t at = 0; at < bytes; at += step)
                events_take(&events, ROWS[r].stream + at, bytes - at < step ? bytes - at : step);
            text_append(&noted, "", 1);
            if (strcmp(noted.data, ROWS[r].events) != 0)
                fail_msg("row %zu: %s", r, noted.data);
            assert_string_equal(events.last_id, ROWS[r].last_id);
            assert_int_equal(events.has_comment, strncmp(ROWS[r].stream, ": ", 2) == 0);
            text_deinit(&noted);
            events_deinit(&events);
        }
}

static void what_is_too_large_is_dropped(void **state)
{
    enum { LINES = 3000, LINE_BYTES = 1000 };
    (void)state;
    char line[LINE_BYTES];
    struct text noted = {0};
    struct events events = {.on_event = note, .context = &noted};
    for (size_t i = 0; i < sizeof(line); i++)
        line[i] = i < 6 ? "data: "[i] : 'x';
    events_begin(&events);
    for (int i = 0; i < LINES; i++) {
        events_take(&events, line, sizeof(line));
        events_take(&events, "\n", 1);
    }
    events_take(&events, "\ndata: a\n\n", 10);
    text_append(&noted, "", 1);
    assert_string_equal(noted.data, "message=a;");
    assert_true(events.data.capacity < 4u << 20);
    text_deinit(&noted);
    events_deinit(&events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams),
        cmocka_unit_test(what_is_too_large_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
