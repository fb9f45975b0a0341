#include "schema/compute_numbers.h"

#include "schema/decimal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256 };

void numbers_deinit(struct numbers *numbers)
{
    free(numbers->owned);
    *numbers = (struct numbers){0};
}

void numbers_fault(const struct numbers *numbers, size_t index, const char *format, ...)
{
    char text[PROBLEM_DETAIL_MAX / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    // only the way to the element matters: it is not looked up
    struct json_node row = {NULL, &numbers->node, NULL, index, numbers->node.problem};
    struct json_node element = row;
    if (numbers->nested) {
        row.index = index / numbers->columns;
        element.parent = &row;
        element.index = index % numbers->columns;
    }
    json_node_fault(&element, PROBLEM_INVALID_ARGUMENT, "%s", text);
}

/* Whether rows × columns is a shape for the field, and not too large. */
static bool check_shape(const struct numbers *numbers, const struct compute_field *field,
                        const struct limits *limits)
{
    const size_t columns = numbers->columns;
    if ((field->flags & FIELD_ROWS) && numbers->rows &&
        (columns < 1 || columns > COMPUTE_DIMENSION_MAX)) {
        json_node_fault(&numbers->node, PROBLEM_INVALID_ARGUMENT,
                        "must have rows of 1 to %d numbers, not %zu", COMPUTE_DIMENSION_MAX,
                        columns);
        return false;
    }
    if (columns && numbers->rows > limits->compute_elements / columns) {
        json_node_over(&numbers->node, limits, LIMIT_compute_elements, "elements");
        return false;
    }
    return true;
}

/* ---- from JSON ---- */

/* Gathers the elements of one JSON array; each must be a number, or a boolean where flags are
 * wanted. */
static bool gather(double *values, const struct json_node *array, const struct compute_field *field)
{
    const size_t count = json_array_size(array->json);
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        const json_t *element = json_array_get(array->json, i);
        if (json_is_number(element)) {
            values[i] = json_number_value(element);
        } else if (field->kind == FIELD_FLAG && json_is_boolean(element)) {
            values[i] = json_is_true(element);
        } else {
            const struct json_node node = json_node_element(array, i);
            good = json_node_number(&node, JSON_ANY, &values[i]);
            if (json_node_full(array))
                return false;
        }
    }
    return good;
}

static bool gather_rows(double *values, const struct numbers *numbers,
                        const struct compute_field *field)
{
    bool good = true;
    for (size_t r = 0; r < numbers->rows && !json_node_full(&numbers->node); r++) {
        const struct json_node row = json_node_element(&numbers->node, r);
        if (!json_node_array(&row)) {
            good = false;
        } else if (json_array_size(row.json) != numbers->columns) {
            json_node_fault(&row, PROBLEM_INVALID_ARGUMENT, "must have %zu numbers, not %zu",
                            numbers->columns, json_array_size(row.json));
            good = false;
        } else {
            good &= gather(values + r * numbers->columns, &row, field);
        }
    }
    return good;
}

bool numbers_of_json(struct numbers *numbers, const struct json_node *node,
                     const struct compute_field *field, const struct limits *limits)
{
    *numbers = (struct numbers){.node = *node, .type = NPY_FLOAT64, .columns = 1, .is_json = true};

    // a number alone counts as a list of one where the field says so
    json_t *alone = (field->flags & FIELD_ONE) && json_is_number(node->json)
                        ? json_pack("[O]", node->json)
                        : NULL;
    struct json_node list = *node;
    if (alone)
        list.json = alone;
    if (!json_node_array(&list))
        return false;

    // rows are as long as the first is
    const json_t *first = json_array_get(list.json, 0);
    numbers->rows = json_array_size(list.json);
    numbers->nested = (field->flags & FIELD_PAIRS) ||
                      ((field->flags & FIELD_ROWS) && (!first || json_is_array(first)));
    if (numbers->nested)
        numbers->columns = (field->flags & FIELD_PAIRS) ? 2 : json_array_size(first);
    bool good = check_shape(numbers, field, limits);
    if (good) {
        double *values = malloc((numbers->rows * numbers->columns + 1) * sizeof *values);
        numbers->data = numbers->owned = values;
        if (!values)
            json_node_no_memory(node);
        good = values && (numbers->nested ? gather_rows(values, numbers, field)
                                          : gather(values, &list, field));
    }
    json_decref(alone);
    if (!good)
        numbers_deinit(numbers);
    return good;
}

