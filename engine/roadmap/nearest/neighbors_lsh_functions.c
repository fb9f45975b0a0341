/* The hash functions of a table of hashed neighbours, drawn on the host (kernels/lsh.cl says what
 * they compute).
 *
 * The aᵢ are orthogonal, of the length √dof that N(0,1) vectors have on average: the same keys'
 * statistics with cells of less varied shape, so fewer tables.
 */
#include "roadmap/nearest/neighbors_lsh.h"

#include "device/try.h"

#include <math.h>

/* Factors of the combined key are below this. */
enum { FACTOR_END = 32768 };

/* The bits of a double's mantissa, taken of a word of 64, and 2^MANTISSA_BITS. */
enum { MANTISSA_BITS = 53 };
#define MANTISSA_END 9007199254740992.0

/* A direction whose part beyond those before has a squared length below this is drawn anew. */
#define SQUARED_MIN 1e-6

/* splitmix64 (Steele, Lea & Flood 2014): its increment, the golden ratio's, and its multipliers. */
static const uint64_t SPLITMIX_STEP = 0x9e3779b97f4a7c15u;
static const uint64_t SPLITMIX_MIX[] = {0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu};

static uint64_t random_next(uint64_t *state)
{
    uint64_t z = (*state += SPLITMIX_STEP);
    z = (z ^ (z >> 30)) * SPLITMIX_MIX[0];
    z = (z ^ (z >> 27)) * SPLITMIX_MIX[1];
    return z ^ (z >> 31);
}

/* In (0, 1). */
static double random_uniform(uint64_t *state)
{
    return ((double)(random_next(state) >> (64 - MANTISSA_BITS)) + 0.5) / MANTISSA_END;
}

/* N(0,1), by one half of Box & Muller's pair (1958). */
static double random_normal(uint64_t *state)
{
    const double radius = sqrt(-2.0 * log(random_uniform(state)));
    return radius * cos(2.0 * LSH_PI * random_uniform(state));
}

/* One direction of length √dof, orthogonal to the `before` ones in rows[][PRM_EMBEDDED_DOF_MAX]. */
static void random_direction(double (*rows)[PRM_EMBEDDED_DOF_MAX], uint32_t before, uint32_t dof,
                             uint64_t *state)
{
    double *row = rows[before], squared;
    do {
        for (uint32_t c = 0; c < dof; c++)
            row[c] = random_normal(state);
        for (uint32_t r = 0; r < before; r++) {
            double dot = 0.0;
            for (uint32_t c = 0; c < dof; c++)
                dot += row[c] * rows[r][c] / dof;
            for (uint32_t c = 0; c < dof; c++)
                row[c] -= dot * rows[r][c];
        }
        squared = 0.0;
        for (uint32_t c = 0; c < dof; c++)
            squared += row[c] * row[c];
    } while (squared < SQUARED_MIN);
    for (uint32_t c = 0; c < dof; c++)
        row[c] *= sqrt(dof / squared);
}

enum prm_status prm_lsh_functions(struct lsh_table *table, const struct prm_neighbor_index *index,
                                  uint32_t number)
{
    const struct prm_lsh *lsh = index->lsh;
    const uint32_t dof = index->embedding.dof, m = lsh->projections;
    double rows[LSH_PROJECTIONS][PRM_EMBEDDED_DOF_MAX];
    float projections[(PRM_EMBEDDED_DOF_MAX + 1) * LSH_PROJECTIONS] = {0};
    uint32_t factors[LSH_PROJECTIONS] = {0};
    uint64_t state = index->options.seed ^ ((uint64_t)(number + 1) << 32);
    enum prm_status status = PRM_OK;

    for (uint32_t h = 0; h < m; h++) {
        float *out = projections + h;
        // more projections than coordinates: orthogonal in groups
        random_direction(&rows[h - h % dof], h % dof, dof, &state);
        for (uint32_t c = 0; c < dof; c++)
            out[(size_t)c * LSH_PROJECTIONS] = (float)(rows[h][c] / lsh->width);
        out[(size_t)dof * LSH_PROJECTIONS] = (float)random_uniform(&state);
        factors[h] = 1 + (uint32_t)(random_next(&state) % (FACTOR_END - 1));
    }
    const size_t bytes = (size_t)(dof + 1) * LSH_PROJECTIONS * sizeof(float);
    TRY(prm_buffer_upload(index->context, &table->projections, projections, bytes));
    TRY(prm_buffer_upload(index->context, &table->factors, factors, sizeof(factors)));
cleanup:
    return status;
}
