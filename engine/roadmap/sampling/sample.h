/* Sampling: where milestones come from. Internal to the build.
 *
 * Each method, and each anchor's trees, is a sequence of free configurations of its own, drawn from
 * the seed by number. Which of them gives milestone i depends on i alone (sample_schedule.h), so a
 * larger count only appends, and the set depends on nothing but seed and parameters. Anchors come
 * first. A method that finds too little for what it has drawn ends, at a place that does not depend
 * on the count either; uniform samples take its places, in their order, and where those end too,
 * there are fewer milestones.
 *
 * Uniform: the device's Mersenne Twister. Halton. Gaussian (Boor, Overmars & van der Stappen 1999):
 * of two configurations at a normal distance the one that is free while the other collides. Bridge
 * (Hsu, Jiang, Reif & Sun 2003): the free middle of two that collide. Obstacle (Amato, Bayazit,
 * Dale, Jones & Vallejo 1998): from a free configuration by bisection towards a colliding one.
 * Lattice: all free cell centres in the order of cells.
 */
#ifndef PRM_ROADMAP_SAMPLE_H
#define PRM_ROADMAP_SAMPLE_H

#include "kernels/lattice.h"
#include "roadmap/collision/collide.h"
#include "roadmap/sampling/sample_trees.h"

struct prm_sampler {
    enum prm_sample_method method;
    uint64_t seed;
    const struct prm_scene *scene;
    uint32_t capacity;        /* milestones at most: those wanted, or the cells of a lattice */
    uint64_t drawn;           /* so far, of all sources; of cells, those that were looked at */
    uint32_t accepted;        /* milestones so far */
    uint64_t even, even_free; /* configurations drawn evenly, and how many of them are free */
    struct prm_buffer limits; /* f32[2][row], of kernels/sample.h, rounded inwards */
    double extent;            /* of the space in a typical coordinate; scales are parts of it */

    /* all but the lattice */
    double shares[PRM_SAMPLE_SOURCES];
    uint32_t anchor_count;
    float *anchors;        /* [anchor_count][row], owned; NULL once they are placed */
    uint8_t *source_of;    /* [capacity]: what gives a milestone; owned, as the next */
    uint32_t *places;      /* [capacity]: the milestones of the present source, ascending */
    uint32_t place_count;  /* of them */
    uint32_t source;       /* the present one; they come in descending order, uniform last */
    uint64_t source_draws; /* numbers that the present source has used */
    struct prm_buffer device_places; /* u32[capacity]: as places */
    struct prm_sample_count counts[PRM_SAMPLE_SOURCES];
    struct prm_trees trees;

    /* the lattice */
    struct lattice lattice;
    struct prm_buffer cell_of, milestone_at; /* u32[capacity] each way */
    struct prm_buffer offsets;               /* lattice neighbours: struct lattice_offset[] */
    uint32_t offset_count;
    bool offsets_complete; /* they hold all that the radius allows */
};

/* Decides what is to be drawn. PRM_INVALID_ARGUMENT: a coordinate without limits, no grid for a
 * lattice, a count of zero or less than there are anchors, shares that are none, an anchor out of
 * limits; PRM_LIMIT_EXCEEDED: too many cells. `scene` must outlive the sampler. Deinit it also
 * after a fault. */
enum prm_status prm_sampler_init(struct prm_sampler *sampler, const struct prm_scene *scene,
                                 const struct prm_roadmap_params *params);
void prm_sampler_deinit(struct prm_sampler *sampler);

/* Takes the sampler's device memory from the arena, to stay until the caller rewinds. */
enum prm_status prm_sampler_begin(struct prm_arena *arena, struct prm_sampler *sampler);

/* Draws a bounded number more into states: f32[capacity][row], device. When *done, its first
 * `accepted` rows are the milestones. PRM_INVALID_ARGUMENT: an anchor collides; PRM_NO_FREE_SPACE:
 * nothing was found. */
enum prm_status prm_sampler_step(struct prm_arena *arena, struct prm_sampler *sampler,
                                 struct prm_buffer states, bool *done);

/* How much of the work is done, 0 … 1. */
double prm_sampler_share(const struct prm_sampler *sampler);

/* The lattice of the world's grid, or of its bounds at a spacing: sizes the sampler by it. */
enum prm_status prm_lattice_choose(struct prm_sampler *sampler,
                                   const struct prm_roadmap_params *params);

/* Takes and clears the maps between cells and milestones. */
enum prm_status prm_lattice_maps(struct prm_arena *arena, struct prm_sampler *sampler);

/* As prm_sampler_step: looks at the next cells. */
enum prm_status prm_lattice_step(struct prm_arena *arena, struct prm_sampler *sampler,
                                 struct prm_buffer states, bool *done);

/* After sampling a lattice: takes the table of offsets that serves k and radius (0: none). */
enum prm_status prm_lattice_begin(struct prm_arena *arena, struct prm_sampler *sampler, uint32_t k,
                                  double radius);

/* The k nearest by (distance, index) of lattice milestones first … first + n - 1. lists: u32[n][k].
 */
enum prm_status prm_lattice_neighbors(struct prm_arena *arena, struct prm_buffer lists,
                                      const struct prm_sampler *sampler, struct prm_buffer states,
                                      uint32_t k, double radius, uint32_t first, uint32_t n);

#endif
