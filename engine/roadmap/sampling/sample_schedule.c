/* Shares of sources and their interleaving. */
#include "roadmap/sampling/sample_schedule.h"

#include <math.h>

enum prm_status prm_sample_shares(double shares[PRM_SAMPLE_SOURCES],
                                  const struct prm_roadmap_params *params)
{
    const double of_trees = params->anchor_count > 0 ? params->anchor_share : 0.0;
    double sum = 0.0;

    if (!(params->anchor_share >= 0.0 && params->anchor_share <= 1.0))
        return prm_fault_set_at(PRM_INVALID_ARGUMENT, "samples/anchor_share", NULL, 0.0,
                                "samples.anchor_share is %g, not 0 to 1", params->anchor_share);
    for (uint32_t m = 0; m < PRM_SAMPLE_MIXABLE; m++) {
        shares[m] = params->sample_method == PRM_SAMPLE_MIX ? params->sample_shares[m]
                                                            : (double)(m == params->sample_method);
        if (!(shares[m] >= 0.0 && shares[m] < INFINITY))
            return prm_fault_set_at(PRM_INVALID_ARGUMENT, "samples/method", NULL, 0.0,
                                    "a share of samples.method is %g, not a number from 0",
                                    shares[m]);
        sum += shares[m];
    }
    if (!(sum > 0.0 && sum < INFINITY))
        return prm_fault_set_at(PRM_INVALID_ARGUMENT, "samples/method", NULL, 0.0,
                                "the shares of samples.method are %g together", sum);
    for (uint32_t m = 0; m < PRM_SAMPLE_MIXABLE; m++)
        shares[m] *= (1.0 - of_trees) / sum;
    shares[PRM_SAMPLE_TREES] = of_trees;
    return PRM_OK;
}

void prm_sample_schedule(uint8_t *source_of, const double shares[PRM_SAMPLE_SOURCES],
                         uint32_t anchors, uint32_t count)
{
    double behind[PRM_SAMPLE_SOURCES] = {0}; // how far the milestones so far are behind each share

    for (uint32_t i = 0; i < count; i++) {
        if (i < anchors) {
            source_of[i] = PRM_SOURCE_ANCHOR;
            continue;
        }
        uint32_t most = 0;
        for (uint32_t s = 0; s < PRM_SAMPLE_SOURCES; s++) {
            behind[s] += shares[s];
            if (behind[s] > behind[most])
                most = s;
        }
        source_of[i] = (uint8_t)most;
        behind[most] -= 1.0;
    }
}
