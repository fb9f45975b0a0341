/* Growth as launches over a set of places: a place holds one query's trees, is grown by some rounds
 * a launch, and goes to the next query when its own has ended. */
#include "roadmap/plan/expand.h"

#include "device/try.h"
#include "kernels/connect_types.h"
#include "kernels/expand_types.h"
#include "kernels/types.h"
#include "roadmap/collision/scene_arguments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Queries in the growing at once: on a CPU some for each core, on a GPU what memory allows. */
enum { PLACES_PER_UNIT = 8, GPU_PLACES_MAX = 1024 };
#define PLACES_BYTES ((size_t)256 << 20)
/* Rounds of a launch at most; fewer of large trees, whose nodes each sample looks through. */
enum { ROUNDS_MAX = 8, ROUND_NODES = 1 << 15 };
/* The longest motion of a tree is this part of the space's diagonal: 1 rad of a common arm's. */
#define RANGE_SHARE (1.0 / 13.0)
/* Nodes that a sample brings in the mean at most; those beyond a tree's room are left out. */
enum { NODES_PER_SAMPLE = 2 };
/* Nodes of a tree at most: their places are numbered by 32 bits. */
#define NODES_MAX ((size_t)1 << 28)
enum { TEAM_OPTION_MAX = 16 };

/* What the places have, all device. */
struct places {
    uint32_t count, capacity;
    struct prm_buffer states;  /* struct expand_state[count], and what is behind those that grow */
    struct prm_buffer nodes;   /* f32[count][2][capacity][row] */
    struct prm_buffer parents; /* u32[count][2][capacity], as near; domains: f32 */
    struct prm_buffer near, domains;
    struct prm_buffer tries;    /* struct expand_try[count][EXPAND_BATCH] */
    struct prm_buffer try_rows; /* f32[count][EXPAND_BATCH][EXPAND_TRY_ROWS][row] */
    struct prm_buffer pool;     /* f32[count][2][capacity][row]: approaches of one step */
};

struct prm_expander {
    struct prm_arena *arena;
    struct prm_expand_input input;
    struct prm_approaches approaches;
    struct places places;
    struct prm_buffer end_near; /* u32[E] */
    struct prm_buffer limits;   /* f32[2][row] */
    struct expand_options options;
    struct expand_state *states; /* [places.count + 1], of which `active` grow */
    uint32_t active, next;       /* queries in places, and the first that has had none */
};

/* ---- places ---- */

static uint32_t goals_most(const struct prm_expand_input *input)
{
    uint32_t most = 1;
    for (uint32_t q = 0; q < input->query_count; q++) {
        if (input->asked[q].goal_count > most)
            most = input->asked[q].goal_count;
    }
    return most;
}

/* Bytes of a place but for what does not grow with its trees. */
static size_t place_bytes(const struct prm_space *space, uint32_t capacity)
{
    const size_t node =
        (size_t)2 * space->row * sizeof(float) + 2 * sizeof(uint32_t) + sizeof(float);
    return EXPAND_TREES * node * capacity;
}

static enum prm_status places_take(struct prm_expander *expander)
{
    enum prm_status status = PRM_OK;
    struct prm_arena *arena = expander->arena;
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_expand_input *input = &expander->input;
    const struct prm_space *space = &input->roadmap->space;
    const size_t row_bytes = space->row * sizeof(float);
    struct places *places = &expander->places;
    const size_t capacity = (size_t)NODES_PER_SAMPLE * input->samples_max + goals_most(input);
    size_t count = profile->shape == PRM_SHAPE_GPU
                       ? GPU_PLACES_MAX
                       : (size_t)PLACES_PER_UNIT * profile->compute_units;

    if (capacity > NODES_MAX)
        return prm_fault_set(PRM_LIMIT_EXCEEDED,
                             "trees of %zu nodes are more than the %zu possible", capacity,
                             NODES_MAX);
    if (count > input->query_count)
        count = input->query_count;
    while (count > 1 && count * place_bytes(space, (uint32_t)capacity) > PLACES_BYTES)
        count /= 2;
    places->count = (uint32_t)count;
    places->capacity = (uint32_t)capacity;
    expander->states = calloc(count + 1, sizeof(*expander->states));
    if (!expander->states)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory to grow %zu queries", count);

    const size_t nodes = count * EXPAND_TREES * capacity, tries = count * EXPAND_BATCH;
    TRY(prm_arena_take(arena, &places->states, (count + 1) * sizeof(struct expand_state)));
    TRY(prm_arena_take(arena, &places->nodes, nodes * row_bytes));
    TRY(prm_arena_take(arena, &places->parents, nodes * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &places->near, nodes * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &places->domains, nodes * sizeof(float)));
    TRY(prm_arena_take(arena, &places->tries, tries * sizeof(struct expand_try)));
    TRY(prm_arena_take(arena, &places->try_rows, tries * EXPAND_TRY_ROWS * row_bytes));
    TRY(prm_arena_take(arena, &places->pool, nodes * row_bytes));

cleanup:
    return status;
}

/* ---- the space and the ends ---- */

