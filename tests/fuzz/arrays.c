/* Numbers, texts and arrays: decimal, npy, npz, requests to compute, and answers read back. */
#include "fuzz.h"
#include "schema/compute.h"
#include "schema/decimal.h"
#include "schema/document.h"
#include "schema/npz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A finite number comes back from its shortest text. */
static void write_back(double value)
{
    char out[DECIMAL_BYTES_MAX];
    double again = 0;
    const size_t length = decimal_write(out, value, DECIMAL_DIGITS_EXACT);
    fuzz_must(length > 0 && length <= sizeof(out));
    fuzz_must(decimal_read(&again, out, length) == length && again == value);
    (void)decimal_write(out, value, 9);
}

void fuzz_numbers(const char *data, size_t bytes)
{
    // as text: what is read is what strtod reads of the same bytes
    double value = 0, bits;
    const size_t length = decimal_read(&value, data, bytes);
    fuzz_must(length <= bytes && length <= DECIMAL_READ_BYTES_MAX);
    if (length > 0) {
        char copy[DECIMAL_READ_BYTES_MAX + 1];
        memcpy(copy, data, length);
        copy[length] = '\0';
        const double expected = strtod(copy, NULL);
        fuzz_must(value == expected || (isnan(value) && isnan(expected)));
    }

    // as a number
    if (bytes >= sizeof(bits)) {
        memcpy(&bits, data, sizeof(bits));
        if (isfinite(bits))
            write_back(bits);
    }

    // as a string: what is UTF-8 comes back from JSON as it was
    char *string = fuzz_string(data, bytes);
    struct text out = {0};
    text_json_string(&out, string);
    struct document *document = document_parse(out.data, out.length, NULL, 0);
    fuzz_must(document != NULL);
    const char *back = document_string(document_root(document), "", "");
    fuzz_must(!text_is_utf8(string) || strcmp(back, string) == 0);
    document_destroy(document);
    text_deinit(&out);
    free(string);
}

void fuzz_answer(const char *data, size_t bytes)
{
    char fault[128] = "";
    struct document *document = document_parse(data, bytes, fault, sizeof(fault));
    fuzz_must(document != NULL || *fault != '\0');
    if (document == NULL)
        return;
    const struct document_value *root = document_root(document);
    struct text first = {0}, second = {0};
    for (const char *key = document_next_key(root, NULL); key; key = document_next_key(root, key))
        fuzz_must(document_member(root, key) != NULL);
    (void)document_number(root, "/results/0/length", 0);
    (void)document_string(root, "/detail", "");
    document_write(root, &first);
    document_destroy(document);

    document = document_parse(first.data, first.length, NULL, 0);
    fuzz_must(document != NULL);
    document_write(document_root(document), &second);
    fuzz_same(&first, &second);
    document_destroy(document);
    text_deinit(&first);
    text_deinit(&second);
}

/* Every byte of an array that was read can be. */
static void touch(const struct npy_array *array)
{
    const volatile unsigned char *data = array->data;
    for (size_t i = 0; i < array->count * array->item_bytes; i++)
        (void)data[i];
}

void fuzz_npy(const char *data, size_t bytes)
{
    struct npy_array array, again;
    struct problem problem = {0};
    const bool good = npy_read(&array, data, bytes, NULL, &problem);
    fuzz_judge(good, &problem);
    if (!good)
        return;
    touch(&array);
    if (array.type == NPY_UTF32 || array.type == NPY_BYTES)
        return;
    struct text out = {0};
    const struct npy_array copy = npy_array(array.type, array.axes, array.shape, array.data);
    npy_write_header(&copy, &out);
    text_append(&out, copy.data, copy.count * copy.item_bytes);
    fuzz_must(npy_read(&again, out.data, out.length, NULL, &problem));
    fuzz_must(again.type == array.type && again.axes == array.axes && again.count == array.count);
    text_deinit(&out);
}

void fuzz_npz(const char *data, size_t bytes)
{
    struct npz npz;
    struct problem problem = {0};
    const bool good = npz_read(&npz, data, bytes, fuzz_limits(), &problem);
    fuzz_judge(good, &problem);
    if (!good)
        return;
    for (unsigned i = 0; i < npz.count; i++) {
        touch(&npz.members[i].array);
        fuzz_must(npz_find(&npz, npz.members[i].name) != NULL);
    }
    npz_deinit(&npz);
}

/* The values of an array can be read as its kind. */
static void touch_array(const struct compute_array *array)
{
    const size_t item = array->kind == COMPUTE_U64 ? 8 : 4;
    if (!array->present || array->rows == 0)
        return;
    const struct npy_array plain = {
        .data = array->data, .count = array->rows * array->columns, .item_bytes = (uint32_t)item};
    touch(&plain);
    fuzz_must((uintptr_t)array->data % item == 0);
}

/* The first line's parameters "op" and "as" say what it is; the others are the request's own. */
void fuzz_compute(const char *data, size_t bytes)
{
    struct call call;
    char line[FUZZ_LINE_BYTES];
    fuzz_call(&call, line, data, bytes);
    const char *op_name = call_parameter(&call, "op"), *as = call_parameter(&call, "as");
    const enum compute_op op = op_name != NULL ? compute_op_find(op_name) : COMPUTE_OP_COUNT;
    const int format = compute_format_of(as);
    if (op == COMPUTE_OP_COUNT || format < 0)
        return;
    struct compute_parameter parameters[CALL_PARAMETERS_MAX];
    unsigned count = 0;
    for (unsigned i = 0; i < call.parameter_count; i++)
        if (strcmp(call.parameters[i].key, "op") != 0 && strcmp(call.parameters[i].key, "as") != 0)
            parameters[count++] =
                (struct compute_parameter){call.parameters[i].key, call.parameters[i].value};

    struct compute_request request;
    struct problem problem = {0};
    const bool good =
        compute_request_read(&request, op, (enum compute_format)format, call.body, call.body_bytes,
                             parameters, count, fuzz_limits(), &problem);
    fuzz_judge(good, &problem);
    if (!good)
        return;
    const struct compute_array *arrays[] = {
        &request.values, &request.flags, &request.edges,   &request.intervals,
        &request.keys,   &request.next,  &request.points,  &request.queries,
        &request.lower,  &request.upper, &request.sources, &request.weights,
    };
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        touch_array(arrays[i]);
    compute_request_deinit(&request);
}
