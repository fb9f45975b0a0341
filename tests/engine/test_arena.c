/* Goal: pieces of an arena are distinct, live until the arena is rewound, and cost no new memory
 * the next time. Method: pieces are filled with their own number and read back; the context's
 * account is watched. */
#include "device/arena.h"
#include "support/support.h"

#include <stdlib.h>

#define PIECES 200

static uint64_t scratch_bytes(struct prm_context *context)
{
    return prm_context_memory(context).scratch_bytes;
}

/* Takes `count` pieces of assorted sizes, each filled with its number, and checks them all. */
static void check_pieces(struct prm_context *context, struct prm_arena *arena, size_t count,
                         uint64_t seed)
{
    struct test_random random = {seed};
    struct prm_buffer pieces[PIECES];

    for (size_t i = 0; i < count; i++) {
        const size_t words = 1 + test_random_below(&random, i % 8 == 0 ? 200000 : 3000);
        assert_ok(prm_arena_take(arena, &pieces[i], words * sizeof(uint32_t)));
        assert_int_equal(pieces[i].bytes, words * sizeof(uint32_t));
        assert_ok(prm_buffer_fill_u32(context, pieces[i], 0, (uint32_t)i, words));
    }
    for (size_t i = 0; i < count; i++) {
        const size_t words = pieces[i].bytes / sizeof(uint32_t);
        uint32_t ends[2];
        assert_ok(prm_buffer_read(context, pieces[i], 0, &ends[0], sizeof(uint32_t)));
        assert_ok(prm_buffer_read(context, pieces[i], (words - 1) * sizeof(uint32_t), &ends[1],
                                  sizeof(uint32_t)));
        assert_int_equal(ends[0], i);
        assert_int_equal(ends[1], i);
    }
}

static void pieces_do_not_overlap(void **state)
{
    (void)state;
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    assert_ptr_equal(prm_arena_context(test_arena), test_context);
    for (uint64_t round = 0; round < 3; round++) {
        check_pieces(test_context, test_arena, test_size(PIECES, 10), round);
        prm_arena_rewind(test_arena, mark);
    }
}

static void the_same_need_costs_nothing_more(void **state)
{
    (void)state;
    struct prm_context *context = test_context_open();
    struct prm_arena *arena;
    assert_ok(prm_arena_create(context, &arena));
    const struct prm_arena_mark empty = prm_arena_mark(arena);

    // grown by blocks, then merged into one that fits
    check_pieces(context, arena, PIECES, 1);
    const uint64_t grown = scratch_bytes(context);
    prm_arena_rewind(arena, empty);
    check_pieces(context, arena, PIECES, 1);
    const uint64_t merged = scratch_bytes(context);
    assert_true(merged <= grown);
    for (size_t round = 0; round < 3; round++) {
        prm_arena_rewind(arena, empty);
        if (!test_is_small())
            assert_int_equal(scratch_bytes(context), merged);
        check_pieces(context, arena, PIECES, 1);
        assert_int_equal(scratch_bytes(context), merged);
    }
    prm_arena_destroy(arena);
    assert_int_equal(scratch_bytes(context), 0);
    prm_context_close(context);
}

static void rewinding_keeps_what_lies_below_the_mark(void **state)
{
    (void)state;
    struct prm_buffer below, above, again;
    uint32_t got;
    const struct prm_arena_mark empty = prm_arena_mark(test_arena);

    assert_ok(prm_arena_take(test_arena, &below, 1000));
    assert_ok(prm_buffer_fill_u32(test_context, below, 0, 11, 250));
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    assert_ok(prm_arena_take(test_arena, &above, (size_t)1 << 23));
    assert_ok(prm_buffer_fill_u32(test_context, above, 0, 22, (size_t)1 << 21));
    prm_arena_rewind(test_arena, mark);
    assert_ok(prm_arena_take(test_arena, &again, 4));
    assert_ok(prm_buffer_fill_u32(test_context, again, 0, 33, 1));
    assert_ok(prm_buffer_read(test_context, below, 996, &got, sizeof(got)));
    assert_int_equal(got, 11);
    prm_arena_rewind(test_arena, empty);
}

