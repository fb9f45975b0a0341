/* Rounds of trees: the kernel proposes, the edge check decides, the host appends in order. */
#include "roadmap/sampling/sample_trees.h"

#include "device/try.h"
#include "kernels/sample_types.h"
#include "roadmap/collision/edges.h"
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/sampling/sample.h"
#include "roadmap/sampling/sample_schedule.h"

#include <stdlib.h>

/* Attempts of a tree in one round, and of a step. */
enum { ROUND = 64, ROUNDS_PER_STEP = 16, ATTEMPTS_PER_STEP = ROUND * ROUNDS_PER_STEP };
/* Nodes of a tree at most, which bounds the search for the nearest. */
enum { NODES_MAX = 1024 };
/* A tree ends that has made more attempts than these, for each sample and at least. */
enum { ATTEMPTS_PER_SAMPLE = 100, ATTEMPTS_LEAST = 2048 };
/* Each round without a free motion halves a tree's steps, down to this. */
#define SCALE_LEAST (1.0f / 64)
/* Lengths of steps in parts of the space's extent. */
static const float STEPS[SAMPLE_SCALES] = {0.05f, 0.1f, 0.2f, 0.4f};

struct prm_tree {
    uint32_t nodes;    /* of the present tree */
    uint32_t attempts; /* so far, of all the anchor's trees */
    uint32_t kept, wanted;
    float scale; /* of its steps: shorter where none were free */
    bool ended;  /* too little was free */
};

/* A round's results: what goes where. u32[ATTEMPTS_PER_STEP]: rows, and their places in the nodes
 * and among the milestones. */
struct harvest {
    uint32_t nodes_from[ATTEMPTS_PER_STEP], nodes_to[ATTEMPTS_PER_STEP];
    uint32_t states_from[ATTEMPTS_PER_STEP], states_to[ATTEMPTS_PER_STEP];
    uint32_t node_count, state_count;
};

/* to[to_of[i]] = rows[from_of[i]] for lists of the host. */
static enum prm_status put(struct prm_arena *arena, const struct prm_space *space,
                           struct prm_buffer to, struct prm_buffer rows, const uint32_t *to_of,
                           const uint32_t *from_of, uint32_t n)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_share share = prm_share_of(context, n);
    enum prm_status status = PRM_OK;
    char options[PRM_SCENE_OPTIONS_MAX];
    struct prm_buffer kept, places;

    prm_space_options(options, space);
    TRY(prm_arena_take(arena, &kept, prm_words(n)));
    TRY(prm_arena_take(arena, &places, prm_words(n)));
    TRY(prm_buffer_write(context, kept, 0, from_of, prm_words(n)));
    TRY(prm_buffer_write(context, places, 0, to_of, prm_words(n)));
    TRY(prm_launch(context, PRM_KERNEL_SAMPLE_KEEP, options, share.items, share.group,
                   ARGS(ARG_BUFFER(to), ARG_BUFFER(rows), ARG_BUFFER(kept), ARG_BUFFER(places),
                        ARG_U32(0), ARG_U32(n))));
cleanup:
    return status;
}

enum prm_status prm_anchors_place(struct prm_arena *arena, const struct prm_sampler *sampler,
                                  struct prm_buffer to, uint32_t stride)
{
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const struct prm_space *space = sampler->scene->space;
    const uint32_t n = sampler->anchor_count;
    const size_t bytes = (size_t)n * space->row * sizeof(float);
    enum prm_status status = PRM_OK;
    struct prm_buffer rows;
    uint32_t *from = malloc(2 * prm_words(n));

