#include "schema/clock.h"
#include "schema/compute.h"
#include "schema/decimal.h"
#include "schema/npz.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIME_DIGITS = 6, DEVICE_BYTES_MAX = 128 };

/* Decimal digits that every float32 keeps, and that tell any two apart. */
enum { FLOAT_DIGITS_KEPT = 6, FLOAT_DIGITS_EXACT = 9 };

/* ---- results ---- */

static struct compute_result *add(struct compute_reply *reply, struct compute_result result)
{
    assert(reply->result_count < COMPUTE_RESULTS_MAX);
    struct compute_result *place = &reply->results[reply->result_count++];
    *place = result;
    return place;
}

struct compute_result *compute_reply_list(struct compute_reply *reply, const char *name,
                                          enum compute_kind kind, const void *data, size_t rows)
{
    return add(
        reply,
        (struct compute_result){
            .name = name, .kind = kind, .axes = 1, .rows = rows, .columns = 1, .data = data});
}

struct compute_result *compute_reply_rows(struct compute_reply *reply, const char *name,
                                          enum compute_kind kind, const void *data, size_t rows,
                                          size_t columns)
{
    struct compute_result *result = compute_reply_list(reply, name, kind, data, rows);
    result->axes = 2;
    result->columns = columns;
    return result;
}

struct compute_result *compute_reply_number(struct compute_reply *reply, const char *name,
                                            enum compute_kind kind, const void *number)
{
    struct compute_result *result = compute_reply_list(reply, name, kind, number, 1);
    result->axes = 0;
    return result;
}

/* The rows of timing_ms. */
enum { TIME_COUNT = 5 };
struct time_row {
    const char *name;
    double ms;
};

static void list_times(struct time_row rows[TIME_COUNT], const struct compute_times *times,
                       double write_ms)
{
    rows[0] = (struct time_row){"queue", times->queue_ms};
    rows[1] = (struct time_row){"parse", times->parse_ms};
    rows[2] = (struct time_row){"run", times->run_ms};
    rows[3] = (struct time_row){"total", times->total_ms};
    rows[4] = (struct time_row){"write", write_ms};
}

/* ---- JSON ---- */

/* The decimal of fewest digits that is nearest to this float, as a double; outside of moderate
 * sizes the float itself. */
