#include "points.h"
#include "bench.h"

#include <stdlib.h>

void points_init(struct points *points, struct prm_context *context, uint32_t dof, size_t count)
{
    uint64_t state = 42;
    *points = (struct points){.embedding = prm_embedding_flat(dof), .count = count};
    const uint32_t row = points->embedding.row;
    float *padded = bench_memory(count * row * sizeof *padded);
    points->rows = bench_memory(count * dof * sizeof *points->rows);
    points->columns = bench_memory(count * dof * sizeof *points->columns);
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < row; c++) {
            const float x = c < dof ? (float)(bench_random(&state) >> 40) * 0x1p-24f : 0.0f;
            padded[i * row + c] = x;
            if (c < dof)
                points->rows[i * dof + c] = points->columns[c * count + i] = x;
        }
    points->device = bench_buffer(context, padded, count * row);
    free(padded);
}

void points_deinit(struct points *points, struct prm_context *context)
{
    prm_buffer_destroy(context, &points->device);
    free(points->rows);
    free(points->columns);
}
