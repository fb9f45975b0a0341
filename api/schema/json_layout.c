#include "schema/json_layout.h"

#include "schema/document.h"

enum { COLUMNS = 110 };
static const size_t INDENT = 2;

static void line_begin(struct text *out, size_t depth)
{
    text_append(out, "\n", 1);
    for (size_t i = 0; i < INDENT * depth; i++)
        text_append(out, " ", 1);
}

/* The value on one line, with a blank behind commas and colons outside of strings. */
static void write_line(const json_t *json, struct text *line)
{
    struct text compact = {0};
    bool quoted = false;
    document_write((const struct document_value *)json, &compact);
    for (size_t i = 0; i < compact.length; i++) {
        const char c = compact.data[i];
        text_append(line, &c, 1);
        if (quoted && c == '\\')
            text_append(line, &compact.data[++i], 1);
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == ',' || c == ':'))
            text_append(line, " ", 1);
    }
    line->failed |= compact.failed;
    text_deinit(&compact);
}

/* `column` is where the value begins. */
static void write_value(json_t *json, size_t depth, size_t column, struct text *out)
{
    struct text line = {0};
    write_line(json, &line);
    const bool plain = !json_is_object(json) && !json_is_array(json);
    if (line.failed || plain || column + line.length < COLUMNS) {
        text_append(out, line.data, line.length);
        out->failed |= line.failed;
        text_deinit(&line);
        return;
    }
    text_deinit(&line);

    const bool object = json_is_object(json);
    const char *key;
    json_t *value;
    size_t i;
    const char *comma = "";
    text_append(out, object ? "{" : "[", 1);
    json_object_foreach(json, key, value)
    {
        text_print(out, "%s", comma);
        line_begin(out, depth + 1);
        const size_t begin = out->length;
        struct text name = {0};
        text_json_string(&name, key);
        text_append(out, name.data, name.length);
        out->failed |= name.failed;
        text_deinit(&name);
        text_append(out, ": ", 2);
        write_value(value, depth + 1, INDENT * (depth + 1) + out->length - begin, out);
        comma = ",";
    }
    json_array_foreach(json, i, value)
    {
        text_print(out, "%s", comma);
        line_begin(out, depth + 1);
        write_value(value, depth + 1, INDENT * (depth + 1), out);
        comma = ",";
    }
    line_begin(out, depth);
    text_append(out, object ? "}" : "]", 1);
}

void json_layout_write(json_t *json, struct text *out)
{
    write_value(json, 0, 0, out);
}
