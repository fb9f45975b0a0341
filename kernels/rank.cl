/* List ranking by pointer jumping (Wyllie 1979) over a forest: each round reads the old array of
 * (next, rank) pairs and writes a new one, rank += rank[next], next = next[next]. A pair is one
 * word of 64 bits, so that it is gathered in one access. A round in which no pointer moved leaves
 * both arrays equal, and the rounds after it return at once: the host enqueues all rounds and need
 * not look.
 *
 * Launch: one group of WORKGROUP a chunk. Traffic of a round: 24 bytes an element, 8 of them
 * gathered; marks 12.
 *
 * `status`: [0] the least element whose next is out of range, [1] the least that reaches no tail
 * (NONE_U32 both if none), [2 + r] whether a pointer moved in round r.
 */
#include "chunk.h"

#define STATUS_RANGE 0
#define STATUS_CYCLE 1
#define STATUS_MOVED 2

static inline u64 pair_of(u32 next, u32 rank)
{
    return (u64)rank << 32 | next;
}

static inline u32 pair_next(u64 pair)
{
    return (u32)pair;
}

static inline u32 pair_rank(u64 pair)
{
    return (u32)(pair >> 32);
}

/* Whether round r has nothing to do: none moved in the one before. */
static inline bool is_over(__global const u32 *status, u32 round)
{
    return round > 0 && status[STATUS_MOVED + round - 1] == 0;
}

/* pairs[i] = (next, 1), a tail's (itself, 0); so an index out of range, which is noted. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
rank_start(__global u64 *restrict pairs, __global u32 *restrict status,
           __global const u32 *restrict next, u32 n, u32 length)
{
    const u32 end = chunk_end(length, n);
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP) {
        const u32 target = next[i];
        if (target >= n)
            atomic_min(&status[STATUS_RANGE], i);
        const bool tail = target >= n || target == i;
        pairs[i] = tail ? pair_of(i, 0) : pair_of(target, 1);
    }
}

/* One round. old_marks, marks: u32[n] or both NULL; the marks as they are now are kept for
 * rank_mark. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
rank_round(__global u64 *restrict to, __global const u64 *restrict from,
           __global u32 *restrict old_marks, __global const u32 *restrict marks,
           __global u32 *status, u32 round, u32 n, u32 length)
{
    if (is_over(status, round))
        return;
    const u32 end = chunk_end(length, n);
    bool moved = false;
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP) {
        const u64 pair = from[i];
        const u64 ahead = from[pair_next(pair)];
        moved |= pair_next(ahead) != pair_next(pair);
        to[i] = pair_of(pair_next(ahead), pair_rank(pair) + pair_rank(ahead));
    }
    if (marks) {
        for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP)
            old_marks[i] = marks[i];
    }
    if (moved)
        status[STATUS_MOVED + round] = 1;
}

/* Marks where the pointers of a round's beginning lead to from marked elements: after round r all
 * within 2^(r + 1) - 1 steps of one are marked. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
rank_mark(__global u32 *restrict marks, __global const u32 *restrict old_marks,
          __global const u64 *restrict from, __global const u32 *restrict status, u32 round, u32 n,
          u32 length)
{
    if (is_over(status, round))
        return;
    const u32 end = chunk_end(length, n);
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP) {
        if (old_marks[i] != 0)
            marks[pair_next(from[i])] = 1;
    }
}

/* rank[i] from the last pairs. Who has not come to a true tail runs in a cycle, whose pointers may
 * by now lead to themselves: so the list as it was given decides. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
rank_finish(__global u32 *restrict rank, __global u32 *restrict status,
            __global const u64 *restrict pairs, __global const u32 *restrict next, u32 n,
            u32 length)
{
    const u32 end = chunk_end(length, n);
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP) {
        const u64 pair = pairs[i];
        rank[i] = pair_rank(pair);
        const u32 last = pair_next(pair);
        const u32 target = next[last];
        if (target < n && target != last)
            atomic_min(&status[STATUS_CYCLE], i);
    }
}