    if (from == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u anchors", n);
    uint32_t *to_of = from + n;
    for (uint32_t a = 0; a < n; a++) {
        from[a] = a;
        to_of[a] = a * stride;
    }
    TRY(prm_arena_take(arena, &rows, bytes));
    TRY(prm_buffer_write(prm_arena_context(arena), rows, 0, sampler->anchors, bytes));
    TRY(put(arena, space, to, rows, to_of, from, n));
cleanup:
    free(from);
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_trees_begin(struct prm_arena *arena, struct prm_sampler *sampler,
                                uint32_t wanted)
{
    struct prm_trees *trees = &sampler->trees;
    const uint32_t anchors = sampler->anchor_count;
    const size_t row_bytes = sampler->scene->space->row * sizeof(float);
    const uint32_t most = (wanted + anchors - 1) / anchors;
    enum prm_status status = PRM_OK;

    trees->trees = calloc(anchors, sizeof(*trees->trees));
    if (trees->trees == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u trees", anchors);
    trees->capacity = most < NODES_MAX ? most + 1 : NODES_MAX;
    TRY(prm_arena_take(arena, &trees->nodes, (size_t)anchors * trees->capacity * row_bytes));
    for (uint32_t a = 0; a < anchors; a++) {
        trees->trees[a].nodes = 1;
        trees->trees[a].scale = 1.0f;
        trees->trees[a].wanted = (wanted + anchors - 1 - a) / anchors;
    }
    // the first node of each tree is its anchor
    TRY(prm_anchors_place(arena, sampler, trees->nodes, trees->capacity));
cleanup:
    return status;
}

/* Takes the free ones among a tree's attempts, in their order. */
static void take(struct prm_sampler *sampler, struct harvest *harvest, uint32_t anchor,
                 const uint32_t *free, uint32_t first)
{
    struct prm_trees *trees = &sampler->trees;
    struct prm_tree *tree = &trees->trees[anchor];
    bool any = false;
    for (uint32_t i = 0; i < ROUND && tree->kept < tree->wanted; i++) {
        if (!free[i])
            continue;
        any = true;
        const uint32_t rank = tree->kept++ * sampler->anchor_count + anchor;
        harvest->states_from[harvest->state_count] = first + i;
        harvest->states_to[harvest->state_count++] = sampler->places[rank];
        if (tree->nodes < trees->capacity) {
            harvest->nodes_from[harvest->node_count] = first + i;
            harvest->nodes_to[harvest->node_count++] = anchor * trees->capacity + tree->nodes++;
        }
    }
    tree->attempts += ROUND;
    if (tree->nodes == NODES_MAX)
        tree->nodes = 1;
    if (!any && tree->scale > SCALE_LEAST)
        tree->scale *= 0.5f;
    tree->ended = tree->attempts > ATTEMPTS_LEAST + (uint64_t)ATTEMPTS_PER_SAMPLE * tree->kept;
}

/* One round of `count` trees. */
static enum prm_status run_round(struct prm_arena *arena, struct prm_sampler *sampler,
                                 const struct sample_tree *turns, uint32_t count,
                                 struct prm_buffer states)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_space *space = sampler->scene->space;
    struct prm_trees *trees = &sampler->trees;
    const uint32_t n = count * ROUND;
    const struct prm_share share = prm_share_of(context, n);
    enum prm_status status = PRM_OK;
    char options[PRM_SCENE_OPTIONS_MAX];
    struct prm_buffer ends, pairs, turns_there, free;
    uint32_t is_free[ATTEMPTS_PER_STEP];
    struct harvest harvest = {.node_count = 0};
    float steps[SAMPLE_SCALES];

    for (int i = 0; i < SAMPLE_SCALES; i++)
        steps[i] = STEPS[i] * (float)sampler->extent;
    prm_space_options(options, space);
    TRY(prm_arena_take(arena, &ends, (size_t)n * space->row * sizeof(float)));
    TRY(prm_arena_take(arena, &pairs, prm_words((size_t)2 * n)));
    TRY(prm_arena_take(arena, &free, prm_words(n)));
    TRY(prm_arena_take(arena, &turns_there, count * sizeof(*turns)));
    TRY(prm_buffer_write(context, turns_there, 0, turns, count * sizeof(*turns)));
    TRY(prm_launch(context, PRM_KERNEL_SAMPLE_EXTEND, options, share.items, share.group,
                   ARGS(ARG_BUFFER(ends), ARG_BUFFER(pairs), ARG_BUFFER(trees->nodes),
                        ARG_BUFFER(turns_there), ARG_U32(trees->capacity), ARG_U32(ROUND),
                        ARG_STRUCT(&steps), ARG_BUFFER(sampler->limits), ARG_U64(sampler->seed),
                        ARG_U32(n))));
    TRY(prm_edges_check(arena, free, sampler->scene, trees->nodes, ends, pairs, n));

    // read-back: which motions are free
    TRY(prm_buffer_read(context, free, 0, is_free, prm_words(n)));
    for (uint32_t t = 0; t < count; t++)
        take(sampler, &harvest, turns[t].anchor, is_free + (size_t)t * ROUND, t * ROUND);
    TRY(put(arena, space, trees->nodes, ends, harvest.nodes_to, harvest.nodes_from,
            harvest.node_count));
    TRY(put(arena, space, states, ends, harvest.states_to, harvest.states_from,
            harvest.state_count));
    sampler->counts[PRM_SAMPLE_TREES].kept += harvest.state_count;
    sampler->counts[PRM_SAMPLE_TREES].drawn += n;
    sampler->accepted += harvest.state_count;
    sampler->drawn += n;
cleanup:
    return status;
}

/* The trees whose turn it is and that want more: at most ROUNDS_PER_STEP, each once. */
static uint32_t choose(const struct prm_sampler *sampler, uint32_t *next, struct sample_tree *turns)
{
    const struct prm_trees *trees = &sampler->trees;
    uint32_t count = 0;
    for (uint32_t i = 0; i < sampler->anchor_count && count < ROUNDS_PER_STEP; i++) {
        const struct prm_tree *tree = &trees->trees[*next];
        if (!tree->ended && tree->kept < tree->wanted)
            turns[count++] = (struct sample_tree){.anchor = *next,
                                                  .nodes = tree->nodes,
                                                  .first = tree->attempts,
                                                  .scale = tree->scale};
        *next = (*next + 1) % sampler->anchor_count;
    }
    return count;
}

/* What trees that ended wanted is for uniform samples. */
static void hand_over(struct prm_sampler *sampler)
{
    for (uint32_t a = 0; a < sampler->anchor_count; a++) {
        const struct prm_tree *tree = &sampler->trees.trees[a];
        for (uint32_t r = tree->kept; r < tree->wanted; r++)
            sampler->source_of[sampler->places[r * sampler->anchor_count + a]] = PRM_SAMPLE_UNIFORM;
    }
}

enum prm_status prm_trees_step(struct prm_arena *arena, struct prm_sampler *sampler,
                               struct prm_buffer states, bool *done)
{
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    struct sample_tree turns[ROUNDS_PER_STEP];
    enum prm_status status = PRM_OK;
    uint32_t count = 0;

    for (uint32_t rounds = 0; rounds < ROUNDS_PER_STEP; rounds += count) {
        count = choose(sampler, &sampler->trees.next, turns);
        *done = count == 0;
        if (*done)
            break;
        TRY(run_round(arena, sampler, turns, count, states));
    }
    if (*done)
        hand_over(sampler);
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

void prm_trees_deinit(struct prm_trees *trees)
{
    free(trees->trees);
}
