/* Goal: replies are written as JSON and npz; floats with the fewest digits that read back. Method:
 * whole documents, and archives read back. Oracle: by hand; strtof for floats. */
#include "arrays.h"
#include "documents.h"
#include "schema/compute.h"
#include "schema/npz.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t words[] = {7, UINT32_MAX, 0, 1, UINT32_MAX, UINT32_MAX};
static const uint32_t present[] = {1, 1, 0};
static const float distances[] = {0.5F, INFINITY, 0, 1, INFINITY, INFINITY};
static const uint64_t total = UINT64_MAX;
static const int64_t negative = -5;
static const double recall = 0.975;

static struct compute_reply example(void)
{
    struct compute_reply reply = {.device = "cpu \"one\"",
                                  .times = {.queue_ms = 0.25, .total_ms = 2}};
    compute_reply_list(&reply, "values", COMPUTE_U32, words, 3);
    compute_reply_list(&reply, "found", COMPUTE_U32, words, 3)->present = present;
    compute_reply_rows(&reply, "indices", COMPUTE_U32, words, 2, 3)->none = COMPUTE_NONE_CUT;
    compute_reply_rows(&reply, "distances", COMPUTE_F32, distances, 2, 3)->none = COMPUTE_NONE_CUT;
    compute_reply_list(&reply, "levels", COMPUTE_U32, words, 2)->none = COMPUTE_NONE_NULL;
    compute_reply_number(&reply, "total", COMPUTE_U64, &total);
    compute_reply_number(&reply, "sum", COMPUTE_I64, &negative);
    compute_reply_number(&reply, "recall", COMPUTE_F64, &recall);
    return reply;
}

static void json_has_every_result(void **state)
{
    (void)state;
    const struct compute_reply reply = example();
    struct text out = {0};
    compute_reply_write_json(&reply, &out);
    static const char expected[] =
        "{\"values\":[7,4294967295,0],\"found\":[7,4294967295,null],"
        "\"indices\":[[7],[1]],\"distances\":[[0.5],[1]],\"levels\":[7,null],"
        "\"total\":18446744073709551615,\"sum\":-5,\"recall\":0.975,"
        "\"device\":\"cpu \\\"one\\\"\","
        "\"timing_ms\":{\"queue\":0.25,\"parse\":0,\"run\":0,\"total\":2,\"write\":";
    text_string(&out);
    assert_true(out.length > sizeof expected);
    out.data[sizeof expected - 1] = '\0';
    assert_string_equal(out.data, expected);
    text_deinit(&out);
}

static void floats_are_short_and_exact(void **state)
{
    (void)state;
    static const struct {
        float value;
        const char *text;
    } rows[] = {{0.1F, "0.1"},          {-1.5F, "-1.5"},         {0, "0"},
                {3.14159F, "3.14159"},  {123456.7F, "123456.7"}, {1e-5F, "0.00001"},
                {16777216, "16777216"}, {NAN, "null"},           {-INFINITY, "null"},
                {1e6F, "1000000"},      {0.00123F, "0.00123"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct compute_reply reply = {.device = ""};
        struct text out = {0};
        compute_reply_list(&reply, "v", COMPUTE_F32, &rows[i].value, 1);
        compute_reply_write_json(&reply, &out);
        const char *text = text_string(&out) + strlen("{\"v\":[");
        if (strncmp(text, rows[i].text, strlen(rows[i].text)) != 0 ||
            text[strlen(rows[i].text)] != ']')
            fail_msg("%.20s, expected %s", text, rows[i].text);
        text_deinit(&out);
    }

    // any bits read back
    enum { COUNT = 20000 };
    static float values[COUNT];
    struct test_random random = {3};
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t bits = test_random_u32(&random);
        if (i % 2)
            values[i] = test_random_f32(&random, -1000, 1000);
        else
            memcpy(&values[i], &bits, sizeof bits);
    }
    struct compute_reply reply = {.device = ""};
    struct text out = {0};
    compute_reply_list(&reply, "v", COMPUTE_F32, values, COUNT);
    compute_reply_write_json(&reply, &out);
    const char *at = text_string(&out) + strlen("{\"v\":[");
    for (size_t i = 0; i < COUNT; i++) {
        char *end = NULL;
        if (strncmp(at, "null", 4) == 0) {
            assert_true(!isfinite(values[i]));
            end = (char *)at + 4;
        } else if (strtof(at, &end) != values[i]) {
            fail_msg("%.20s is not %.9g", at, (double)values[i]);
        }
        assert_true(*end == (i + 1 < COUNT ? ',' : ']'));
        at = end + 1;
    }
    text_deinit(&out);
}

static void archives_have_every_result(void **state)
{
    (void)state;
    const struct compute_reply reply = example();
    const struct limits limits = limits_default();
    struct text out = {0};
    compute_reply_write_npz(&reply, &out);
    assert_false(out.failed);
    struct npz npz;
    struct problem problem = {0};
    if (!npz_read(&npz, out.data, out.length, &limits, &problem))
        fail_msg("%s", problem.faults[0].detail);

    const struct {
        const char *name;
        enum npy_type type;
        unsigned axes;
        size_t shape[2];
        const void *data;
    } rows[] = {
        {"values", NPY_UINT32, 1, {3, 0}, words},
        {"present", NPY_UINT32, 1, {3, 0}, present},
        {"indices", NPY_UINT32, 2, {2, 3}, words},
        {"distances", NPY_FLOAT32, 2, {2, 3}, distances},
        {"total", NPY_UINT64, 0, {0, 0}, &total},
        {"sum", NPY_INT64, 0, {0, 0}, &negative},
        {"recall", NPY_FLOAT64, 0, {0, 0}, &recall},
        {"timing_ms.queue", NPY_FLOAT64, 0, {0, 0}, &reply.times.queue_ms},
        {"timing_ms.total", NPY_FLOAT64, 0, {0, 0}, &reply.times.total_ms},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct npz_member *member = npz_find(&npz, rows[i].name);
        assert_non_null(member);
        assert_int_equal(member->array.type, rows[i].type);
        assert_int_equal(member->array.axes, rows[i].axes);
        for (unsigned axis = 0; axis < rows[i].axes; axis++)
            assert_int_equal(member->array.shape[axis], rows[i].shape[axis]);
        assert_memory_equal(member->array.data, rows[i].data,
                            member->array.count * member->array.item_bytes);
    }
    const struct npz_member *device = npz_find(&npz, "device");
    assert_non_null(device);
    assert_int_equal(device->array.type, NPY_UTF32);
    assert_int_equal(device->array.item_bytes, 4 * strlen(reply.device));
    npz_deinit(&npz);
    text_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_every_result),
        cmocka_unit_test(floats_are_short_and_exact),
        cmocka_unit_test(archives_have_every_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
