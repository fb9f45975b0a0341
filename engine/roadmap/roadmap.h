/* Probabilistic roadmaps: parameters, the resident structures, their build and their validity.
 *
 * A roadmap's topology (milestones, candidate edges, lengths) is immutable once built and
 * content-addressed by its digest. What a world allows of it is a separate object, its validity, of
 * which there is one per world revision. Queries read both and write neither.
 *
 * Kavraki, Svestka, Latombe & Overmars 1996; built on the device throughout.
 */
#ifndef PRM_ROADMAP_ROADMAP_H
#define PRM_ROADMAP_ROADMAP_H

#include "roadmap/robot/metric.h"
#include "roadmap/robot/robot.h"
#include "roadmap/world/world.h"

/* Where milestones come from (sample.h). All before the lattice can be mixed. */
enum prm_sample_method {
    PRM_SAMPLE_UNIFORM,
    PRM_SAMPLE_HALTON,
    PRM_SAMPLE_GAUSSIAN,
    PRM_SAMPLE_BRIDGE,
    PRM_SAMPLE_OBSTACLE,
    PRM_SAMPLE_LATTICE,
    PRM_SAMPLE_MIX
};
enum { PRM_SAMPLE_MIXABLE = PRM_SAMPLE_LATTICE };
/* The part of the milestones about anchors, where nothing else is said. */
#define PRM_ANCHOR_SHARE 0.1
enum prm_neighbor_method {
    PRM_NEIGHBOR_AUTO,
    PRM_NEIGHBOR_LSH,
    PRM_NEIGHBOR_EXACT,
    PRM_NEIGHBOR_TILES
};
enum prm_edge_check { PRM_EDGE_CERTIFIED, PRM_EDGE_SAMPLED };

enum { PRM_NEIGHBORS_MAX = 128, PRM_HISTOGRAM_BINS = 16 };

/* What a roadmap is made from, besides world and robot. Zero means the default where it says so. */
struct prm_roadmap_params {
    uint64_t seed;
    uint32_t sample_count; /* milestones wanted; ignored by lattice */
    enum prm_sample_method sample_method;
    double sample_shares[PRM_SAMPLE_MIXABLE]; /* mix: parts of each method, of any sum */
    const double *anchors; /* double[anchor_count][dof]: milestones 0, 1, …; borrowed until the
                              build is made, NULL afterwards */
    uint32_t anchor_count; /* at most sample_count */
    double anchor_share; /* 0 … 1: of the other milestones, drawn about anchors; only with some */
    const uint32_t *allowed; /* [allowed_count][2]: link and obstacle of the world that may touch;
                                borrowed as anchors */
    uint32_t allowed_count;
    double lattice_spacing; /* 0: a milestone at every free cell centre of the world's grid */
    enum prm_neighbor_method neighbor_method;
    uint32_t k;           /* 1 … PRM_NEIGHBORS_MAX */
    double radius;        /* 0: no limit; metric distance */
    uint32_t tables;      /* lsh: L; 0: automatic, as the next two */
    uint32_t projections; /* lsh: M */
    double width;         /* lsh: W */
    double target_recall; /* 0 … 1 */
    enum prm_edge_check edge_check;
    uint32_t milestones_max;    /* 0: any; of a lattice, which decides their number itself */
    uint32_t lattice_cells_max; /* 0: what is possible */
    double edge_resolution;     /* sampled: metric distance between samples; 0: 1/100 of the bounds'
                                   diagonal */
};

/* A graph in CSR form on the device. Its vertices are milestones in an order that searches like
 * (numbering.h): vertex v is milestone ids[v], milestone m is vertex places[m]. Arcs of a vertex
 * ascend by their target's milestone. */
struct prm_graph {
    uint32_t vertex_count, arc_count;
    struct prm_buffer offsets;     /* u32[vertex_count + 1] */
    struct prm_buffer arcs;        /* struct arc[arc_count] */
    struct prm_buffer ids, places; /* u32[vertex_count], borrowed; no memory: vertices are
                                      numbered as milestones */
};

struct prm_stage_time {
    const char *name;
    double milliseconds;
};
enum { PRM_STAGES_MAX = 16 };

/* What milestones are drawn from: the methods that mix, and trees grown from anchors. */
enum { PRM_SAMPLE_TREES = PRM_SAMPLE_MIXABLE, PRM_SAMPLE_SOURCES };
struct prm_sample_count {
    uint32_t wanted; /* its part of the milestones, without the anchors */
    uint32_t kept;   /* fewer where it found no more: `uniform` took their places */
    uint64_t drawn;  /* states, of trees motions, that were checked for it */
};

