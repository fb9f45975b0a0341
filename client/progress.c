#include "client/progress.h"

#include <string.h>
#include <unistd.h>

enum { BAR_CELLS = 32 };

void progress_begin(struct progress *progress, FILE *out)
{
    *progress = (struct progress){.out = out, .terminal = isatty(fileno(out)) == 1};
}

static void bar_draw(struct progress *progress, const char *stage, double fraction, double eta_ms)
{
    char bar[BAR_CELLS + 1];
    int filled = (int)(fraction * BAR_CELLS);
    memset(bar, '.', BAR_CELLS);
    memset(bar, '#', (size_t)filled);
    bar[BAR_CELLS] = '\0';
    fprintf(progress->out, "\r\033[K[%s] %3d%%  %s", bar, (int)(100 * fraction), stage);
    if (eta_ms >= 0)
        fprintf(progress->out, ", %.1f s left", eta_ms / 1000);
    fflush(progress->out);
}

void progress_update(struct progress *progress, const char *stage, double fraction, double eta_ms)
{
    fraction = !(fraction > 0) ? 0 : fraction > 1 ? 1 : fraction;
    if (progress->terminal)
        bar_draw(progress, stage, fraction, eta_ms);
    else if (strcmp(progress->stage, stage) != 0)
        fprintf(progress->out, "%3d%%  %s\n", (int)(100 * fraction), stage);
    snprintf(progress->stage, sizeof progress->stage, "%s", stage);
}

void progress_end(struct progress *progress)
{
    if (progress->terminal && *progress->stage)
        fprintf(progress->out, "\r\033[K");
    fflush(progress->out);
}
