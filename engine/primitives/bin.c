/* Binning: count, scan, expand, sort by bin, find the offsets; the work is in kernels/bin.cl. */
#include "primitives/bin.h"

#include "device/assert.h"
#include "device/launch.h"
#include "device/try.h"
#include "kernels/types.h"
#include "primitives/chunks.h"
#include "primitives/radix_sort.h"
#include "primitives/scan.h"

/* What is binned: -D options, the bounds of each element, the grid of bins (intervals: a row of
 * them). */
struct binning {
    const char *options;
    struct prm_buffer first, end;
    struct tile_grid grid;
    uint32_t bins;
    size_t count;
};

/* Counts the bins of each element and reads back how many memberships there are in all, which sizes
 * the rest. begins: u32[count + 1], the scan of the counts. */
static enum prm_status count_memberships(struct prm_arena *arena, const struct binning *binning,
                                         struct prm_buffer begins, uint64_t *total)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;

    const struct prm_chunks chunks = prm_chunks_of_totals(profile, binning->count);
    struct prm_buffer sums;
    TRY(prm_arena_take(arena, &sums, chunks.count * sizeof(uint64_t)));
    TRY(prm_launch(context, PRM_KERNEL_BIN_COUNT, binning->options,
                   (size_t)chunks.count * profile->workgroup, profile->workgroup,
                   ARGS(ARG_BUFFER(begins), ARG_BUFFER(sums), ARG_BUFFER(binning->first),
                        ARG_BUFFER(binning->end), ARG_STRUCT(&binning->grid),
                        ARG_U32((uint32_t)binning->count), ARG_U32(chunks.length))));
    TRY(prm_scan_exclusive(arena, begins, begins, binning->count, PRM_SCAN_AUTO));

    TRY(prm_totals_read(context, sums, chunks.count, total));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* Lays out the memberships and sorts them by bin: members and offsets are the result. total >= 1.
 */
static enum prm_status sort_memberships(struct prm_arena *arena, const struct binning *binning,
                                        struct prm_buffer begins, struct prm_buffer offsets,
                                        struct prm_buffer members, size_t total)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const size_t workgroup = profile->workgroup;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;

    struct prm_buffer keys;
    struct prm_chunks chunks = prm_chunks_of(profile, total, 0);
    TRY(prm_arena_take(arena, &keys, prm_words(total)));
    TRY(prm_launch(
        context, PRM_KERNEL_BIN_EXPAND, binning->options, chunks.count * workgroup, workgroup,
        ARGS(ARG_BUFFER(keys), ARG_BUFFER(members), ARG_BUFFER(begins), ARG_BUFFER(binning->first),
             ARG_BUFFER(binning->end), ARG_STRUCT(&binning->grid),
             ARG_U32((uint32_t)binning->count), ARG_U32((uint32_t)total), ARG_U32(chunks.length))));
    if (binning->bins > 1) {
        const struct prm_sort_options options = {
            .key_bits = (uint32_t)(32 - __builtin_clz(binning->bins - 1))};
        TRY(prm_radix_sort(arena, keys, members, PRM_NO_BUFFER, PRM_NO_BUFFER, total, &options));
    }

    // on groups of one a chunk is of keys, else of bins
    if (workgroup > 1)
        chunks = prm_chunks_of(profile, (size_t)binning->bins + 1, 0);
    TRY(prm_launch(context, PRM_KERNEL_BIN_OFFSETS, binning->options, chunks.count * workgroup,
                   workgroup,
                   ARGS(ARG_BUFFER(offsets), ARG_BUFFER(keys), ARG_U32((uint32_t)total),
                        ARG_U32(binning->bins), ARG_U32(chunks.length))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

static enum prm_status bin(struct prm_arena *arena, const struct binning *binning,
                           struct prm_buffer offsets, struct prm_buffer *members)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;

    *members = PRM_NO_BUFFER;
    TRY(prm_count_check(binning->count));
    PRM_ASSERT(offsets.bytes >= prm_words((size_t)binning->bins + 1));
    uint64_t total = 0;
    struct prm_buffer begins;
    if (binning->count > 0) {
        TRY(prm_arena_take(arena, &begins, prm_words(binning->count + 1)));
        TRY(count_memberships(arena, binning, begins, &total));
    }
    if (total > PRM_COUNT_MAX) {
        status = prm_fault_set(PRM_LIMIT_EXCEEDED,
                               "%zu elements fall into %llu bins in all, more than %zu",
                               binning->count, (unsigned long long)total, PRM_COUNT_MAX);
        goto cleanup;
    }

    TRY(prm_buffer_create(context, members, prm_words((size_t)total)));
    if (total > 0)
        TRY(sort_memberships(arena, binning, begins, offsets, *members, (size_t)total));
    else
        TRY(prm_buffer_fill_u32(context, offsets, 0, 0, (size_t)binning->bins + 1));
cleanup:
    if (status != PRM_OK)
        prm_buffer_destroy(context, members);
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_bin_boxes(struct prm_arena *arena, struct prm_buffer offsets,
                              struct prm_buffer *members, const struct prm_tile_grid *grid,
                              struct prm_buffer lower, struct prm_buffer upper, size_t count)
{
    const uint64_t layer = (uint64_t)grid->size[0] * grid->size[1];
    PRM_ASSERT(layer > 0 && grid->size[2] > 0);
    if (layer > PRM_COUNT_MAX || layer * grid->size[2] > PRM_COUNT_MAX)
        return prm_fault_set(PRM_LIMIT_EXCEEDED, "a grid of %u x %u x %u tiles has more than %zu",
                             grid->size[0], grid->size[1], grid->size[2], PRM_COUNT_MAX);
    PRM_ASSERT(lower.bytes >= count * 4 * sizeof(float) &&
               upper.bytes >= count * 4 * sizeof(float));

    const struct binning binning = {
        .options = "-DBIN_BOXES",
        .first = lower,
        .end = upper,
        .grid = {.origin = {grid->origin[0], grid->origin[1], grid->origin[2]},
                 .inverse_edge = grid->inverse_edge,
                 .size = {grid->size[0], grid->size[1], grid->size[2]}},
        .bins = (uint32_t)(layer * grid->size[2]),
        .count = count,
    };
    return bin(arena, &binning, offsets, members);
}

enum prm_status prm_bin_intervals(struct prm_arena *arena, struct prm_buffer offsets,
                                  struct prm_buffer *members, uint32_t bins,
                                  struct prm_buffer first, struct prm_buffer end, size_t count)
{
    PRM_ASSERT(bins <= PRM_COUNT_MAX);
    PRM_ASSERT(first.bytes >= prm_words(count) && end.bytes >= prm_words(count));

    const struct binning binning = {
        .options = "-DBIN_INTERVALS",
        .first = first,
        .end = end,
        .grid = {.size = {bins, 1, 1}},
        .bins = bins,
        .count = count,
    };
    return bin(arena, &binning, offsets, members);
}
