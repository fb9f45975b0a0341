/* Goal: a body is gathered whole whatever its pieces, packed or not, within its limit and the
 * budget. Method: every split of small bodies, random data packed by zlib's own functions and by
 * pack.c. Oracle: the bytes that went in; the budget is back at zero at the end. */
#include "server/body.h"
#include "server/pack.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* zlib reads its input only */
#include <zlib.h>

enum { LARGE = 3 << 20 };

static struct budget budget = {.limit = 64 << 20};

static int budget_is_whole(void **state)
{
    (void)state;
    return atomic_load(&budget.used) == 0 ? 0 : -1;
}

/* Half noise, half repetition. The caller frees. */
static char *make_data(size_t bytes)
{
    struct test_random random = {.state = bytes};
    char *data = malloc(bytes + 1);
    for (size_t i = 0; i < bytes; i++)
        data[i] = (char)(i % 128 < 64 ? test_random_below(&random, 256) : i / 1024);
    return data;
}

/* Packs by zlib: 15 bits zlib format, 31 gzip. The caller frees. */
static char *zip(const char *data, size_t bytes, int window_bits, size_t *packed_bytes)
{
    z_stream zlib = {0};
    assert_int_equal(deflateInit2(&zlib, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    const size_t room = deflateBound(&zlib, bytes) + 64;
    char *packed = malloc(room);
    zlib.next_in = (const unsigned char *)data;
    zlib.avail_in = (uInt)bytes;
    zlib.next_out = (unsigned char *)packed;
    zlib.avail_out = (uInt)room;
    assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    *packed_bytes = zlib.total_out;
    deflateEnd(&zlib);
    return packed;
}

static void append_in_pieces(struct body *body, const char *data, size_t bytes, size_t piece)
{
    for (size_t at = 0; at < bytes; at += piece)
        body_append(body, data + at, bytes - at < piece ? bytes - at : piece);
    body_end(body);
}

static void pieces_of_any_size(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 4095, 4096, 4097, 20011, LARGE};
    static const size_t pieces[] = {1, 7, 1440, 32768, LARGE};
    (void)state;
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        char *data = make_data(sizes[s]);
        for (size_t p = 0; p < sizeof(pieces) / sizeof(pieces[0]); p++)
            for (int declared = 0; declared < 2; declared++) {
                struct body body;
                body_init(&body, LARGE, &budget, false, declared ? sizes[s] : 0);
                append_in_pieces(&body, data, sizes[s], pieces[p]);
                assert_int_equal(body.fault, BODY_FINE);
                assert_int_equal(body.bytes, sizes[s]);
                if (sizes[s] > 0)
                    assert_memory_equal(body.data, data, sizes[s]);
                body_deinit(&body);
            }
        free(data);
    }
}

static void packed_bodies_are_unpacked(void **state)
{
    static const size_t sizes[] = {0, 1, 1000, 16384, 20011, LARGE};
    static const size_t pieces[] = {1, 13, 4096, LARGE};
    (void)state;
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
        for (int format = 15; format <= 31; format += 16) {
            size_t packed_bytes;
            char *data = make_data(sizes[s]), *packed = zip(data, sizes[s], format, &packed_bytes);
            for (size_t p = 0; p < sizeof(pieces) / sizeof(pieces[0]); p++) {
                struct body body;
                // the limit is met exactly
                body_init(&body, sizes[s], &budget, true, packed_bytes);
                append_in_pieces(&body, packed, packed_bytes, pieces[p]);
                assert_int_equal(body.fault, BODY_FINE);
                assert_int_equal(body.bytes, sizes[s]);
                if (sizes[s] > 0)
                    assert_memory_equal(body.data, data, sizes[s]);
                body_deinit(&body);
            }
            free(packed);
            free(data);
        }
}

static void gzip_members_follow_one_another(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < 50; piece++) {
        size_t first_bytes, second_bytes;
        char *first = zip("one ", 4, 31, &first_bytes), *second = zip("two", 3, 31, &second_bytes);
        first = realloc(first, first_bytes + second_bytes);
        memcpy(first + first_bytes, second, second_bytes);
        struct body body;
        body_init(&body, 100, &budget, true, 0);
        append_in_pieces(&body, first, first_bytes + second_bytes, piece);
        assert_int_equal(body.fault, BODY_FINE);
        assert_int_equal(body.bytes, 7);
        assert_memory_equal(body.data, "one two", 7);
        body_deinit(&body);
        free(first);
        free(second);
    }
}

