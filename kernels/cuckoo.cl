/* A two-level cuckoo hash table (Alcantara et al. 2009), built in parallel, the same whatever the
 * scheduling.
 *
 * Level 1 spreads keys over buckets of at most CUCKOO_BUCKET_KEYS (cuckoo_count, a scan,
 * cuckoo_place). Level 2 (cuckoo_build): a group builds a bucket's three tables in local memory, in
 * rounds. In round r all keys that have no slot claim theirs in table r mod 3, the least key index
 * wins, and who sat there is out again; after ROUNDS_MAX rounds it starts over with new functions.
 * Nothing depends on the order within a bucket, so the places that level 1's atomics gave do not
 * show in the result.
 *
 * Layout: slots[bucket][table][size] of (key, value), (EMPTY, EMPTY) where free;
 * functions[bucket][4] of 64 bits: c0 below c1 of each table, and a pad; side[2]: whether the key
 * EMPTY is there, and its value.
 *
 * Launch: cuckoo_count, cuckoo_place, cuckoo_find one group a chunk; cuckoo_build one group a run
 * of buckets. Traffic: build about 60 bytes a key, of which 12 are scattered; find 12 and 1 + 3
 * random lines a query.
 */
#include "chunk.h"
#include "cuckoo_types.h"

#define NOBODY CUCKOO_BUCKET_KEYS /* where a bucket's keys are numbered: none */
#define EMPTY 0xffffffffu

#define ROUNDS_MAX 99
#define RESTARTS_MAX 12

/* counts[b] = keys of bucket b; places[i] = which of them key i is (any order). Here and in
 * cuckoo_place values may be NULL: each key's is its index. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
cuckoo_count(__global u32 *restrict counts, __global u32 *restrict places,
             __global u32 *restrict side, __global u32 *restrict status,
             __global const u32 *restrict keys, __global const u32 *restrict values, u32 c0, u32 c1,
             u32 buckets, u32 n, u32 length)
{
    const struct hash_function function = {c0, c1};
    const struct hash_modulus modulus = hash_modulus_of(buckets);
    const u32 end = chunk_end(length, n);
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP) {
        const u32 key = keys[i];
        if (key != EMPTY) {
            places[i] = atomic_inc(&counts[hash_bucket(function, key, modulus)]);
        } else if (atomic_inc(&status[CUCKOO_EMPTY_KEYS]) == 0) {
            side[0] = 1;
            side[1] = values ? values[i] : i;
        }
    }
}

/* items[offsets[b] + place] = index, key and value, so that a bucket's are read in one go; offsets:
 * the scan of the counts. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
cuckoo_place(__global u32 *restrict items, __global const u32 *restrict offsets,
             __global const u32 *restrict places, __global const u32 *restrict keys,
             __global const u32 *restrict values, u32 c0, u32 c1, u32 buckets, u32 n, u32 length)
{
    const struct hash_function function = {c0, c1};
    const struct hash_modulus modulus = hash_modulus_of(buckets);
    const u32 end = chunk_end(length, n);
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP) {
        const u32 key = keys[i];
        if (key != EMPTY) {
            const u32 place = offsets[hash_bucket(function, key, modulus)] + places[i];
            __global u32 *item = items + (ulong)place * CUCKOO_ITEM_WORDS;
            item[0] = i;
            item[1] = key;
            item[2] = values ? values[i] : i;
        }
    }
}

/* A bucket in the making. slots[t * CUCKOO_BUCKET_KEYS + e]: key e's slot in table t; claims: of
 * one table, by index; holders[t * CUCKOO_TABLE_MAX + s]: the key in a slot, NOBODY if it is free,
 * whose key and value are EMPTY. */
struct bucket {
    u32 keys[CUCKOO_BUCKET_KEYS + 1];
    u32 values[CUCKOO_BUCKET_KEYS + 1];
    u32 indices[CUCKOO_BUCKET_KEYS];
    ushort slots[HASH_TABLES * CUCKOO_BUCKET_KEYS];
    u32 claims[CUCKOO_TABLE_MAX];
    ushort holders[HASH_TABLES * CUCKOO_TABLE_MAX];
#if WORKGROUP == 1
    ushort waiting[2 * CUCKOO_BUCKET_KEYS]; /* two lists that take turns: the keys without a slot */
#else
    uchar where[CUCKOO_BUCKET_KEYS]; /* the table that a key sits in, HASH_TABLES if none */
#endif
};

