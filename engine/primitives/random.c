/* Random numbers: shares out streams and rows; the work is in kernels/random.cl. */
#include "primitives/random.h"

#include "device/assert.h"
#include "device/launch.h"
#include "kernels/random.h"
#include "primitives/chunks.h"

_Static_assert(PRM_MT_BLOCK % RANDOM_MT_WORDS == 0, "a stream is whole states");

/* out: 32-bit[count], from element `first` of the sequence. */
static enum prm_status fill(struct prm_arena *arena, const char *options, struct prm_buffer out,
                            size_t count, uint64_t seed, uint64_t first)
{
    struct prm_context *context = prm_arena_context(arena);
    const size_t workgroup = prm_context_profile(context)->workgroup;
    const size_t streams = prm_ceil_div(count, PRM_MT_BLOCK);
    const uint64_t stream = first / PRM_MT_BLOCK;
    const enum prm_status status = prm_count_check(count);
    if (status != PRM_OK)
        return status;
    PRM_ASSERT(first % PRM_MT_BLOCK == 0 && out.bytes >= prm_words(count));
    if (stream + streams > UINT32_MAX)
        return prm_fault_set(PRM_LIMIT_EXCEEDED, "a random sequence has no element %llu",
                             (unsigned long long)(first + count));
    return prm_launch(context, PRM_KERNEL_RANDOM_STREAM, options, streams, workgroup,
                      ARGS(ARG_BUFFER(out), ARG_U32((uint32_t)seed),
                           ARG_U32((uint32_t)(seed >> 32)), ARG_U32((uint32_t)stream),
                           ARG_U32((uint32_t)count)));
}

/* As fill, by counters. */
static enum prm_status fill_philox(struct prm_arena *arena, const char *options,
                                   struct prm_buffer out, size_t count, uint64_t seed,
                                   uint64_t first)
{
    enum { NUMBERS_A_BLOCK = 4 };
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const enum prm_status status = prm_count_check(count);
    if (status != PRM_OK || count == 0)
        return status;
    PRM_ASSERT(out.bytes >= prm_words(count));

    const uint32_t skipped = (uint32_t)(first % NUMBERS_A_BLOCK);
    const size_t blocks = prm_ceil_div(skipped + count, NUMBERS_A_BLOCK);
    const struct prm_chunks chunks = prm_chunks_of(profile, blocks, 0);
    return prm_launch(context, PRM_KERNEL_RANDOM_COUNTERS, options,
                      (size_t)chunks.count * profile->workgroup, profile->workgroup,
                      ARGS(ARG_BUFFER(out), ARG_U64(seed), ARG_U64(first / NUMBERS_A_BLOCK),
                           ARG_U32(skipped), ARG_U32((uint32_t)count), ARG_U32((uint32_t)blocks),
                           ARG_U32(chunks.length)));
}

enum prm_status prm_random_uniform(struct prm_arena *arena, struct prm_buffer out, size_t count,
                                   uint64_t seed, uint64_t first)
{
    return fill(arena, NULL, out, count, seed, first);
}

enum prm_status prm_random_words(struct prm_arena *arena, struct prm_buffer out, size_t count,
                                 uint64_t seed, uint64_t first)
{
    return fill(arena, "-DWORDS", out, count, seed, first);
}

enum prm_status prm_random_philox(struct prm_arena *arena, struct prm_buffer out, size_t count,
                                  uint64_t seed, uint64_t first)
{
    return fill_philox(arena, NULL, out, count, seed, first);
}

enum prm_status prm_random_normal(struct prm_arena *arena, struct prm_buffer out, size_t count,
                                  uint64_t seed, uint64_t first, enum prm_generator generator)
{
    if (generator == PRM_PHILOX)
        return fill_philox(arena, "-DNORMAL", out, count, seed, first);
    return fill(arena, "-DNORMAL", out, count, seed, first);
}

