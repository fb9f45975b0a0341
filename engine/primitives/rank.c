/* List ranking: all rounds are enqueued, and one read-back tells how it went (kernels/rank.cl). */
#include "primitives/rank.h"

#include "device/assert.h"
#include "device/launch.h"
#include "device/try.h"
#include "primitives/chunks.h"

/* The words of `status`, as in kernels/rank.cl: faults, then whether a pointer moved in each round.
 */
enum {
    STATUS_RANGE,
    STATUS_CYCLE,
    STATUS_MOVED,
    ROUNDS_MAX = 33,
    STATUS_WORDS = STATUS_MOVED + ROUNDS_MAX
};

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
static enum prm_status check(struct prm_context *context, const uint32_t status[STATUS_WORDS],
                             struct prm_buffer next, size_t count)
{
    if (status[STATUS_RANGE] != UINT32_MAX) {
        uint32_t target = 0;
        const enum prm_status read = prm_buffer_read(context, next, prm_words(status[STATUS_RANGE]),
                                                     &target, sizeof(target));
        return read != PRM_OK
                   ? read
                   : prm_fault_set_element(PRM_INVALID_ARGUMENT, "next", status[STATUS_RANGE],
                                           "next[%u] is %u, not below %zu", status[STATUS_RANGE],
                                           target, count);
    }
    if (status[STATUS_CYCLE] != UINT32_MAX)
        return prm_fault_set_element(PRM_INVALID_ARGUMENT, "next", status[STATUS_CYCLE],
                                     "the list from element %u does not end: it runs into a cycle",
                                     status[STATUS_CYCLE]);
    return PRM_OK;
}

enum prm_status prm_rank(struct prm_arena *arena, struct prm_buffer rank, struct prm_buffer next,
                         struct prm_buffer marks, size_t count, struct prm_rank_result *result)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const size_t workgroup = profile->workgroup;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t n = (uint32_t)count;
    enum prm_status status = PRM_OK;
    uint32_t found[STATUS_WORDS] = {0};

    TRY(prm_count_check(count));
    if (count == 0)
        goto cleanup;
    PRM_ASSERT(rank.bytes >= prm_words(count) && next.bytes >= prm_words(count));
    PRM_ASSERT(rank.memory != next.memory);

    // two arrays of pairs that take turns
    struct prm_buffer from, to, words;
    struct prm_buffer old_marks = PRM_NO_BUFFER;
    TRY(prm_arena_take(arena, &from, prm_words(2 * count)));
    TRY(prm_arena_take(arena, &to, prm_words(2 * count)));
    TRY(prm_arena_take(arena, &words, prm_words(STATUS_WORDS)));
    if (marks.memory != NULL)
        TRY(prm_arena_take(arena, &old_marks, prm_words(count)));
    TRY(prm_buffer_fill_u32(context, words, 0, UINT32_MAX, STATUS_MOVED));
    TRY(prm_buffer_fill_u32(context, words, prm_words(STATUS_MOVED), 0, ROUNDS_MAX));

    const struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
    const size_t items = chunks.count * workgroup;
    TRY(prm_launch(context, PRM_KERNEL_RANK_START, NULL, items, workgroup,
                   ARGS(ARG_BUFFER(from), ARG_BUFFER(words), ARG_BUFFER(next), ARG_U32(n),
                        ARG_U32(chunks.length))));
    const uint32_t rounds = rounds_of(count);
    for (uint32_t round = 0; round < rounds; round++) {
        TRY(prm_launch(context, PRM_KERNEL_RANK_ROUND, NULL, items, workgroup,
                       ARGS(ARG_BUFFER(to), ARG_BUFFER(from), ARG_BUFFER(old_marks),
                            ARG_BUFFER(marks), ARG_BUFFER(words), ARG_U32(round), ARG_U32(n),
                            ARG_U32(chunks.length))));
        if (marks.memory != NULL)
            TRY(prm_launch(context, PRM_KERNEL_RANK_MARK, NULL, items, workgroup,
                           ARGS(ARG_BUFFER(marks), ARG_BUFFER(old_marks), ARG_BUFFER(from),
                                ARG_BUFFER(words), ARG_U32(round), ARG_U32(n),
                                ARG_U32(chunks.length))));
        const struct prm_buffer swap = from;
        from = to;
        to = swap;
    }
    TRY(prm_launch(context, PRM_KERNEL_RANK_FINISH, NULL, items, workgroup,
                   ARGS(ARG_BUFFER(rank), ARG_BUFFER(words), ARG_BUFFER(from), ARG_BUFFER(next),
                        ARG_U32(n), ARG_U32(chunks.length))));

    // the one read-back: faults, and the rounds that were needed
    TRY(prm_buffer_read(context, words, 0, found, sizeof(found)));
    TRY(check(context, found, next, count));
cleanup:
    if (status == PRM_OK && result != NULL) {
        result->rounds = 0;
        while (result->rounds < ROUNDS_MAX && found[STATUS_MOVED + result->rounds] != 0)
            result->rounds++;
    }
    prm_arena_rewind(arena, mark);
    return status;
}
