/* What list ranking and its host agree on (rank.cl). */
#ifndef KERNELS_RANK_TYPES_H
#define KERNELS_RANK_TYPES_H

enum {
    /* Elements of a block, which has one splitter. */
    RANK_SPAN = 64,
    /* Rounds of jumping at most: of 2^32 elements, and one more. */
    RANK_ROUNDS_MAX = 33
};

/* The steps by walks. */
enum rank_step { RANK_CONTRACT, RANK_SPREAD, RANK_REST, RANK_STEPS };

/* The words of `status`. */
enum rank_status {
    RANK_RANGE, /* the least element whose next is out of range, NONE_U32 if none is */
    RANK_CYCLE, /* the least that reaches no tail, likewise */
    RANK_UNFIT, /* whether walks do not do, as each step found */
    RANK_GREATEST = RANK_UNFIT + RANK_STEPS, /* the greatest rank of walks */
    RANK_MOVED,                              /* whether a pointer moved in each round */
    RANK_STATUS_WORDS = RANK_MOVED + RANK_ROUNDS_MAX
};

#endif