/* The milestone nearest to each end. */
static enum prm_status find_near(struct prm_expander *expander, double diagonal)
{
    enum prm_status status = PRM_OK;
    struct prm_arena *arena = expander->arena;
    const struct prm_expand_input *input = &expander->input;
    const uint32_t ends = input->ends->count;

    TRY(prm_arena_take(arena, &expander->end_near, ends * sizeof(uint32_t)));
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    struct prm_buffer distances, embedded;
    TRY(prm_arena_take(arena, &distances, ends * sizeof(float)));
    TRY(prm_embedding_take(arena, &embedded, input->ends->states, &input->roadmap->space, ends));
    TRY(prm_neighbors_foreign(arena, expander->end_near, distances, input->index, embedded, ends, 1,
                              2 * diagonal));
    prm_arena_rewind(arena, mark);

cleanup:
    return status;
}

/* A hash of 64 bits, word by word (the finisher of SplitMix64, Steele, Lea & Flood 2014). */
static uint64_t hash_word(uint64_t hash, uint64_t word)
{
    uint64_t z = (hash ^ word) + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A query's own seed: from the roadmap's and the query's states. */
static uint64_t query_seed(const struct prm_expand_input *input, const struct query *asked)
{
    const size_t row = input->roadmap->space.row;
    const float *rows[EXPAND_TREES] = {input->rows + asked->start * row,
                                       input->rows + asked->goal_first * row};
    const size_t counts[EXPAND_TREES] = {row, asked->goal_count * row};
    uint64_t seed = hash_word(0, input->roadmap->params.seed);

    for (int side = 0; side < EXPAND_TREES; side++) {
        for (size_t i = 0; i < counts[side]; i++) {
            uint32_t bits;
            memcpy(&bits, &rows[side][i], sizeof(bits));
            seed = hash_word(seed, bits);
        }
    }
    return seed;
}

static enum prm_status approaches_init(struct prm_expander *expander)
{
    const struct prm_expand_input *input = &expander->input;
    struct prm_approaches *approaches = &expander->approaches;

    approaches->first = calloc((size_t)input->ends->count + 1, sizeof(uint32_t));
    approaches->counts = calloc((size_t)input->ends->count + 1, sizeof(uint32_t));
    approaches->met = malloc(((size_t)input->query_count + 1) * sizeof(uint32_t));
    if (!approaches->first || !approaches->counts || !approaches->met)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for the approaches of %u ends",
                             input->ends->count);
    for (uint32_t q = 0; q < input->query_count; q++)
        approaches->met[q] = NONE_U32;
    return PRM_OK;
}

/* The next query to grow, into a place; false: there is none. */
static bool plant_next(struct prm_expander *expander, struct expand_state *state, uint32_t place)
{
    const struct prm_expand_input *input = &expander->input;
    while (expander->next < input->query_count) {
        const uint32_t q = expander->next++;
        if (input->asked[q].skip)
            continue;
        const uint64_t seed = query_seed(input, &input->asked[q]);
        *state = (struct expand_state){.query = q,
                                       .place = place,
                                       .seed_low = (uint32_t)seed,
                                       .seed_high = (uint32_t)(seed >> 32),
                                       .outcome = EXPAND_NEW};
        return true;
    }
    return false;
}

static uint32_t rounds_of(uint32_t capacity)
{
    const uint32_t rounds = ROUND_NODES / capacity;
    return rounds < 1 ? 1 : rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX;
}

enum prm_status prm_expander_create(struct prm_arena *arena, struct prm_expander **expander,
                                    const struct prm_expand_input *input)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_space *space = &input->roadmap->space;
    struct prm_expander *made = calloc(1, sizeof(*made));
    float limits[2 * PRM_DOF_MAX] = {0};

    *expander = NULL;
    if (!made)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory to grow queries");
    made->arena = arena;
    made->input = *input;
    TRY(approaches_init(made));
    TRY(places_take(made));
    const double diagonal = prm_space_diagonal(space);
    prm_space_limits(space, limits);
    TRY(prm_arena_take(arena, &made->limits, (size_t)2 * space->row * sizeof(float)));
    TRY(prm_buffer_write(context, made->limits, 0, limits, (size_t)2 * space->row * sizeof(float)));
    TRY(find_near(made, diagonal));
    made->options = (struct expand_options){
        .capacity = made->places.capacity,
        .rounds = rounds_of(made->places.capacity),
        .samples_max = input->samples_max,
        .links = input->ends->k,
        .largest = input->validity->largest_component,
        .range = (float)(RANGE_SHARE * diagonal),
        .weight_scale = (float)input->validity->weight_scale,
    };
    while (made->active < made->places.count &&
           plant_next(made, &made->states[made->active], made->active))
        made->active++;
    *expander = made;
    made = NULL;

cleanup:
    prm_expander_destroy(made);
    return status;
}

/* ---- steps ---- */

