/* The scratch arena: a stack of pieces cut from a few kept blocks. */
#include "device/arena.h"

#include "device/assert.h"
#include "device/internal.h"

#include <stdlib.h>

#define BLOCK_BYTES_MIN ((size_t)1 << 20)

struct block {
    cl_mem memory;
    size_t bytes;
};

/* Where a piece ended and what to release. */
struct piece {
    cl_mem memory; /* a sub-buffer, or a buffer of its own */
    size_t bytes;
    size_t block; /* index of its block */
    size_t end;   /* offset in the block behind it */
};

struct prm_arena {
    struct prm_context *context;
    struct piece *pieces; /* a stack */
    size_t piece_count, piece_capacity;
    struct block *blocks; /* filled in their order */
    size_t block_count, block_capacity;
    size_t in_use; /* bytes of all pieces, aligned */
    size_t peak;   /* most in use since it was last empty: the size of the merged block */
};

/* The next multiple of `align`; what has none is left for the memory limit to refuse. */
static size_t align_up(size_t bytes, size_t align)
{
    return bytes > SIZE_MAX - align ? bytes : (bytes + align - 1) / align * align;
}

enum prm_status prm_arena_create(struct prm_context *context, struct prm_arena **arena)
{
    *arena = calloc(1, sizeof(**arena));
    if (!*arena)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a scratch arena");
    (*arena)->context = context;
    return PRM_OK;
}

static void release_blocks(struct prm_arena *arena)
{
    for (size_t i = 0; i < arena->block_count; i++)
        prm_memory_destroy(arena->context, arena->blocks[i].memory, arena->blocks[i].bytes,
                           PRM_MEMORY_SCRATCH);
    arena->block_count = 0;
}

void prm_arena_destroy(struct prm_arena *arena)
{
    if (!arena)
        return;
    prm_arena_rewind(arena, (struct prm_arena_mark){0});
    release_blocks(arena);
    free(arena->blocks);
    free(arena->pieces);
    free(arena);
}

/* Makes room for one more element, doubling a full array; *array stays as it was on
 * PRM_HOST_MEMORY. */
static enum prm_status reserve(void **array, size_t *capacity, size_t count, size_t element_bytes)
{
    static const size_t CAPACITY_MIN = 16;

    if (count < *capacity)
        return PRM_OK;
    const size_t doubled = *capacity ? 2 * *capacity : CAPACITY_MIN;
    void *longer = realloc(*array, doubled * element_bytes);
    if (!longer)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu scratch pieces", doubled);
    *array = longer;
    *capacity = doubled;
    return PRM_OK;
}

/* Appends a block of at least `bytes`: as large as all before, to have few of them, where memory
 * allows. */
static enum prm_status add_block(struct prm_arena *arena, size_t bytes)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = arena->context;
    const struct prm_memory_use *memory = &context->memory;
    struct block block = {NULL, bytes};

    // what is wanted: twice the size so far, or on a fresh start what was needed last time
    size_t wanted = BLOCK_BYTES_MIN;
    if (arena->block_count == 0 && arena->peak > wanted)
        wanted = arena->peak;
    for (size_t i = 0, sum = 0; i < arena->block_count; i++) {
        sum += arena->blocks[i].bytes;
        if (sum > wanted)
            wanted = sum;
    }

    const uint64_t used = memory->resident_bytes + memory->scratch_bytes;
    const bool fits = used < memory->limit_bytes && wanted <= memory->limit_bytes - used &&
                      wanted <= context->device.info.allocation_max;
    if (wanted > bytes && fits)
        block.bytes = wanted;

    TRY(reserve((void **)&arena->blocks, &arena->block_capacity, arena->block_count,
                sizeof(block)));
    TRY(prm_memory_create(context, &block.memory, block.bytes, PRM_MEMORY_SCRATCH));
    arena->blocks[arena->block_count++] = block;

cleanup:
    return status;
}

/* Finds room for `bytes` behind the last piece: block and offset. */
static enum prm_status find_room(struct prm_arena *arena, size_t bytes, size_t *block,
                                 size_t *offset)
{
    const bool empty = arena->piece_count == 0;
    *block = empty ? 0 : arena->pieces[arena->piece_count - 1].block;
    *offset = empty ? 0 : arena->pieces[arena->piece_count - 1].end;

    // blocks too small for a first piece are of no use to anyone
    if (empty && arena->block_count > 0 && arena->blocks[0].bytes < bytes)
        release_blocks(arena);
    for (; *block < arena->block_count; (*block)++, *offset = 0) {
        if (arena->blocks[*block].bytes - *offset >= bytes)
            return PRM_OK;
    }
    *offset = 0;
    return add_block(arena, bytes);
}

/* Cuts a piece from a block. */
static enum prm_status cut(struct prm_arena *arena, struct piece *piece, size_t aligned)
{
    size_t offset;
    cl_int code;

    const enum prm_status status = find_room(arena, aligned, &piece->block, &offset);
    if (status != PRM_OK)
        return status;
    const cl_buffer_region region = {offset, piece->bytes};
    piece->memory = clCreateSubBuffer(arena->blocks[piece->block].memory, CL_MEM_READ_WRITE,
                                      CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (code != CL_SUCCESS)
        return prm_opencl_fault("clCreateSubBuffer", code);
    piece->end = offset + aligned;
    return PRM_OK;
}

enum prm_status prm_arena_take(struct prm_arena *arena, struct prm_buffer *piece, size_t bytes)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = arena->context;
    const size_t align = context->align_bytes;
    struct piece taken = {.bytes = bytes > 0 ? bytes : 1};

    *piece = PRM_NO_BUFFER;
    const size_t aligned = align_up(taken.bytes, align);

    TRY(prm_context_count_call(context));
    TRY(reserve((void **)&arena->pieces, &arena->piece_capacity, arena->piece_count,
                sizeof(taken)));
    if (context->separate_scratch)
        TRY(prm_memory_create(context, &taken.memory, taken.bytes, PRM_MEMORY_SCRATCH));
    else
        TRY(cut(arena, &taken, aligned));

    arena->pieces[arena->piece_count++] = taken;
    arena->in_use += aligned;
    if (arena->in_use > arena->peak)
        arena->peak = arena->in_use;
    *piece = (struct prm_buffer){taken.memory, taken.bytes};

cleanup:
    return status;
}

struct prm_arena_mark prm_arena_mark(const struct prm_arena *arena)
{
    return (struct prm_arena_mark){arena->piece_count};
}

void prm_arena_rewind(struct prm_arena *arena, struct prm_arena_mark mark)
{
    struct prm_context *context = arena->context;
    const size_t align = context->align_bytes;
    PRM_ASSERT(mark.piece_count <= arena->piece_count);

    while (arena->piece_count > mark.piece_count) {
        const struct piece *piece = &arena->pieces[--arena->piece_count];
        if (context->separate_scratch)
            prm_memory_destroy(context, piece->memory, piece->bytes, PRM_MEMORY_SCRATCH);
        else
            clReleaseMemObject(piece->memory);
        arena->in_use -= align_up(piece->bytes, align);
    }

    // several blocks become one, made when next needed, unless the device has no buffer so large
    if (arena->piece_count == 0) {
        if (arena->block_count > 1 && arena->peak <= context->device.info.allocation_max)
            release_blocks(arena);
        else
            arena->peak = 0;
    }
}

struct prm_context *prm_arena_context(const struct prm_arena *arena)
{
    return arena->context;
}
