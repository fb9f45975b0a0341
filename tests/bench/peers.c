#include "peers.h"
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { BUILDS_MAX = 64 };

/* The number behind `key` in a line; false: there is none. */
static bool number_behind(const char *line, const char *key, double *number)
{
    const char *at = strstr(line, key);
    return at && sscanf(at + strlen(key), "%lf", number) == 1;
}

/* A line of answers: problem, name, figures. */
static void rate_add(struct peers *peers, const char *line)
{
    const char *name = strchr(line, ',');
    struct peer_rate rate = {{0}, 0, 0};
    if (!name || peers->rate_count == PEERS_MAX ||
        !number_behind(line, "qps=", &rate.queries_per_s) ||
        !number_behind(line, "mean_len=", &rate.mean_length))
        return;
    // what stands in parentheses is detail
    size_t length = strcspn(++name, "(,");
    while (length > 0 && name[length - 1] == ' ')
        length--;
    snprintf(rate.name, sizeof rate.name, "%.*s", (int)length, name);
    peers->rates[peers->rate_count++] = rate;
}

bool peers_run(struct peers *peers, const char *folder, const char *problem, unsigned milestones,
               unsigned builds)
{
    char command[1024], line[512];
    double seconds[BUILDS_MAX];
    unsigned count = 0;
    *peers = (struct peers){0};
    snprintf(command, sizeof command, "cd '%s' && ./prm_bench %s %u %u dc 0", folder, problem,
             milestones, builds);
    FILE *output = popen(command, "r");
    if (!output)
        return false;
    while (fgets(line, sizeof line, output)) {
        if (count < BUILDS_MAX && number_behind(line, "seconds=", &seconds[count]))
            count++;
        else
            rate_add(peers, line);
    }
    if (pclose(output) != 0 || count == 0)
        return false;
    peers->build_ms = 1000 * bench_median(seconds, count);
    return true;
}
