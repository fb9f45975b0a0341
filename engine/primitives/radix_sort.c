/* Sorts of one array: what moves with the keys, and what follows from the order. */
#include "primitives/radix_sort.h"

#include "device/assert.h"
#include "device/try.h"
#include "kernels/radix_limits.h"
#include "primitives/permutation.h"
#include "primitives/radix_passes.h"
#include "primitives/scan.h"

enum { WORD_BITS = 32 };

enum prm_status prm_radix_sort(struct prm_arena *arena, struct prm_buffer keys,
                               struct prm_buffer values, struct prm_buffer permutation,
                               struct prm_buffer inverse, size_t count,
                               const struct prm_sort_options *options)
{
    const bool indexed = permutation.memory != NULL || inverse.memory != NULL;
    const bool valued = values.memory != NULL;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;

    TRY(prm_count_check(count));
    if (count == 0)
        goto cleanup;

    // one word at most moves with a key: the first place, if that is wanted, and values follow it
    if (!indexed) {
        struct radix radix =
            prm_radix_of(arena, keys, values, valued ? RADIX_VALUES : RADIX_NONE, count, options);
        TRY(prm_radix_sort_whole(&radix));
        goto cleanup;
    }
    struct prm_buffer order = inverse;
    if (order.memory == NULL)
        TRY(prm_arena_take(arena, &order, prm_words(count)));
    struct radix radix = prm_radix_of(arena, keys, order, RADIX_INDEX, count, options);
    TRY(prm_radix_sort_whole(&radix));
    TRY(prm_radix_finish(&radix, permutation, values, order));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_split_by_bit(struct prm_arena *arena, struct prm_buffer out,
                                 struct prm_buffer permutation, struct prm_buffer zeros,
                                 struct prm_buffer values, size_t count, uint32_t bit)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;

    PRM_ASSERT(bit < WORD_BITS && zeros.bytes >= prm_words(1));
    TRY(prm_count_check(count));
    if (count == 0) {
        TRY(prm_buffer_fill_u32(context, zeros, 0, 0, 1));
        goto cleanup;
    }

    // one pass over a digit of one bit, out of place
    struct prm_buffer order = PRM_NO_BUFFER;
    const enum radix_payload moves = permutation.memory != NULL ? RADIX_INDEX : RADIX_NONE;
    if (moves == RADIX_INDEX)
        TRY(prm_arena_take(arena, &order, prm_words(count)));
    struct radix radix = prm_radix_of(arena, values, PRM_NO_BUFFER, RADIX_NONE, count, NULL);
    radix.spare_keys = out;
    radix.spare_payload = order;
    radix.moves = moves;
    radix.digit_bits = 1;
    const struct prm_chunks chunks = prm_chunks_of(radix.profile, count, 0);
    struct prm_buffer offsets;
    PRM_ASSERT(out.bytes >= prm_words(count) && out.memory != values.memory);
    TRY(prm_arena_take(arena, &offsets, prm_words(2 * (size_t)chunks.count + 1)));
    TRY(prm_radix_pass(&radix, offsets, chunks, bit));

    // the ones begin behind the zeros
    TRY(prm_buffer_copy(context, zeros, 0, offsets, prm_words(chunks.count), prm_words(1)));
    if (moves == RADIX_INDEX)
        TRY(prm_permutation_invert(context, permutation, order, count));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

size_t prm_radix_sort_scratch_bytes(const struct prm_profile *profile, size_t count,
                                    enum prm_key_type type)
{
    // segments by the whole array: a copy of the keys, an order, and below them two spares, then a
    // copy of the keys; one more order for the permutation; digits, chunk sums, varying bits
    const size_t words = prm_radix_key_words(type);
    const size_t arrays = 2 * prm_piece_bytes(words * count) + 2 * prm_piece_bytes(count);
    const size_t digits = prm_piece_bytes(((size_t)profile->chunks << DIGIT_BITS_MAX) + 1);
    return arrays + digits + prm_scan_scratch_bytes(profile, 0) +
           prm_piece_bytes(2 * words * profile->chunks);
}
