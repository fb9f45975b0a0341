/* The passes of a sort in progress: which digits to sort by, and in which buffers. Internal to the
 * sorting primitives, which give it its outside; the work is in kernels/radix_sort.cl and
 * kernels/radix_segments.cl. */
#ifndef PRM_PRIMITIVES_RADIX_PASSES_H
#define PRM_PRIMITIVES_RADIX_PASSES_H

#include "primitives/chunks.h"
#include "primitives/radix_sort.h"

/* What moves with the keys: nothing, a word each, or their first places, made by the first pass. */
enum radix_payload { RADIX_NONE, RADIX_VALUES, RADIX_INDEX };

/* Keys and payload, and their spares of the same size. */
struct radix {
    struct prm_arena *arena;
    struct prm_context *context;
    const struct prm_profile *profile;
    struct prm_buffer keys, payload, spare_keys, spare_payload;
    enum radix_payload moves;
    enum prm_key_type type;
    bool descending;
    uint32_t digit_bits;
    uint32_t key_bits; /* that may differ; 0: unknown */
    size_t count;
};

/* 32-bit words of a key. */
static inline uint32_t prm_radix_key_words(enum prm_key_type type)
{
    return type == PRM_KEY_U64 ? 2 : 1;
}

/* A sort of `count` elements, nothing done yet. payload: u32[count], no memory where RADIX_NONE. */
struct radix prm_radix_of(struct prm_arena *arena, struct prm_buffer keys,
                          struct prm_buffer payload, enum radix_payload moves, size_t count,
                          const struct prm_sort_options *options);

/* Sorts keys and payload in place. */
enum prm_status prm_radix_sort_whole(struct radix *radix);

/* Sorts segments by themselves in one launch: of at most prm_radix_segment_max() elements; ranked
 * or by radix. */
size_t prm_radix_segment_max(const struct prm_profile *profile);
bool prm_radix_is_ranked(const struct prm_profile *profile, size_t segment);
enum prm_status prm_radix_sort_short(struct radix *radix, size_t segment);

/* One pass by the digit at `shift`, to the spares, which are keys and payload afterwards. offsets:
 * u32[chunks << digit_bits, + 1], left with the places where each chunk's part of a digit began. */
enum prm_status prm_radix_pass(struct radix *radix, struct prm_buffer offsets,
                               struct prm_chunks chunks, uint32_t shift);

/* What sorts give besides: permutation from the order (no memory: nothing), values brought into it
 * (likewise). */
enum prm_status prm_radix_finish(struct radix *radix, struct prm_buffer permutation,
                                 struct prm_buffer values, struct prm_buffer order);

#endif
