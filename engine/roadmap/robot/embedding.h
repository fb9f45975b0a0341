/* States as embedded rows, in which neighbours are searched for (kernels/embedding.h: what they
 * hold, and their distance, which is the space's metric).
 *
 * Cost: a row in and one out a state; nothing where a space is all linear, as there the rows of
 * states are embedded as they are. Threads: the context's.
 */
#ifndef PRM_ROADMAP_EMBEDDING_H
#define PRM_ROADMAP_EMBEDDING_H

#include "device/arena.h"
#include "roadmap/robot/metric.h"

/* Coordinates of an embedded row at most, and bytes of its -D definitions. */
enum { PRM_EMBEDDED_DOF_MAX = 2 * PRM_DOF_MAX, PRM_EMBEDDING_OPTIONS_MAX = 128 + 16 * PRM_DOF_MAX };

struct prm_embedding {
    uint32_t dof; /* coordinates of an embedded row: linear, then 2 a turn, 9 an orientation */
    uint32_t row; /* floats of one: 2, 4, 8, 16, 32 or 64 */
    uint32_t linear, turns, orientations;
    float weights[PRM_DOF_MAX]; /* of the turns, then of an orientation */
};

struct prm_embedding prm_embedding_of(const struct prm_space *space);

/* Of rows of dof linear coordinates that are nothing else. */
struct prm_embedding prm_embedding_flat(uint32_t dof);

/* Whether rows of states are embedded rows. */
bool prm_embedding_is_flat(const struct prm_embedding *embedding);

/* Dimensions in which embedded rows spread: of a turn one, of an orientation three. */
uint32_t prm_embedding_dimension(const struct prm_embedding *embedding);

/* Writes "-DROW=… -DDOF=…", and what there is of turns and orientations, to
 * options[PRM_EMBEDDING_OPTIONS_MAX]. */
void prm_embedding_options(char *options, const struct prm_embedding *embedding);

/* Embeds n states of a space that is not flat. rows: f32[n][embedding's row]; states: f32[n][row],
 * device. */
enum prm_status prm_embedding_write(struct prm_context *context, struct prm_buffer rows,
                                    struct prm_buffer states, const struct prm_space *space,
                                    size_t n);

/* *rows = the embedded rows of n states: from the arena, or `states` themselves where they are
 * that. */
enum prm_status prm_embedding_take(struct prm_arena *arena, struct prm_buffer *rows,
                                   struct prm_buffer states, const struct prm_space *space,
                                   size_t n);

#endif
