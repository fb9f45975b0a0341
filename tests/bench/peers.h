/* What other planners need for the same problems, measured in the same run.
 *
 * PRM_BENCH_PEERS names a folder with a built program `prm_bench` that knows the problems by name
 * and prints, for `prm_bench p2 10000 BUILDS dc 0`, lines such as p2: build milestones=10000
 * edges=93772 seconds=0.1580 … p2,plain C++ CSR A* 2T (…),queries=1000,…,qps=19471,mean_len=7.5304
 */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stdbool.h>

enum { PEERS_MAX = 16 };

struct peer_rate {
    char name[48];
    double queries_per_s, mean_length;
};

struct peers {
    double build_ms; /* median; 0: none seen */
    struct peer_rate rates[PEERS_MAX];
    unsigned rate_count;
};

/* Runs the program of a folder on a problem. false: it does not run there. */
bool peers_run(struct peers *peers, const char *folder, const char *problem, unsigned milestones,
               unsigned builds);

#endif
