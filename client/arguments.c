#include "client/arguments.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_row {
    const char *name, *operand, *summary;
} option_table[] = {
#define OPTION(name, operand, summary) {name, operand, summary},
    OPTIONS(OPTION)
#undef OPTION
};

/* The row of an option whose name has that length; NULL: unknown. */
static const struct option_row *option_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof option_table / sizeof *option_table; i++) {
        if (strlen(option_table[i].name) == length &&
            memcmp(option_table[i].name, name, length) == 0)
            return &option_table[i];
    }
    return NULL;
}

/* Takes one option at argv[*at]; advances *at past a value that is a word of its own. */
static bool option_take(struct arguments *arguments, int argc, char **argv, int *at, char *fault,
                        size_t fault_bytes)
{
    const char *name = argv[*at] + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const struct option_row *row = option_find(name, length);
    if (!row) {
        snprintf(fault, fault_bytes, "there is no option %s", argv[*at]);
        return false;
    }

    // the value: after an equals sign, or the next word
    const char *value = "";
    if (row->operand && equals) {
        value = equals + 1;
    } else if (row->operand) {
        if (*at + 1 >= argc) {
            snprintf(fault, fault_bytes, "--%s needs a value: %s", row->name, row->operand);
            return false;
        }
        value = argv[++*at];
    } else if (equals) {
        snprintf(fault, fault_bytes, "--%s takes no value", row->name);
        return false;
    }
    if (arguments->option_count == ARGUMENTS_MAX) {
        snprintf(fault, fault_bytes, "more than %d options", ARGUMENTS_MAX);
        return false;
    }
    arguments->options[arguments->option_count++] = (struct argument_option){row->name, value};
    return true;
}

bool arguments_parse(struct arguments *arguments, int argc, char **argv, char *fault,
                     size_t fault_bytes)
{
    *arguments = (struct arguments){0};
    bool options_ended = false;
    static char help[] = "--help";
    for (int i = 1; i < argc; i++) {
        if (!options_ended && strcmp(argv[i], "-h") == 0)
            argv[i] = help;
        if (!options_ended && strcmp(argv[i], "--") == 0) {
            options_ended = true;
        } else if (!options_ended && strncmp(argv[i], "--", 2) == 0) {
            if (!option_take(arguments, argc, argv, &i, fault, fault_bytes))
                return false;
        } else if (!options_ended && argv[i][0] == '-' && argv[i][1]) {
            snprintf(fault, fault_bytes, "there is no option %s", argv[i]);
            return false;
        } else if (arguments->word_count == ARGUMENTS_MAX) {
            snprintf(fault, fault_bytes, "more than %d words", ARGUMENTS_MAX);
            return false;
        } else {
            arguments->words[arguments->word_count++] = argv[i];
        }
    }
    return true;
}

const char *arguments_option(const struct arguments *arguments, const char *name)
{
    for (unsigned i = arguments->option_count; i > 0; i--) {
        if (strcmp(arguments->options[i - 1].name, name) == 0)
            return arguments->options[i - 1].value;
    }
    return NULL;
}

const char *arguments_operand(const char *name)
{
    const struct option_row *row = option_find(name, strlen(name));
    return row ? row->operand : NULL;
}

const char *arguments_summary(const char *name)
{
    const struct option_row *row = option_find(name, strlen(name));
    return row ? row->summary : "";
}

bool arguments_count(const char *name, const char *value, unsigned long long *count, char *fault,
                     size_t fault_bytes)
{
    char *end;
    errno = 0;
    *count = strtoull(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || errno) {
        snprintf(fault, fault_bytes, "--%s: \"%s\" is not a whole number", name, value);
        return false;
    }
    return true;
}

bool arguments_number(const char *name, const char *value, double *number, char *fault,
                      size_t fault_bytes)
{
    char *end;
    *number = strtod(value, &end);
    if (!*value || *end || !isfinite(*number)) {
        snprintf(fault, fault_bytes, "--%s: \"%s\" is not a number", name, value);
        return false;
    }
    return true;
}
