/* What the cuckoo hash table and its host agree on (cuckoo.cl). */
#ifndef KERNELS_CUCKOO_TYPES_H
#define KERNELS_CUCKOO_TYPES_H

#include "hash.h"

enum {
    /* Keys of a bucket at most. */
    CUCKOO_BUCKET_KEYS = 256,
    /* Slots of one of a bucket's tables at most: 2 CUCKOO_BUCKET_KEYS in all, rounded up. */
    CUCKOO_TABLE_MAX = (2 * CUCKOO_BUCKET_KEYS + HASH_TABLES - 1) / HASH_TABLES,
    /* Words of 64 bits of a bucket's functions: one of each table, and a pad. */
    CUCKOO_ROW_WORDS = 4,
    /* Words of a slot: key, value. */
    CUCKOO_SLOT_WORDS = 2,
    /* Words of a key on its way to its bucket: index, key, value. */
    CUCKOO_ITEM_WORDS = 3,
    /* Words about the key that marks free slots: whether it is there, its value. */
    CUCKOO_SIDE_WORDS = 2
};

/* The words of `status`. */
enum cuckoo_status {
    CUCKOO_OVERFLOW,   /* some bucket overflowed */
    CUCKOO_UNBUILT,    /* some bucket could not be built */
    CUCKOO_DUPLICATE,  /* a key is there twice */
    CUCKOO_EMPTY_KEYS, /* how often the key that marks free slots is */
    CUCKOO_STATUS_WORDS
};

#endif
