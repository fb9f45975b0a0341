/* How a long array is shared out: contiguous chunks, one a work-group (kernels/chunk.h). Internal
 * to the primitives. Pure functions of the profile and the count; results never depend on them. */
#ifndef PRM_PRIMITIVES_CHUNKS_H
#define PRM_PRIMITIVES_CHUNKS_H

#include "device/buffer.h"

/* Elements of any array that a primitive takes: indices and tile ends stay within u32. */
#define PRM_COUNT_MAX ((size_t)0x7fff0000)

/* Elements below which a chunk is not worth a work-group: on a CPU about a microsecond's work, on a
 * GPU a few tiles. */
enum { PRM_CHUNK_LEAST_CPU = 4096, PRM_CHUNK_TILES_LEAST_GPU = 16 };

/* A work-item of a tile holds so many elements on a GPU: ITEMS of kernels/chunk.h. */
enum { PRM_CHUNK_ITEMS = 4 };

struct prm_chunks {
    uint32_t count;  /* groups */
    uint32_t length; /* elements of each but the last */
};

static inline size_t prm_ceil_div(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

/* Shares out `count` >= 1 elements in multiples of `multiple` (0 and 1: any). */
static inline struct prm_chunks prm_chunks_of(const struct prm_profile *profile, size_t count,
                                              size_t multiple)
{
    const size_t least = profile->workgroup == 1
                             ? PRM_CHUNK_LEAST_CPU
                             : (size_t)profile->workgroup * PRM_CHUNK_TILES_LEAST_GPU;
    const size_t unit = multiple > 1 ? multiple * prm_ceil_div(least, multiple) : least;
    size_t length = prm_ceil_div(count, profile->chunks);
    length = prm_ceil_div(length, unit) * unit;
    return (struct prm_chunks){(uint32_t)prm_ceil_div(count, length), (uint32_t)length};
}

/* Sums of chunks that are read back, at most. */
enum { PRM_TOTALS_MAX = 512 };

/* As prm_chunks_of, so few that a sum of each fits in one small read. */
static inline struct prm_chunks prm_chunks_of_totals(const struct prm_profile *profile,
                                                     size_t count)
{
    struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
    if (chunks.count > PRM_TOTALS_MAX) {
        chunks.length *= (uint32_t)prm_ceil_div(chunks.count, PRM_TOTALS_MAX);
        chunks.count = (uint32_t)prm_ceil_div(count, chunks.length);
    }
    return chunks;
}

/* *total = the sum of totals, u64[count], device. The one read-back. */
static inline enum prm_status prm_totals_read(struct prm_context *context, struct prm_buffer totals,
                                              uint32_t count, uint64_t *total)
{
    uint64_t each[PRM_TOTALS_MAX];
    const enum prm_status status =
        prm_buffer_read(context, totals, 0, each, count * sizeof(uint64_t));
    *total = 0;
    for (uint32_t g = 0; status == PRM_OK && g < count; g++)
        *total += each[g];
    return status;
}

/* Refuses an array that u32 indices cannot walk. */
static inline enum prm_status prm_count_check(size_t count)
{
    if (count > PRM_COUNT_MAX)
        return prm_fault_set(PRM_LIMIT_EXCEEDED, "an array of %zu elements is longer than %zu",
                             count, PRM_COUNT_MAX);
    return PRM_OK;
}

/* Bytes that an arena piece of `words` takes at most, its alignment included. */
static inline size_t prm_piece_bytes(size_t words)
{
    enum { ALIGNMENT_MAX = 4096 };
    return prm_ceil_div(prm_words(words) + 1, ALIGNMENT_MAX) * ALIGNMENT_MAX;
}

#endif
