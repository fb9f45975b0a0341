/* Scans: chooses the shape of the launch; the work is in kernels/scan.cl. */
#include "primitives/scan.h"

#include "device/assert.h"
#include "device/launch.h"
#include "device/try.h"
#include "primitives/chunks.h"

/* -D options; Blelloch is the default on groups, and no matter for groups of one. */
static const char *scan_options(enum prm_scan_method method, bool inclusive)
{
    if (method == PRM_SCAN_HILLIS_STEELE)
        return inclusive ? "-DSCAN_HILLIS_STEELE -DSCAN_INCLUSIVE" : "-DSCAN_HILLIS_STEELE";
    return inclusive ? "-DSCAN_INCLUSIVE" : NULL;
}

/* Either scan of a whole array: the exclusive one has the total behind it. */
static enum prm_status scan_whole(struct prm_arena *arena, struct prm_buffer out,
                                  struct prm_buffer in, size_t count, enum prm_scan_method method,
                                  bool inclusive)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;

    TRY(prm_count_check(count));
    PRM_ASSERT(out.bytes >= prm_words(inclusive ? count : count + 1));
    PRM_ASSERT(in.bytes >= prm_words(count));
    if (count == 0) {
        if (!inclusive)
            TRY(prm_buffer_fill_u32(context, out, 0, 0, 1));
        goto cleanup;
    }

    // the sum of each chunk, needed only where there are several
    const struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
    const size_t items = (size_t)chunks.count * profile->workgroup;
    const uint32_t n = (uint32_t)count;
    struct prm_buffer sums = PRM_NO_BUFFER;
    if (chunks.count > 1) {
        TRY(prm_arena_take(arena, &sums, prm_words(chunks.count)));
        TRY(prm_launch(context, PRM_KERNEL_SCAN_REDUCE, scan_options(method, inclusive), items,
                       profile->workgroup,
                       ARGS(ARG_BUFFER(sums), ARG_BUFFER(in), ARG_U32(n), ARG_U32(chunks.length))));
    }

    // each chunk from its offset
    TRY(prm_launch(context, PRM_KERNEL_SCAN_CHUNKS, scan_options(method, inclusive), items,
                   profile->workgroup,
                   ARGS(ARG_BUFFER(out), ARG_BUFFER(in), ARG_BUFFER(sums), ARG_U32(n),
                        ARG_U32(chunks.length))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_scan_exclusive(struct prm_arena *arena, struct prm_buffer out,
                                   struct prm_buffer in, size_t count, enum prm_scan_method method)
{
    return scan_whole(arena, out, in, count, method, false);
}

enum prm_status prm_scan_inclusive(struct prm_arena *arena, struct prm_buffer out,
                                   struct prm_buffer in, size_t count, enum prm_scan_method method)
{
    return scan_whole(arena, out, in, count, method, true);
}

enum prm_status prm_scan_total(struct prm_arena *arena, uint64_t *total, struct prm_buffer in,
                               size_t count, bool is_signed)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;
    struct prm_buffer totals;

    *total = 0;
    TRY(prm_count_check(count));
    PRM_ASSERT(in.bytes >= prm_words(count));
    if (count == 0)
        goto cleanup;
    const struct prm_chunks chunks = prm_chunks_of_totals(profile, count);
    TRY(prm_arena_take(arena, &totals, chunks.count * sizeof(uint64_t)));
    TRY(prm_launch(context, PRM_KERNEL_SCAN_TOTAL, NULL, (size_t)chunks.count * profile->workgroup,
                   profile->workgroup,
                   ARGS(ARG_BUFFER(totals), ARG_BUFFER(in), ARG_U32(is_signed),
                        ARG_U32((uint32_t)count), ARG_U32(chunks.length))));
    TRY(prm_totals_read(context, totals, chunks.count, total));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* Few long segments: a scan of the whole, then each segment's beginning is taken off. */
static enum prm_status scan_long_segments(struct prm_arena *arena, struct prm_buffer out,
                                          struct prm_buffer in, size_t count, size_t segment,
                                          enum prm_scan_method method, bool inclusive)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;

    struct prm_buffer whole;
    TRY(prm_arena_take(arena, &whole, prm_words(count + 1)));
    TRY(prm_scan_exclusive(arena, whole, in, count, method));
    const struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
    TRY(prm_launch(context, PRM_KERNEL_SCAN_SUBTRACT, scan_options(method, inclusive),
                   (size_t)chunks.count * profile->workgroup, profile->workgroup,
                   ARGS(ARG_BUFFER(out), ARG_BUFFER(whole), ARG_U32((uint32_t)count),
                        ARG_U32((uint32_t)segment), ARG_U32(chunks.length))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* Either scan of each segment. */
static enum prm_status scan_segments(struct prm_arena *arena, struct prm_buffer out,
                                     struct prm_buffer in, size_t count, size_t segment,
                                     enum prm_scan_method method, bool inclusive)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const size_t workgroup = profile->workgroup;
    enum prm_status status = prm_count_check(count);
    if (status != PRM_OK || count == 0)
        return status;
    PRM_ASSERT(segment > 0 && count % segment == 0);
    PRM_ASSERT(out.bytes >= prm_words(count) && in.bytes >= prm_words(count));

    // segments that leave the device idle
    const struct prm_chunks chunks = prm_chunks_of(profile, count, segment);
    const size_t segments = count / segment;
    if (segments < profile->compute_units && prm_chunks_of(profile, count, 0).count > segments)
        return scan_long_segments(arena, out, in, count, segment, method, inclusive);

    // several to a tile
    const size_t items = (size_t)chunks.count * workgroup;
    if (workgroup > 1 && segment <= workgroup * PRM_CHUNK_ITEMS)
        return prm_launch(context, PRM_KERNEL_SCAN_SEGMENTS_PACKED, scan_options(method, inclusive),
                          items, workgroup,
                          ARGS(ARG_BUFFER(out), ARG_BUFFER(in), ARG_U32((uint32_t)count),
                               ARG_U32((uint32_t)segment), ARG_U32(chunks.length)));

    // a run of whole segments a group
    const uint32_t run = (uint32_t)(chunks.length / segment);
    return prm_launch(context, PRM_KERNEL_SCAN_SEGMENTS, scan_options(method, inclusive), items,
                      workgroup,
                      ARGS(ARG_BUFFER(out), ARG_BUFFER(in), ARG_U32((uint32_t)segments),
                           ARG_U32((uint32_t)segment), ARG_U32(run)));
}

enum prm_status prm_scan_segments(struct prm_arena *arena, struct prm_buffer out,
                                  struct prm_buffer in, size_t count, size_t segment,
                                  enum prm_scan_method method)
{
    return scan_segments(arena, out, in, count, segment, method, false);
}

enum prm_status prm_scan_segments_inclusive(struct prm_arena *arena, struct prm_buffer out,
                                            struct prm_buffer in, size_t count, size_t segment,
                                            enum prm_scan_method method)
{
    return scan_segments(arena, out, in, count, segment, method, true);
}

size_t prm_scan_scratch_bytes(const struct prm_profile *profile, size_t count)
{
    return prm_piece_bytes(profile->chunks) + prm_piece_bytes(count + 1);
}
