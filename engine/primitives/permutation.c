/* Permutations: the launches of kernels/permutation.cl. */
#include "primitives/permutation.h"

#include "device/assert.h"
#include "device/launch.h"
#include "device/try.h"
#include "primitives/chunks.h"

enum prm_status prm_permutation_identity(struct prm_context *context, struct prm_buffer permutation,
                                         size_t count)
{
    const struct prm_profile *profile = prm_context_profile(context);
    const enum prm_status status = prm_count_check(count);
    if (status != PRM_OK || count == 0)
        return status;
    PRM_ASSERT(permutation.bytes >= prm_words(count));

    const struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
    return prm_launch(
        context, PRM_KERNEL_PERMUTATION_IDENTITY, NULL, (size_t)chunks.count * profile->workgroup,
        profile->workgroup,
        ARGS(ARG_BUFFER(permutation), ARG_U32((uint32_t)count), ARG_U32(chunks.length)));
}

enum prm_status prm_permutation_invert(struct prm_context *context, struct prm_buffer permutation,
                                       struct prm_buffer inverse, size_t count)
{
    const struct prm_profile *profile = prm_context_profile(context);
    const enum prm_status status = prm_count_check(count);
    if (status != PRM_OK || count == 0)
        return status;
    PRM_ASSERT(permutation.bytes >= prm_words(count) && inverse.bytes >= prm_words(count));
    PRM_ASSERT(permutation.memory != inverse.memory);

    const struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
    return prm_launch(context, PRM_KERNEL_PERMUTATION_INVERT, NULL,
                      (size_t)chunks.count * profile->workgroup, profile->workgroup,
                      ARGS(ARG_BUFFER(permutation), ARG_BUFFER(inverse), ARG_U32((uint32_t)count),
                           ARG_U32(chunks.length)));
}

enum prm_status prm_gather_rows(struct prm_context *context, struct prm_buffer out,
                                struct prm_buffer in, struct prm_buffer index, size_t count,
                                uint32_t row_words)
{
    const struct prm_profile *profile = prm_context_profile(context);
    const enum prm_status status = prm_count_check(count);
    if (status != PRM_OK || count == 0 || row_words == 0)
        return status;
    PRM_ASSERT(out.bytes >= prm_words(count * row_words) && index.bytes >= prm_words(count));
    PRM_ASSERT(out.memory != in.memory);

    const struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
    return prm_launch(context, PRM_KERNEL_PERMUTATION_GATHER, NULL,
                      (size_t)chunks.count * profile->workgroup, profile->workgroup,
                      ARGS(ARG_BUFFER(out), ARG_BUFFER(in), ARG_BUFFER(index),
                           ARG_U32((uint32_t)count), ARG_U32(row_words), ARG_U32(chunks.length)));
}

enum prm_status prm_reorder_rows(struct prm_arena *arena, struct prm_buffer rows,
                                 struct prm_buffer index, size_t count, uint32_t row_words)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const size_t bytes = prm_words(count * row_words);
    enum prm_status status = PRM_OK;

    struct prm_buffer copy;
    TRY(prm_arena_take(arena, &copy, bytes));
    TRY(prm_buffer_copy(context, copy, 0, rows, 0, bytes));
    TRY(prm_gather_rows(context, rows, copy, index, count, row_words));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}
