/* Digits, spares and launches of a sort. */
#include "primitives/radix_passes.h"

#include "device/assert.h"
#include "device/launch.h"
#include "device/try.h"
#include "kernels/radix_limits.h"
#include "primitives/permutation.h"
#include "primitives/scan.h"

#include <stdio.h>

enum { OPTIONS_MAX = 96, WORD_BITS = 32 };

/* Keys as memory sees them. */
static uint32_t type_bits(enum prm_key_type type)
{
    return WORD_BITS * prm_radix_key_words(type);
}

/* The widest digit that a group's counters leave room for, at most `wanted`: a u16 a digit and
 * work-item, and the staged tile. */
static uint32_t digit_bits_fit(const struct prm_profile *profile, enum prm_key_type type,
                               uint32_t wanted)
{
    if (profile->workgroup == 1)
        return wanted;
    const size_t tile = (size_t)profile->workgroup * PRM_CHUNK_ITEMS;
    const size_t staged =
        prm_words((prm_radix_key_words(type) + 1) * tile + 2 * (size_t)profile->workgroup);
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

struct radix prm_radix_of(struct prm_arena *arena, struct prm_buffer keys,
                          struct prm_buffer payload, enum radix_payload moves, size_t count,
                          const struct prm_sort_options *options)
{
    static const struct prm_sort_options DEFAULTS = {.type = PRM_KEY_U32};
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_sort_options *chosen = options ? options : &DEFAULTS;
    const uint32_t wanted = chosen->bits_per_pass ? chosen->bits_per_pass : profile->radix_bits;
    PRM_ASSERT(wanted <= DIGIT_BITS_MAX && chosen->key_bits <= type_bits(chosen->type));
    PRM_ASSERT(chosen->key_bits == 0 || chosen->type == PRM_KEY_U32 || chosen->type == PRM_KEY_U64);
    PRM_ASSERT(keys.bytes >= prm_words(count * prm_radix_key_words(chosen->type)));
    PRM_ASSERT(moves == RADIX_NONE || payload.bytes >= prm_words(count));

    return (struct radix){
        .arena = arena,
        .context = context,
        .profile = profile,
        .keys = keys,
        .payload = payload,
        .moves = moves,
        .type = chosen->type,
        .descending = chosen->descending,
        .digit_bits = digit_bits_fit(profile, chosen->type, wanted),
        .key_bits = chosen->key_bits,
        .count = count,
    };
}

/* Launches a kernel of sorting, one group a chunk, for the sort's keys and `moves`; digits as the
 * sort's, or the widest where the kernel does not look at them, so that it is built once. */
static enum prm_status launch(const struct radix *radix, enum prm_kernel_id kernel,
                              enum radix_payload moves, struct prm_chunks chunks,
                              const struct prm_argument *arguments, size_t argument_count)
{
    static const char *const KEYS[] = {[PRM_KEY_U32] = "KEY_U32",
                                       [PRM_KEY_I32] = "KEY_I32",
                                       [PRM_KEY_F32] = "KEY_F32",
                                       [PRM_KEY_U64] = "KEY_U64"};
    static const char *const PAYLOADS[] = {[RADIX_NONE] = "PAYLOAD_NONE",
                                           [RADIX_VALUES] = "PAYLOAD_VALUES",
                                           [RADIX_INDEX] = "PAYLOAD_INDEX"};
    const size_t group = radix->profile->workgroup;
    const bool has_digits = kernel != PRM_KERNEL_RADIX_VARY && kernel != PRM_KERNEL_RADIX_RANK;
    char options[OPTIONS_MAX];
    snprintf(options, sizeof(options), "-DDIGIT_BITS=%u -D%s -D%s%s",
             has_digits ? radix->digit_bits : DIGIT_BITS_MAX, KEYS[radix->type], PAYLOADS[moves],
             radix->descending ? " -DDESCENDING" : "");
    return prm_launch(radix->context, kernel, options, chunks.count * group, group, arguments,
                      argument_count);
}

/* Takes the spare memory that passes go back and forth through. */
static enum prm_status take_spares(struct radix *radix)
{
    const enum prm_status status =
        prm_arena_take(radix->arena, &radix->spare_keys,
                       prm_words(radix->count * prm_radix_key_words(radix->type)));
    if (status != PRM_OK || radix->moves == RADIX_NONE)
        return status;
    return prm_arena_take(radix->arena, &radix->spare_payload, prm_words(radix->count));
}

size_t prm_radix_segment_max(const struct prm_profile *profile)
{
    return profile->workgroup == 1 ? PRM_COUNT_MAX : (size_t)profile->workgroup * PRM_CHUNK_ITEMS;
}

bool prm_radix_is_ranked(const struct prm_profile *profile, size_t segment)
{
    return segment <= SEGMENT_RANK_MAX &&
           (profile->workgroup == 1 || segment <= profile->workgroup);
}

enum prm_status prm_radix_sort_short(struct radix *radix, size_t segment)
{
    const struct prm_chunks chunks = prm_chunks_of(radix->profile, radix->count, segment);
    const struct prm_arena_mark mark = prm_arena_mark(radix->arena);
    const uint32_t segments = (uint32_t)(radix->count / segment);
    const uint32_t run = (uint32_t)(chunks.length / segment);
    const uint32_t key_bits = radix->key_bits ? radix->key_bits : type_bits(radix->type);
    enum prm_status status = PRM_OK;

    if (prm_radix_is_ranked(radix->profile, segment)) {
        TRY(launch(radix, PRM_KERNEL_RADIX_RANK, radix->moves, chunks,
                   ARGS(ARG_BUFFER(radix->keys), ARG_BUFFER(radix->payload), ARG_U32(segments),
                        ARG_U32((uint32_t)segment), ARG_U32(run))));
        goto cleanup;
    }
    if (radix->profile->workgroup == 1)
        TRY(take_spares(radix));
    TRY(launch(radix, PRM_KERNEL_RADIX_SEGMENTS, radix->moves, chunks,
               ARGS(ARG_BUFFER(radix->keys), ARG_BUFFER(radix->payload),
                    ARG_BUFFER(radix->spare_keys), ARG_BUFFER(radix->spare_payload),
                    ARG_U32(segments), ARG_U32((uint32_t)segment), ARG_U32(run),
                    ARG_U32(key_bits))));
cleanup:
    prm_arena_rewind(radix->arena, mark);
    return status;
}

/* Finds the bits in which ordered keys differ: the one read-back of a sort, a few words. */
static enum prm_status find_varying(struct radix *radix, struct prm_chunks chunks,
                                    uint64_t *varying)
{
    enum { READ_KEYS = 1024 };
    uint64_t read[READ_KEYS];
    const bool wide = prm_radix_key_words(radix->type) > 1;
    const struct prm_arena_mark mark = prm_arena_mark(radix->arena);
    enum prm_status status = PRM_OK;

    // few enough chunks for one small read
    if (chunks.count > READ_KEYS / 2) {
        chunks.length *= (uint32_t)prm_ceil_div(chunks.count, READ_KEYS / 2);
        chunks.count = (uint32_t)prm_ceil_div(radix->count, chunks.length);
    }
    const size_t bytes = prm_words(2 * (size_t)chunks.count * prm_radix_key_words(radix->type));
    struct prm_buffer found;
    TRY(prm_arena_take(radix->arena, &found, bytes));
    TRY(launch(radix, PRM_KERNEL_RADIX_VARY, RADIX_NONE, chunks,
               ARGS(ARG_BUFFER(found), ARG_BUFFER(radix->keys), ARG_U32((uint32_t)radix->count),
                    ARG_U32(chunks.length))));
    TRY(prm_buffer_read(radix->context, found, 0, read, bytes));

    uint64_t any = 0;
    uint64_t all = UINT64_MAX;
    const uint32_t *words = (const uint32_t *)read;
    for (uint32_t g = 0; g < chunks.count; g++) {
        any |= wide ? read[g] : words[g];
        all &= wide ? read[chunks.count + g] : words[chunks.count + g];
    }
    *varying = any & ~all;
cleanup:
    prm_arena_rewind(radix->arena, mark);
    return status;
}

enum prm_status prm_radix_pass(struct radix *radix, struct prm_buffer offsets,
                               struct prm_chunks chunks, uint32_t shift)
{
    const uint32_t count = (uint32_t)radix->count;
    enum prm_status status = PRM_OK;

    // the places: offsets[d * chunks + g] is the first of digit d of chunk g
    TRY(launch(radix, PRM_KERNEL_RADIX_COUNT, RADIX_NONE, chunks,
               ARGS(ARG_BUFFER(offsets), ARG_BUFFER(radix->keys), ARG_U32(count),
                    ARG_U32(chunks.length), ARG_U32(shift))));
    TRY(prm_scan_exclusive(radix->arena, offsets, offsets,
                           (size_t)chunks.count << radix->digit_bits, PRM_SCAN_AUTO));
    TRY(launch(radix, PRM_KERNEL_RADIX_REORDER, radix->moves, chunks,
               ARGS(ARG_BUFFER(radix->spare_keys), ARG_BUFFER(radix->spare_payload),
                    ARG_BUFFER(radix->keys), ARG_BUFFER(radix->payload), ARG_BUFFER(offsets),
                    ARG_U32(count), ARG_U32(chunks.length), ARG_U32(shift))));

    // the spares are now the array
    const struct prm_buffer keys = radix->keys;
    const struct prm_buffer payload = radix->payload;
    radix->keys = radix->spare_keys;
    radix->payload = radix->spare_payload;
    radix->spare_keys = keys;
    radix->spare_payload = payload;
    if (radix->moves == RADIX_INDEX)
        radix->moves = RADIX_VALUES;
cleanup:
    return status;
}

/* All passes over a long array, digit by digit over the bits that differ. */
static enum prm_status sort_long(struct radix *radix)
{
    const struct prm_chunks chunks = prm_chunks_of(radix->profile, radix->count, 0);
    const struct prm_buffer keys = radix->keys;
    const struct prm_buffer payload = radix->payload;
    const uint64_t digit = ((uint64_t)1 << radix->digit_bits) - 1;
    enum prm_status status = PRM_OK;

    uint64_t varying = UINT64_MAX >> (2 * WORD_BITS - (radix->key_bits ? radix->key_bits : 1));
    if (radix->key_bits == 0)
        TRY(find_varying(radix, chunks, &varying));

    struct prm_buffer offsets;
    TRY(take_spares(radix));
    TRY(prm_arena_take(radix->arena, &offsets,
                       prm_words(((size_t)chunks.count << radix->digit_bits) + 1)));
    while (varying != 0) {
        const uint32_t shift = (uint32_t)__builtin_ctzll(varying);
        TRY(prm_radix_pass(radix, offsets, chunks, shift));
        varying &= ~(digit << shift);
    }
    if (radix->moves == RADIX_INDEX)
        TRY(prm_permutation_identity(radix->context, radix->payload, radix->count));

    // an odd number of passes ends in the spares
    if (radix->keys.memory != keys.memory) {
        TRY(prm_buffer_copy(radix->context, keys, 0, radix->keys, 0,
                            prm_words(radix->count * prm_radix_key_words(radix->type))));
        if (radix->moves != RADIX_NONE)
            TRY(prm_buffer_copy(radix->context, payload, 0, radix->payload, 0,
                                prm_words(radix->count)));
    }
cleanup:
    return status;
}

enum prm_status prm_radix_sort_whole(struct radix *radix)
{
    const struct prm_arena_mark mark = prm_arena_mark(radix->arena);

    // by one group where the array is short
    const bool one_group = prm_chunks_of(radix->profile, radix->count, 0).count == 1;
    const enum prm_status status =
        one_group && radix->count <= prm_radix_segment_max(radix->profile)
            ? prm_radix_sort_short(radix, radix->count)
            : sort_long(radix);
    prm_arena_rewind(radix->arena, mark);
    return status;
}

enum prm_status prm_radix_finish(struct radix *radix, struct prm_buffer permutation,
                                 struct prm_buffer values, struct prm_buffer order)
{
    enum prm_status status = PRM_OK;
    if (permutation.memory != NULL)
        TRY(prm_permutation_invert(radix->context, permutation, order, radix->count));
    if (values.memory != NULL)
        TRY(prm_reorder_rows(radix->arena, values, order, radix->count, 1));
cleanup:
    return status;
}
