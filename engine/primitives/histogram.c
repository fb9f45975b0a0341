/* Histograms: which regime; the work is in kernels/histogram.cl. */
#include "primitives/histogram.h"

#include "device/assert.h"
#include "device/launch.h"
#include "device/try.h"
#include "primitives/chunks.h"

#include <math.h>
#include <stdio.h>

/* Private histograms of a group, at most: on a CPU enough to hide a store's latency, on a GPU
 * enough that equal values do not queue up; where the copies do not fit there is one. */
enum { COPIES_CPU = 4, COPIES_GPU = 8, OPTIONS_MAX = 48 };

/* Launches over parts of the bins that are faster than an atomic for each value, at most. */
enum { PASSES_MAX = 4 };

/* Equal bins over [least, most], and two more slots; unused for u32 values. */
struct range {
    float least, most, scale;
};

/* counts: u32[slots], of which the first `bins` share the range. */
static enum prm_status histogram(struct prm_arena *arena, const char *type,
                                 struct prm_buffer counts, struct prm_buffer values, size_t count,
                                 struct range range, uint32_t bins, uint32_t slots)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const size_t workgroup = profile->workgroup;
    enum prm_status status = PRM_OK;
    char options[OPTIONS_MAX];

    TRY(prm_count_check(count));
    PRM_ASSERT(counts.bytes >= prm_words(slots) && values.bytes >= prm_words(count));
    TRY(prm_buffer_fill_u32(context, counts, 0, 0, slots));
    if (count == 0 || slots == 0)
        goto cleanup;

    // copies of the counts, half of local memory at most; a chunk must be worth clearing and
    // merging them
    const size_t local_words = profile->local_bytes / sizeof(uint32_t) / 2;
    const struct prm_chunks chunks = prm_chunks_of(profile, count, slots);
    const size_t items = (size_t)chunks.count * workgroup;
    uint32_t copies = workgroup == 1 ? COPIES_CPU : COPIES_GPU;
    if ((size_t)copies * slots > local_words)
        copies = 1;
    snprintf(options, sizeof(options), "-D%s -DCOPIES=%u", type, copies);
    if (slots > PASSES_MAX * local_words) {
        TRY(prm_launch(context, PRM_KERNEL_HISTOGRAM_GLOBAL, options, items, workgroup,
                       ARGS(ARG_BUFFER(counts), ARG_BUFFER(values), ARG_F32(range.least),
                            ARG_F32(range.most), ARG_F32(range.scale), ARG_U32(bins),
                            ARG_U32(slots), ARG_U32((uint32_t)count), ARG_U32(chunks.length))));
        goto cleanup;
    }
    const uint32_t passes = (uint32_t)prm_ceil_div(slots, local_words);
    const uint32_t part = (uint32_t)prm_ceil_div(slots, passes);
    for (uint32_t first = 0; first < slots; first += part) {
        const uint32_t there = slots - first < part ? slots - first : part;
        TRY(prm_launch(context, PRM_KERNEL_HISTOGRAM_LOCAL, options, items, workgroup,
                       ARGS(ARG_BUFFER(counts), ARG_BUFFER(values),
                            ARG_LOCAL(prm_words((size_t)copies * there + 1)), ARG_F32(range.least),
                            ARG_F32(range.most), ARG_F32(range.scale), ARG_U32(bins),
                            ARG_U32(first), ARG_U32(there), ARG_U32((uint32_t)count),
                            ARG_U32(chunks.length))));
    }
cleanup:
    return status;
}

enum prm_status prm_histogram_u32(struct prm_arena *arena, struct prm_buffer counts,
                                  struct prm_buffer values, size_t count, uint32_t bins)
{
    const struct range none = {0};
    return histogram(arena, "VALUE_U32", counts, values, count, none, bins, bins);
}

enum prm_status prm_histogram_f32(struct prm_arena *arena, struct prm_buffer counts,
                                  struct prm_buffer values, size_t count, float min, float max,
                                  uint32_t bins)
{
    PRM_ASSERT(bins > 0 && bins < PRM_COUNT_MAX);
    if (!(min <= max) || !isfinite(max - min))
        return prm_fault_set(PRM_INVALID_ARGUMENT, "a histogram's range is from %g to %g",
                             (double)min, (double)max);
    const struct range range = {min, max, max > min ? (float)bins / (max - min) : 0.0f};
    return histogram(arena, "VALUE_F32", counts, values, count, range, bins, bins + 2);
}
