/* The inside of an index by hashing: neighbors_lsh.c makes it, of functions that
 * neighbors_lsh_functions.c draws; neighbors_lsh_search.c asks it. Internal. */
#ifndef PRM_ROADMAP_NEIGHBORS_LSH_H
#define PRM_ROADMAP_NEIGHBORS_LSH_H

#include "kernels/lsh_types.h"
#include "primitives/cuckoo.h"
#include "roadmap/nearest/neighbors_index.h"

enum { LSH_TABLES_MAX = 64, LSH_OPTIONS_MAX = PRM_EMBEDDING_OPTIONS_MAX + 40 };

#define LSH_PI 3.14159265358979323846

/* One hash table over the points. */
struct lsh_table {
    struct prm_buffer order;   /* u32[count]: points sorted by key */
    struct prm_buffer starts;  /* u32[count]: of each run */
    struct prm_buffer lengths; /* u32[count] */
    struct prm_buffer projections, factors;
    struct prm_cuckoo *runs; /* key -> run */
    uint32_t run_count;
};

struct prm_lsh {
    bool automatic;  /* tables as many as needed, passes */
    bool wants_pass; /* next, not a table */
    bool is_refined; /* a pass was made */
    uint32_t filled, table_count, projections;
    uint32_t passes;         /* since the last table */
    double width, missed;    /* W; the share of the sample's neighbours not found so far */
    struct prm_buffer lists; /* u64[count][k], of the points themselves */
    struct prm_buffer spare; /* what a pass writes; no memory before the first and after the last */
    struct prm_buffer reach; /* float[samples]: distances of a sample's k-th neighbours */
    uint32_t samples, wanted; /* neighbours that the sample has */
    char options[PRM_EMBEDDING_OPTIONS_MAX];
    char join_options[LSH_OPTIONS_MAX], list_options[LSH_OPTIONS_MAX];
    struct lsh_table tables[LSH_TABLES_MAX];
};

/* Makes and uploads the hash functions of table number `number`; the table owns the buffers, on a
 * fault too. */
enum prm_status prm_lsh_functions(struct lsh_table *table, const struct prm_neighbor_index *index,
                                  uint32_t number);

/* keys[n] of n rows in one table. */
enum prm_status prm_lsh_keys(const struct prm_neighbor_index *index, const struct lsh_table *table,
                             struct prm_buffer keys, struct prm_buffer rows, uint32_t n);

/* The options of lsh_refine.cl for lists of k. options: char[LSH_OPTIONS_MAX]. */
void prm_lsh_list_options(char *options, const struct prm_lsh *lsh, uint32_t k);

#endif
