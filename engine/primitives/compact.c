/* Stream compaction: one pair of kernels (kernels/compact.cl) behind every form. */
#include "primitives/compact.h"

#include "device/assert.h"
#include "device/launch.h"
#include "device/try.h"
#include "primitives/chunks.h"
#include "primitives/scan.h"

/* Counts, then writes, as `options` say; source, values: u32[count], device, count >= 1. */
static enum prm_status compact(struct prm_arena *arena, const char *options,
                               struct prm_buffer indices, struct prm_buffer out,
                               struct prm_buffer survivors, struct prm_buffer source,
                               struct prm_buffer values, size_t count)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;

    TRY(prm_count_check(count));
    PRM_ASSERT(survivors.bytes >= prm_words(1) && source.bytes >= prm_words(count));
    if (count == 0) {
        TRY(prm_buffer_fill_u32(context, survivors, 0, 0, 1));
        goto cleanup;
    }

    const struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
    const size_t items = (size_t)chunks.count * profile->workgroup;
    struct prm_buffer sums;
    TRY(prm_arena_take(arena, &sums, prm_words(chunks.count)));
    TRY(prm_launch(context, PRM_KERNEL_COMPACT_COUNT, options, items, profile->workgroup,
                   ARGS(ARG_BUFFER(sums), ARG_BUFFER(source), ARG_U32((uint32_t)count),
                        ARG_U32(chunks.length))));
    TRY(prm_launch(context, PRM_KERNEL_COMPACT_CHUNKS, options, items, profile->workgroup,
                   ARGS(ARG_BUFFER(indices), ARG_BUFFER(out), ARG_BUFFER(survivors),
                        ARG_BUFFER(source), ARG_BUFFER(values), ARG_BUFFER(sums),
                        ARG_U32((uint32_t)count), ARG_U32(chunks.length))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_compact_indices(struct prm_arena *arena, struct prm_buffer indices,
                                    struct prm_buffer survivors, struct prm_buffer flags,
                                    size_t count)
{
    return compact(arena, "-DKEEP_FLAGGED -DWRITE_INDICES", indices, PRM_NO_BUFFER, survivors,
                   flags, PRM_NO_BUFFER, count);
}

enum prm_status prm_compact_values(struct prm_arena *arena, struct prm_buffer out,
                                   struct prm_buffer indices, struct prm_buffer survivors,
                                   struct prm_buffer values, struct prm_buffer flags, size_t count)
{
    const char *options = indices.memory != NULL ? "-DKEEP_FLAGGED -DWRITE_INDICES -DWRITE_VALUES"
                                                 : "-DKEEP_FLAGGED -DWRITE_VALUES";
    PRM_ASSERT(out.memory != values.memory || count == 0);
    return compact(arena, options, indices, out, survivors, flags, values, count);
}

enum prm_status prm_compact_segments(struct prm_arena *arena, struct prm_buffer out,
                                     struct prm_buffer counts, struct prm_buffer values,
                                     struct prm_buffer flags, size_t count, size_t segment)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const char *options = "-DKEEP_FLAGGED -DWRITE_VALUES";
    const size_t workgroup = profile->workgroup;
    const enum prm_status status = prm_count_check(count);
    if (status != PRM_OK || count == 0)
        return status;
    PRM_ASSERT(segment > 0 && count % segment == 0 && out.memory != values.memory);
    PRM_ASSERT(out.bytes >= prm_words(count) && counts.bytes >= prm_words(count / segment));

    // several segments to a tile
    const struct prm_chunks chunks = prm_chunks_of(profile, count, segment);
    const size_t items = (size_t)chunks.count * workgroup;
    if (workgroup > 1 && segment <= workgroup * PRM_CHUNK_ITEMS)
        return prm_launch(context, PRM_KERNEL_COMPACT_SEGMENTS_PACKED, options, items, workgroup,
                          ARGS(ARG_BUFFER(out), ARG_BUFFER(counts), ARG_BUFFER(values),
                               ARG_BUFFER(flags), ARG_U32((uint32_t)count),
                               ARG_U32((uint32_t)segment), ARG_U32(chunks.length)));

    // a run of whole segments a group
    return prm_launch(context, PRM_KERNEL_COMPACT_SEGMENTS, options, items, workgroup,
                      ARGS(ARG_BUFFER(out), ARG_BUFFER(counts), ARG_BUFFER(values),
                           ARG_BUFFER(flags), ARG_U32((uint32_t)(count / segment)),
                           ARG_U32((uint32_t)segment),
                           ARG_U32((uint32_t)(chunks.length / segment))));
}

enum prm_status prm_compact_segments_packed(struct prm_arena *arena, struct prm_buffer out,
                                            struct prm_buffer offsets, struct prm_buffer values,
                                            struct prm_buffer flags, size_t count, size_t segment)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;

    PRM_ASSERT(count == 0 || (segment > 0 && count % segment == 0));
    const size_t segments = count > 0 ? count / segment : 0;
    PRM_ASSERT(offsets.bytes >= prm_words(segments + 1));
    struct prm_buffer survivors;
    TRY(prm_arena_take(arena, &survivors, prm_words(1)));
    TRY(prm_compact_values(arena, out, PRM_NO_BUFFER, survivors, values, flags, count));

    // the survivors of each, then where they begin
    if (segments > 0) {
        const size_t length = prm_ceil_div(segments, profile->chunks);
        TRY(prm_launch(context, PRM_KERNEL_COMPACT_SEGMENT_COUNTS, "-DKEEP_FLAGGED -DWRITE_VALUES",
                       prm_ceil_div(segments, length) * profile->workgroup, profile->workgroup,
                       ARGS(ARG_BUFFER(offsets), ARG_BUFFER(flags), ARG_U32((uint32_t)segments),
                            ARG_U32((uint32_t)segment), ARG_U32((uint32_t)length))));
    }
    TRY(prm_scan_exclusive(arena, offsets, offsets, segments, PRM_SCAN_AUTO));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_find_repeats(struct prm_arena *arena, struct prm_buffer indices,
                                 struct prm_buffer survivors, struct prm_buffer values,
                                 size_t count)
{
    return compact(arena, "-DKEEP_REPEATS -DWRITE_INDICES", indices, PRM_NO_BUFFER, survivors,
                   values, PRM_NO_BUFFER, count);
}

enum prm_status prm_unique_sorted(struct prm_arena *arena, struct prm_buffer unique,
                                  struct prm_buffer start, struct prm_buffer length,
                                  struct prm_buffer runs, struct prm_buffer values, size_t count)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const char *options = "-DKEEP_HEADS -DWRITE_INDICES -DWRITE_VALUES";
    PRM_ASSERT(unique.memory != values.memory || count == 0);

    const enum prm_status status =
        compact(arena, options, start, unique, runs, values, values, count);
    if (status != PRM_OK || count == 0)
        return status;
    const struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
    return prm_launch(context, PRM_KERNEL_COMPACT_RUN_LENGTHS, options,
                      (size_t)chunks.count * profile->workgroup, profile->workgroup,
                      ARGS(ARG_BUFFER(length), ARG_BUFFER(start), ARG_BUFFER(runs),
                           ARG_U32((uint32_t)count), ARG_U32(chunks.length)));
}

size_t prm_compact_scratch_bytes(const struct prm_profile *profile, size_t count)
{
    return prm_piece_bytes(profile->chunks) + prm_piece_bytes(1) +
           prm_scan_scratch_bytes(profile, count);
}
