#include "roadmap/build/params.h"

/* Samples along the bounds' diagonal of `sampled` edges, at most. */
enum { SAMPLES_ACROSS_MAX = 10000 };

enum prm_status prm_params_check(const struct prm_roadmap_params *params)
{
    if (params->k < 1 || params->k > PRM_NEIGHBORS_MAX)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "neighbors.k is %u, not 1 to %d", params->k,
                             PRM_NEIGHBORS_MAX);
    if (!(params->radius >= 0.0) || !(params->target_recall >= 0.0) ||
        !(params->target_recall <= 1.0) || !(params->width >= 0.0) ||
        !(params->edge_resolution >= 0.0) || !(params->lattice_spacing >= 0.0))
        return prm_fault_set(PRM_INVALID_ARGUMENT,
                             "neighbors.radius, width and target_recall, edges.resolution and "
                             "samples.spacing are numbers from 0, target_recall at most 1");
    return PRM_OK;
}

enum prm_status prm_params_check_resolution(const struct prm_roadmap_params *params,
                                            double diagonal)
{
    const double least = diagonal / SAMPLES_ACROSS_MAX;
    if (params->edge_check == PRM_EDGE_SAMPLED && params->edge_resolution < least)
        return prm_fault_set_at(
            PRM_LIMIT_EXCEEDED, "edges/resolution", NULL, least,
            "edges.resolution is %g, and at least %g, 1/%d of the bounds' diagonal",
            params->edge_resolution, least, SAMPLES_ACROSS_MAX);
    return PRM_OK;
}
