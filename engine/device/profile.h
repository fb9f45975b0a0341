/* The tuning profile of a device: which of the two shapes of machine it is, and the launch geometry
 * that follows. Kernels are written once over these numbers; results never depend on them.
 *
 * On a CPU device barriers are costly and a work-item is a core: work-groups of one, few of them,
 * each over a long contiguous chunk. On a GPU: many work-items, local memory, coalesced access.
 */
#ifndef PRM_DEVICE_PROFILE_H
#define PRM_DEVICE_PROFILE_H

#include "device/status.h"

#include <stddef.h>
#include <stdint.h>

enum prm_shape { PRM_SHAPE_CPU, PRM_SHAPE_GPU };

struct prm_profile {
    enum prm_shape shape;
    uint32_t
        workgroup;   /* work-items of a group in cooperative kernels: 1 on a CPU, a power of two */
    uint32_t chunks; /* groups that share out a long array (scan, sort, histogram) */
    uint32_t radix_bits; /* digit width of a sorting pass, 1 to 8 */
    uint32_t lanes; /* preferred float vector width: 16 with AVX-512, 8 with AVX2, 1 on a GPU */
    uint32_t compute_units; /* of the device */
    size_t local_bytes;     /* local memory of a group */
};

/* Applies overrides `name=value,…` (wg, chunks, radix_bits, lanes, shape=cpu|gpu), the text of
 * PRMD_TUNING; NULL or empty changes nothing. PRM_INVALID_ARGUMENT names an unknown member or a
 * value out of range. */
enum prm_status prm_profile_override(struct prm_profile *profile, const char *overrides);

#endif
