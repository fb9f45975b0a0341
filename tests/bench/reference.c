#include "reference.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void reference_add(struct reference *reference, const char *format, ...)
{
    va_list arguments;
    if (reference->count == REFERENCE_LINES_MAX) {
        fputs("too many lines\n", stderr);
        exit(EXIT_FAILURE);
    }
    va_start(arguments, format);
    vsnprintf(reference->lines[reference->count++], REFERENCE_LINE_BYTES, format, arguments);
    va_end(arguments);
}

void reference_add_device(struct reference *reference, const struct prm_device_info *device)
{
    // PoCL's names of devices have the processor's kind as their second word
    const char *processor = strchr(device->name, '-');
    processor = processor ? processor + 1 : device->name;
    reference_add(reference, "driver: %s %s", device->platform, device->driver);
    reference_add(reference, "processor: %.*s", (int)strcspn(processor, "-"), processor);
}

bool reference_read(struct reference *reference, const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    char line[REFERENCE_LINE_BYTES];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        reference_add(reference, "%s", line);
    }
    const bool good = !ferror(file);
    fclose(file);
    return good;
}

bool reference_write(const struct reference *reference, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    for (unsigned i = 0; i < reference->count; i++)
        fprintf(file, "%s\n", reference->lines[i]);
    return fclose(file) == 0;
}
