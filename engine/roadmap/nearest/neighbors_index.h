/* The inside of a neighbour index, shared by its methods. Internal. */
#ifndef PRM_ROADMAP_NEIGHBORS_INDEX_H
#define PRM_ROADMAP_NEIGHBORS_INDEX_H

#include "roadmap/collision/scene_arguments.h"
#include "roadmap/nearest/neighbors.h"

struct prm_lsh;
struct prm_tiles;

struct prm_neighbor_index {
    struct prm_context *context;
    struct prm_embedding embedding;
    struct prm_buffer points; /* borrowed */
    uint32_t count;
    struct prm_neighbor_options options;
    struct prm_neighbor_statistics statistics;
    struct prm_lsh *lsh; /* NULL: another method, as the next; both: exact */
    struct prm_tiles *tiles;
};

/* The squared distance below which a point counts as within `radius` (0: any). */
float prm_neighbors_bound(double radius);

/* Which rows ask, for brute force: query q is row first + q * stride of `rows`; `among` the points
 * themselves, no point is its own neighbour. */
struct prm_neighbor_asked {
    struct prm_buffer rows;
    uint32_t first, stride;
    bool among;
};

/* Brute force over all points. indices, distances: [n][k]; distances may be no memory. */
enum prm_status prm_neighbors_brute(struct prm_arena *arena, struct prm_buffer indices,
                                    struct prm_buffer distances,
                                    const struct prm_neighbor_index *index,
                                    const struct prm_neighbor_asked *asked, uint32_t n, uint32_t k,
                                    double radius);

/* Chooses what is automatic and makes an index's tables, none yet filled. */
enum prm_status prm_lsh_create(struct prm_arena *arena, struct prm_neighbor_index *index);
void prm_lsh_destroy(struct prm_context *context, struct prm_lsh *lsh);

/* The next table or pass over the lists; *done after the last. */
enum prm_status prm_lsh_fill(struct prm_arena *arena, struct prm_neighbor_index *index, bool *done);

/* The lists of points first … first + n - 1, n >= 1. */
enum prm_status prm_lsh_self(struct prm_arena *arena, struct prm_buffer indices,
                             struct prm_buffer distances, const struct prm_neighbor_index *index,
                             uint32_t first, uint32_t n);

/* n >= 1 foreign rows. */
enum prm_status prm_lsh_foreign(struct prm_arena *arena, struct prm_buffer indices,
                                struct prm_buffer distances, const struct prm_neighbor_index *index,
                                struct prm_buffer queries, uint32_t n, uint32_t k, double radius);

/* Ordered pairs of points that share a bucket's chunk, summed over the tables. */
enum prm_status prm_lsh_pairs(const struct prm_neighbor_index *index, uint64_t *pairs);

/* Makes a tile index, nothing in it yet; on a fault the index is to be destroyed. */
enum prm_status prm_tiles_create(struct prm_neighbor_index *index);
void prm_tiles_destroy(struct prm_context *context, struct prm_tiles *tiles);

/* The next bounded step of filling it; *done after the last. */
enum prm_status prm_tiles_fill(struct prm_arena *arena, struct prm_neighbor_index *index,
                               bool *done);

/* A piece of the points in the order of their tiles; lists lie at the points' rows of whole tables.
 */
enum prm_status prm_tiles_self(struct prm_arena *arena, struct prm_buffer indices,
                               struct prm_buffer distances, const struct prm_neighbor_index *index,
                               uint32_t first, uint32_t n);

/* n >= 1 foreign rows, always exact. */
enum prm_status prm_tiles_foreign(struct prm_arena *arena, struct prm_buffer indices,
                                  struct prm_buffer distances,
                                  const struct prm_neighbor_index *index, struct prm_buffer queries,
                                  uint32_t n, uint32_t k, double radius);

#endif