/* What there is to know about a build. */
struct prm_roadmap_statistics {
    uint64_t samples_drawn;
    double free_fraction;                                /* of the configurations drawn evenly */
    struct prm_sample_count samples[PRM_SAMPLE_SOURCES]; /* all 0 on a lattice */
    uint32_t milestones;
    uint32_t candidate_edges;
    enum prm_neighbor_method neighbor_method; /* that was used */
    uint32_t tables, projections;
    double width;
    double recall; /* measured on recall_samples points */
    uint32_t recall_samples;
    uint32_t cuckoo_attempts; /* the most of any table; 0 without lsh */
    double margin;
    struct prm_stage_time stages[PRM_STAGES_MAX];
    uint32_t stage_count;
    uint64_t device_bytes, host_bytes;
};

struct prm_neighbor_index;

/* The immutable topology. Device members may be read by anyone on the context's thread. */
struct prm_roadmap {
    struct prm_context *context;
    struct prm_space space;
    double center[3]; /* of the local frame: that of every world it is used in */
    struct prm_robot *robot;
    struct prm_buffer allowed; /* u32[allowed_count][2]: link and obstacle that may touch */
    uint32_t allowed_count;
    struct prm_roadmap_params params;
    uint32_t milestone_count, edge_count;
    struct prm_neighbor_index *index; /* tiles of the milestones: what is to be connected asks it */
    struct prm_buffer states;         /* f32[milestone_count][row] */
    struct prm_buffer embedded; /* the same as embedding.h has them; no memory where that is the
                                   states themselves */
    struct prm_buffer edges;    /* u32[edge_count][2]: a < b, ascending by (a, b) */
    struct prm_buffer lengths;  /* f32[edge_count]: metric length */
    double weight_scale;        /* a power of two; sums of weights order the search */
    float *host_states;         /* the same rows for the host: paths are written from these */
    float *host_lengths;        /* [edge_count]: lengths for the host */
    /* vertex v's edges: as the lower end first_low[v] … first_low[v + 1] - 1, as the higher end
     * by_high[first_high[v] …], ascending by the other end; u32[milestone_count + 1],
     * u32[edge_count] */
    struct prm_buffer first_low, first_high, by_high;
    struct prm_buffer ids, places; /* u32[milestone_count]: of graphs in it */
    struct prm_roadmap_statistics statistics;
    char *stage_names; /* of statistics, where they came with a snapshot; else NULL */
    char digest[65];   /* SHA-256 of milestones, edges and lengths in id order, hexadecimal */
};

struct prm_landmarks;

/* What one world allows of a roadmap. */
struct prm_validity {
    const struct prm_roadmap *roadmap;
    struct prm_buffer edge_valid;      /* u32[edge_count] of 0 and 1 */
    struct prm_graph graph;            /* the valid edges, both directions */
    struct prm_buffer components;      /* u32[milestone_count]: lowest id of the component */
    struct prm_buffer component_sizes; /* u32[milestone_count]: at the lowest id */
    struct prm_buffer vicinity;        /* of the robot in that world (vicinity.h); or no memory */
    uint32_t valid_edges, component_count, largest_component, largest_size;
    uint32_t degree_histogram[PRM_HISTOGRAM_BINS];
    uint32_t degree_max;
    uint32_t length_histogram[PRM_HISTOGRAM_BINS];
    double length_max;
    uint32_t edges_on, edges_off; /* changed against the validity it was derived from */
    double weight_scale; /* of graph's arcs, and so of links and heuristics of searches in it: a
                          * power of two, the roadmap's unless a changed world has made paths too
                          * long for it */
    /* What makes searches by length faster and changes no answer (landmarks.h): NULL until it is
     * made, or where there was no memory for it; and what is being made. */
    struct prm_landmarks *landmarks, *coming;
    struct prm_labelling *labelling; /* under way; NULL: not begun, or done */
    struct prm_weighing *weighing;   /* while it is made (validity.c); NULL otherwise */
};

/* A build in progress: a list of stages, each cut into bounded steps, so that other device work can
 * go between them. */
struct prm_build;

/* Checks parameters and estimated memory; starts a build. `world` must outlive it, `robot` not.
 * Faults: PRM_INVALID_ARGUMENT, PRM_LIMIT_EXCEEDED and PRM_DEVICE_MEMORY (up front, with bytes
 * needed and the limit), PRM_UNSUPPORTED. */
