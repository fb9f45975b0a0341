#include "client/form.h"

#include <stdio.h>
#include <string.h>

enum { BOUNDARY_BYTES = 32 };

/* Whether a part holds a text. */
static bool holds(const struct form_part *part, const char *text)
{
    const size_t length = strlen(text);
    const char *at = part->data, *end = part->data + part->bytes;
    while ((size_t)(end - at) >= length && (at = memchr(at, *text, (size_t)(end - at)))) {
        if ((size_t)(end - at) >= length && memcmp(at, text, length) == 0)
            return true;
        at++;
    }
    return false;
}

/* A boundary that no part holds: numbers are tried until one is free. */
static void choose_boundary(char boundary[BOUNDARY_BYTES], const struct form_part *parts,
                            size_t count)
{
    bool taken = true;
    for (unsigned number = 0; taken; number++) {
        snprintf(boundary, BOUNDARY_BYTES, "prm-part-%08x", number);
        taken = false;
        for (size_t i = 0; i < count && !taken; i++)
            taken = holds(&parts[i], boundary);
    }
}

void form_write(struct text *body, char type[FORM_TYPE_BYTES], const struct form_part *parts,
                size_t count)
{
    char boundary[BOUNDARY_BYTES];
    choose_boundary(boundary, parts, count);
    snprintf(type, FORM_TYPE_BYTES, "multipart/form-data; boundary=%s", boundary);
    *body = (struct text){0};
    for (size_t i = 0; i < count; i++) {
        text_print(body,
                   "--%s\r\nContent-Disposition: form-data; name=\"%s\"; filename=\"%s\"\r\n\r\n",
                   boundary, parts[i].name, parts[i].name);
        text_append(body, parts[i].data, parts[i].bytes);
        text_print(body, "\r\n");
    }
    text_print(body, "--%s--\r\n", boundary);
}

bool form_yaml_value(const char *yaml, size_t yaml_bytes, const char *key, char *value,
                     size_t bytes)
{
    const size_t key_length = strlen(key);
    const char *end = yaml + yaml_bytes, *line = yaml;
    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *stop = newline ? newline : end, *at = line + key_length;
        line = newline ? newline + 1 : end;
        if ((size_t)(stop - (at - key_length)) <= key_length ||
            memcmp(at - key_length, key, key_length) != 0 || *at != ':')
            continue;

        // the value: in quotes up to the next one, else up to a comment or the line's end
        for (at++; at < stop && (*at == ' ' || *at == '\t'); at++)
            ;
        const char quote = at < stop && (*at == '"' || *at == '\'') ? *at++ : '\0';
        const char *last = at;
        while (last < stop && (quote ? *last != quote : !(*last == '#' && last[-1] == ' ')))
            last++;
        while (!quote && last > at && strchr(" \t\r", last[-1]))
            last--;
        if (last == at || (size_t)(last - at) >= bytes)
            return false;
        memcpy(value, at, (size_t)(last - at));
        value[last - at] = '\0';
        return true;
    }
    return false;
}

bool form_path_beside(const char *path, const char *name, char *out, size_t bytes)
{
    const char *slash = *name == '/' ? NULL : strrchr(path, '/');
    const int length =
        snprintf(out, bytes, "%.*s%s", slash ? (int)(slash - path + 1) : 0, path, name);
    return length >= 0 && (size_t)length < bytes;
}
