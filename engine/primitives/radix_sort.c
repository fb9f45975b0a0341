/* Stable LSD radix sort: which digits to sort by, and in which buffers; the work is in
 * kernels/radix_sort.cl. */
#include "primitives/radix_sort.h"

#include "device/assert.h"
#include "device/launch.h"
#include "device/try.h"
#include "primitives/chunks.h"
#include "primitives/scan.h"

#include <stdio.h>

/* Must match kernels/radix_sort.cl: segments that are ranked by counting need no spare memory. */
enum { SEGMENT_RANK_MAX = 64 };

enum { DIGIT_BITS_MAX = 8, KEY_BITS = 32, OPTIONS_MAX = 64 };

/* What moves with the keys. */
enum payload { PAYLOAD_NONE, PAYLOAD_VALUES, PAYLOAD_INDEX };

/* One sort in progress: keys and payload, and their spares of the same size. */
struct sort {
    struct prm_arena *arena;
    struct prm_context *context;
    const struct prm_profile *profile;
    struct prm_buffer keys, payload, spare_keys, spare_payload;
    enum payload moves;
    enum prm_key_type type;
    uint32_t digit_bits;
    uint32_t key_bits; /* that may differ; 0: unknown */
    size_t count;
};

/* The kernels that do not depend on the options. */
static const char *const ANY_OPTIONS = "-DDIGIT_BITS=8 -DKEY_U32 -DPAYLOAD_NONE";

/* The widest digit that a group's counters leave room for, at most `wanted`: a u16 a digit and
 * work-item, and the staged tile. */
static uint32_t digit_bits_fit(const struct prm_profile *profile, uint32_t wanted)
{
    if (profile->workgroup == 1)
        return wanted;
    const size_t tile = (size_t)profile->workgroup * PRM_CHUNK_ITEMS;
    const size_t staged = prm_words(2 * (tile + profile->workgroup));
    uint32_t bits = wanted;
    while (bits > 1) {
        const size_t digits = (size_t)1 << bits;
        const size_t counters = digits * profile->workgroup * sizeof(uint16_t);
        if (staged + counters + prm_words(2 * digits) <= profile->local_bytes)
            break;
        bits--;
    }
    return bits;
}

static struct sort sort_of(struct prm_arena *arena, struct prm_buffer keys,
                           struct prm_buffer payload, enum payload moves, size_t count,
                           const struct prm_sort_options *options)
{
    static const struct prm_sort_options DEFAULTS = {PRM_KEY_U32, 0, 0};
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_sort_options *chosen = options ? options : &DEFAULTS;
    const uint32_t wanted = chosen->bits_per_pass ? chosen->bits_per_pass : profile->radix_bits;
    PRM_ASSERT(wanted <= DIGIT_BITS_MAX && chosen->key_bits <= KEY_BITS);
    PRM_ASSERT(chosen->key_bits == 0 || chosen->type == PRM_KEY_U32);
    PRM_ASSERT(keys.bytes >= prm_words(count));
    PRM_ASSERT(moves == PAYLOAD_NONE || payload.bytes >= prm_words(count));

    return (struct sort){
        .arena = arena,
        .context = context,
        .profile = profile,
        .keys = keys,
        .payload = payload,
        .moves = moves,
        .type = chosen->type,
        .digit_bits = digit_bits_fit(profile, wanted),
        .key_bits = chosen->key_bits,
        .count = count,
    };
}

/* Writes the -D definitions of kernels/radix_sort.cl. */
static void write_options(char options[OPTIONS_MAX], uint32_t digit_bits, enum prm_key_type type,
                          enum payload moves)
{
    static const char *const KEYS[] = {
        [PRM_KEY_U32] = "KEY_U32", [PRM_KEY_I32] = "KEY_I32", [PRM_KEY_F32] = "KEY_F32"};
    static const char *const PAYLOADS[] = {[PAYLOAD_NONE] = "PAYLOAD_NONE",
                                           [PAYLOAD_VALUES] = "PAYLOAD_VALUES",
                                           [PAYLOAD_INDEX] = "PAYLOAD_INDEX"};
    snprintf(options, OPTIONS_MAX, "-DDIGIT_BITS=%u -D%s -D%s", digit_bits, KEYS[type],
             PAYLOADS[moves]);
}

