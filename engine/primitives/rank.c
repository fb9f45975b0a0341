/* List ranking: long lists are contracted first; all rounds are enqueued, and one read-back tells
 * how it went (kernels/rank.cl). */
#include "primitives/rank.h"

#include "device/assert.h"
#include "device/launch.h"
#include "device/try.h"
#include "kernels/rank_types.h"
#include "primitives/chunks.h"

/* Rounds after which no pointer of a list of `count` elements moves, and one more that sees that.
 */
static uint32_t rounds_of(size_t count)
{
    uint32_t rounds = 1;
    for (size_t steps = 1; steps + 1 < count; steps *= 2)
        rounds++;
    return rounds;
}

/* Writes the fault that the device noted, if any. */
static enum prm_status check(struct prm_context *context, const uint32_t words[RANK_STATUS_WORDS],
                             struct prm_buffer next, size_t count)
{
    if (words[RANK_RANGE] != UINT32_MAX) {
        uint32_t target = 0;
        const enum prm_status read =
            prm_buffer_read(context, next, prm_words(words[RANK_RANGE]), &target, sizeof(target));
        return read != PRM_OK
                   ? read
                   : prm_fault_set_element(PRM_INVALID_ARGUMENT, "next", words[RANK_RANGE],
                                           "next[%u] is %u, not below %zu", words[RANK_RANGE],
                                           target, count);
    }
    if (words[RANK_CYCLE] != UINT32_MAX)
        return prm_fault_set_element(PRM_INVALID_ARGUMENT, "next", words[RANK_CYCLE],
                                     "the list from element %u does not end: it runs into a cycle",
                                     words[RANK_CYCLE]);
    return PRM_OK;
}

/* Elements of a list that is worth contracting. */
enum { CONTRACTED_LEAST = 4 * RANK_SPAN };

/* A ranking in progress. */
struct ranking {
    struct prm_arena *arena;
    struct prm_buffer rank, next, marks;
    struct prm_buffer words; /* `status` of the kernels */
    size_t count;
};

static enum prm_status reset(const struct ranking *r)
{
    struct prm_context *context = prm_arena_context(r->arena);
    const enum prm_status status =
        prm_buffer_fill_u32(context, r->words, 0, UINT32_MAX, RANK_UNFIT);
    if (status != PRM_OK)
        return status;
    return prm_buffer_fill_u32(context, r->words, prm_words(RANK_UNFIT), 0,
                               RANK_STATUS_WORDS - RANK_UNFIT);
}