enum prm_status prm_build_create(struct prm_context *context, struct prm_build **build,
                                 const struct prm_world *world, const struct prm_robot_spec *robot,
                                 const struct prm_roadmap_params *params);

/* Runs one bounded step of the current stage. PRM_NO_FREE_SPACE when bounded sampling finds
 * nothing. */
enum prm_status prm_build_step(struct prm_build *build, bool *done);

/* The stage that runs now and the share of the whole that is done, 0 … 1. */
struct prm_progress {
    const char *stage;
    double fraction;
};
struct prm_progress prm_build_progress(const struct prm_build *build);

/* After the last step: hands out the roadmap and its validity in the world it was built in. */
enum prm_status prm_build_finish(struct prm_build *build, struct prm_roadmap **roadmap,
                                 struct prm_validity **validity);

/* Frees a build at any point (a cancel is just this); NULL is accepted. */
void prm_build_destroy(struct prm_build *build);

/* All steps of a build at once. */
enum prm_status prm_roadmap_create(struct prm_context *context, struct prm_roadmap **roadmap,
                                   struct prm_validity **validity, const struct prm_world *world,
                                   const struct prm_robot_spec *robot,
                                   const struct prm_roadmap_params *params);
void prm_roadmap_destroy(struct prm_roadmap *roadmap);

/* Device bytes of a resident roadmap, with its robot and its index. */
uint64_t prm_roadmap_device_bytes(const struct prm_roadmap *roadmap);

/* What it keeps on the host. */
uint64_t prm_roadmap_host_bytes(const struct prm_roadmap *roadmap);

/* What another world allows of a roadmap, found in bounded steps, so that other device work can go
 * between them: every candidate edge is checked in `world` (all enabled obstacles), components are
 * labelled. `previous` may be NULL; it is compared with, and its landmarks are shared where they
 * hold for this one too. All three must outlive it. PRM_INVALID_ARGUMENT: the world's local frame
 * is not the roadmap's. */
struct prm_revision;

enum prm_status prm_revision_create(struct prm_revision **revision,
                                    const struct prm_roadmap *roadmap,
                                    const struct prm_world *world,
                                    const struct prm_validity *previous);
/* The same where `world` differs from `before`, the world of `previous`, as told: only the edges
 * that the difference concerns are checked (changes.h), with the same outcome. `before` and the
 * difference are looked at by this call alone. */
enum prm_status prm_revision_create_between(struct prm_revision **revision,
                                            const struct prm_roadmap *roadmap,
                                            const struct prm_world *world,
                                            const struct prm_validity *previous,
                                            const struct prm_world *before,
                                            const struct prm_difference *difference);
enum prm_status prm_revision_step(struct prm_arena *arena, struct prm_revision *revision,
                                  bool *done);

/* Edges that it checks: known after the first steps, all of them where nothing is told of a
 * difference. */
uint32_t prm_revision_checks(const struct prm_revision *revision);

/* After the last step: hands the validity out. */
struct prm_validity *prm_revision_take(struct prm_revision *revision);

/* Frees a revision at any point; NULL is accepted. */
void prm_revision_destroy(struct prm_revision *revision);

/* All steps at once. */
enum prm_status prm_validity_create(struct prm_arena *arena, struct prm_validity **validity,
                                    const struct prm_roadmap *roadmap,
                                    const struct prm_world *world,
                                    const struct prm_validity *previous);
void prm_validity_destroy(struct prm_validity *validity);

/* Runs one bounded step of making searches faster, for when there is nothing else to do; *done:
 * there is nothing more to make. Between the steps and after a fault the validity is as good as
 * before. */
enum prm_status prm_validity_refine(struct prm_validity *validity, bool *done);

/* A copy of the graph for the host; malloc'ed members, freed by prm_graph_copy_deinit(). */
struct prm_graph_copy {
    uint32_t milestone_count, edge_count, dof;
    double *states;       /* [milestone_count][dof], world frame */
    uint32_t *edges;      /* [edge_count][2] */
    float *lengths;       /* [edge_count] */
    uint8_t *valid;       /* [edge_count] */
    uint32_t *components; /* [milestone_count] */
};
enum prm_status prm_graph_copy_init(struct prm_graph_copy *copy, const struct prm_roadmap *roadmap,
                                    const struct prm_validity *validity);
void prm_graph_copy_deinit(struct prm_graph_copy *copy);

#endif
