/* Lines of text that a file in the tree holds and a test makes anew: what is to stay as it is. */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include "device/context.h"

enum { REFERENCE_LINES_MAX = 64, REFERENCE_LINE_BYTES = 200 };

struct reference {
    char lines[REFERENCE_LINES_MAX][REFERENCE_LINE_BYTES];
    unsigned count;
};

/* Appends a line; the program ends where there are too many. */
void reference_add(struct reference *reference, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Two lines that tell a device: its driver, and the kind of processor that PoCL compiles for. */
void reference_add_device(struct reference *reference, const struct prm_device_info *device);

/* Appends the lines of a file, and writes all to one. false: it cannot be read or written. */
bool reference_read(struct reference *reference, const char *path);
bool reference_write(const struct reference *reference, const char *path);

#endif
