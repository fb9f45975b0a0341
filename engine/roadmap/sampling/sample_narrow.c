/* Pipelines of pairs: draw, check, compact, partner, check, compact. Each stage has only what the
 * one before left over; its length is read back. */
#include "roadmap/sampling/sample_narrow.h"

#include "device/try.h"
#include "kernels/sample_types.h"
#include "primitives/compact.h"
#include "primitives/permutation.h"
#include "roadmap/collision/scene_arguments.h"

/* Partners of a colliding end of a bridge: more are cheaper and less independent. */
enum { BRIDGE_PARTNERS = 4 };
/* Halvings of the way to the obstacle. */
enum { OBSTACLE_HALVINGS = 5 };
/* Standard deviations of partners in parts of the space's extent: of arms, whose obstacles are as
 * large as the space, and of robots that move among them. */
static const float ARM_SCALES[SAMPLE_SCALES] = {0.04f, 0.08f, 0.12f, 0.2f};
static const float FREE_SCALES[SAMPLE_SCALES] = {0.01f, 0.02f, 0.04f, 0.08f};

/* What the stages of a block share. */
struct narrow {
    struct prm_arena *arena;
    struct prm_context *context;
    const struct prm_sampler *sampler;
    char options[PRM_SCENE_OPTIONS_MAX];
    size_t row_bytes;
    uint32_t purpose, first;
};

/* rows[i] for draws first … first + n - 1. */
static enum prm_status draw(const struct narrow *narrow, struct prm_buffer *rows, uint32_t n)
{
    const struct prm_share share = prm_share_of(narrow->context, n);
    enum prm_status status = PRM_OK;
    TRY(prm_arena_take(narrow->arena, rows, n * narrow->row_bytes));
    TRY(prm_launch(
        narrow->context, PRM_KERNEL_SAMPLE_DRAW, narrow->options, share.items, share.group,
        ARGS(ARG_BUFFER(*rows), ARG_BUFFER(narrow->sampler->limits), ARG_U64(narrow->sampler->seed),
             ARG_U32(narrow->purpose), ARG_U32(narrow->first), ARG_U32(n))));
cleanup:
    return status;
}

/* `per` partners of each of the `n` ends kept. */
static enum prm_status draw_partners(const struct narrow *narrow, struct prm_buffer *partners,
                                     struct prm_buffer ends, struct prm_buffer kept, uint32_t per,
                                     uint32_t n)
{
    const struct prm_share share = prm_share_of(narrow->context, (size_t)n * per);
    const float extent = (float)narrow->sampler->extent;
    const bool is_arm = narrow->sampler->scene->robot->kind == PRM_ROBOT_ARM;
    float sigmas[SAMPLE_SCALES];
    enum prm_status status = PRM_OK;

    for (int i = 0; i < SAMPLE_SCALES; i++)
        sigmas[i] = (is_arm ? ARM_SCALES : FREE_SCALES)[i] * extent;
    TRY(prm_arena_take(narrow->arena, partners, (size_t)n * per * narrow->row_bytes));
    TRY(prm_launch(narrow->context, PRM_KERNEL_SAMPLE_PARTNERS, narrow->options, share.items,
                   share.group,
                   ARGS(ARG_BUFFER(*partners), ARG_BUFFER(ends), ARG_BUFFER(kept), ARG_U32(per),
                        ARG_STRUCT(&sigmas), ARG_BUFFER(narrow->sampler->limits),
                        ARG_U64(narrow->sampler->seed), ARG_U32(narrow->purpose),
                        ARG_U32(narrow->first), ARG_U32(n * per))));
cleanup:
    return status;
}

/* Checks `n` rows: which are free. */
static enum prm_status check(const struct narrow *narrow, struct prm_buffer *free,
                             struct prm_buffer rows, uint32_t n)
{
    enum prm_status status = PRM_OK;
    TRY(prm_arena_take(narrow->arena, free, prm_words(n)));
    TRY(prm_collide_states(narrow->arena, *free, narrow->sampler->scene, rows, n));
cleanup:
    return status;
}

/* The indices of the free or of the colliding among `n`, and how many there are; `flags` are spent.
 */
