/* Shortest paths as one would search for them by hand, on the roadmap that prmd has built: A* in
 * plain C with the straight distance as heuristic, a binary heap, compressed rows, one query after
 * another on each thread. Starts and goals are linked to the nearest milestones, found by trying
 * all, without any check: that is less work than ours. */
#ifndef BENCH_PLAIN_PATHS_H
#define BENCH_PLAIN_PATHS_H

#include "roadmap/plan/plan.h"

struct plain_paths {
    double queries_per_s, search_us; /* all in; of a query, on one thread, the search alone */
    double mean_length;
    uint32_t solved;
};

/* Links to k milestones and searches. Distances are those of joints without weights and of places.
 */
struct plain_paths plain_paths_run(const struct prm_graph_copy *graph,
                                   const struct prm_query *queries, uint32_t count, uint32_t k,
                                   unsigned threads);

#endif
