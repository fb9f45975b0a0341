/* Sampling: where milestones come from. Internal to the build.
 *
 * Draws are numbered; the first `wanted` free ones, in the order of their numbers, are the
 * milestones, so the set depends on seed and count alone, and a larger count only appends. Uniform:
 * the device's Mersenne Twister. Halton. Lattice: all free cell centres in the order of cells.
 */
#ifndef PRM_ROADMAP_SAMPLE_H
#define PRM_ROADMAP_SAMPLE_H

#include "kernels/lattice.h"
#include "roadmap/collide.h"

struct prm_sampler {
    enum prm_sample_method method;
    uint64_t seed;
    const struct prm_scene *scene;
    uint32_t capacity;        /* milestones at most: those wanted, or the cells of a lattice */
    uint64_t draws_max;       /* bounded: so many draws at most */
    uint64_t drawn;           /* up to the last that was looked at */
    uint32_t accepted;        /* milestones so far */
    struct prm_buffer limits; /* f32[2][row]: bounds in the local frame, rounded inwards */
    struct lattice lattice;
    struct prm_buffer cell_of, milestone_at; /* lattice: u32[capacity] each way */
    struct prm_buffer offsets;               /* lattice neighbours: struct lattice_offset[] */
    uint32_t offset_count;
    bool offsets_complete; /* they hold all that the radius allows */
};

/* Milestones at most, to size things by. PRM_INVALID_ARGUMENT: no bounds, no grid for a lattice, a
 * count of zero; PRM_LIMIT_EXCEEDED: too many cells. `scene` must outlive the sampler. */
enum prm_status prm_sampler_init(struct prm_sampler *sampler, const struct prm_scene *scene,
                                 const struct prm_roadmap_params *params);

/* Takes the sampler's device memory from the arena, to stay until the caller rewinds. */
enum prm_status prm_sampler_begin(struct prm_arena *arena, struct prm_sampler *sampler);

/* Draws a bounded number more; states: f32[capacity][row], device. *done when there are enough,
 * when the lattice ends or when the bound on draws is reached. PRM_NO_FREE_SPACE when that leaves
 * none. */
enum prm_status prm_sampler_step(struct prm_arena *arena, struct prm_sampler *sampler,
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
