#include "roadmap/plan/equal_ends.h"

#include <stdlib.h>
#include <string.h>

/* Places of the table for an end, and those that are looked at. */
enum { PLACES_EACH = 4, PROBES_MAX = 32 };
#define FREE UINT32_MAX
/* An odd number without pattern: 2^64 over the golden ratio. */
#define HASH_FACTOR 0x9e3779b97f4a7c15u

/* Words of a row by multiplication, upper bits folded down between them. */
static uint64_t end_hash(const float *row, size_t length, uint32_t flags)
{
    uint64_t hash = flags;
    for (size_t c = 0; c < length; c += 2) {
        uint64_t word;
        memcpy(&word, row + c, sizeof(word));
        hash = (hash ^ word) * HASH_FACTOR;
        hash ^= hash >> 32;
    }
    return hash * HASH_FACTOR;
}

enum prm_status prm_equal_ends_init(struct prm_equal_ends *equal, const float *rows, size_t row,
                                    const uint32_t *flags, uint32_t n)
{
    unsigned bits = 1;
    while ((size_t)1 << bits < (size_t)n * PLACES_EACH)
        bits++;
    const size_t places = (size_t)1 << bits;
    uint32_t *table = malloc(places * sizeof(*table)); /* of different ends */

    *equal = (struct prm_equal_ends){.which = malloc(2 * (size_t)n * sizeof(*equal->which) + 1)};
    if (!equal->which || !table) {
        free(table);
        return prm_fault_set(PRM_HOST_MEMORY, "no memory to tell %u ends apart", n);
    }
    equal->first = equal->which + n;
    memset(table, 0xff, places * sizeof(*table));

    for (uint32_t e = 0; e < n; e++) {
        const float *own = rows + e * row;
        size_t place = end_hash(own, row, flags[e]) >> (64 - bits);
        uint32_t found = FREE;
        for (unsigned probe = 0; probe < PROBES_MAX && table[place] != FREE; probe++) {
            const uint32_t other = equal->first[table[place]];
            if (flags[other] == flags[e] &&
                memcmp(rows + other * row, own, row * sizeof(*rows)) == 0) {
                found = table[place];
                break;
            }
            place = (place + 1) & (places - 1);
        }
        if (found == FREE) {
            found = equal->count++;
            equal->first[found] = e;
            if (table[place] == FREE)
                table[place] = found;
        }
        equal->which[e] = found;
    }
    free(table);
    return PRM_OK;
}

void prm_equal_ends_deinit(struct prm_equal_ends *equal)
{
    free(equal->which);
    *equal = (struct prm_equal_ends){0};
}