static double shortest(float value)
{
    static const double ten_to[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const double exact = (double)value, size = fabs(exact);
    if (!(size >= 1e-7 && size < ten_to[FLOAT_DIGITS_KEPT]))
        return exact;

    // from as many decimals as leave the first digits, on to where all floats differ
    int decimals = 0;
    while (size * ten_to[decimals] < ten_to[FLOAT_DIGITS_KEPT - 1])
        decimals++;
    for (int digits = FLOAT_DIGITS_KEPT; digits <= FLOAT_DIGITS_EXACT; digits++, decimals++) {
        const double candidate = nearbyint(exact * ten_to[decimals]) / ten_to[decimals];
        if ((float)candidate == value)
            return candidate;
    }
    return exact;
}

static void write_number(const struct compute_result *result, size_t i, struct text *out)
{
    switch (result->kind) {
    case COMPUTE_U32: {
        const uint32_t value = ((const uint32_t *)result->data)[i];
        if (result->none != COMPUTE_NONE_NEVER && value == UINT32_MAX)
            text_json_null(out);
        else
            text_json_u64(out, value);
        break;
    }
    case COMPUTE_I32:
        text_json_number(out, ((const int32_t *)result->data)[i], DECIMAL_DIGITS_EXACT);
        break;
    case COMPUTE_F32: {
        // what has a short form gets it; of others nine digits read back
        const float value = ((const float *)result->data)[i];
        const double number = shortest(value);
        text_json_number(out, number,
                         number == (double)value ? FLOAT_DIGITS_EXACT : DECIMAL_DIGITS_EXACT);
        break;
    }
    case COMPUTE_U64:
        text_json_u64(out, ((const uint64_t *)result->data)[i]);
        break;
    case COMPUTE_I64: {
        const int64_t value = ((const int64_t *)result->data)[i];
        if (value < 0)
            text_json_number(out, (double)value, DECIMAL_DIGITS_EXACT);
        else
            text_json_u64(out, (uint64_t)value);
        break;
    }
    case COMPUTE_F64:
        text_json_number(out, ((const double *)result->data)[i], DECIMAL_DIGITS_EXACT);
        break;
    }
}

/* Whether element i says that there is none. */
static bool is_none(const struct compute_result *result, size_t i)
{
    if (result->kind == COMPUTE_U32)
        return ((const uint32_t *)result->data)[i] == UINT32_MAX;
    return result->kind == COMPUTE_F32 && !isfinite(((const float *)result->data)[i]);
}

static void write_list(const struct compute_result *result, size_t first, size_t count,
                       struct text *out)
{
    text_json_open(out, '[');
    for (size_t i = first; i < first + count; i++) {
        if (result->none == COMPUTE_NONE_CUT && is_none(result, i))
            break;
        if (result->present && !result->present[i])
            text_json_null(out);
        else
            write_number(result, i, out);
    }
    text_json_close(out, ']');
}

static void write_result(const struct compute_result *result, struct text *out)
{
    text_json_key(out, result->name);
    if (result->axes == 0) {
        write_number(result, 0, out);
        return;
    }
    if (result->axes == 1) {
        write_list(result, 0, result->rows, out);
        return;
    }
    text_json_open(out, '[');
    for (size_t r = 0; r < result->rows; r++)
        write_list(result, r * result->columns, result->columns, out);
    text_json_close(out, ']');
}

void compute_reply_write_json(const struct compute_reply *reply, struct text *out)
{
    const double begin = clock_steady();
    text_json_open(out, '{');
    for (unsigned i = 0; i < reply->result_count; i++)
        write_result(&reply->results[i], out);
    text_member_string(out, "device", reply->device);

    struct time_row rows[TIME_COUNT];
    list_times(rows, &reply->times, 1e3 * (clock_steady() - begin));
    text_json_key(out, "timing_ms");
    text_json_open(out, '{');
    for (size_t i = 0; i < TIME_COUNT; i++) {
        text_member_number(out, rows[i].name, rows[i].ms, TIME_DIGITS);
    }
    text_json_close(out, '}');
    text_json_close(out, '}');
}

/* ---- npz ---- */

static struct npy_array result_array(const struct compute_result *result)
{
    static const enum npy_type types[] = {
        [COMPUTE_U32] = NPY_UINT32, [COMPUTE_I32] = NPY_INT32, [COMPUTE_F32] = NPY_FLOAT32,
        [COMPUTE_U64] = NPY_UINT64, [COMPUTE_I64] = NPY_INT64, [COMPUTE_F64] = NPY_FLOAT64,
    };
    return npy_array(types[result->kind], result->axes,
                     (const size_t[]){result->rows, result->columns}, result->data);
}

/* A text as one item of UTF-32; what is not ASCII becomes a question mark. */
static struct npy_array text_array(const char *string, uint32_t characters[DEVICE_BYTES_MAX])
{
    size_t length = 0;
    for (; string[length] && length < DEVICE_BYTES_MAX; length++) {
        const unsigned char c = (unsigned char)string[length];
        characters[length] = c <= 0x7f ? c : '?';
    }
    if (!length)
        characters[length++] = '?';
    struct npy_array array = npy_array(NPY_UTF32, 0, NULL, characters);
    array.item_bytes = (uint32_t)(length * sizeof *characters);
    return array;
}

void compute_reply_write_npz(const struct compute_reply *reply, struct text *out)
{
    enum { NAME_BYTES = 24, ITEMS_MAX = 2 * COMPUTE_RESULTS_MAX + 1 + TIME_COUNT };
    struct npz_item items[ITEMS_MAX];
    unsigned count = 0;
    for (unsigned i = 0; i < reply->result_count; i++) {
        const struct compute_result *result = &reply->results[i];
        items[count++] = (struct npz_item){result->name, result_array(result)};
        if (result->present)
            items[count++] = (struct npz_item){
                "present", npy_array(NPY_UINT32, 1, &result->rows, result->present)};
    }
    uint32_t characters[DEVICE_BYTES_MAX];
    items[count++] = (struct npz_item){"device", text_array(reply->device, characters)};

    // the last, the time of writing, is not known before it is over
    struct time_row rows[TIME_COUNT];
    char names[TIME_COUNT][NAME_BYTES];
    list_times(rows, &reply->times, 0);
    for (size_t i = 0; i + 1 < TIME_COUNT; i++) {
        snprintf(names[i], NAME_BYTES, "timing_ms.%s", rows[i].name);
        items[count++] = (struct npz_item){names[i], npy_array(NPY_FLOAT64, 0, NULL, &rows[i].ms)};
    }
    npz_write(items, count, out);
}
