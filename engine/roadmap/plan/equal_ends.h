/* Ends of a batch that are the same: many queries begin at one place or lead to one, and what holds
 * of an end is found once.
 *
 * Method: an open-addressed table of the host, linear probing at a quarter full. Ends are the same
 * where rows and flags are, bit by bit. Rows whose hashes run together (a client may choose them
 * so) are looked for at a few places only and else taken for new, so that the time is linear
 * whatever comes. Cost: some 10 ns an end.
 */
#ifndef PRM_ROADMAP_EQUAL_ENDS_H
#define PRM_ROADMAP_EQUAL_ENDS_H

#include "device/status.h"

#include <stddef.h>
#include <stdint.h>

struct prm_equal_ends {
    uint32_t count;  /* different ends */
    uint32_t *which; /* [n]: which of them an end is */
    uint32_t *first; /* [count]: the first end that is so, ascending */
};

/* rows: f32[n][row]; flags: [n]. n below 2^28. The caller deinitialises it, also after a fault. */
enum prm_status prm_equal_ends_init(struct prm_equal_ends *equal, const float *rows, size_t row,
                                    const uint32_t *flags, uint32_t n);

void prm_equal_ends_deinit(struct prm_equal_ends *equal);

#endif
