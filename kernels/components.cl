/* Connected components by hooking and pointer jumping (after Shiloach & Vishkin 1982): every vertex
 * ends with the lowest index of its component.
 *
 * A round hooks the roots of the two ends of each edge, the higher onto the lower by an atomic
 * minimum, then shortens all chains to their roots. Rounds go on until no edge hooks. Each step reads
 * one array and writes the other, so rounds and labels depend on the graph alone.
 *
 * Launch: any number of work-items, a stretch of edges or vertices each (share.h).
 * Traffic: a round reads 20 bytes an edge and moves 16 to 24 a vertex.
 */
#include "language.h"
#include "share.h"

/* labels[v] = v, sizes[v] = 0. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
components_begin(__global u32 *restrict labels, __global u32 *restrict sizes,
                 const u32 n)
{
    for (u32 v = share_begin(n), end = share_end(n); v < end; v++) {
        labels[v] = v;
        sizes[v] = 0;
    }
}

/* Hooks along the valid edges; *changed is set where one did. Every label is a root; `hooks` begins
 * as a copy of the labels. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
components_hook(__global volatile u32 *hooks, __global u32 *changed,
                __global const u32 *restrict labels,
                __global const u32 *restrict pairs,
                __global const u32 *restrict valid, const u32 edges)
{
    u32 hooked = 0;
    for (u32 e = share_begin(edges), end = share_end(edges); e < end; e++) {
        if (!valid[e])
            continue;
        const u32 a = labels[pairs[2 * (size_t)e]], b = labels[pairs[2 * (size_t)e + 1]];
        if (a != b) {
            atomic_min(hooks + max(a, b), min(a, b));
            hooked = 1;
        }
    }
    if (hooked)
        atomic_or(changed, 1u);
}

/* Every label becomes the root at the end of its hooks. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
components_jump(__global u32 *restrict labels, __global const u32 *restrict hooks,
                const u32 n)
{
    for (u32 v = share_begin(n), end = share_end(n); v < end; v++) {
        u32 root = hooks[v];
        while (hooks[root] != root)
            root = hooks[root];
        labels[v] = root;
    }
}

/* sizes[root] = vertices with that label. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
components_count(__global u32 *sizes, __global const u32 *restrict labels,
                 const u32 n)
{
    // neighbours in the order mostly share a label: one atomic a run
    u32 run = 0;
    for (u32 v = share_begin(n), end = share_end(n); v < end; v++) {
        run++;
        if (v + 1 == end || labels[v + 1] != labels[v]) {
            atomic_add(sizes + labels[v], run);
            run = 0;
        }
    }
}