/* One round in table t, the `turn`-th of the bucket; `left` of its `count` keys are without a slot,
 * and the number of those after it is returned. */
#if WORKGROUP == 1

static inline u32 cuckoo_round(__local struct bucket *bucket, u32 t, u32 turn, u32 left, u32 count,
                               u32 size, __local u32 *scratch)
{
    __local const ushort *slots = bucket->slots + t * CUCKOO_BUCKET_KEYS;
    __local ushort *holders = bucket->holders + t * CUCKOO_TABLE_MAX;
    __local const ushort *waiting = bucket->waiting + turn % 2 * CUCKOO_BUCKET_KEYS;
    __local ushort *later = bucket->waiting + (turn + 1) % 2 * CUCKOO_BUCKET_KEYS;

    // the least index of those that claim a slot gets it
    for (u32 s = 0; s < size; s++)
        bucket->claims[s] = EMPTY;
    for (u32 w = 0; w < left; w++) {
        const u32 e = waiting[w];
        bucket->claims[slots[e]] = min(bucket->claims[slots[e]], bucket->indices[e]);
    }

    // who loses waits on, and who sat in a claimed slot waits again; without branches, which would
    // go either way
    u32 next = 0;
    for (u32 w = 0; w < left; w++) {
        const u32 e = waiting[w];
        const u32 slot = slots[e];
        const u32 holder = holders[slot];
        const bool wins = bucket->claims[slot] == bucket->indices[e];
        const u32 out = wins ? holder : e;
        holders[slot] = (ushort)(wins ? e : holder);
        later[next] = (ushort)out;
        next += out != NOBODY ? 1 : 0;
    }
    return next;
}

#else

static inline u32 cuckoo_round(__local struct bucket *bucket, u32 t, u32 turn, u32 left, u32 count,
                               u32 size, __local u32 *scratch)
{
    const u32 item = (u32)get_local_id(0);
    __local const ushort *slots = bucket->slots + t * CUCKOO_BUCKET_KEYS;

    for (u32 s = item; s < size; s += WORKGROUP)
        bucket->claims[s] = EMPTY;
    workgroup_barrier();

    // the least index of those that claim a slot gets it
    for (u32 e = item; e < count; e += WORKGROUP) {
        if (bucket->where[e] == HASH_TABLES)
            atomic_min(&bucket->claims[slots[e]], bucket->indices[e]);
    }
    workgroup_barrier();

    // who sat in a claimed slot is out
    u32 waiting = 0;
    for (u32 e = item; e < count; e += WORKGROUP) {
        const u32 winner = bucket->claims[slots[e]];
        const bool sits_here = bucket->where[e] == t && winner == EMPTY;
        const bool wins = bucket->where[e] == HASH_TABLES && winner == bucket->indices[e];
        const bool elsewhere = bucket->where[e] != t && bucket->where[e] != HASH_TABLES;
        if (!elsewhere)
            bucket->where[e] = sits_here || wins ? (uchar)t : HASH_TABLES;
        waiting += elsewhere || sits_here || wins ? 0 : 1;
    }
    return workgroup_reduce_add(waiting, scratch);
}

#endif

/* No key sits anywhere: all holders of a bucket's tables. */
static inline void cuckoo_vacate(__local struct bucket *bucket)
{
    for (u32 h = (u32)get_local_id(0); h < HASH_TABLES * CUCKOO_TABLE_MAX; h += WORKGROUP)
        bucket->holders[h] = NOBODY;
}

/* New functions for a bucket: stored, and every key's slots by them; no key sits anywhere. In try
 * `restart` = 0 the holders are vacated already. */
