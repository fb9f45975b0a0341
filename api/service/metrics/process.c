#include "service/metrics/process.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Fields of /proc/self/stat behind the name: state is 3; see proc(5). */
enum { FIELD_STATE = 3, FIELD_START = 22 };

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static void look_at_memory(struct process_figures *figures)
{
    const double page = (double)sysconf(_SC_PAGESIZE);
    unsigned long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return;
    if (fscanf(file, "%lu %lu", &total, &resident) == 2) {
        figures->virtual_bytes = page * (double)total;
        figures->resident_bytes = page * (double)resident;
    }
    fclose(file);
}

static void look_at_files(struct process_figures *figures)
{
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return;
    while (readdir(folder))
        figures->open_files++;
    closedir(folder);
    // without ".", ".." and the folder itself
    figures->open_files -= 3;
}

/* Ticks since the boot when the process started; 0: not known. */
static unsigned long long start_ticks(void)
{
    char line[1024] = "";
    unsigned long long ticks = 0;
    FILE *file = fopen("/proc/self/stat", "r");
    if (!file)
        return 0;
    const size_t bytes = fread(line, 1, sizeof(line) - 1, file);
    fclose(file);
    line[bytes] = '\0';

    // the name in brackets may hold anything
    const char *at = strrchr(line, ')');
    for (int field = FIELD_STATE - 1; at && field < FIELD_START; field++)
        at = strchr(at + 1, ' ');
    if (!at || sscanf(at, "%llu", &ticks) != 1)
        return 0;
    return ticks;
}

static double boot_time(void)
{
    char line[256];
    unsigned long long seconds = 0;
    FILE *file = fopen("/proc/stat", "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof(line), file))
        if (sscanf(line, "btime %llu", &seconds) == 1)
            break;
    fclose(file);
    return (double)seconds;
}

struct process_figures process_look(void)
{
    struct process_figures figures = {0};
    struct rusage usage;
    struct rlimit files;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        figures.cpu_s = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    if (getrlimit(RLIMIT_NOFILE, &files) == 0)
        figures.files_max = (double)files.rlim_cur;
    look_at_memory(&figures);
    look_at_files(&figures);
    figures.started = boot_time() + (double)start_ticks() / (double)sysconf(_SC_CLK_TCK);
    return figures;
}
