/* A two-level cuckoo hash table (Alcantara et al. 2009) from distinct u32 keys to u32 values, built
 * in parallel on the device, read-only afterwards.
 *
 * Level 1 spreads keys over buckets (k mod buckets first, then random linear hashes mod a prime);
 * level 2 builds three sub-tables a bucket, one work-group a bucket, in local memory: the lowest
 * key index wins a slot, so the table does not depend on scheduling. Look-up: 1 + 3 probes at most.
 */
#ifndef PRM_PRIMITIVES_CUCKOO_H
#define PRM_PRIMITIVES_CUCKOO_H

#include "device/arena.h"

struct prm_cuckoo;

struct prm_cuckoo_options {
    float bucket_load;     /* 0 < load < 1; 0: 0.7 */
    float gamma;           /* bucket capacity is 256 * (1 + gamma); 0: 0.3 */
    uint64_t seed;         /* of the hash functions */
    uint32_t attempts_max; /* 0: 64 */
};

struct prm_cuckoo_statistics {
    uint32_t attempts; /* level-1 attempts, 1 at best */
    uint32_t buckets;
    size_t bytes; /* of the resident table */
};

/* keys, values: u32[count], device; no memory for values makes a set, in which a key's value is its
 * position. A repeated key is PRM_INVALID_ARGUMENT naming both positions; a
 * table that cannot be built in attempts_max is PRM_LIMIT_EXCEEDED with advice. The caller destroys
 * the table. */
enum prm_status prm_cuckoo_create(struct prm_arena *arena, struct prm_cuckoo **table,
                                  struct prm_buffer keys, struct prm_buffer values, size_t count,
                                  const struct prm_cuckoo_options *options);
void prm_cuckoo_destroy(struct prm_cuckoo *table);

/* out[i] = value of queries[i], or UINT32_MAX where the key is absent (present: u32[count] of 0 and
 * 1 unless no memory, for tables that hold that value). out, queries: u32[count], device. */
enum prm_status prm_cuckoo_find(const struct prm_cuckoo *table, struct prm_buffer out,
                                struct prm_buffer present, struct prm_buffer queries, size_t count);

struct prm_cuckoo_statistics prm_cuckoo_statistics(const struct prm_cuckoo *table);

#endif