/* ---- from npy ---- */

bool numbers_of_npy(struct numbers *numbers, const struct json_node *node,
                    const struct npy_array *array, void *owned, const struct compute_field *field,
                    const struct limits *limits)
{
    const bool is_flat = array->axes == 1 || (array->axes == 0 && (field->flags & FIELD_ONE));
    const bool wants_rows = field->flags & (FIELD_ROWS | FIELD_PAIRS);
    *numbers = (struct numbers){.node = *node, .type = array->type, .data = array->data};
    numbers->owned = owned;
    numbers->rows = array->axes ? array->shape[0] : 1;
    numbers->columns = array->axes == 2 ? array->shape[1] : 1;
    numbers->nested = array->axes == 2;

    // an empty array is good for any shape: numpy.array([]) has one axis
    const bool is_pairs = array->axes == 2 && array->shape[1] == 2;
    const bool fits =
        (field->flags & FIELD_PAIRS) ? is_pairs : is_flat || (wants_rows && array->axes == 2);
    if (array->count == 0) {
        numbers->rows = 0;
        numbers->columns = (field->flags & FIELD_PAIRS) ? 2 : 1;
    }
    bool good = true;
    if (array->type == NPY_UTF32 || array->type == NPY_BYTES) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must be an array of numbers, not of text");
        good = false;
    } else if (!fits && array->count) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must be an array of shape %s",
                        (field->flags & FIELD_PAIRS)  ? "(n, 2)"
                        : (field->flags & FIELD_ROWS) ? "(n, dimension) or (n,)"
                                                      : "(n,)");
        good = false;
    }
    good = good && check_shape(numbers, field, limits);
    if (!good)
        numbers_deinit(numbers);
    return good;
}

/* ---- blocks of numbers as doubles ---- */

/* Whether a number is whole; above 2^53 all are. A cast is much faster than floor(). */
static bool is_whole(double value)
{
    return !(fabs(value) < DECIMAL_WHOLE_MAX) || value == (double)(int64_t)value;
}

#define LOAD(type)                                                                                 \
    for (size_t i = 0; i < count; i++) {                                                           \
        type value;                                                                                \
        memcpy(&value, at + i * sizeof value, sizeof value);                                       \
        block[i] = (double)value;                                                                  \
    }                                                                                              \
    break

/* block[i] = numbers[first + i]; 64-bit whole numbers above 2^53 are rounded. */
static void load_block(double *block, const struct numbers *numbers, size_t first, size_t count)
{
    static const size_t sizes[NPY_TYPE_COUNT] = {
#define X(constant, kind, bytes, order) bytes,
        NPY_TYPES(X)
#undef X
    };
    const char *at = (const char *)numbers->data + first * sizes[numbers->type];
    switch (numbers->type) {
    case NPY_BOOL:
        for (size_t i = 0; i < count; i++)
            block[i] = at[i] != 0;
        break;
    case NPY_UINT8:
        LOAD(uint8_t);
    case NPY_UINT32:
        LOAD(uint32_t);
    case NPY_INT32:
        LOAD(int32_t);
    case NPY_FLOAT32:
        LOAD(float);
    case NPY_UINT64:
        LOAD(uint64_t);
    case NPY_INT64:
        LOAD(int64_t);
    case NPY_FLOAT64:
        LOAD(double);
    case NPY_UTF32:
    case NPY_BYTES:
    case NPY_TYPE_COUNT:
        break;
    }
}