/* All rounds of `count` pairs, in *from; so is the result, *to is the other array. */
static enum prm_status jump(const struct ranking *r, struct prm_buffer *from, struct prm_buffer *to,
                            struct prm_buffer marks, struct prm_buffer old_marks, size_t count)
{
    struct prm_context *context = prm_arena_context(r->arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const size_t workgroup = profile->workgroup;
    const struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
    const size_t items = chunks.count * workgroup;
    const uint32_t n = (uint32_t)count;
    const uint32_t rounds = rounds_of(count);
    enum prm_status status = PRM_OK;

    for (uint32_t round = 0; round < rounds; round++) {
        TRY(prm_launch(context, PRM_KERNEL_RANK_ROUND, NULL, items, workgroup,
                       ARGS(ARG_BUFFER(*to), ARG_BUFFER(*from), ARG_BUFFER(old_marks),
                            ARG_BUFFER(marks), ARG_BUFFER(r->words), ARG_U32(round), ARG_U32(n),
                            ARG_U32(chunks.length))));
        if (marks.memory != NULL)
            TRY(prm_launch(context, PRM_KERNEL_RANK_MARK, NULL, items, workgroup,
                           ARGS(ARG_BUFFER(marks), ARG_BUFFER(old_marks), ARG_BUFFER(*from),
                                ARG_BUFFER(r->words), ARG_U32(round), ARG_U32(n),
                                ARG_U32(chunks.length))));
        const struct prm_buffer swap = *from;
        *from = *to;
        *to = swap;
    }
cleanup:
    return status;
}

/* By walks and the jumps of splitters. *fit: whether the lists are such that this ranked them. */
static enum prm_status walk(const struct ranking *r, bool *fit, uint32_t *rounds)
{
    struct prm_context *context = prm_arena_context(r->arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const size_t workgroup = profile->workgroup;
    const struct prm_arena_mark mark = prm_arena_mark(r->arena);
    const uint32_t blocks = (uint32_t)(r->count / RANK_SPAN), n = (uint32_t)r->count;
    enum prm_status status = PRM_OK;
    struct prm_buffer from, to;
    uint32_t found[RANK_MOVED];

    // a block is as much work as its elements
    const struct prm_chunks chunks = prm_chunks_of(profile, r->count, RANK_SPAN);
    const size_t items = chunks.count * workgroup;
    const uint32_t length = chunks.length / RANK_SPAN;
    TRY(prm_arena_take(r->arena, &from, prm_words(2 * ((size_t)blocks + 1))));
    TRY(prm_arena_take(r->arena, &to, prm_words(2 * ((size_t)blocks + 1))));
    TRY(reset(r));
    TRY(prm_buffer_fill_u32(context, r->rank, 0, UINT32_MAX, r->count));
    TRY(prm_launch(context, PRM_KERNEL_RANK_CONTRACT, NULL, items, workgroup,
                   ARGS(ARG_BUFFER(from), ARG_BUFFER(r->words), ARG_BUFFER(r->next),
                        ARG_U32(blocks), ARG_U32(n), ARG_U32(length))));
    TRY(jump(r, &from, &to, PRM_NO_BUFFER, PRM_NO_BUFFER, (size_t)blocks + 1));
    TRY(prm_launch(context, PRM_KERNEL_RANK_SPREAD, NULL, items, workgroup,
                   ARGS(ARG_BUFFER(r->rank), ARG_BUFFER(r->words), ARG_BUFFER(from),
                        ARG_BUFFER(r->next), ARG_U32(blocks), ARG_U32(length))));
    TRY(prm_launch(context, PRM_KERNEL_RANK_REST, NULL, items, workgroup,
                   ARGS(ARG_BUFFER(r->rank), ARG_BUFFER(r->words), ARG_BUFFER(from),
                        ARG_BUFFER(r->next), ARG_U32(blocks), ARG_U32(n), ARG_U32(chunks.length))));

    // rounds of all elements: 2^rounds is the greatest rank or more
    TRY(prm_buffer_read(context, r->words, 0, found, sizeof(found)));
    *fit = true;
    for (uint32_t step = RANK_UNFIT; step < RANK_GREATEST; step++)
        *fit &= found[step] == 0;
    *rounds = 0;
    while (found[RANK_GREATEST] > (uint64_t)1 << *rounds)
        (*rounds)++;
cleanup:
    prm_arena_rewind(r->arena, mark);
    return status;
}

/* By the jumps of all elements. */
static enum prm_status jump_all(const struct ranking *r, uint32_t *rounds)
{
    struct prm_context *context = prm_arena_context(r->arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const size_t workgroup = profile->workgroup;
    const struct prm_chunks chunks = prm_chunks_of(profile, r->count, 0);
    const size_t items = chunks.count * workgroup;
    const uint32_t n = (uint32_t)r->count;
    uint32_t found[RANK_STATUS_WORDS];
    enum prm_status status = PRM_OK;

    // two arrays of pairs that take turns
    struct prm_buffer from, to;
    struct prm_buffer old_marks = PRM_NO_BUFFER;
    TRY(prm_arena_take(r->arena, &from, prm_words(2 * r->count)));
    TRY(prm_arena_take(r->arena, &to, prm_words(2 * r->count)));
    if (r->marks.memory != NULL)
        TRY(prm_arena_take(r->arena, &old_marks, prm_words(r->count)));
    TRY(reset(r));
    TRY(prm_launch(context, PRM_KERNEL_RANK_START, NULL, items, workgroup,
                   ARGS(ARG_BUFFER(from), ARG_BUFFER(r->words), ARG_BUFFER(r->next), ARG_U32(n),
                        ARG_U32(chunks.length))));
    TRY(jump(r, &from, &to, r->marks, old_marks, r->count));
    TRY(prm_launch(context, PRM_KERNEL_RANK_FINISH, NULL, items, workgroup,
                   ARGS(ARG_BUFFER(r->rank), ARG_BUFFER(r->words), ARG_BUFFER(from),
                        ARG_BUFFER(r->next), ARG_U32(n), ARG_U32(chunks.length))));

    // the one read-back: faults, and the rounds that were needed
    TRY(prm_buffer_read(context, r->words, 0, found, sizeof(found)));
    TRY(check(context, found, r->next, r->count));
    *rounds = 0;
    while (*rounds < RANK_ROUNDS_MAX && found[RANK_MOVED + *rounds] != 0)
        (*rounds)++;
cleanup:
    return status;
}

enum prm_status prm_rank(struct prm_arena *arena, struct prm_buffer rank, struct prm_buffer next,
                         struct prm_buffer marks, size_t count, struct prm_rank_result *result)
{
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    struct ranking r = {.arena = arena, .rank = rank, .next = next, .marks = marks, .count = count};
    enum prm_status status = PRM_OK;
    uint32_t rounds = 0;
    bool ranked = false;

    TRY(prm_count_check(count));
    if (count == 0)
        goto cleanup;
    PRM_ASSERT(rank.bytes >= prm_words(count) && next.bytes >= prm_words(count));
    PRM_ASSERT(rank.memory != next.memory);
    TRY(prm_arena_take(arena, &r.words, prm_words(RANK_STATUS_WORDS)));
    if (marks.memory == NULL && count >= CONTRACTED_LEAST)
        TRY(walk(&r, &ranked, &rounds));
    if (!ranked)
        TRY(jump_all(&r, &rounds));
cleanup:
    if (status == PRM_OK && result != NULL)
        result->rounds = rounds;
    prm_arena_rewind(arena, mark);
    return status;
}
