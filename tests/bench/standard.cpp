// The peers that are C++: built for this very machine, as their users would.
#include "standard.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <unordered_map>
#include <vector>

#if __has_include(<boost/sort/spreadsort/integer_sort.hpp>)
#include <boost/sort/spreadsort/integer_sort.hpp>
#define HAS_SPREADSORT 1
#endif
#if __has_include(<nanoflann.hpp>)
#include <nanoflann.hpp>
#define HAS_NANOFLANN 1
#endif

extern "C" {
#include "plain.h"
#include "threads.h"
}

namespace
{

void sort_keys(uint32_t *keys, size_t count)
{
    std::sort(keys, keys + count);
}

void sort_pairs(pair *pairs, size_t count)
{
    std::sort(pairs, pairs + count, [](const pair &a, const pair &b) { return a.key < b.key; });
}

void sort_groups(uint32_t *keys, size_t count, size_t group)
{
    for (size_t begin = 0; begin < count; begin += group)
        std::sort(keys + begin, keys + begin + group);
}

void exclusive_scan(uint32_t *out, const uint32_t *in, size_t count)
{
    std::exclusive_scan(in, in + count, out, uint32_t{0});
}

void random_words(uint32_t *out, size_t count, uint32_t seed)
{
    std::mt19937 engine(seed);
    std::generate(out, out + count, [&] { return static_cast<uint32_t>(engine()); });
}

using map_type = std::unordered_map<uint32_t, uint32_t>;

void *map_create(const uint32_t *keys, const uint32_t *values, size_t count)
{
    auto *map = new map_type(count);
    for (size_t i = 0; i < count; i++)
        map->emplace(keys[i], values[i]);
    return map;
}

void map_find(const void *map, uint32_t *out, const uint32_t *queries, size_t count)
{
    const auto &table = *static_cast<const map_type *>(map);
    for (size_t i = 0; i < count; i++) {
        const auto found = table.find(queries[i]);
        out[i] = found == table.end() ? UINT32_MAX : found->second;
    }
}

void map_destroy(void *map)
{
    delete static_cast<map_type *>(map);
}

#ifdef HAS_SPREADSORT
void spread_sort_keys(uint32_t *keys, size_t count)
{
    boost::sort::spreadsort::integer_sort(keys, keys + count);
}

void spread_sort_words(uint64_t *words, size_t count)
{
    boost::sort::spreadsort::integer_sort(words, words + count);
}
#else
constexpr void (*spread_sort_keys)(uint32_t *, size_t) = nullptr;
constexpr void (*spread_sort_words)(uint64_t *, size_t) = nullptr;
#endif

#ifdef HAS_NANOFLANN
struct cloud {
    const float *rows;
    size_t count;
    uint32_t dimension;
    size_t kdtree_get_point_count() const
    {
        return count;
    }
    float kdtree_get_pt(size_t i, size_t d) const
    {
        return rows[i * dimension + d];
    }
    template <class Box> bool kdtree_get_bbox(Box &) const
    {
        return false;
    }
};

using tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, cloud>, cloud,
                                                 -1, uint32_t>;

struct search {
    uint32_t *indices;
    const cloud *points;
    const tree *index;
    uint32_t k;
};

void search_part(void *data, unsigned thread, unsigned threads)
{
    const auto &work = *static_cast<const search *>(data);
    const size_t n = work.points->count;
    std::vector<uint32_t> found(work.k + 1);
    std::vector<float> squares(work.k + 1);
    const size_t end = threads_begin(n, thread + 1, threads);
    for (size_t i = threads_begin(n, thread, threads); i < end; i++) {
        const float *row = work.points->rows + i * work.points->dimension;
        const size_t count = work.index->knnSearch(row, work.k + 1, found.data(), squares.data());
        uint32_t *out = work.indices + i * work.k;
        for (size_t j = 0, kept = 0; j < count && kept < work.k; j++)
            if (found[j] != i)
                out[kept++] = found[j];
    }
}

void neighbors(uint32_t *indices, const float *rows, size_t count, uint32_t dimension, uint32_t k,
               unsigned threads)
{
    const cloud points{rows, count, dimension};
    tree index(static_cast<int>(dimension), points, nanoflann::KDTreeSingleIndexAdaptorParams(10));
    index.buildIndex();
    search work{indices, &points, &index, k};
    threads_run(threads, search_part, &work);
}
#else
constexpr void (*neighbors)(uint32_t *, const float *, size_t, uint32_t, uint32_t,
                            unsigned) = nullptr;
#endif

} // namespace

extern "C" const struct standard standard = {
    sort_keys,    sort_pairs, spread_sort_keys, spread_sort_words, sort_groups, exclusive_scan,
    random_words, map_create, map_find,         map_destroy,       neighbors};