void numbers_range_add(struct numbers_range *range, const struct numbers *numbers)
{
    const size_t count = numbers->rows * numbers->columns;
    const bool by_value = numbers->is_json || numbers->type == NPY_INT64;
    if (!by_value) {
        range->fraction |= numbers->type == NPY_FLOAT32 || numbers->type == NPY_FLOAT64;
        range->negative |= numbers->type == NPY_INT32;
        range->large |= numbers->type == NPY_UINT64;
        return;
    }
    double block[BLOCK];
    for (size_t first = 0; first < count; first += BLOCK) {
        const size_t length = count - first < BLOCK ? count - first : BLOCK;
        load_block(block, numbers, first, length);
        for (size_t i = 0; i < length; i++) {
            range->fraction |= !is_whole(block[i]);
            range->negative |= block[i] < 0;
            range->large |= block[i] > UINT32_MAX;
        }
    }
}

enum compute_kind numbers_kind(struct numbers_range range, unsigned kinds)
{
    if (range.fraction && (kinds & 1u << COMPUTE_F32))
        return COMPUTE_F32;
    if (range.negative && (kinds & 1u << COMPUTE_I32))
        return COMPUTE_I32;
    if (range.large && (kinds & 1u << COMPUTE_U64))
        return COMPUTE_U64;
    return (kinds & 1u << COMPUTE_U32) ? COMPUTE_U32 : COMPUTE_F32;
}

/* ---- conversion ---- */

/* What numbers must be. */
struct demand {
    enum compute_kind kind;
    double least, most; /* of whole numbers */
    bool finite;
    bool whole_exactly; /* sent as 64-bit whole numbers: float32 must hold each */
};

static bool fits(const struct demand *demand, double value)
{
    if (demand->kind != COMPUTE_F32)
        return value >= demand->least && value <= demand->most && is_whole(value);
    if (!isfinite(value))
        return !demand->finite;
    return fabs(value) <= FLT_MAX && (!demand->whole_exactly || (fabs(value) <= DECIMAL_WHOLE_MAX &&
                                                                 (double)(float)value == value));
}

static struct demand demand_of(const struct numbers *numbers, enum compute_kind kind,
                               const struct compute_field *field)
{
    struct demand demand = {.kind = kind, .finite = field->flags & FIELD_FINITE};
    demand.least = kind == COMPUTE_I32 ? INT32_MIN : 0;
    demand.most = field->kind == FIELD_FLAG ? 1
                  : kind == COMPUTE_I32     ? INT32_MAX
                  : kind == COMPUTE_U32     ? UINT32_MAX
                                            : DECIMAL_WHOLE_MAX;
    demand.whole_exactly = numbers->type == NPY_INT64 || numbers->type == NPY_UINT64;
    return demand;
}

static void misfit(const struct numbers *numbers, const struct demand *demand, size_t index,
                   double value)
{
    if (demand->kind == COMPUTE_F32) {
        numbers_fault(numbers, index, "is %.9g, which %s", value,
                      isfinite(value) ? "float32 does not hold" : "is not finite");
        return;
    }
    numbers_fault(numbers, index, "is %.17g, and must be a whole number from %.0f to %.0f%s", value,
                  demand->least, demand->most,
                  demand->kind == COMPUTE_U64 ? "; greater ones can be sent as npy" : "");
}

#define STORE(type)                                                                                \
    for (size_t i = 0; i < count; i++) {                                                           \
        const type value = (type)block[i];                                                         \
        memcpy(out + i * sizeof value, &value, sizeof value);                                      \
    }                                                                                              \
    break

/* out[i] = block[i], all of which fit. */
static void store_block(char *out, enum compute_kind kind, const double *block, size_t count)
{
    switch (kind) {
    case COMPUTE_U32:
        STORE(uint32_t);
    case COMPUTE_I32:
        STORE(int32_t);
    case COMPUTE_F32:
        STORE(float);
    case COMPUTE_U64:
        STORE(uint64_t);
    case COMPUTE_I64:
        STORE(int64_t);
    case COMPUTE_F64:
        STORE(double);
    }
}

