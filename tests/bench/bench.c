#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double bench_now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

void bench_must(enum prm_status status, const char *what)
{
    if (status == PRM_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, prm_status_text(status), prm_fault_last()->detail);
    exit(EXIT_FAILURE);
}

void bench_finish(struct prm_context *context, enum prm_status status, const char *what)
{
    bench_must(status, what);
    bench_must(prm_context_finish(context), what);
}

void *bench_memory(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, unsigned count)
{
    qsort(values, count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

uint64_t bench_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t bench_scrambled(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

struct prm_buffer bench_buffer(struct prm_context *context, const void *values, size_t count)
{
    struct prm_buffer buffer = PRM_NO_BUFFER;
    const size_t bytes = count * sizeof(uint32_t);
    bench_must(prm_buffer_create(context, &buffer, bytes), "buffer");
    if (values)
        bench_must(prm_buffer_write(context, buffer, 0, values, bytes), "buffer");
    return buffer;
}
