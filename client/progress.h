/* Progress of a job: a bar that redraws itself on a terminal, a line for each stage elsewhere. */
#ifndef CLIENT_PROGRESS_H
#define CLIENT_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

struct progress {
    FILE *out;
    bool terminal;
    char stage[64]; /* shown last */
};

/* `out` is looked at once: a terminal gets the bar. */
void progress_begin(struct progress *progress, FILE *out);

/* The stage that runs and the share that is done, 0 … 1; eta_ms negative: not known. */
void progress_update(struct progress *progress, const char *stage, double fraction, double eta_ms);

/* Removes the bar; lines stay. */
void progress_end(struct progress *progress);

#endif
