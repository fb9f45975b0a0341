/* The table of runners, and what they share (compute_run.h). */
#include "device/assert.h"
#include "device/try.h"
#include "schema/clock.h"
#include "service/compute/compute_run.h"

#include <stdlib.h>
#include <string.h>

const struct compute_runner compute_runners[COMPUTE_OP_COUNT] = {
    [COMPUTE_SCAN] = {compute_scan},
    [COMPUTE_COMPACT] = {compute_compact},
    [COMPUTE_REPEATS] = {compute_repeats},
    [COMPUTE_UNIQUE] = {compute_unique},
    [COMPUTE_SPLIT] = {compute_split},
    [COMPUTE_BIN] = {compute_bin},
    [COMPUTE_HISTOGRAM] = {compute_histogram},
    [COMPUTE_SORT] = {compute_sort},
    [COMPUTE_RANK] = {compute_rank},
    [COMPUTE_HASH] = {compute_hash},
    [COMPUTE_SAMPLE] = {compute_sample},
    [COMPUTE_KNN] = {compute_knn},
    [COMPUTE_BFS] = {compute_bfs},
};

enum prm_status compute_run_step(struct compute_run *run, struct device *device, bool *done)
{
    const struct prm_arena_mark mark = prm_arena_mark(device->arena);
    run->device = device;
    run->context = device->context;
    run->arena = device->arena;
    run->began = clock_steady();
    *done = true;
    const enum prm_status status = compute_runners[run->request->op].run(run, done);
    prm_arena_rewind(device->arena, mark);
    return status;
}

void compute_run_deinit(struct compute_run *run)
{
    if (run->state)
        run->state_destroy(run);
    run->state = NULL;
    for (unsigned i = 0; i < run->owned_count; i++)
        free(run->owned[i]);
    run->owned_count = 0;
}

static size_t item_bytes(enum compute_kind kind)
{
    const bool wide = kind == COMPUTE_U64 || kind == COMPUTE_I64 || kind == COMPUTE_F64;
    return wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

enum prm_status compute_take(struct compute_run *run, struct prm_buffer *buffer, size_t words)
{
    return prm_arena_take(run->arena, buffer, words * sizeof(uint32_t));
}

enum prm_status compute_upload(struct compute_run *run, struct prm_buffer *buffer,
                               const struct compute_array *array)
{
    const size_t bytes = array->rows * array->columns * item_bytes(array->kind);
    enum prm_status status = prm_arena_take(run->arena, buffer, bytes);
    if (status == PRM_OK)
        status = prm_buffer_write(run->context, *buffer, 0, array->data, bytes);
    return status;
}

enum prm_status compute_own(struct compute_run *run, void **memory, size_t bytes)
{
    PRM_ASSERT(run->owned_count < COMPUTE_OWNED_MAX);
    *memory = malloc(bytes > 0 ? bytes : 1);
    if (*memory == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu bytes of a result", bytes);
    run->owned[run->owned_count++] = *memory;
    return PRM_OK;
}

enum prm_status compute_list(struct compute_run *run, const char *name, enum compute_kind kind,
                             struct prm_buffer buffer, size_t rows, struct compute_result **result)
{
    const size_t bytes = rows * item_bytes(kind);
    void *data;
    enum prm_status status = compute_own(run, &data, bytes);
    if (status == PRM_OK)
        status = prm_buffer_read(run->context, buffer, 0, data, bytes);
    if (status != PRM_OK)
        return status;
    struct compute_result *added = compute_reply_list(&run->reply, name, kind, data, rows);
    if (result)
        *result = added;
    return PRM_OK;
}

enum prm_status compute_number(struct compute_run *run, const char *name, enum compute_kind kind,
                               uint64_t number)
{
    const uint32_t narrow = (uint32_t)number;
    void *data;
    const enum prm_status status = compute_own(run, &data, sizeof(number));
    if (status != PRM_OK)
        return status;
    if (kind == COMPUTE_U32)
        memcpy(data, &narrow, sizeof(narrow));
    else
        memcpy(data, &number, sizeof(number));
    compute_reply_number(&run->reply, name, kind, data);
    return PRM_OK;
}

enum prm_status compute_read_u32(struct compute_run *run, struct prm_buffer buffer,
                                 uint32_t *number)
{
    return prm_buffer_read(run->context, buffer, 0, number, sizeof(*number));
}

enum prm_key_type compute_key_type(enum compute_kind kind)
{
    switch (kind) {
    case COMPUTE_I32:
        return PRM_KEY_I32;
    case COMPUTE_F32:
        return PRM_KEY_F32;
    case COMPUTE_U64:
        return PRM_KEY_U64;
    case COMPUTE_U32:
    case COMPUTE_I64:
    case COMPUTE_F64:
        break;
    }
    return PRM_KEY_U32;
}
