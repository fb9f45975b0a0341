/* Scratch memory on the device: an arena that is marked and rewound.
 *
 * An arena grows by blocks and keeps them for the next use; rewinding to the beginning merges them
 * into one block of the size last needed. Pieces are aligned for any type and any device. With the
 * context's `separate_scratch` each piece is a buffer of its own, so that Oclgrind sees overruns.
 *
 *     struct prm_arena_mark mark = prm_arena_mark(arena);
 *     TRY(prm_arena_take(arena, &sums, chunks * sizeof(uint32_t)));
 *     …
 * cleanup:
 *     prm_arena_rewind(arena, mark);
 *
 * Pieces taken since the mark are then gone; work already enqueued on them is safe.
 */
#ifndef PRM_DEVICE_ARENA_H
#define PRM_DEVICE_ARENA_H

#include "device/buffer.h"

struct prm_arena;

struct prm_arena_mark {
    size_t piece_count;
};

enum prm_status prm_arena_create(struct prm_context *context, struct prm_arena **arena);

/* Frees the arena and its blocks; NULL is accepted. */
void prm_arena_destroy(struct prm_arena *arena);

/* Takes `bytes` of uninitialised memory (0 is rounded up) until the arena is rewound past this
 * point. */
enum prm_status prm_arena_take(struct prm_arena *arena, struct prm_buffer *piece, size_t bytes);

struct prm_arena_mark prm_arena_mark(const struct prm_arena *arena);
void prm_arena_rewind(struct prm_arena *arena, struct prm_arena_mark mark);

/* The context whose memory it hands out. */
struct prm_context *prm_arena_context(const struct prm_arena *arena);

#endif
