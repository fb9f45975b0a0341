/* Edge checks of listed pairs of configurations.
 *
 * Launch: any number of work-items, a stretch of runs of edges each (share.h). On a CPU motions of
 * points and balls that follow each other and begin at one place are checked abreast (fans.h).
 * Traffic: two rows and the obstacles along the way an edge.
 * -D ROW, DOF: of metric.h. -D EDGE_SAMPLED: of edges.h.
 *
 * check: -DROW=2 -DDOF=2
 * check: -DROW=4 -DDOF=3 -DEDGE_SAMPLED
 */
#include "edges.h"
#include "share.h"
#if defined(SHAPE_CPU) && !defined(BODIES) && !defined(EDGE_SAMPLED)
#define IN_FANS
#include "fans.h"
#endif

#ifdef IN_FANS

/* valid[i] of the pairs begin … end - 1 (edges_check below), all of them checked. */
static inline void check_fans(__global u32 *valid, __global const f32 *from, __global const f32 *to,
                              __global const u32 *pairs, u32 begin, u32 end,
                              const struct scene *scene)
{
    for (u32 i = begin; i < end;) {
        const u32 start = pairs[2 * (size_t)i];
        f32 row[ROW];
        struct fan fan;
        if (start == NONE_U32 || pairs[2 * (size_t)i + 1] == NONE_U32) {
            valid[i++] = 0;
            continue;
        }

        // as many pairs as begin at one place
        row_load(row, from, start);
        fan_begin(&fan, row_position(row));
        for (u32 j = i; fan.count < FAN_ENDS && j < end && pairs[2 * (size_t)j] == start; j++) {
            const u32 goal = pairs[2 * (size_t)j + 1];
            if (goal == NONE_U32)
                break;
            row_load(row, to, goal);
            fan_add(&fan, row_position(row));
        }
        const u32 bits = fan_free(scene, &fan);
        for (u32 lane = 0; lane < fan.count; lane++)
            valid[i++] = bits >> lane & 1u;
    }
}

#endif

/* valid[i] = 1 where the motion from row pairs[i][0] of `from` to row pairs[i][1] of `to` is free;
 * 0 for a pair with NONE_U32. Pairs come in runs: after `enough` free ones (0: never) of a run into
 * the component `wanted` the rest of it is not checked and 0. valid: [n * run]; pairs: [n * run][2]
 * from run `first` of the list on; components: by rows of `to`, not read where enough is 0. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
edges_check(__global u32 *restrict valid, __global const f32 *from,
            __global const f32 *to, __global const u32 *restrict pairs,
            __global const u32 *restrict components, const u32 run, const u32 enough,
            const u32 wanted, const u32 first, const u32 n, SCENE_PARAMETERS)
{
    const struct scene scene = SCENE_FROM_PARAMETERS;
    const u32 begin = (first + share_begin(n)) * run, end = (first + share_end(n)) * run;
    u32 found = 0;

#ifdef IN_FANS
    check_fans(valid, from, to, pairs, begin, end, &scene);
    for (u32 i = begin; i < end && enough > 0; i++) {
        if (i % run == 0)
            found = 0;
        if (found >= enough)
            valid[i] = 0;
        found += valid[i] && components[pairs[2 * (size_t)i + 1]] == wanted;
    }
#else
    f32 a[ROW], b[ROW];
    // one loop, so that compilers need but one copy of the check
    for (u32 i = begin; i < end; i++) {
        const u32 start = pairs[2 * (size_t)i], goal = pairs[2 * (size_t)i + 1];
        u32 is_free = 0;
        if (i % run == 0)
            found = 0;
        if (start != NONE_U32 && goal != NONE_U32 && (enough == 0 || found < enough)) {
            row_load(a, from, start);
            row_load(b, to, goal);
            is_free = edge_is_free(&scene, a, b) ? 1 : 0;
        }
        if (is_free && enough > 0)
            found += components[goal] == wanted;
        valid[i] = is_free;
    }
#endif
}
