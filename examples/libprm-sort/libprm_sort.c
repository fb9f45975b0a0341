/* Sorts numbers on an OpenCL device and sums them up, with the installed libprm.
 *
 *   seq 5 -1 1 | ./libprm-sort
 *
 * Reads unsigned 32-bit numbers from standard input; prints, for each in ascending order, its line
 * in the input (from 0), the number, and the sum of all before it (mod 2^32); on standard error the
 * device.
 */
#include <prm/prm.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The numbers of standard input, malloc'ed; NULL: no memory, or something is no number. */
static uint32_t *numbers_read(size_t *count)
{
    size_t capacity = 1024;
    uint32_t *numbers = malloc(capacity * sizeof *numbers);
    int matched = 1;
    for (*count = 0; numbers && (matched = scanf("%" SCNu32, &numbers[*count])) == 1;) {
        if (++*count < capacity)
            continue;
        capacity *= 2;
        uint32_t *more = realloc(numbers, capacity * sizeof *numbers);
        if (!more)
            free(numbers);
        numbers = more;
    }
    if (numbers && matched == EOF)
        return numbers;
    free(numbers);
    return NULL;
}

/* On the device: numbers ascending, lines[i] where the i-th of them came from, sums[i] of those
 * before it. numbers, lines: u32[count]; sums: u32[count + 1]. */
static enum prm_status sort_and_sum(struct prm_context *context, struct prm_arena *arena,
                                    uint32_t *numbers, uint32_t *lines, uint32_t *sums,
                                    size_t count)
{
    const size_t bytes = count * sizeof *numbers;
    struct prm_buffer keys = PRM_NO_BUFFER, inverse = PRM_NO_BUFFER, totals = PRM_NO_BUFFER;
    enum prm_status status = prm_buffer_create(context, &keys, bytes);

    // enqueue all, then read: only the reads wait
    if (status == PRM_OK)
        status = prm_buffer_create(context, &inverse, bytes);
    if (status == PRM_OK)
        status = prm_buffer_create(context, &totals, bytes + sizeof *sums);
    if (status == PRM_OK)
        status = prm_buffer_write(context, keys, 0, numbers, bytes);
    if (status == PRM_OK)
        status = prm_radix_sort(arena, keys, PRM_NO_BUFFER, PRM_NO_BUFFER, inverse, count, NULL);
    if (status == PRM_OK)
        status = prm_scan_exclusive(arena, totals, keys, count, PRM_SCAN_AUTO);
    if (status == PRM_OK)
        status = prm_buffer_read(context, keys, 0, numbers, bytes);
    if (status == PRM_OK)
        status = prm_buffer_read(context, inverse, 0, lines, bytes);
    if (status == PRM_OK)
        status = prm_buffer_read(context, totals, 0, sums, bytes + sizeof *sums);
    prm_buffer_destroy(context, &totals);
    prm_buffer_destroy(context, &inverse);
    prm_buffer_destroy(context, &keys);
    return status;
}

int main(void)
{
    struct prm_context *context = NULL;
    struct prm_arena *arena = NULL;
    size_t count;
    uint32_t *numbers = numbers_read(&count);
    uint32_t *lines = malloc((count + 1) * sizeof *lines);
    uint32_t *sums = malloc((count + 1) * sizeof *sums);
    if (!numbers || !lines || !sums) {
        fputs("not all of standard input is unsigned 32-bit numbers\n", stderr);
        free(sums);
        free(lines);
        free(numbers);
        return 2;
    }

    enum prm_status status = prm_context_open(&context, NULL);
    if (status == PRM_OK)
        status = prm_arena_create(context, &arena);
    if (status == PRM_OK)
        status = sort_and_sum(context, arena, numbers, lines, sums, count);
    if (status == PRM_OK) {
        fprintf(stderr, "%zu numbers on %s\n", count, prm_context_device(context)->name);
        for (size_t i = 0; i < count; i++)
            printf("%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", lines[i], numbers[i], sums[i]);
    } else {
        fprintf(stderr, "%s: %s\n", prm_status_text(status), prm_fault_last()->detail);
    }
    prm_arena_destroy(arena);
    prm_context_close(context);
    free(sums);
    free(lines);
    free(numbers);
    return status == PRM_OK ? 0 : 1;
}