static enum prm_status select_those(const struct narrow *narrow, struct prm_buffer *kept,
                                    uint32_t *count, struct prm_buffer flags, bool free, uint32_t n)
{
    const struct prm_share share = prm_share_of(narrow->context, n);
    enum prm_status status = PRM_OK;
    struct prm_buffer survivors;

    *count = 0;
    TRY(prm_arena_take(narrow->arena, kept, prm_words(n)));
    TRY(prm_arena_take(narrow->arena, &survivors, prm_words(1)));
    if (!free)
        TRY(prm_launch(narrow->context, PRM_KERNEL_SAMPLE_BLOCKED, narrow->options, share.items,
                       share.group, ARGS(ARG_BUFFER(flags), ARG_U32(n))));
    TRY(prm_compact_indices(narrow->arena, *kept, survivors, flags, n));
    // read-back: the length of the next stage
    TRY(prm_buffer_read(narrow->context, survivors, 0, count, sizeof(*count)));
cleanup:
    return status;
}

/* Half-way between a[i] and b[i], and which of these are free. */
static enum prm_status check_middles(const struct narrow *narrow, struct prm_buffer middles,
                                     struct prm_buffer free, struct prm_buffer a,
                                     struct prm_buffer b, uint32_t n)
{
    const struct prm_share share = prm_share_of(narrow->context, n);
    enum prm_status status = PRM_OK;
    TRY(prm_launch(narrow->context, PRM_KERNEL_SAMPLE_MIDDLES, narrow->options, share.items,
                   share.group,
                   ARGS(ARG_BUFFER(middles), ARG_BUFFER(a), ARG_BUFFER(b), ARG_U32(n))));
    TRY(prm_collide_states(narrow->arena, free, narrow->sampler->scene, middles, n));
cleanup:
    return status;
}

/* Colliding ends, their partners that are free or collide as `free` says, and the pairs of both in
 * *a and *b. */
static enum prm_status draw_pairs(const struct narrow *narrow, struct prm_sample_block *block,
                                  struct prm_buffer *a, struct prm_buffer *b, uint32_t *pairs,
                                  uint32_t per, bool free)
{
    enum prm_status status = PRM_OK;
    struct prm_buffer ends, flags, kept, partners, chosen;
    uint32_t blocked;

    *pairs = 0;
    TRY(draw(narrow, &ends, PRM_NARROW_DRAWS));
    TRY(check(narrow, &flags, ends, PRM_NARROW_DRAWS));
    TRY(select_those(narrow, &kept, &blocked, flags, false, PRM_NARROW_DRAWS));
    block->even = PRM_NARROW_DRAWS;
    block->even_free = PRM_NARROW_DRAWS - blocked;
    block->checked = PRM_NARROW_DRAWS + (uint64_t)blocked * per;
    if (blocked == 0)
        goto cleanup;
    TRY(draw_partners(narrow, &partners, ends, kept, per, blocked));
    TRY(check(narrow, &flags, partners, blocked * per));
    TRY(select_those(narrow, &chosen, pairs, flags, free, blocked * per));
    if (*pairs == 0)
        goto cleanup;

    const struct prm_share share = prm_share_of(narrow->context, *pairs);
    TRY(prm_arena_take(narrow->arena, a, *pairs * narrow->row_bytes));
    TRY(prm_arena_take(narrow->arena, b, *pairs * narrow->row_bytes));
    TRY(prm_launch(narrow->context, PRM_KERNEL_SAMPLE_PAIR, narrow->options, share.items,
                   share.group,
                   ARGS(ARG_BUFFER(*a), ARG_BUFFER(*b), ARG_BUFFER(ends), ARG_BUFFER(kept),
                        ARG_BUFFER(partners), ARG_BUFFER(chosen), ARG_U32(per), ARG_U32(*pairs))));
cleanup:
    return status;
}

/* Of two at a normal distance the free one, where the other collides. */
static enum prm_status gaussian(const struct narrow *narrow, struct prm_sample_block *block)
{
    const uint32_t n = PRM_NARROW_DRAWS;
    const struct prm_share share = prm_share_of(narrow->context, n);
    enum prm_status status = PRM_OK;
    struct prm_buffer all, partners, free, partner_free, kept;