static void work_under_way_survives_its_memory(void **state)
{
    (void)state;
    static const size_t WORDS = (size_t)1 << 18;
    struct prm_buffer result = test_upload_u32(test_context, NULL, 1);
    struct prm_arena *arena;

    // a queue of fills and copies whose pieces, blocks and arena are released before they have run
    for (uint32_t round = 1; round <= 20; round++) {
        struct prm_buffer a, b;
        uint32_t got;
        assert_ok(prm_arena_create(test_context, &arena));
        assert_ok(prm_arena_take(arena, &a, WORDS * sizeof(uint32_t)));
        assert_ok(prm_arena_take(arena, &b, WORDS * sizeof(uint32_t)));
        assert_ok(prm_buffer_fill_u32(test_context, a, 0, round, WORDS));
        assert_ok(prm_buffer_copy(test_context, b, 0, a, 0, WORDS * sizeof(uint32_t)));
        assert_ok(prm_buffer_copy(test_context, result, 0, b, (WORDS - 1) * sizeof(uint32_t),
                                  sizeof(uint32_t)));
        prm_arena_destroy(arena);
        assert_ok(prm_buffer_read(test_context, result, 0, &got, sizeof(got)));
        assert_int_equal(got, round);
    }
    prm_buffer_destroy(test_context, &result);
}

static void zero_bytes_make_a_piece(void **state)
{
    (void)state;
    struct prm_buffer piece;
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);

    assert_ok(prm_arena_take(test_arena, &piece, 0));
    assert_non_null(piece.memory);
    prm_arena_rewind(test_arena, mark);
}

static void the_limit_holds_and_the_arena_stays_usable(void **state)
{
    (void)state;
    struct prm_context_options options = test_context_options();
    struct prm_context *context;
    struct prm_arena *arena;
    struct prm_buffer piece;

    options.memory_limit = 100000;
    assert_ok(prm_context_open(&context, &options));
    assert_ok(prm_arena_create(context, &arena));
    assert_ok(prm_arena_take(arena, &piece, 60000));
    assert_status(PRM_DEVICE_MEMORY, prm_arena_take(arena, &piece, 50000));
    assert_fault_says("the limit is 100000");
    assert_null(piece.memory);
    assert_status(PRM_DEVICE_MEMORY, prm_arena_take(arena, &piece, SIZE_MAX));
    assert_ok(prm_arena_take(arena, &piece, 30000));
    assert_true(scratch_bytes(context) <= 100000);

    // empty again, all of it can be one piece
    prm_arena_rewind(arena, (struct prm_arena_mark){0});
    assert_ok(prm_arena_take(arena, &piece, 99000));
    prm_arena_destroy(arena);
    prm_arena_destroy(NULL);
    assert_int_equal(scratch_bytes(context), 0);
    prm_context_close(context);
}

static void any_failed_allocation_leaves_the_account_at_zero(void **state)
{
    (void)state;
    // each allocation of a run fails once; the last countdown is beyond the run and none fails
    for (uint32_t separate = 0; separate < 2; separate++) {
        bool failed = true;
        for (uint32_t countdown = 1; failed; countdown++) {
            struct prm_context_options options = test_context_options();
            struct prm_context *context;
            struct prm_arena *arena;
            options.separate_scratch = separate;
            assert_ok(prm_context_open(&context, &options));
            assert_ok(prm_arena_create(context, &arena));
            prm_context_inject_fault(context, countdown);
            failed = false;
            for (size_t i = 0; i < 5 && !failed; i++) {
                struct prm_buffer piece;
                failed = prm_arena_take(arena, &piece, (size_t)1 << 20) != PRM_OK;
                assert_true(failed == (piece.memory == NULL));
            }
            prm_arena_destroy(arena);
            assert_int_equal(scratch_bytes(context), 0);
            prm_context_close(context);
            assert_true(countdown < 100);
        }
    }
}

static void separate_pieces_are_booked_by_their_size(void **state)
{
    (void)state;
    struct prm_context_options options = test_context_options();
    struct prm_context *context;
    struct prm_arena *arena;
    struct prm_buffer a, b;

    options.separate_scratch = true;
    assert_ok(prm_context_open(&context, &options));
    assert_ok(prm_arena_create(context, &arena));
    assert_ok(prm_arena_take(arena, &a, 10));
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    assert_ok(prm_arena_take(arena, &b, 20));
    assert_int_equal(scratch_bytes(context), 30);
    prm_arena_rewind(arena, mark);
    assert_int_equal(scratch_bytes(context), 10);
    prm_arena_destroy(arena);
    assert_int_equal(scratch_bytes(context), 0);
    prm_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_do_not_overlap),
        cmocka_unit_test(the_same_need_costs_nothing_more),
        cmocka_unit_test(rewinding_keeps_what_lies_below_the_mark),
        cmocka_unit_test(work_under_way_survives_its_memory),
        cmocka_unit_test(zero_bytes_make_a_piece),
        cmocka_unit_test(the_limit_holds_and_the_arena_stays_usable),
        cmocka_unit_test(any_failed_allocation_leaves_the_account_at_zero),
        cmocka_unit_test(separate_pieces_are_booked_by_their_size),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}
