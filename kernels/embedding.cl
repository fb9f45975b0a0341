/* States to embedded rows (embedding.h).
 *
 * Launch: any number of work-items, a stretch of rows each (share.h).
 * Traffic: a state's row in, an embedded one out.
 * -D ROW, DOF, EMBEDDED_…: of embedding.h.
 *
 * check: -DROW=4 -DDOF=4 -DEMBEDDED_TURNS=2 -DEMBEDDED_WEIGHTS=1,2
 * check: -DROW=16 -DDOF=14 -DEMBEDDED_TURNS=1 -DEMBEDDED_ORIENTATIONS=1 -DEMBEDDED_WEIGHTS=1,2
 */
#include "embedding.h"
#include "share.h"

/* λ/√2 times the rotation matrix of the unit quaternion x, y, z, w, row by row. */
static inline void embed_orientation(f32 *out, const f32 *quaternion, f32 weight)
{
    const f32 scale = weight * M_SQRT1_2_F;
    const f32 x = quaternion[0], y = quaternion[1], z = quaternion[2], w = quaternion[3];
    out[0] = scale * (1.0f - 2.0f * (y * y + z * z));
    out[1] = scale * (2.0f * (x * y - w * z));
    out[2] = scale * (2.0f * (x * z + w * y));
    out[3] = scale * (2.0f * (x * y + w * z));
    out[4] = scale * (1.0f - 2.0f * (x * x + z * z));
    out[5] = scale * (2.0f * (y * z - w * x));
    out[6] = scale * (2.0f * (x * z - w * y));
    out[7] = scale * (2.0f * (y * z + w * x));
    out[8] = scale * (1.0f - 2.0f * (x * x + y * y));
}

/* Embedded rows of n states. rows: f32[n][ROW]; states: f32[n][state_row]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
embedding_rows(__global f32 *restrict rows, __global const f32 *restrict states,
               const struct embedding_sources sources, const u32 state_row,
               const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        __global const f32 *state = states + (size_t)i * state_row;
        f32 out[ROW] = {0.0f};

        for (u32 c = 0; c < EMBEDDING_LINEAR; c++)
            out[c] = state[sources.coordinate[c]];
        for (u32 t = 0; t < EMBEDDED_TURNS; t++) {
            const u32 source = EMBEDDING_LINEAR + t;
            const f32 weight = embedding_weights[t];
            const f32 angle = state[sources.coordinate[source]] / weight;
            out[EMBEDDING_LINEAR + TURN_FLOATS * t] = weight * cos(angle);
            out[EMBEDDING_LINEAR + TURN_FLOATS * t + 1] = weight * sin(angle);
        }
#if EMBEDDED_ORIENTATIONS > 0
        f32 quaternion[4];
        const u32 source = EMBEDDING_LINEAR + EMBEDDED_TURNS;
        for (u32 j = 0; j < 4; j++)
            quaternion[j] = state[sources.coordinate[source] + j];
        embed_orientation(out + DOF - ORIENTATION_FLOATS, quaternion,
                          embedding_weights[EMBEDDED_TURNS]);
#endif
        for (u32 c = 0; c < ROW; c++)
            rows[(size_t)i * ROW + c] = out[c];
    }
}
