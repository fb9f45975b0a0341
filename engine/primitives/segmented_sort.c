/* Sorts of segments: in one launch, or as one array. */
#include "primitives/segmented_sort.h"

#include "device/assert.h"
#include "device/launch.h"
#include "device/try.h"
#include "primitives/permutation.h"
#include "primitives/radix_passes.h"

enum { WORD_BITS = 32 };

/* Whether the segments are sorted in one launch: a group holds one, and there are enough of them
 * for all compute units, or as many as there would be chunks. */
static bool is_one_launch(const struct prm_profile *profile, size_t count, size_t segment)
{
    const size_t segments = count / segment;
    if (segment > prm_radix_segment_max(profile))
        return false;
    return prm_radix_is_ranked(profile, segment) || segments >= profile->compute_units ||
           segments >= prm_chunks_of(profile, count, 0).count;
}

/* order[i] = the segment of element order[i] before the sort by it; order is of all keys: sorts it,
 * stably, by segment. numbers: spare u32[count]. */
static enum prm_status sort_by_segment(const struct radix *radix, struct prm_buffer order,
                                       struct prm_buffer numbers, size_t segment)
{
    const size_t segments = radix->count / segment;
    const struct prm_chunks chunks = prm_chunks_of(radix->profile, radix->count, 0);
    const size_t group = radix->profile->workgroup;
    enum prm_status status = PRM_OK;

    if (segments == 1)
        return PRM_OK;
    TRY(prm_launch(radix->context, PRM_KERNEL_PERMUTATION_SEGMENTS, NULL, chunks.count * group,
                   group,
                   ARGS(ARG_BUFFER(numbers), ARG_BUFFER(order), ARG_U32((uint32_t)radix->count),
                        ARG_U32((uint32_t)segment), ARG_U32(chunks.length))));
    const struct prm_sort_options by_number = {
        .key_bits = (uint32_t)(WORD_BITS - __builtin_clz((uint32_t)segments - 1))};
    struct radix by_segment =
        prm_radix_of(radix->arena, numbers, order, RADIX_VALUES, radix->count, &by_number);
    TRY(prm_radix_sort_whole(&by_segment));
cleanup:
    return status;
}

/* By key, then, stably, by segment: keys in place, and their order. order: u32[count]. */
static enum prm_status sort_as_one(struct radix *radix, struct prm_buffer order, size_t segment)
{
    const uint32_t words = prm_radix_key_words(radix->type);
    const size_t bytes = prm_words(radix->count * words);
    const struct prm_arena_mark mark = prm_arena_mark(radix->arena);
    enum prm_status status = PRM_OK;

    // the order by key, of a copy: the keys themselves are gathered at the end
    struct prm_buffer copy;
    TRY(prm_arena_take(radix->arena, &copy, bytes));
    TRY(prm_buffer_copy(radix->context, copy, 0, radix->keys, 0, bytes));
    struct radix by_key = *radix;
    by_key.keys = copy;
    by_key.payload = order;
    by_key.moves = RADIX_INDEX;
    TRY(prm_radix_sort_whole(&by_key));
    TRY(sort_by_segment(radix, order, copy, segment));
    TRY(prm_reorder_rows(radix->arena, radix->keys, order, radix->count, words));
cleanup:
    prm_arena_rewind(radix->arena, mark);
    return status;
}

enum prm_status prm_radix_sort_segments(struct prm_arena *arena, struct prm_buffer keys,
                                        struct prm_buffer values, struct prm_buffer permutation,
                                        struct prm_buffer inverse, size_t count, size_t segment,
                                        const struct prm_sort_options *options)
{
    const bool indexed = permutation.memory != NULL || inverse.memory != NULL;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;

    TRY(prm_count_check(count));
    if (count == 0)
        goto cleanup;
    PRM_ASSERT(segment > 0 && count % segment == 0);

    // values move with the keys where no order is asked for or needed
    const struct prm_profile *profile = prm_context_profile(prm_arena_context(arena));
    const bool one_launch = is_one_launch(profile, count, segment);
    if (one_launch && !indexed) {
        struct radix radix = prm_radix_of(
            arena, keys, values, values.memory != NULL ? RADIX_VALUES : RADIX_NONE, count, options);
        TRY(prm_radix_sort_short(&radix, segment));
        goto cleanup;
    }
    struct prm_buffer order = inverse;
    if (order.memory == NULL)
        TRY(prm_arena_take(arena, &order, prm_words(count)));
    struct radix radix = prm_radix_of(arena, keys, order, RADIX_INDEX, count, options);
    TRY(one_launch ? prm_radix_sort_short(&radix, segment) : sort_as_one(&radix, order, segment));
    TRY(prm_radix_finish(&radix, permutation, values, order));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}