/* Whether count rows of `dimension` numbers can be. */
static enum prm_status check_rows(struct prm_buffer out, size_t count, uint32_t dimension)
{
    PRM_ASSERT(dimension >= 1);
    const enum prm_status status =
        prm_count_check(count > PRM_COUNT_MAX ? count : count * dimension);
    PRM_ASSERT(status != PRM_OK || out.bytes >= prm_words(count * dimension));
    return status;
}

enum prm_status prm_random_halton(struct prm_arena *arena, struct prm_buffer out, size_t count,
                                  uint32_t dimension, uint64_t seed, uint64_t first)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const enum prm_status status = check_rows(out, count, dimension);
    PRM_ASSERT(dimension <= RANDOM_DIMENSIONS_MAX);
    if (status != PRM_OK || count == 0)
        return status;

    const struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
    return prm_launch(context, PRM_KERNEL_RANDOM_HALTON_ROWS, NULL,
                      (size_t)chunks.count * profile->workgroup, profile->workgroup,
                      ARGS(ARG_BUFFER(out), ARG_U32(dimension), ARG_U64(seed), ARG_U64(first),
                           ARG_U32((uint32_t)count), ARG_U32(chunks.length)));
}

/* The steps of R_d and where they begin: additions, products and quotients alone, so the same
 * everywhere. */
static void choose_steps(struct random_steps *steps, uint32_t dimension, uint64_t seed)
{
    const double unit = 18446744073709551616.0; // 2^64

    // g = (1 + g)^(1 / (d + 1)) by Newton's iteration of g^(d + 1) - g - 1, from above
    enum { ITERATIONS = 64 };
    double g = 2.0;
    for (int i = 0; i < ITERATIONS; i++) {
        double power = 1.0; // g^d
        for (uint32_t d = 0; d < dimension; d++)
            power *= g;
        g -= (power * g - g - 1.0) / ((dimension + 1) * power - 1.0);
    }

    *steps = (struct random_steps){0};
    double step = 1.0;
    for (uint32_t axis = 0; axis < dimension; axis++) {
        uint32_t words[4];
        step /= g;
        steps->step[axis] = (uint64_t)(step * unit);
        steps->start[axis] = (uint64_t)1 << 63;
        random_philox(words, axis, 0, 0, 0, (uint32_t)seed, (uint32_t)(seed >> 32));
        if (seed != 0)
            steps->start[axis] = (uint64_t)words[0] << 32 | words[1];
    }
}

enum prm_status prm_random_rd(struct prm_arena *arena, struct prm_buffer out, size_t count,
                              uint32_t dimension, uint64_t seed, uint64_t first)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const enum prm_status status = check_rows(out, count, dimension);
    struct random_steps steps;
    PRM_ASSERT(dimension <= RANDOM_DIMENSIONS_MAX);
    if (status != PRM_OK || count == 0)
        return status;

    choose_steps(&steps, dimension, seed);
    const struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
    return prm_launch(context, PRM_KERNEL_RANDOM_STEPS_ROWS, NULL,
                      (size_t)chunks.count * profile->workgroup, profile->workgroup,
                      ARGS(ARG_BUFFER(out), ARG_U32(dimension), ARG_STRUCT(&steps), ARG_U64(first),
                           ARG_U32((uint32_t)count), ARG_U32(chunks.length)));
}

enum prm_status prm_random_between(struct prm_arena *arena, struct prm_buffer numbers, size_t count,
                                   uint32_t dimension, struct prm_buffer lower,
                                   struct prm_buffer upper)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const enum prm_status status = check_rows(numbers, count, dimension);
    if (status != PRM_OK || count == 0)
        return status;
    PRM_ASSERT(lower.bytes >= prm_words(dimension) && upper.bytes >= prm_words(dimension));

    const struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
    return prm_launch(context, PRM_KERNEL_RANDOM_BETWEEN, NULL,
                      (size_t)chunks.count * profile->workgroup, profile->workgroup,
                      ARGS(ARG_BUFFER(numbers), ARG_BUFFER(lower), ARG_BUFFER(upper),
                           ARG_U32(dimension), ARG_U32((uint32_t)count), ARG_U32(chunks.length)));
}
