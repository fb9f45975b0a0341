/* The device programs' source text, embedded at build time: one per file named in kernels.def, with
 * its own headers flattened in and #line markers that keep file names and lines true in build logs.
 */
#ifndef KERNELS_EMBEDDED_H
#define KERNELS_EMBEDDED_H

#include <stddef.h>

struct prm_kernel_source {
    const char *text; /* zero-terminated */
    size_t bytes;     /* without the zero */
};

/* The source of kernels/<stem>.cl; `text` is NULL where kernels.def names no such file. */
struct prm_kernel_source prm_kernel_source_find(const char *stem);

#endif
