/* A benchmark's table: contenders for operations, measured by turns at several sizes.
 *
 * Each contender's first run is thrown away (kernels compile, pages come), then runs alternate
 * between the contenders and the median counts (the least on a machine that others keep busy, where
 * asked for); who has used up its time is not run again. A second
 * pass over the largest size, on a context that times kernels, adds what our kernels move.
 *
 * A copy of as many u32 is the yardstick: `of copy` is its time by ours, `of bandwidth` the share
 * of its bytes a second that the stated traffic reaches.
 */
#ifndef BENCH_CONTEST_H
#define BENCH_CONTEST_H

#include "device/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum { CONTEST_SIZES_MAX = 3, CONTEST_ROWS_MAX = 96, CONTEST_KERNELS_MAX = 192 };

/* Bytes that a kernel moves for each element in one launch. */
struct traffic {
    const char *kernel;
    double bytes;
};

/* Someone who does the operation. */
struct contender {
    const char *by;
    void (*prepare)(void *work); /* before every run, not timed; NULL: nothing */
    void (*run)(void *work);     /* returns when all is done; NULL: not there */
    const struct traffic
        *traffic;     /* ours: of its kernels, up to one without a name; NULL: a peer */
    size_t count_max; /* not run on more elements; 0: on any number */
};

/* A line of the table. */
struct contest_row {
    const char *operation, *by;
    double ms[CONTEST_SIZES_MAX]; /* 0: not measured */
    double bytes;                 /* an element, of all kernels; 0: not stated */
    char note[48];
};

/* A kernel's part of an operation at the largest size. */
struct contest_kernel {
    const char *operation;
    char name[48];
    uint64_t launches;
    double ms, bytes; /* an element and launch */
};

struct contest {
    struct prm_context *context;
    struct prm_arena *arena;
    bool profiling; /* the second pass: kernels of ours alone */
    bool least;     /* the least of the runs counts, not the median */
    unsigned runs;
    const size_t *sizes; /* [size_count] ascending */
    unsigned size_count, size;
    const double *copy_ms; /* [size_count] of a copy of as many u32; NULL: no yardstick */
    struct contest_row rows[CONTEST_ROWS_MAX];
    unsigned row_count;
    struct contest_kernel kernels[CONTEST_KERNELS_MAX];
    unsigned kernel_count;
};

/* Measures the contenders for an operation on sizes[size] elements, or in the second pass its
 * kernels. */
void contest_measure(struct contest *contest, const char *operation,
                     const struct contender *contenders, unsigned count, void *work);

/* A remark in a contender's line, once it was measured. */
void contest_note(struct contest *contest, const char *operation, const char *by,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The two tables; or one line a measurement, fields between commas. */
void contest_print(const struct contest *contest, const char *title);
void contest_print_csv(const struct contest *contest);

#endif
