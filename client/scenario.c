#include "client/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1024 };

struct line {
    unsigned width, height;
    unsigned start[2], goal[2]; /* column, row from the top */
    double optimum;
};

/* One line of fields: bucket map [width height] start goal optimum. */
static bool line_parse(struct line *line, const char *text, unsigned map_height)
{
    char rest[2];
    if (sscanf(text, "%*u %*s %u %u %u %u %u %u %lf %1s", &line->width, &line->height,
               &line->start[0], &line->start[1], &line->goal[0], &line->goal[1], &line->optimum,
               rest) == 7)
        return true;
    line->width = 0;
    line->height = map_height;
    return map_height > 0 &&
           sscanf(text, "%*u %*s %u %u %u %u %lf %1s", &line->start[0], &line->start[1],
                  &line->goal[0], &line->goal[1], &line->optimum, rest) == 5;
}

static void state_write(struct text *out, const unsigned cell[2], unsigned height)
{
    text_json_open(out, '[');
    text_json_number(out, cell[0] + 0.5, 17);
    text_json_number(out, (double)height - cell[1] - 0.5, 17);
    text_json_close(out, ']');
}

/* Appends one query; ids are line numbers of the scenario, from 0. */
static bool line_add(struct scenario *scenario, const struct line *line)
{
    double *optima = scenario->optima;
    if ((scenario->count & (scenario->count + 1)) == 0) {
        optima = realloc(optima, (2 * (size_t)scenario->count + 2) * sizeof *optima);
        if (!optima)
            return false;
        scenario->optima = optima;
    }
    optima[scenario->count] = line->optimum;

    struct text *out = &scenario->queries;
    text_json_open(out, '{');
    text_member_u64(out, "id", scenario->count++);
    text_json_key(out, "start");
    state_write(out, line->start, line->height);
    text_json_key(out, "goal");
    state_write(out, line->goal, line->height);
    text_json_close(out, '}');
    return !out->failed;
}

/* Reads one line of text into the scenario; false: `why` is set. */
static bool line_read(struct scenario *scenario, const char *text, unsigned map_height,
                      const char **why)
{
    struct line line;
    if (strspn(text, " \t\r") == strlen(text) || strncmp(text, "version", 7) == 0)
        return true;
    if (!line_parse(&line, text, map_height)) {
        *why = "not: bucket map width height column row column row length";
        return false;
    }
    if (scenario->count > 0 && (line.width != scenario->width || line.height != scenario->height)) {
        *why = "another map size than the lines before";
        return false;
    }
    bool wide = line.width > 0 && (line.start[0] >= line.width || line.goal[0] >= line.width);
    if (wide || line.start[1] >= line.height || line.goal[1] >= line.height) {
        *why = "a cell beyond the map";
        return false;
    }
    scenario->width = line.width;
    scenario->height = line.height;
    *why = "out of memory";
    return line_add(scenario, &line);
}

bool scenario_read(struct scenario *scenario, const char *data, size_t bytes, unsigned map_height,
                   char *fault, size_t fault_bytes)
{
    *scenario = (struct scenario){0};
    text_json_open(&scenario->queries, '[');
    unsigned number = 0;
    for (const char *at = data, *end = data + bytes; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = newline ? (size_t)(newline - at) : (size_t)(end - at);
        char text[LINE_MAX_BYTES];
        const char *why = "too long";
        number++;
        bool good = length < sizeof text;
        if (good) {
            memcpy(text, at, length);
            text[length] = '\0';
            good = line_read(scenario, text, map_height, &why);
        }
        if (!good) {
            snprintf(fault, fault_bytes, "line %u: %s", number, why);
            scenario_deinit(scenario);
            return false;
        }
        at += length + 1;
    }
    text_json_close(&scenario->queries, ']');
    return true;
}

void scenario_deinit(struct scenario *scenario)
{
    text_deinit(&scenario->queries);
    free(scenario->optima);
    *scenario = (struct scenario){0};
}