/* Takes the spare memory that passes go back and forth through. */
static enum prm_status take_spares(struct sort *sort)
{
    const enum prm_status status =
        prm_arena_take(sort->arena, &sort->spare_keys, prm_words(sort->count));
    if (status != PRM_OK || sort->moves == PAYLOAD_NONE)
        return status;
    return prm_arena_take(sort->arena, &sort->spare_payload, prm_words(sort->count));
}

/* Elements up to which a segment is sorted by one group in one launch. */
static size_t segment_max(const struct prm_profile *profile)
{
    return profile->workgroup == 1 ? PRM_COUNT_MAX : (size_t)profile->workgroup * PRM_CHUNK_ITEMS;
}

/* Sorts each segment by itself, in one launch. */
static enum prm_status sort_segments(struct sort *sort, size_t segment)
{
    const struct prm_chunks chunks = prm_chunks_of(sort->profile, sort->count, segment);
    enum prm_status status = PRM_OK;
    char options[OPTIONS_MAX];

    if (sort->profile->workgroup == 1 && segment > SEGMENT_RANK_MAX)
        TRY(take_spares(sort));
    const uint32_t key_bits = sort->key_bits ? sort->key_bits : KEY_BITS;
    write_options(options, sort->digit_bits, sort->type, sort->moves);
    TRY(prm_launch(sort->context, PRM_KERNEL_RADIX_SEGMENTS, options,
                   (size_t)chunks.count * sort->profile->workgroup, sort->profile->workgroup,
                   ARGS(ARG_BUFFER(sort->keys), ARG_BUFFER(sort->payload),
                        ARG_BUFFER(sort->spare_keys), ARG_BUFFER(sort->spare_payload),
                        ARG_U32((uint32_t)(sort->count / segment)), ARG_U32((uint32_t)segment),
                        ARG_U32((uint32_t)(chunks.length / segment)), ARG_U32(key_bits))));
cleanup:
    return status;
}

/* Finds the bits in which ordered keys differ: the one read-back of a sort, a few words. */
static enum prm_status find_varying(struct sort *sort, struct prm_chunks chunks, uint32_t *varying)
{
    enum { READ_WORDS = 1024 };
    uint32_t words[READ_WORDS];
    const struct prm_arena_mark mark = prm_arena_mark(sort->arena);
    enum prm_status status = PRM_OK;
    char options[OPTIONS_MAX];

    // few enough chunks for one small read
    if (chunks.count > READ_WORDS / 2) {
        chunks.length *= (uint32_t)prm_ceil_div(chunks.count, READ_WORDS / 2);
        chunks.count = (uint32_t)prm_ceil_div(sort->count, chunks.length);
    }
    struct prm_buffer found;
    TRY(prm_arena_take(sort->arena, &found, prm_words(2 * (size_t)chunks.count)));
    write_options(options, DIGIT_BITS_MAX, sort->type, PAYLOAD_NONE);
    TRY(prm_launch(sort->context, PRM_KERNEL_RADIX_VARY, options,
                   (size_t)chunks.count * sort->profile->workgroup, sort->profile->workgroup,
                   ARGS(ARG_BUFFER(found), ARG_BUFFER(sort->keys), ARG_U32((uint32_t)sort->count),
                        ARG_U32(chunks.length))));
    TRY(prm_buffer_read(sort->context, found, 0, words, prm_words(2 * (size_t)chunks.count)));

    uint32_t any = 0;
    uint32_t all = UINT32_MAX;
    for (uint32_t g = 0; g < chunks.count; g++) {
        any |= words[g];
        all &= words[chunks.count + g];
    }
    *varying = any ^ all;
cleanup:
    prm_arena_rewind(sort->arena, mark);
    return status;
}