static enum prm_status grow(struct prm_expander *expander)
{
    struct prm_context *context = prm_arena_context(expander->arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_expand_input *input = &expander->input;
    const struct prm_roadmap *roadmap = input->roadmap;
    const struct prm_endpoints *ends = input->ends;
    const struct places *places = &expander->places;
    const uint32_t team = profile->workgroup < EXPAND_BATCH ? profile->workgroup : EXPAND_BATCH;
    char scene[PRM_SCENE_OPTIONS_MAX], options[PRM_SCENE_OPTIONS_MAX + TEAM_OPTION_MAX];

    prm_scene_options(scene, context, input->scene);
    snprintf(options, sizeof(options), "%s -DTEAM=%u", scene, team);
    return prm_launch(
        context, PRM_KERNEL_EXPAND_GROW, options, (size_t)expander->active * team, team,
        ARGS(ARG_BUFFER(places->states), ARG_BUFFER(places->nodes), ARG_BUFFER(places->parents),
             ARG_BUFFER(places->near), ARG_BUFFER(places->domains), ARG_BUFFER(places->tries),
             ARG_BUFFER(places->try_rows), ARG_BUFFER(places->pool), ARG_BUFFER(input->queries),
             ARG_BUFFER(ends->states), ARG_BUFFER(expander->end_near), ARG_BUFFER(ends->vertices),
             ARG_BUFFER(ends->costs), ARG_BUFFER(input->flags), ARG_BUFFER(roadmap->states),
             ARG_BUFFER(input->validity->components), ARG_BUFFER(roadmap->edges),
             ARG_BUFFER(roadmap->first_low), ARG_BUFFER(roadmap->first_high),
             ARG_BUFFER(roadmap->by_high), ARG_BUFFER(expander->limits),
             ARG_STRUCT(&expander->options), ARG_U32(expander->active), SCENE_ARGS(input->scene)));
}

/* Whether a query that grows no more has a way. */
static bool is_found(const struct expand_state *state)
{
    return state->outcome == EXPAND_MET || state->outcome == EXPAND_JOINED;
}

/* Appends the rows of approaches that a step has written. Read-back: they. */
static enum prm_status read_points(struct prm_expander *expander)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(expander->arena);
    struct prm_approaches *approaches = &expander->approaches;
    const size_t row = expander->input.roadmap->space.row;
    size_t added = 0;

    for (uint32_t i = 0; i < expander->active; i++) {
        const struct expand_state *state = &expander->states[i];
        for (int t = 0; is_found(state) && t < EXPAND_TREES; t++)
            added += state->counts[t];
    }
    if (added == 0)
        return PRM_OK;
    const size_t count = approaches->point_count + added;
    float *points = realloc(approaches->points, count * row * sizeof(float));
    if (!points)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu points of approaches", count);
    approaches->points = points;
    TRY(prm_buffer_read(context, expander->places.pool, 0, points + approaches->point_count * row,
                        added * row * sizeof(float)));
    approaches->point_count = count;

cleanup:
    return status;
}

/* Keeps what became of a query. base: points before this step's. */
static void collect(struct prm_approaches *approaches, const struct expand_state *state,
                    uint32_t base)
{
    if (!is_found(state))
        return;
    for (int t = 0; t < EXPAND_TREES; t++) {
        const uint32_t end = state->ends[t];
        if (end == NONE_U32)
            continue;
        approaches->first[end] = base + state->first[t];
        approaches->counts[end] = state->counts[t];
    }
    if (state->outcome == EXPAND_MET) {
        approaches->met[state->query] = state->ends[1];
        approaches->met_count++;
    } else {
        approaches->joined_count++;
    }
}

/* Ended queries give their places to the next ones; those that grow on close up. */
static void replace_ended(struct prm_expander *expander, uint32_t base)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < expander->active; i++) {
        struct expand_state *state = &expander->states[i];
        if (state->outcome != EXPAND_GROWING) {
            collect(&expander->approaches, state, base);
            if (!plant_next(expander, state, state->place))
                continue;
        }
        expander->states[kept++] = *state;
    }
    expander->active = kept;
}

enum prm_status prm_expander_step(struct prm_expander *expander, bool *done)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(expander->arena);
    const struct places *places = &expander->places;
    const size_t bytes = expander->active * sizeof(struct expand_state);
    const uint32_t base = (uint32_t)expander->approaches.point_count;

    *done = expander->active == 0;
    if (*done)
        return PRM_OK;
    // the count of rows is behind the states
    expander->states[expander->active] = (struct expand_state){0};
    TRY(prm_buffer_write(context, places->states, 0, expander->states, bytes + sizeof(uint32_t)));
    TRY(grow(expander));
    TRY(prm_buffer_read(context, places->states, 0, expander->states, bytes));
    TRY(read_points(expander));
    replace_ended(expander, base);
    *done = expander->active == 0;

cleanup:
    return status;
}

const struct prm_approaches *prm_expander_approaches(const struct prm_expander *expander)
{
    return &expander->approaches;
}

void prm_expander_destroy(struct prm_expander *expander)
{
    if (!expander)
        return;
    free(expander->states);
    free(expander->approaches.first);
    free(expander->approaches.counts);
    free(expander->approaches.points);
    free(expander->approaches.met);
    free(expander);
}
