/* The ends of points and balls linked to the roadmap on a CPU: whether an end is free, which of the
 * ways to its neighbours are (fans.h), and the links that follow, in one pass. What connect_pairs,
 * edges_check and connect_links (connect.cl) do of other robots and on a GPU, with the same
 * outcome.
 *
 * Launch: any number of work-items, a stretch of ends each (share.h).
 * Traffic: a row, and 8 bytes and a row a neighbour, an end; 8 bytes a link.
 * -D ROW, DOF: of metric.h.
 *
 * check: -DROW=2 -DDOF=2
 * check: -DROW=4 -DDOF=3
 */
#include "connect_types.h"
#include "fans.h"
#include "share.h"

/* vertices, costs: [n][k], the free ways of each end, nearest first; after `enough` (0: never) into
 * the component `wanted` no more. An end that coincides with its nearest neighbour has that one
 * link. Sets END_FREE and END_AT_MILESTONE. flags: [n], END_OUTSIDE or 0 on entry; neighbors,
 * distances: [n][k]; ends: f32[n][ROW]; states, components: of the vertices, components not read
 * where enough is 0. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
connect_fans(__global u32 *restrict vertices, __global u32 *restrict costs,
             __global u32 *restrict flags, __global const u32 *restrict neighbors,
             __global const f32 *restrict distances,
             __global const f32 *restrict ends, __global const f32 *restrict states,
             __global const u32 *restrict components, const u32 enough,
             const u32 wanted, const f32 weight_scale, const u32 k, const u32 n,
             SCENE_PARAMETERS)
{
    const struct scene scene = SCENE_FROM_PARAMETERS;
    for (u32 e = share_begin(n), stop = share_end(n); e < stop; e++) {
        __global const u32 *near = neighbors + (size_t)e * k;
        const size_t out = (size_t)e * k;
        f32 row[ROW], other[ROW];
        u32 links = 0, found = 0;
        row_load(row, ends, e);
        const struct vec3 from = row_position(row);
        const bool fine = !(flags[e] & END_OUTSIDE) && state_is_free(&scene, row);
        const bool at = fine && near[0] != NONE_U32 && distances[out] == 0.0f;
        const u32 count = at ? 1 : fine ? k : 0;

        for (u32 first = 0;
             first < count && near[first] != NONE_U32 && (enough == 0 || found < enough);
             first += FAN_ENDS) {
            // the ways to some neighbours
            const u32 last = min(first + FAN_ENDS, count);
            struct fan fan;
            fan_begin(&fan, from);
            for (u32 j = first; j < last && near[j] != NONE_U32; j++) {
                row_load(other, states, near[j]);
                fan_add(&fan, row_position(other));
            }

            // the free ones are links
            for (u32 bits = fan_free(&scene, &fan); bits != 0; bits &= bits - 1) {
                const u32 j = first + 31 - clz(bits & (0 - bits)), vertex = near[j];
                if (enough > 0) {
                    if (found >= enough)
                        break;
                    found += components[vertex] == wanted;
                }
                row_load(other, states, vertex);
                const f32 length = distances[out + j] == 0.0f ? 0.0f : metric_distance(row, other);
                vertices[out + links] = vertex;
                costs[out + links++] = metric_weight(length, weight_scale);
            }
        }
        for (; links < k; links++) {
            vertices[out + links] = NONE_U32;
            costs[out + links] = 0;
        }
        flags[e] |= (fine ? END_FREE : 0) | (at ? END_AT_MILESTONE : 0);
    }
}