/* Checks all numbers, and writes them to `out` unless it is NULL; `out` may be where they are. */
static bool convert_blocks(char *out, const struct numbers *numbers, const struct demand *demand)
{
    const size_t count = numbers->rows * numbers->columns;
    const size_t item = demand->kind == COMPUTE_U64 ? sizeof(uint64_t) : sizeof(uint32_t);
    double block[BLOCK];
    bool good = true;
    for (size_t first = 0; first < count; first += BLOCK) {
        const size_t length = count - first < BLOCK ? count - first : BLOCK;
        load_block(block, numbers, first, length);
        for (size_t i = 0; i < length; i++) {
            if (fits(demand, block[i]))
                continue;
            misfit(numbers, demand, first + i, block[i]);
            good = false;
            if (json_node_full(&numbers->node))
                return false;
        }
        if (out && good)
            store_block(out + first * item, demand->kind, block, length);
    }
    return good;
}

/* Whether the items are bit for bit what is wanted; 64-bit signed ones where none is negative. */
static bool is_same(const struct numbers *numbers, enum compute_kind kind)
{
    switch (numbers->type) {
    case NPY_UINT32:
        return kind == COMPUTE_U32;
    case NPY_INT32:
        return kind == COMPUTE_I32;
    case NPY_FLOAT32:
        return kind == COMPUTE_F32;
    case NPY_UINT64:
    case NPY_INT64:
        return kind == COMPUTE_U64;
    case NPY_BOOL:
    case NPY_UINT8:
    case NPY_FLOAT64:
    case NPY_UTF32:
    case NPY_BYTES:
    case NPY_TYPE_COUNT:
        break;
    }
    return false;
}

/* Checks items that stay as they are. */
static bool check_same(const struct numbers *numbers, const struct demand *demand,
                       const struct compute_field *field)
{
    if (numbers->type != NPY_INT64)
        return (field->kind != FIELD_FLAG && !demand->finite) ||
               convert_blocks(NULL, numbers, demand);

    // as unsigned ones they are good where none is negative
    for (size_t i = 0; i < numbers->rows * numbers->columns; i++) {
        int64_t value;
        memcpy(&value, (const char *)numbers->data + i * sizeof value, sizeof value);
        if (value < 0) {
            numbers_fault(numbers, i, "is %" PRId64 ", and must not be negative", value);
            return false;
        }
    }
    return true;
}

bool numbers_convert(struct compute_array *array, struct numbers *numbers, enum compute_kind kind,
                     const struct compute_field *field)
{
    const struct demand demand = demand_of(numbers, kind, field);
    const size_t item = kind == COMPUTE_U64 ? sizeof(uint64_t) : sizeof(uint32_t);
    const size_t bytes = numbers->rows * numbers->columns * item;
    *array = (struct compute_array){true, kind, numbers->rows, numbers->columns, NULL, NULL};

    // as it is, copied where it lies askew; or converted, the doubles of JSON in their own place
    const bool same = is_same(numbers, kind);
    bool good;
    if (same && (uintptr_t)numbers->data % item == 0) {
        good = check_same(numbers, &demand, field);
        array->data = numbers->data;
        array->owned = numbers->owned;
        numbers->owned = NULL;
    } else {
        void *out = numbers->is_json ? numbers->owned : malloc(bytes + 1);
        if (!out) {
            json_node_no_memory(&numbers->node);
            good = false;
        } else if (same) {
            good = check_same(numbers, &demand, field);
            memcpy(out, numbers->data, bytes);
        } else {
            good = convert_blocks(out, numbers, &demand);
        }
        array->data = array->owned = out;
        if (numbers->is_json)
            numbers->owned = NULL;
    }
    free(numbers->owned);
    numbers->owned = NULL;
    if (!good) {
        free(array->owned);
        *array = (struct compute_array){0};
    }
    return good;
}