static inline void cuckoo_draw(__local struct bucket *bucket, __global ulong *function_row,
                               u32 number, u32 count, u32 size, u32 restart, u32 attempt,
                               ulong seed)
{
    const u32 item = (u32)get_local_id(0);
    const struct hash_modulus modulus = hash_modulus_of(size);
    struct hash_function functions[HASH_TABLES];
    hash_bucket_functions(functions, number, restart, attempt, seed);
    const ulong4 row =
        (ulong4)(hash_word(functions[0]), hash_word(functions[1]), hash_word(functions[2]), 0);
    for (u32 e = item; e < count; e += WORKGROUP) {
        const ulong4 slots = hash_slots(row, bucket->keys[e], modulus);
        bucket->slots[e] = (ushort)slots.x;
        bucket->slots[CUCKOO_BUCKET_KEYS + e] = (ushort)slots.y;
        bucket->slots[2 * CUCKOO_BUCKET_KEYS + e] = (ushort)slots.z;
#if WORKGROUP == 1
        bucket->waiting[restart * ROUNDS_MAX % 2 * CUCKOO_BUCKET_KEYS + e] = (ushort)e;
#else
        bucket->where[e] = HASH_TABLES;
#endif
    }
#if WORKGROUP == 1
    if (restart > 0)
        cuckoo_vacate(bucket);
#endif
    if (item == 0) {
        function_row[0] = row.x;
        function_row[1] = row.y;
        function_row[2] = row.z;
    }
}

/* Writes the bucket's slots; notes a key that is there twice (each would find the other's slot). */
static inline void cuckoo_write(__local struct bucket *bucket, __global u32 *out,
                                __global u32 *status, u32 count, u32 size)
{
    const u32 item = (u32)get_local_id(0);
#if WORKGROUP > 1
    // rounds of groups note where a key sits, not who sits in a slot
    cuckoo_vacate(bucket);
    workgroup_barrier();
    for (u32 e = item; e < count; e += WORKGROUP) {
        const u32 t = bucket->where[e];
        if (t < HASH_TABLES)
            bucket->holders[t * CUCKOO_TABLE_MAX + bucket->slots[t * CUCKOO_BUCKET_KEYS + e]] =
                (ushort)e;
    }
    workgroup_barrier();
#endif
    u32 repeated = 0;
    for (u32 t = 0; t < HASH_TABLES; t++) {
        for (u32 e = item; e < count; e += WORKGROUP) {
            const u32 holder =
                bucket->holders[t * CUCKOO_TABLE_MAX + bucket->slots[t * CUCKOO_BUCKET_KEYS + e]];
            repeated |= (holder != e) & (bucket->keys[holder] == bucket->keys[e]);
        }
        for (u32 s = item; s < size; s += WORKGROUP) {
            const u32 holder = bucket->holders[t * CUCKOO_TABLE_MAX + s];
            __global u32 *slot = out + CUCKOO_SLOT_WORDS * (t * size + s);
            slot[0] = bucket->keys[holder];
            slot[1] = bucket->values[holder];
        }
    }
    if (repeated)
        status[CUCKOO_DUPLICATE] = 1;
    workgroup_barrier();
}

/* Builds buckets [g * run, (g + 1) * run). offsets: u32[buckets + 1], where each one's items begin.
 */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
