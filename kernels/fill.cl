/* Words set to one value. A kernel of our own and not clEnqueueFillBuffer, which checkers of uninitialised
 * memory do not see.
 *
 * Launch: any number of work-items; on a CPU each fills one contiguous part, on a GPU every items-th word.
 * Traffic: 4 bytes a word.
 */
#include "language.h"

__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
fill_u32(__global u32 *out, u64 first, u64 n, u32 value)
{
    const u64 item = get_global_id(0), items = get_global_size(0);
#ifdef SHAPE_CPU
    const u64 length = (n + items - 1) / items;
    const u64 end = min((item + 1) * length, n);
    for (u64 i = item * length; i < end; i++)
        out[first + i] = value;
#else
    for (u64 i = item; i < n; i += items)
        out[first + i] = value;
#endif
}