/* Counts the digits of each chunk and scans them: offsets[d * chunks + g], u32[digits * chunks +
 * 1]. */
static enum prm_status find_offsets(struct sort *sort, struct prm_buffer offsets,
                                    struct prm_chunks chunks, uint32_t shift)
{
    char options[OPTIONS_MAX];
    write_options(options, sort->digit_bits, sort->type, PAYLOAD_NONE);
    const enum prm_status status =
        prm_launch(sort->context, PRM_KERNEL_RADIX_COUNT, options,
                   (size_t)chunks.count * sort->profile->workgroup, sort->profile->workgroup,
                   ARGS(ARG_BUFFER(offsets), ARG_BUFFER(sort->keys), ARG_U32((uint32_t)sort->count),
                        ARG_U32(chunks.length), ARG_U32(shift)));
    if (status != PRM_OK)
        return status;
    return prm_scan_exclusive(sort->arena, offsets, offsets,
                              (size_t)chunks.count << sort->digit_bits, PRM_SCAN_AUTO);
}

/* One pass: keys and payload to the spares by the digit at `shift`. */
static enum prm_status sort_pass(struct sort *sort, struct prm_buffer offsets,
                                 struct prm_chunks chunks, uint32_t shift)
{
    enum prm_status status = PRM_OK;
    char options[OPTIONS_MAX];

    write_options(options, sort->digit_bits, sort->type, sort->moves);
    TRY(find_offsets(sort, offsets, chunks, shift));
    TRY(prm_launch(sort->context, PRM_KERNEL_RADIX_REORDER, options,
                   (size_t)chunks.count * sort->profile->workgroup, sort->profile->workgroup,
                   ARGS(ARG_BUFFER(sort->spare_keys), ARG_BUFFER(sort->spare_payload),
                        ARG_BUFFER(sort->keys), ARG_BUFFER(sort->payload), ARG_BUFFER(offsets),
                        ARG_U32((uint32_t)sort->count), ARG_U32(chunks.length), ARG_U32(shift))));

    // the spares are now the array
    const struct prm_buffer keys = sort->keys;
    const struct prm_buffer payload = sort->payload;
    sort->keys = sort->spare_keys;
    sort->payload = sort->spare_payload;
    sort->spare_keys = keys;
    sort->spare_payload = payload;
    if (sort->moves == PAYLOAD_INDEX)
        sort->moves = PAYLOAD_VALUES;
cleanup:
    return status;
}

/* All passes over a long array, digit by digit over the bits that differ. */
static enum prm_status sort_long(struct sort *sort)
{
    const struct prm_chunks chunks = prm_chunks_of(sort->profile, sort->count, 0);
    const struct prm_buffer keys = sort->keys;
    const struct prm_buffer payload = sort->payload;
    const enum payload moves = sort->moves;
    enum prm_status status = PRM_OK;

    uint32_t varying = (uint32_t)((1ull << sort->key_bits) - 1);
    if (sort->key_bits == 0)
        TRY(find_varying(sort, chunks, &varying));

    struct prm_buffer offsets;
    TRY(take_spares(sort));
    TRY(prm_arena_take(sort->arena, &offsets,
                       prm_words(((size_t)chunks.count << sort->digit_bits) + 1)));
    while (varying != 0) {
        const uint32_t shift = (uint32_t)__builtin_ctz(varying);
        TRY(sort_pass(sort, offsets, chunks, shift));
        varying &= ~(uint32_t)(((1ull << sort->digit_bits) - 1) << shift);
    }

    // keys that are all equal keep their places
    if (sort->moves == PAYLOAD_INDEX)
        TRY(prm_launch(
            sort->context, PRM_KERNEL_RADIX_IDENTITY, ANY_OPTIONS,
            (size_t)chunks.count * sort->profile->workgroup, sort->profile->workgroup,
            ARGS(ARG_BUFFER(payload), ARG_U32((uint32_t)sort->count), ARG_U32(chunks.length))));