static void a_limit_counts_what_is_unpacked(void **state)
{
    size_t packed_bytes;
    char *data = calloc(1, LARGE), *packed = zip(data, LARGE, 31, &packed_bytes);
    (void)state;
    assert_true(packed_bytes < LARGE / 100);
    for (int is_packed = 0; is_packed < 2; is_packed++)
        for (uint64_t limit = LARGE - 1; limit <= LARGE; limit++) {
            struct body body;
            body_init(&body, limit, &budget, is_packed, 0);
            append_in_pieces(&body, is_packed ? packed : data, is_packed ? packed_bytes : LARGE,
                             1024);
            assert_int_equal(body.fault, limit == LARGE ? BODY_FINE : BODY_TOO_LARGE);
            if (limit < LARGE)
                assert_int_equal(atomic_load(&budget.used), 0);
            body_deinit(&body);
        }
    free(packed);
    free(data);
}

static void what_is_not_packed_is_refused(void **state)
{
    size_t packed_bytes;
    char *packed = zip("hello hello hello", 17, 31, &packed_bytes);
    struct body body;
    (void)state;

    // cut short anywhere, plain text, a flipped bit in the check sum, something behind the end
    for (size_t bytes = 0; bytes < packed_bytes; bytes++) {
        body_init(&body, 100, &budget, true, 0);
        append_in_pieces(&body, packed, bytes, 5);
        assert_int_equal(body.fault, BODY_NOT_PACKED);
        body_deinit(&body);
    }
    body_init(&body, 100, &budget, true, 0);
    append_in_pieces(&body, "{\"a\":1}", 7, 7);
    assert_int_equal(body.fault, BODY_NOT_PACKED);
    body_deinit(&body);

    packed[packed_bytes - 6] ^= 1;
    body_init(&body, 100, &budget, true, 0);
    append_in_pieces(&body, packed, packed_bytes, 100);
    assert_int_equal(body.fault, BODY_NOT_PACKED);
    body_deinit(&body);
    packed[packed_bytes - 6] ^= 1;

    body_init(&body, 100, &budget, true, 0);
    body_append(&body, packed, packed_bytes);
    append_in_pieces(&body, "x", 1, 1);
    assert_int_equal(body.fault, BODY_NOT_PACKED);
    body_deinit(&body);
    free(packed);
}

static void the_budget_is_shared(void **state)
{
    struct budget small = {.limit = 10000};
    struct body first, second;
    char data[6000] = {0};
    (void)state;
    body_init(&first, 1 << 20, &small, false, 0);
    body_init(&second, 1 << 20, &small, false, 0);
    append_in_pieces(&first, data, sizeof(data), 1000);
    assert_int_equal(first.fault, BODY_FINE);
    append_in_pieces(&second, data, sizeof(data), 1000);
    assert_int_equal(second.fault, BODY_OVERLOADED);
    body_deinit(&first);
    body_deinit(&second);
    assert_int_equal(atomic_load(&small.used), 0);
    // twice is once
    body_deinit(&second);
}

static void answers_are_packed_whole_and_in_pieces(void **state)
{
    static const size_t rooms[] = {1, 100, 32768};
    const size_t bytes = 300000;
    char *data = make_data(bytes), *packed = malloc(bytes);
    (void)state;
    for (size_t r = 0; r < sizeof(rooms) / sizeof(rooms[0]); r++) {
        struct packer *packer = packer_create(data, bytes);
        size_t total = 0, got;
        while ((got = packer_read(packer, packed + total, rooms[r])) > 0)
            total += got;
        packer_destroy(packer);

        struct body body;
        body_init(&body, bytes, &budget, true, 0);
        append_in_pieces(&body, packed, total, 1000);
        assert_int_equal(body.fault, BODY_FINE);
        assert_int_equal(body.bytes, bytes);
        assert_memory_equal(body.data, data, bytes);
        body_deinit(&body);
    }
    free(packed);

    size_t packed_bytes;
    packed = pack_whole(data, bytes, &packed_bytes);
    struct body body;
    body_init(&body, bytes, &budget, true, 0);
    append_in_pieces(&body, packed, packed_bytes, bytes);
    assert_int_equal(body.fault, BODY_FINE);
    assert_memory_equal(body.data, data, bytes);
    body_deinit(&body);
    free(packed);

    // what does not shrink is sent as it is
    assert_null(pack_whole("abc", 3, &packed_bytes));
    free(data);
    packer_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_any_size),
        cmocka_unit_test(packed_bodies_are_unpacked),
        cmocka_unit_test(gzip_members_follow_one_another),
        cmocka_unit_test(a_limit_counts_what_is_unpacked),
        cmocka_unit_test(what_is_not_packed_is_refused),
        cmocka_unit_test(the_budget_is_shared),
        cmocka_unit_test(answers_are_packed_whole_and_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, budget_is_whole);
}
