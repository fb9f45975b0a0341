/* The same operations by C++'s standard library, boost and nanoflann, where they were there when
 * this was built: NULL where not. */
#ifndef BENCH_STANDARD_H
#define BENCH_STANDARD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pair;

struct standard {
    void (*sort_keys)(uint32_t *keys, size_t count);
    void (*sort_pairs)(struct pair *pairs, size_t count); /* std::sort by key */
    void (*spread_sort_keys)(uint32_t *keys, size_t count);
    void (*spread_sort_words)(uint64_t *words, size_t count); /* pairs: key high, value low */
    void (*sort_groups)(uint32_t *keys, size_t count, size_t group);
    void (*exclusive_scan)(uint32_t *out, const uint32_t *in, size_t count);
    void (*random_words)(uint32_t *out, size_t count, uint32_t seed); /* std::mt19937 */
    void *(*map_create)(const uint32_t *keys, const uint32_t *values, size_t count);
    void (*map_find)(const void *map, uint32_t *out, const uint32_t *queries, size_t count);
    void (*map_destroy)(void *map);
    /* nanoflann: index and search of all points among themselves; rows: f32[count][dimension] */
    void (*neighbors)(uint32_t *indices, const float *rows, size_t count, uint32_t dimension,
                      uint32_t k, unsigned threads);
};

extern const struct standard standard;

#ifdef __cplusplus
}
#endif

#endif