    // an odd number of passes ends in the spares
    if (sort->keys.memory != keys.memory) {
        TRY(prm_buffer_copy(sort->context, keys, 0, sort->keys, 0, prm_words(sort->count)));
        if (moves != PAYLOAD_NONE)
            TRY(prm_buffer_copy(sort->context, payload, 0, sort->payload, 0,
                                prm_words(sort->count)));
    }
cleanup:
    return status;
}

/* Sorts keys and payload in place, by one group where the array is short. */
static enum prm_status sort_any(struct sort *sort)
{
    const struct prm_arena_mark mark = prm_arena_mark(sort->arena);
    const bool one_group = prm_chunks_of(sort->profile, sort->count, 0).count == 1;
    const enum prm_status status = one_group && sort->count <= segment_max(sort->profile)
                                       ? sort_segments(sort, sort->count)
                                       : sort_long(sort);
    prm_arena_rewind(sort->arena, mark);
    return status;
}

/* permutation[inverse[i]] = i. */
static enum prm_status invert(struct prm_context *context, struct prm_buffer permutation,
                              struct prm_buffer inverse, size_t count)
{
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
    PRM_ASSERT(permutation.bytes >= prm_words(count));
    return prm_launch(context, PRM_KERNEL_RADIX_INVERT, ANY_OPTIONS,
                      (size_t)chunks.count * profile->workgroup, profile->workgroup,
                      ARGS(ARG_BUFFER(permutation), ARG_BUFFER(inverse), ARG_U32((uint32_t)count),
                           ARG_U32(chunks.length)));
}

/* Reorders u32 values in place: values[i] = values[inverse[i]]. */
static enum prm_status reorder_values(struct prm_arena *arena, struct prm_buffer values,
                                      struct prm_buffer inverse, size_t count)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;

    struct prm_buffer copy;
    TRY(prm_arena_take(arena, &copy, prm_words(count)));
    TRY(prm_buffer_copy(context, copy, 0, values, 0, prm_words(count)));
    TRY(prm_gather_rows(context, values, copy, inverse, count, 1));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

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
        struct sort sort =
            sort_of(arena, keys, values, valued ? PAYLOAD_VALUES : PAYLOAD_NONE, count, options);
        TRY(sort_any(&sort));
        goto cleanup;
    }
    struct prm_buffer order = inverse;
    if (order.memory == NULL)
        TRY(prm_arena_take(arena, &order, prm_words(count)));
    struct sort sort = sort_of(arena, keys, order, PAYLOAD_INDEX, count, options);
    TRY(sort_any(&sort));
    if (permutation.memory != NULL)
        TRY(invert(sort.context, permutation, order, count));
    if (valued)
        TRY(reorder_values(arena, values, order, count));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* Segments too long for a group: by key, then, stably, by segment. */
