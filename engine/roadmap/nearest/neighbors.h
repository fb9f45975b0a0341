/* Nearest neighbours of embedded rows (embedding.h) under the space's metric: all points among
 * themselves, or foreign points.
 *
 * Methods: exact (brute force), tiles (median-split tiles of points with boxes, 16 queries walked
 * at once: exact, or as near as a target recall asks) and lsh (E2LSH of Datar et al. 2004 after Pan
 * & Manocha 2011: keys, radix sort, unique, cuckoo table). Of lsh, the points themselves are joined
 * table by table into resident lists of k (with automatic parameters neighbours of neighbours,
 * too); foreign points take candidate lists, segmented sort and compaction. Ties are broken by the
 * lower index, so exact results are canonical: those of tiles, where they are exact, are the same
 * to the bit as brute force's.
 */
#ifndef PRM_ROADMAP_NEIGHBORS_H
#define PRM_ROADMAP_NEIGHBORS_H

#include "roadmap/roadmap.h"
#include "roadmap/robot/embedding.h"

struct prm_neighbor_options {
    enum prm_neighbor_method method;
    uint32_t k;
    double radius; /* 0: none */
    uint32_t tables, projections;
    double width;         /* lsh parameters, 0: automatic */
    double target_recall; /* of automatic parameters */
    uint64_t seed;
};

/* An index over points that stays resident: for lsh its tables and the points' own lists, for tiles
 * the points again with their boxes, for exact nothing but the points. */
struct prm_neighbor_index;

struct prm_neighbor_statistics {
    enum prm_neighbor_method method; /* that was used */
    uint32_t tables, projections;
    double width;
    double alpha; /* of tiles: 1 exact, below: boxes are left out beyond √alpha of the k-th
                     neighbour */
    uint32_t cuckoo_attempts;
    uint64_t device_bytes; /* of tiles, resident */
    double recall;         /* measured by prm_neighbors_recall, else NaN */
};

/* Makes an index over `points` (embedded rows f32[count][row], device, borrowed: must stay). The
 * caller destroys it. */
enum prm_status prm_neighbor_index_create(struct prm_arena *arena,
                                          struct prm_neighbor_index **index,
                                          const struct prm_embedding *embedding,
                                          struct prm_buffer points, size_t count,
                                          const struct prm_neighbor_options *options);
/* The same in bounded steps: begin chooses the method and its parameters, each step makes one
 * table, a pass over the lists or some tiles; the index answers after the step that is *done. */
enum prm_status prm_neighbor_index_begin(struct prm_arena *arena, struct prm_neighbor_index **index,
                                         const struct prm_embedding *embedding,
                                         struct prm_buffer points, size_t count,
                                         const struct prm_neighbor_options *options);
enum prm_status prm_neighbor_index_step(struct prm_arena *arena, struct prm_neighbor_index *index,
                                        bool *done);
void prm_neighbor_index_destroy(struct prm_neighbor_index *index);

/* The k nearest of `count` points among all others, themselves excluded: those from `first` in the
 * index's own order (of tiles, in which they lie together; else of the points). Pieces that follow
 * each other from 0 to the number of points cover all of them, and give the same lists as one.
 * indices: u32[points][k], a whole table in the order of the points, of which the piece's rows are
 * written, ascending by (distance, index), NONE_U32 past the last; distances: f32[points][k]
 * metric, or no memory. */
enum prm_status prm_neighbors_self(struct prm_arena *arena, struct prm_buffer indices,
                                   struct prm_buffer distances,
                                   const struct prm_neighbor_index *index, size_t first,
                                   size_t count);

/* The k nearest points of foreign rows; k and radius may differ from the index's (0: the index's).
 * Exact and canonical but for lsh. queries: f32[count][row], embedded; indices, distances:
 * [count][k]. */
enum prm_status prm_neighbors_foreign(struct prm_arena *arena, struct prm_buffer indices,
                                      struct prm_buffer distances,
                                      const struct prm_neighbor_index *index,
                                      struct prm_buffer queries, size_t count, uint32_t k,
                                      double radius);

/* Share of the true k nearest that `indices` (of prm_neighbors_self over all points) holds,
 * measured on `sample_count` points spread over the index against brute force; ties at the k-th
 * distance count. */
enum prm_status prm_neighbors_recall(struct prm_arena *arena, double *recall,
                                     const struct prm_neighbor_index *index,
                                     struct prm_buffer indices, uint32_t sample_count);

/* The work of prm_neighbors_self over all points, counted: *pairs of a point and another whose
 * distance is worked out, n (n - 1) by brute force, O(n) by lsh, whose buckets are looked at up to
 * a limit. Reads the lengths of all buckets back. PRM_UNSUPPORTED of tiles, which decide on the
 * way.
 */
enum prm_status prm_neighbor_pairs(const struct prm_neighbor_index *index, uint64_t *pairs);

/* The slots of a complete tile index, u32[*count], device: the points' indices in an order in which
 * those that are near lie together, NONE_U32 in between. They live as long as the index.
 * PRM_UNSUPPORTED: the index is of another method. */
enum prm_status prm_neighbor_slots(struct prm_buffer *slots, size_t *count,
                                   const struct prm_neighbor_index *index);

struct prm_neighbor_statistics prm_neighbor_statistics(const struct prm_neighbor_index *index);

#endif
