/* Binning of scalars; the work is in kernels/bin_values.cl. */
#include "primitives/bin_values.h"

#include "device/assert.h"
#include "device/launch.h"
#include "device/try.h"
#include "primitives/bin.h"
#include "primitives/chunks.h"
#include "primitives/scan.h"

/* -D options: what is compared. */
static const char *value_options(enum prm_key_type type)
{
    PRM_ASSERT(type == PRM_KEY_U32 || type == PRM_KEY_I32 || type == PRM_KEY_F32);
    if (type == PRM_KEY_I32)
        return "-DVALUE_I32";
    return type == PRM_KEY_F32 ? "-DVALUE_F32" : "-DVALUE_U32";
}

enum prm_status prm_bin_places(struct prm_arena *arena, struct prm_buffer places,
                               struct prm_buffer values, size_t count, struct prm_buffer edges,
                               size_t edge_count, enum prm_key_type type)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    enum prm_status status = prm_count_check(count);
    if (status == PRM_OK)
        status = prm_count_check(edge_count);
    if (status != PRM_OK || count == 0)
        return status;
    PRM_ASSERT(places.bytes >= prm_words(count) && values.bytes >= prm_words(count));
    PRM_ASSERT(edges.bytes >= prm_words(edge_count));

    const struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
    return prm_launch(context, PRM_KERNEL_BIN_VALUES_PLACES, value_options(type),
                      (size_t)chunks.count * profile->workgroup, profile->workgroup,
                      ARGS(ARG_BUFFER(places), ARG_BUFFER(values), ARG_BUFFER(edges),
                           ARG_U32((uint32_t)edge_count), ARG_U32((uint32_t)count),
                           ARG_U32(chunks.length)));
}

enum prm_status prm_bin_edges(struct prm_arena *arena, struct prm_buffer offsets,
                              struct prm_buffer *members, struct prm_buffer values, size_t count,
                              struct prm_buffer edges, size_t edge_count, enum prm_key_type type)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;
    struct prm_buffer first, end;

    *members = PRM_NO_BUFFER;
    PRM_ASSERT(edge_count >= 1);
    TRY(prm_count_check(count));
    TRY(prm_arena_take(arena, &first, prm_words(count)));
    TRY(prm_arena_take(arena, &end, prm_words(count)));
    TRY(prm_bin_places(arena, first, values, count, edges, edge_count, type));
    if (count > 0) {
        const struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
        TRY(prm_launch(context, PRM_KERNEL_BIN_VALUES_BOUNDS, value_options(type),
                       (size_t)chunks.count * profile->workgroup, profile->workgroup,
                       ARGS(ARG_BUFFER(first), ARG_BUFFER(end), ARG_BUFFER(first),
                            ARG_U32((uint32_t)edge_count), ARG_U32((uint32_t)count),
                            ARG_U32(chunks.length))));
    }
    TRY(prm_bin_intervals(arena, offsets, members, (uint32_t)(edge_count - 1), first, end, count));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* The values in order, and the intervals' runs in them. */
struct runs {
    size_t count, bins;
    struct prm_buffer elements; /* u32[count]: which element the j-th in order is */
    struct prm_buffer first;    /* u32[bins]: where each run begins */
    struct prm_buffer begins;   /* u32[bins + 1]: the memberships before it */
    uint64_t total;
};

/* Sorts the values and finds the runs. runs->elements and first have their memory; begins is the
 * result's. */
