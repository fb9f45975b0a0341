#include "roadmap/plan/reason.h"

#include <math.h>

struct prm_reason prm_reason_make(enum prm_reason_kind kind)
{
    return (struct prm_reason){
        .kind = kind,
        .obstacle = UINT32_MAX,
        .link = UINT32_MAX,
        .sphere = UINT32_MAX,
        .other_link = UINT32_MAX,
        .coordinate = UINT32_MAX,
    };
}

struct prm_reason prm_reason_of_limit(const struct prm_space *space, uint32_t coordinate,
                                      double value)
{
    const struct prm_coordinate *passed = &space->coordinates[coordinate];
    struct prm_reason reason = prm_reason_make(PRM_REASON_BOUNDS);
    reason.coordinate = coordinate;
    reason.value = value;
    reason.limit = value < passed->lower ? passed->lower : passed->upper;
    return reason;
}

struct prm_reason prm_reason_of_clearance(const struct clearance *least)
{
    const bool of_world = least->other_link == NONE_U32;
    struct prm_reason reason =
        prm_reason_make(of_world ? PRM_REASON_WORLD_COLLISION : PRM_REASON_SELF_COLLISION);
    reason.obstacle = least->obstacle;
    reason.link = least->link;
    reason.sphere = least->sphere;
    reason.other_link = least->other_link;
    reason.depth = fmax(0.0, -(double)least->value);
    return reason;
}
