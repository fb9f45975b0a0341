/* An operation of /v1/compute on the device: arrays up, primitives, arrays down, in plain data.
 *
 * A runner is a function of a run that reads as its list of primitives. Most end in one call; those
 * that are long do a bounded part a call and keep what they have in `state`. Scratch memory goes
 * after each call.
 *
 * Threads: on the device thread.
 */
#ifndef SERVICE_COMPUTE_RUN_H
#define SERVICE_COMPUTE_RUN_H

#include "primitives/segmented_sort.h"
#include "schema/compute.h"
#include "service/device_thread.h"

enum { COMPUTE_OWNED_MAX = 16 };

struct compute_run {
    const struct compute_request *request;
    const struct limits *limits;
    struct compute_reply reply;     /* its data are `owned`, or the request's */
    void *owned[COMPUTE_OWNED_MAX]; /* malloc'ed */
    unsigned owned_count;

    /* of a runner that takes several calls, destroyed by itself where it ends before its time */
    void *state;
    void (*state_destroy)(struct compute_run *run);

    /* of the call */
    struct device *device;
    struct prm_context *context;
    struct prm_arena *arena;
    double began; /* steady clock, for device_should_yield() */
};

/* Does a bounded part of the operation; *done after the last. After a fault the run can only be
 * deinitialised. */
enum prm_status compute_run_step(struct compute_run *run, struct device *device, bool *done);

/* Frees all; what lives on the device too, so on the device thread unless the run is done. */
void compute_run_deinit(struct compute_run *run);

/* ---- for runners ---- */

/* The runners, by operation. *done is true beforehand. */
struct compute_runner {
    enum prm_status (*run)(struct compute_run *run, bool *done);
};
extern const struct compute_runner compute_runners[COMPUTE_OP_COUNT];

enum prm_status compute_scan(struct compute_run *run, bool *done);
enum prm_status compute_compact(struct compute_run *run, bool *done);
enum prm_status compute_repeats(struct compute_run *run, bool *done);
enum prm_status compute_unique(struct compute_run *run, bool *done);
enum prm_status compute_split(struct compute_run *run, bool *done);
enum prm_status compute_bin(struct compute_run *run, bool *done);
enum prm_status compute_histogram(struct compute_run *run, bool *done);
enum prm_status compute_sort(struct compute_run *run, bool *done);
enum prm_status compute_rank(struct compute_run *run, bool *done);
enum prm_status compute_hash(struct compute_run *run, bool *done);
enum prm_status compute_sample(struct compute_run *run, bool *done);
enum prm_status compute_knn(struct compute_run *run, bool *done);
enum prm_status compute_bfs(struct compute_run *run, bool *done);

/* Scratch for `words` 32-bit words. */
enum prm_status compute_take(struct compute_run *run, struct prm_buffer *buffer, size_t words);

/* An array of the request in scratch memory, its items as they are. */
enum prm_status compute_upload(struct compute_run *run, struct prm_buffer *buffer,
                               const struct compute_array *array);

/* Host memory that the run owns, at least one byte. */
enum prm_status compute_own(struct compute_run *run, void **memory, size_t bytes);

/* Reads back the first `rows` elements as a result of the reply. *result (or NULL): the result, for
 * `none` and `present`. */
enum prm_status compute_list(struct compute_run *run, const char *name, enum compute_kind kind,
                             struct prm_buffer buffer, size_t rows, struct compute_result **result);

/* Adds a number of kind U32, U64 or I64. */
enum prm_status compute_number(struct compute_run *run, const char *name, enum compute_kind kind,
                               uint64_t number);

/* One u32 of a buffer: a count that sizes a result. */
enum prm_status compute_read_u32(struct compute_run *run, struct prm_buffer buffer,
                                 uint32_t *number);

/* The engine's order for a kind of 32 bits, or u64. */
enum prm_key_type compute_key_type(enum compute_kind kind);

#endif