cuckoo_build(__global u32 *restrict slots, __global ulong *restrict functions,
             __global u32 *restrict status, __global const u32 *restrict offsets,
             __global const u32 *restrict items, ulong seed, u32 attempt, u32 size, u32 buckets,
             u32 run)
{
    __local struct bucket bucket;
    __local u32 scratch[WORKGROUP_SCRATCH];
    const u32 item = (u32)get_local_id(0);
    const u32 end = chunk_end(run, buckets);

    for (u32 b = chunk_begin(run); b < end; b++) {
        const u32 first = offsets[b];
        const u32 keys_there = offsets[b + 1] - first;
        const u32 count = keys_there <= CUCKOO_BUCKET_KEYS ? keys_there : 0;
        for (u32 e = item; e < count; e += WORKGROUP) {
            __global const u32 *source = items + (ulong)(first + e) * CUCKOO_ITEM_WORDS;
            bucket.indices[e] = source[0];
            bucket.keys[e] = source[1];
            bucket.values[e] = source[2];
        }

        if (item == 0) {
            bucket.keys[NOBODY] = EMPTY;
            bucket.values[NOBODY] = EMPTY;
        }
#if WORKGROUP == 1
        cuckoo_vacate(&bucket);
#endif

        // one loop over all rounds of all restarts: barriers within nested loops that are left
        // early are beyond some compilers
        u32 left = count;
        u32 restart = 0;
        u32 round = 0;
        for (u32 turn = 0; turn < RESTARTS_MAX * ROUNDS_MAX && left > 0; turn++) {
            if (round == 0) {
                left = count;
                cuckoo_draw(&bucket, functions + (ulong)b * CUCKOO_ROW_WORDS, b, count, size,
                            restart, attempt, seed);
            }
            left = cuckoo_round(&bucket, round % HASH_TABLES, turn, left, count, size, scratch);
            if (++round == ROUNDS_MAX) {
                round = 0;
                restart++;
            }
        }
        cuckoo_write(&bucket, slots + (ulong)b * HASH_TABLES * size * CUCKOO_SLOT_WORDS, status,
                     count, size);
        if (item == 0 && keys_there > CUCKOO_BUCKET_KEYS)
            status[CUCKOO_OVERFLOW] = 1;
        if (item == 0 && left > 0)
            status[CUCKOO_UNBUILT] = 1;
    }
}

/* Queries that a work-item has under way at once, so that their cache misses overlap. */
#if WORKGROUP == 1
#define QUERIES 64
#else
#define QUERIES 1
#endif

/* Asks for the cache line at p and does not wait for it. OpenCL's prefetch() does nothing on the
 * CPU devices there are. */
#if WORKGROUP == 1 && (defined(__x86_64__) || defined(__aarch64__))
#define ask_for(p) __builtin_prefetch((const void *)(ulong)(p))
#else
#define ask_for(p)
#endif

/* out[i] = value of queries[i], EMPTY where it is absent; present: u32[n] of 0 and 1, or NULL. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
cuckoo_find(__global u32 *restrict out, __global u32 *restrict present,
            __global const u32 *restrict queries, __global const uint2 *restrict slots,
            __global const ulong4 *restrict functions, __global const u32 *restrict side, u32 c0,
            u32 c1, u32 size, u32 buckets, u32 n, u32 length)
{
    const struct hash_function level1 = {c0, c1};
    const struct hash_modulus bucket_modulus = hash_modulus_of(buckets);
    const struct hash_modulus slot_modulus = hash_modulus_of(size);
    const ulong4 tables = (ulong4)(0, size, 2 * size, 0);
    const u32 end = chunk_end(length, n);
    for (u32 base = chunk_begin(length) + (u32)get_local_id(0); base < end;
         base += WORKGROUP * QUERIES) {
        const u32 count = min((u32)QUERIES, (end - base + WORKGROUP - 1) / WORKGROUP);

        // where each may sit
        ulong4 places[QUERIES];
        for (u32 q = 0; q < count; q++) {
            const u32 key = queries[base + q * WORKGROUP];
            const u32 b = hash_bucket(level1, key, bucket_modulus);
            const ulong4 place = hash_slots(functions[b], key, slot_modulus) + tables +
                                 (ulong)b * (HASH_TABLES * size);
            ask_for(slots + place.x);
            ask_for(slots + place.y);
            ask_for(slots + place.z);
            places[q] = place;
        }

        // all three slots are read, without a branch
        for (u32 q = 0; q < count; q++) {
            const u32 i = base + q * WORKGROUP;
            const u32 key = queries[i];
            const uint2 first = slots[places[q].x];
            const uint2 second = slots[places[q].y];
            const uint2 third = slots[places[q].z];
            u32 value = first.x == key ? first.y : EMPTY;
            value = second.x == key ? second.y : value;
            value = third.x == key ? third.y : value;
            u32 found = first.x == key || second.x == key || third.x == key ? 1 : 0;

            // the key that marks free slots is looked up aside
            if (key == EMPTY) {
                found = side[0];
                value = found ? side[1] : EMPTY;
            }
            out[i] = value;
            if (present)
                present[i] = found;
        }
    }
}