static enum prm_status find_runs(struct prm_arena *arena, struct runs *runs,
                                 struct prm_buffer values, struct prm_buffer ranges,
                                 enum prm_key_type type)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const struct prm_sort_options options = {.type = type};
    enum prm_status status = PRM_OK;
    struct prm_buffer sorted, sums;

    TRY(prm_arena_take(arena, &sorted, prm_words(runs->count)));
    TRY(prm_buffer_copy(context, sorted, 0, values, 0, prm_words(runs->count)));
    TRY(prm_radix_sort(arena, sorted, PRM_NO_BUFFER, PRM_NO_BUFFER, runs->elements, runs->count,
                       &options));

    const struct prm_chunks chunks = prm_chunks_of_totals(profile, runs->bins);
    TRY(prm_arena_take(arena, &sums, chunks.count * sizeof(uint64_t)));
    TRY(prm_launch(context, PRM_KERNEL_BIN_VALUES_RUNS, value_options(type),
                   (size_t)chunks.count * profile->workgroup, profile->workgroup,
                   ARGS(ARG_BUFFER(runs->begins), ARG_BUFFER(runs->first), ARG_BUFFER(sums),
                        ARG_BUFFER(sorted), ARG_U32((uint32_t)runs->count), ARG_BUFFER(ranges),
                        ARG_U32((uint32_t)runs->bins), ARG_U32(chunks.length))));
    TRY(prm_scan_exclusive(arena, runs->begins, runs->begins, runs->bins, PRM_SCAN_AUTO));

    TRY(prm_totals_read(context, sums, chunks.count, &runs->total));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* Lays out the memberships and brings each interval's into input order. total >= 1. */
static enum prm_status sort_memberships(struct prm_arena *arena, const struct runs *runs,
                                        struct prm_buffer members, enum prm_key_type type)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const size_t total = (size_t)runs->total;
    const struct prm_chunks chunks = prm_chunks_of(profile, total, 0);
    enum prm_status status = PRM_OK;

    struct prm_buffer bins;
    TRY(prm_arena_take(arena, &bins, prm_words(total)));
    TRY(prm_launch(context, PRM_KERNEL_BIN_VALUES_EXPAND, value_options(type),
                   (size_t)chunks.count * profile->workgroup, profile->workgroup,
                   ARGS(ARG_BUFFER(bins), ARG_BUFFER(members), ARG_BUFFER(runs->begins),
                        ARG_BUFFER(runs->first), ARG_BUFFER(runs->elements),
                        ARG_U32((uint32_t)runs->bins), ARG_U32((uint32_t)total),
                        ARG_U32(chunks.length))));

    // by element, then stably by bin
    TRY(prm_radix_sort(arena, members, bins, PRM_NO_BUFFER, PRM_NO_BUFFER, total, NULL));
    TRY(prm_radix_sort(arena, bins, members, PRM_NO_BUFFER, PRM_NO_BUFFER, total, NULL));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_bin_ranges(struct prm_arena *arena, struct prm_buffer offsets,
                               struct prm_buffer *members, size_t members_max,
                               struct prm_buffer values, size_t count, struct prm_buffer ranges,
                               size_t bins, enum prm_key_type type)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const size_t most = members_max < PRM_COUNT_MAX ? members_max : PRM_COUNT_MAX;
    struct runs runs = {.count = count, .bins = bins, .begins = offsets};
    enum prm_status status = PRM_OK;

    *members = PRM_NO_BUFFER;
    TRY(prm_count_check(count));
    TRY(prm_count_check(bins));
    PRM_ASSERT(offsets.bytes >= prm_words(bins + 1) && ranges.bytes >= prm_words(2 * bins));
    PRM_ASSERT(values.bytes >= prm_words(count));
    if (count > 0 && bins > 0) {
        TRY(prm_arena_take(arena, &runs.elements, prm_words(count)));
        TRY(prm_arena_take(arena, &runs.first, prm_words(bins)));
        TRY(find_runs(arena, &runs, values, ranges, type));
    } else {
        TRY(prm_buffer_fill_u32(context, offsets, 0, 0, bins + 1));
    }
    if (runs.total > most) {
        status = prm_fault_set(PRM_LIMIT_EXCEEDED,
                               "%zu elements fall into %llu intervals in all, more than %zu", count,
                               (unsigned long long)runs.total, most);
        goto cleanup;
    }

    TRY(prm_buffer_create(context, members, prm_words((size_t)runs.total)));
    if (runs.total > 0)
        TRY(sort_memberships(arena, &runs, *members, type));
cleanup:
    if (status != PRM_OK)
        prm_buffer_destroy(context, members);
    prm_arena_rewind(arena, mark);
    return status;
}