static enum prm_status sort_long_segments(struct sort *sort, struct prm_buffer values,
                                          size_t segment)
{
    struct prm_arena *arena = sort->arena;
    struct prm_context *context = sort->context;
    const size_t count = sort->count;
    const struct prm_chunks chunks = prm_chunks_of(sort->profile, count, 0);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;

    // the order by key, of a copy: the keys themselves are gathered at the end
    struct prm_buffer copy, order;
    TRY(prm_arena_take(arena, &copy, prm_words(count)));
    TRY(prm_arena_take(arena, &order, prm_words(count)));
    TRY(prm_buffer_copy(context, copy, 0, sort->keys, 0, prm_words(count)));
    struct sort by_key = *sort;
    by_key.keys = copy;
    by_key.payload = order;
    by_key.moves = PAYLOAD_INDEX;
    TRY(sort_any(&by_key));

    // that order by segment
    TRY(prm_launch(context, PRM_KERNEL_RADIX_SEGMENT_OF, ANY_OPTIONS,
                   (size_t)chunks.count * sort->profile->workgroup, sort->profile->workgroup,
                   ARGS(ARG_BUFFER(copy), ARG_BUFFER(order), ARG_U32((uint32_t)count),
                        ARG_U32((uint32_t)segment), ARG_U32(chunks.length))));
    const size_t segments = count / segment;
    if (segments > 1) {
        const struct prm_sort_options by_number = {
            .key_bits = (uint32_t)(KEY_BITS - __builtin_clz((uint32_t)segments - 1))};
        struct sort by_segment = sort_of(arena, copy, order, PAYLOAD_VALUES, count, &by_number);
        TRY(sort_any(&by_segment));
    }
    TRY(reorder_values(arena, sort->keys, order, count));
    if (values.memory != NULL)
        TRY(reorder_values(arena, values, order, count));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_radix_sort_segments(struct prm_arena *arena, struct prm_buffer keys,
                                        struct prm_buffer values, size_t count, size_t segment,
                                        const struct prm_sort_options *options)
{
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = prm_count_check(count);
    if (status != PRM_OK || count == 0)
        return status;
    PRM_ASSERT(segment > 0 && count % segment == 0);

    struct sort sort = sort_of(
        arena, keys, values, values.memory != NULL ? PAYLOAD_VALUES : PAYLOAD_NONE, count, options);
    const bool idle = count / segment < sort.profile->compute_units &&
                      prm_chunks_of(sort.profile, count, 0).count > count / segment;
    if (segment > segment_max(sort.profile) || (idle && segment > SEGMENT_RANK_MAX))
        status = sort_long_segments(&sort, values, segment);
    else
        status = sort_segments(&sort, segment);
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

    PRM_ASSERT(bit < KEY_BITS && zeros.bytes >= prm_words(1));
    TRY(prm_count_check(count));
    if (count == 0) {
        TRY(prm_buffer_fill_u32(context, zeros, 0, 0, 1));
        goto cleanup;
    }

    // one pass over a digit of one bit, out of place
    struct prm_buffer order = PRM_NO_BUFFER;
    const enum payload moves = permutation.memory != NULL ? PAYLOAD_INDEX : PAYLOAD_NONE;
    if (moves == PAYLOAD_INDEX)
        TRY(prm_arena_take(arena, &order, prm_words(count)));
    struct sort sort = sort_of(arena, values, PRM_NO_BUFFER, PAYLOAD_NONE, count, NULL);
    sort.spare_keys = out;
    sort.spare_payload = order;
    sort.moves = moves;
    sort.digit_bits = 1;
    const struct prm_chunks chunks = prm_chunks_of(sort.profile, count, 0);
    struct prm_buffer offsets;
    PRM_ASSERT(out.bytes >= prm_words(count) && out.memory != values.memory);
    TRY(prm_arena_take(arena, &offsets, prm_words(2 * (size_t)chunks.count + 1)));
    TRY(sort_pass(&sort, offsets, chunks, bit));

    // the ones begin behind the zeros
    TRY(prm_buffer_copy(context, zeros, 0, offsets, prm_words(chunks.count), prm_words(1)));
    if (moves == PAYLOAD_INDEX)
        TRY(invert(context, permutation, order, count));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
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
    return prm_launch(context, PRM_KERNEL_RADIX_GATHER, ANY_OPTIONS,
                      (size_t)chunks.count * profile->workgroup, profile->workgroup,
                      ARGS(ARG_BUFFER(out), ARG_BUFFER(in), ARG_BUFFER(index),
                           ARG_U32((uint32_t)count), ARG_U32(row_words), ARG_U32(chunks.length)));
}

size_t prm_radix_sort_scratch_bytes(const struct prm_profile *profile, size_t count)
{
    // two spares, an order, a copy of the values or keys; digits, chunk sums, varying bits
    const size_t arrays = 4 * prm_piece_bytes(count);
    const size_t digits = prm_piece_bytes(((size_t)profile->chunks << DIGIT_BITS_MAX) + 1);
    return arrays + digits + prm_scan_scratch_bytes(profile, 0) +
           prm_piece_bytes((size_t)2 * profile->chunks);
}
