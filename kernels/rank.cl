/* List ranking by pointer jumping (Wyllie 1979) over a forest: each round reads the old array of
 * (next, rank) pairs and writes a new one, rank += rank[next], next = next[next]. A pair is one
 * word of 64 bits, so that it is gathered in one access. A round in which no pointer moved leaves
 * both arrays equal, and the rounds after it return at once: the host enqueues all rounds and need
 * not look.
 *
 * Long lists are contracted first (Helman & JaJa 1999): of each RANK_SPAN elements one, in a place
 * that looks random, walks to the next such one or the tail; these few are ranked by jumping and
 * walk once more to rank what is between; the rest, before the first of its list, walks by itself.
 * Walks that find much else (trees, short lists, cycles, indices out of range) say so, and all
 * elements jump.
 *
 * Launch: one group of WORKGROUP a chunk. Traffic of a round: 24 bytes an element, 8 of them
 * gathered; marks 12; of the walks in all: 20, 12 of them scattered.
 */
#include "chunk.h"
#include "rank_types.h"

/* Walks of a work-item at a time: a CPU waits for several reads at once. */
#if WORKGROUP == 1
#define WALKS 16
#else
#define WALKS 1
#endif

/* Steps of a walk: a splitter is met before, but for one list in e^64. */
#define STEPS_MAX (64u * RANK_SPAN)
/* Steps of a chunk's rest, an element: beyond that jumping is as fast. */
#define REST_STEPS 4u

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
    return round > 0 && status[RANK_MOVED + round - 1] == 0;
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
            atomic_min(&status[RANK_RANGE], i);
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
        status[RANK_MOVED + round] = 1;
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
            atomic_min(&status[RANK_CYCLE], i);
    }
}

/* The element of a block in a place that no order of a list is likely to know: the golden ratio's
 * multiples (Knuth), some middle bits of them. */
static inline u32 splitter_of(u32 block)
{
    return block * RANK_SPAN + (block * 2654435761u >> 20) % RANK_SPAN;
}

/* Whether element i is the splitter of one of the whole blocks. */
static inline bool is_splitter(u32 i, u32 blocks)
{
    const u32 block = i / RANK_SPAN;
    return block < blocks && i == splitter_of(block);
}

/* pairs[b] = (the block whose splitter follows that of block b, steps to it), or (blocks, steps to
 * the tail); pairs[blocks] is the tail of them all. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
rank_contract(__global u64 *restrict pairs, __global u32 *restrict status,
              __global const u32 *restrict next, u32 blocks, u32 n, u32 length)
{
    const u32 end = chunk_end(length, blocks);
    u32 fresh = chunk_begin(length) + (u32)get_local_id(0);
    u32 owner[WALKS], at[WALKS], steps[WALKS];
    u32 walking = 0;

    for (u32 k = 0; k < WALKS; k++) {
        owner[k] = fresh;
        at[k] = splitter_of(fresh);
        steps[k] = 0;
        walking += fresh < end;
        fresh += WORKGROUP;
    }
    while (walking > 0) {
        for (u32 k = 0; k < WALKS; k++) {
            if (owner[k] >= end)
                continue;
            const u32 target = next[at[k]];
            const bool unfit = target >= n || steps[k] >= STEPS_MAX;
            const bool over = unfit || target == at[k];
            if (unfit)
                status[RANK_UNFIT + RANK_CONTRACT] = 1;
            steps[k] += !over;
            at[k] = target;
            if (!over && !is_splitter(target, blocks))
                continue;

            // the lane's next walk
            pairs[owner[k]] = pair_of(over ? blocks : target / RANK_SPAN, steps[k]);
            owner[k] = fresh;
            at[k] = splitter_of(fresh);
            steps[k] = 0;
            walking -= fresh >= end;
            fresh += WORKGROUP;
        }
    }
    if (get_global_id(0) == 0)
        pairs[blocks] = pair_of(blocks, 0);
}

/* rank of the splitters, from their last pairs, and of what follows each up to the next. In trees
 * several walks give an element the same rank. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
rank_spread(__global u32 *rank, __global u32 *restrict status, __global const u64 *restrict pairs,
            __global const u32 *restrict next, u32 blocks, u32 length)
{
    const u32 end = chunk_end(length, blocks);
    u32 fresh = chunk_begin(length) + (u32)get_local_id(0);
    u32 owner[WALKS], at[WALKS], left[WALKS];
    u32 walking = 0;
    if (status[RANK_UNFIT + RANK_CONTRACT] != 0)
        return;

    for (u32 k = 0; k < WALKS; k++) {
        owner[k] = fresh;
        at[k] = splitter_of(fresh);
        left[k] = fresh < end ? pair_rank(pairs[fresh]) : 0;
        walking += fresh < end;
        fresh += WORKGROUP;
    }
    while (walking > 0) {
        for (u32 k = 0; k < WALKS; k++) {
            if (owner[k] >= end)
                continue;
            const u32 target = next[at[k]];
            rank[at[k]] = left[k];
            left[k]--;
            const bool over = target == at[k] || is_splitter(target, blocks);
            at[k] = target;
            if (!over)
                continue;
            if (pair_next(pairs[owner[k]]) != blocks)
                status[RANK_UNFIT + RANK_SPREAD] = 1;
            owner[k] = fresh;
            at[k] = splitter_of(fresh);
            left[k] = fresh < end ? pair_rank(pairs[fresh]) : 0;
            walking -= fresh >= end;
            fresh += WORKGROUP;
        }
    }
}

/* rank of the elements that no splitter's walk met, which is NONE_U32 before. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
rank_rest(__global u32 *restrict rank, __global u32 *restrict status,
          __global const u64 *restrict pairs, __global const u32 *restrict next, u32 blocks, u32 n,
          u32 length)
{
    const u32 end = chunk_end(length, n);
    u32 fresh = chunk_begin(length) + (u32)get_local_id(0);
    u32 owner[WALKS], at[WALKS], steps[WALKS];
    u32 greatest = 0;
    u32 budget = REST_STEPS * length / WORKGROUP + STEPS_MAX;
    if ((status[RANK_UNFIT + RANK_CONTRACT] | status[RANK_UNFIT + RANK_SPREAD]) != 0)
        return;

    for (u32 k = 0; k < WALKS; k++)
        owner[k] = NONE_U32;
    for (u32 walking = 0; fresh < end || walking > 0;) {
        for (u32 k = 0; k < WALKS; k++) {
            // an idle lane takes the next element without a rank
            if (owner[k] == NONE_U32) {
                while (fresh < end && rank[fresh] != NONE_U32) {
                    greatest = max(greatest, rank[fresh]);
                    fresh += WORKGROUP;
                }
                if (fresh >= end)
                    continue;
                owner[k] = at[k] = fresh;
                steps[k] = 0;
                walking++;
                fresh += WORKGROUP;
            }
            const u32 target = next[at[k]];
            if (target >= n || budget == 0) {
                status[RANK_UNFIT + RANK_REST] = 1;
                return;
            }
            budget--;
            const bool tail = target == at[k];
            const bool met = !tail && is_splitter(target, blocks);
            steps[k] += !tail;
            at[k] = target;
            if (!tail && !met)
                continue;
            const u32 sum = steps[k] + (met ? pair_rank(pairs[target / RANK_SPAN]) : 0);
            rank[owner[k]] = sum;
            greatest = max(greatest, sum);
            owner[k] = NONE_U32;
            walking--;
        }
    }
    atomic_max(&status[RANK_GREATEST], greatest);
}
