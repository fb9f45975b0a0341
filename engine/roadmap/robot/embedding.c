/* Which coordinates go where in an embedded row, and the kernel that puts them there. */
#include "roadmap/robot/embedding.h"

#include "device/try.h"
#include "kernels/embedding_types.h"
#include "roadmap/collision/scene_arguments.h"

#include <stdio.h>

_Static_assert((int)PRM_DOF_MAX == (int)EMBEDDING_SOURCES, "each coordinate has a source");

/* Coordinates of a state that are an orientation. */
enum { QUATERNION_COORDINATES = 4 };

static uint32_t row_for(uint32_t dof)
{
    uint32_t row = 2;
    while (row < dof)
        row *= 2;
    return row;
}

struct prm_embedding prm_embedding_of(const struct prm_space *space)
{
    struct prm_embedding embedding = {0};
    uint32_t quaternions = 0;
    for (uint32_t c = 0; c < space->dof; c++) {
        const struct prm_coordinate *coordinate = &space->coordinates[c];
        embedding.linear += coordinate->kind == PRM_COORDINATE_LINEAR;
        if (coordinate->kind == PRM_COORDINATE_TURN)
            embedding.weights[embedding.turns++] = (float)coordinate->weight;
    }
    // an orientation comes last
    for (uint32_t c = 0; c < space->dof; c++) {
        if (space->coordinates[c].kind == PRM_COORDINATE_QUATERNION && quaternions++ == 0)
            embedding.weights[embedding.turns] = (float)space->coordinates[c].weight;
    }
    embedding.orientations = quaternions / QUATERNION_COORDINATES;
    embedding.dof = embedding.linear + TURN_FLOATS * embedding.turns +
                    ORIENTATION_FLOATS * embedding.orientations;
    embedding.row = row_for(embedding.dof);
    return embedding;
}

struct prm_embedding prm_embedding_flat(uint32_t dof)
{
    return (struct prm_embedding){.dof = dof, .row = row_for(dof), .linear = dof};
}

bool prm_embedding_is_flat(const struct prm_embedding *embedding)
{
    return embedding->dof == embedding->linear;
}

uint32_t prm_embedding_dimension(const struct prm_embedding *embedding)
{
    return embedding->linear + embedding->turns + 3 * embedding->orientations;
}

void prm_embedding_options(char *options, const struct prm_embedding *embedding)
{
    const size_t room = PRM_EMBEDDING_OPTIONS_MAX;
    const uint32_t parts = embedding->turns + embedding->orientations;
    size_t length =
        (size_t)snprintf(options, room, "-DROW=%u -DDOF=%u", embedding->row, embedding->dof);

    if (parts > 0)
        length += (size_t)snprintf(
            options + length, room - length,
            " -DEMBEDDED_TURNS=%u -DEMBEDDED_ORIENTATIONS=%u -DEMBEDDED_WEIGHTS=", embedding->turns,
            embedding->orientations);
    for (uint32_t i = 0; i < parts; i++)
        length += (size_t)snprintf(options + length, room - length, "%s%.9ef", i > 0 ? "," : "",
                                   (double)embedding->weights[i]);
}

/* The coordinates in the order of the embedding. */
static struct embedding_sources sources_of(const struct prm_space *space,
                                           const struct prm_embedding *embedding)
{
    struct embedding_sources sources = {0};
    uint32_t linear = 0, turn = embedding->linear, quaternion = turn + embedding->turns;
    for (uint32_t c = 0; c < space->dof; c++) {
        const enum prm_coordinate_kind kind = space->coordinates[c].kind;
        uint32_t *const next = kind == PRM_COORDINATE_LINEAR ? &linear
                               : kind == PRM_COORDINATE_TURN ? &turn
                                                             : &quaternion;
        sources.coordinate[*next] = c;
        *next += 1;
    }
    return sources;
}

enum prm_status prm_embedding_write(struct prm_context *context, struct prm_buffer rows,
                                    struct prm_buffer states, const struct prm_space *space,
                                    size_t n)
{
    const struct prm_embedding embedding = prm_embedding_of(space);
    const struct embedding_sources sources = sources_of(space, &embedding);
    const struct prm_share share = prm_share_of(context, n);
    char options[PRM_EMBEDDING_OPTIONS_MAX];

    if (n == 0)
        return PRM_OK;
    prm_embedding_options(options, &embedding);
    return prm_launch(context, PRM_KERNEL_EMBEDDING_ROWS, options, share.items, share.group,
                      ARGS(ARG_BUFFER(rows), ARG_BUFFER(states), ARG_STRUCT(&sources),
                           ARG_U32(space->row), ARG_U32((uint32_t)n)));
}

enum prm_status prm_embedding_take(struct prm_arena *arena, struct prm_buffer *rows,
                                   struct prm_buffer states, const struct prm_space *space,
                                   size_t n)
{
    const struct prm_embedding embedding = prm_embedding_of(space);
    enum prm_status status = PRM_OK;

    *rows = states;
    if (prm_embedding_is_flat(&embedding))
        return PRM_OK;
    TRY(prm_arena_take(arena, rows, n * embedding.row * sizeof(float)));
    TRY(prm_embedding_write(prm_arena_context(arena), *rows, states, space, n));
cleanup:
    return status;
}