    TRY(draw(narrow, &block->rows, n));
    TRY(prm_arena_take(narrow->arena, &all, prm_words(n)));
    TRY(prm_permutation_identity(narrow->context, all, n));
    TRY(draw_partners(narrow, &partners, block->rows, all, 1, n));
    TRY(check(narrow, &free, block->rows, n));
    TRY(check(narrow, &partner_free, partners, n));
    TRY(select_those(narrow, &kept, &block->even_free, free, true, n));
    TRY(prm_launch(narrow->context, PRM_KERNEL_SAMPLE_EITHER, narrow->options, share.items,
                   share.group,
                   ARGS(ARG_BUFFER(block->rows), ARG_BUFFER(free), ARG_BUFFER(partners),
                        ARG_BUFFER(partner_free), ARG_U32(n))));
    TRY(select_those(narrow, &block->kept, &block->count, free, true, n));
    block->even = n;
    block->checked = 2 * (uint64_t)n;
cleanup:
    return status;
}

/* The free middles of pairs that collide. */
static enum prm_status bridge(const struct narrow *narrow, struct prm_sample_block *block)
{
    enum prm_status status = PRM_OK;
    struct prm_buffer a, b, free;
    uint32_t pairs;

    TRY(draw_pairs(narrow, block, &a, &b, &pairs, BRIDGE_PARTNERS, false));
    if (pairs == 0)
        goto cleanup;
    TRY(prm_arena_take(narrow->arena, &block->rows, pairs * narrow->row_bytes));
    TRY(prm_arena_take(narrow->arena, &free, prm_words(pairs)));
    TRY(check_middles(narrow, block->rows, free, a, b, pairs));
    TRY(select_those(narrow, &block->kept, &block->count, free, true, pairs));
    block->checked += pairs;
cleanup:
    return status;
}

/* Free ends of pairs, brought near the obstacle between them and their partners. */
static enum prm_status obstacle(const struct narrow *narrow, struct prm_sample_block *block)
{
    enum prm_status status = PRM_OK;
    struct prm_buffer blocked, middles, free;
    uint32_t pairs;

    TRY(draw_pairs(narrow, block, &blocked, &block->rows, &pairs, 1, true));
    if (pairs == 0)
        goto cleanup;
    const struct prm_share share = prm_share_of(narrow->context, pairs);
    TRY(prm_arena_take(narrow->arena, &middles, pairs * narrow->row_bytes));
    TRY(prm_arena_take(narrow->arena, &free, prm_words(pairs)));
    for (uint32_t halving = 0; halving < OBSTACLE_HALVINGS; halving++) {
        TRY(check_middles(narrow, middles, free, blocked, block->rows, pairs));
        TRY(prm_launch(narrow->context, PRM_KERNEL_SAMPLE_CLOSE_IN, narrow->options, share.items,
                       share.group,
                       ARGS(ARG_BUFFER(blocked), ARG_BUFFER(block->rows), ARG_BUFFER(middles),
                            ARG_BUFFER(free), ARG_U32(pairs))));
    }
    block->checked += (uint64_t)pairs * OBSTACLE_HALVINGS;
    block->count = pairs;
    TRY(prm_arena_take(narrow->arena, &block->kept, prm_words(pairs)));
    TRY(prm_permutation_identity(narrow->context, block->kept, pairs));
cleanup:
    return status;
}

enum prm_status prm_narrow_block(struct prm_arena *arena, const struct prm_sampler *sampler,
                                 struct prm_sample_block *block)
{
    const struct prm_space *space = sampler->scene->space;
    struct narrow narrow = {.arena = arena,
                            .context = prm_arena_context(arena),
                            .sampler = sampler,
                            .row_bytes = space->row * sizeof(float),
                            .first = (uint32_t)sampler->source_draws};

    *block = (struct prm_sample_block){0};
    prm_space_options(narrow.options, space);
    switch (sampler->source) {
    case PRM_SAMPLE_GAUSSIAN:
        narrow.purpose = SAMPLE_FOR_GAUSSIAN;
        return gaussian(&narrow, block);
    case PRM_SAMPLE_BRIDGE:
        narrow.purpose = SAMPLE_FOR_BRIDGE;
        return bridge(&narrow, block);
    default:
        narrow.purpose = SAMPLE_FOR_OBSTACLE;
        return obstacle(&narrow, block);
    }
}
