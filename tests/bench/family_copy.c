#include "bench.h"
#include "families.h"
#include "plain.h"

#include <stdlib.h>

struct copies {
    struct contest *contest;
    size_t bytes;
    uint32_t *in, *out;
    struct prm_buffer d_in, d_out;
};

static void copy_device(void *work)
{
    struct copies *c = work;
    bench_finish(c->contest->context,
                 prm_buffer_copy(c->contest->context, c->d_out, 0, c->d_in, 0, c->bytes), "copy");
}

static void copy_one(void *work)
{
    struct copies *c = work;
    plain_copy(c->out, c->in, c->bytes, 1);
}

static void copy_two(void *work)
{
    struct copies *c = work;
    plain_copy(c->out, c->in, c->bytes, 2);
}

void family_copy(struct contest *contest)
{
    const size_t n = contest->sizes[contest->size];
    struct copies c = {.contest = contest, .bytes = n * sizeof(uint32_t)};
    const struct contender contenders[] = {{"device", NULL, copy_device, NULL, 0},
                                           {"memcpy", NULL, copy_one, NULL, 0},
                                           {"memcpy, 2 threads", NULL, copy_two, NULL, 0}};
    c.in = bench_memory(c.bytes);
    c.out = bench_memory(c.bytes);
    for (size_t i = 0; i < n; i++)
        c.in[i] = (uint32_t)i;
    c.d_in = bench_buffer(contest->context, c.in, n);
    c.d_out = bench_buffer(contest->context, NULL, n);
    contest_measure(contest, BENCH_COPY, contenders, COUNT_OF(contenders), &c);
    prm_buffer_destroy(contest->context, &c.d_in);
    prm_buffer_destroy(contest->context, &c.d_out);
    free(c.in);
    free(c.out);
}
