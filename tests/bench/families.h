/* The families of primitives that are measured together. Each runs its operations on
 * sizes[size] elements of a contest. */
#ifndef BENCH_FAMILIES_H
#define BENCH_FAMILIES_H

#include "contest.h"

/* A copy of as many u32: the yardstick of streams. */
void family_copy(struct contest *contest);

/* Scan, compaction, histogram, list ranking, random numbers. */
void family_lists(struct contest *contest);

/* Keys, pairs, groups. */
void family_sorts(struct contest *contest);

/* Cuckoo table: build, look-up. */
void family_tables(struct contest *contest);

/* Nearest neighbours of all points among themselves. */
void family_neighbors(struct contest *contest);

/* Search from sources. */
void family_graphs(struct contest *contest);

/* The operation of family_copy(). */
#define BENCH_COPY "copy u32"

#define COUNT_OF(array) ((unsigned)(sizeof(array) / sizeof *(array)))

#endif
