/* What the operations under /v1/compute take, from the table that their reader is driven by. */
#include "schema/openapi_build.h"

#include "schema/decimal.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

void openapi_compute_name(char name[OPENAPI_NAME_BYTES], const struct compute_row *row,
                          const char *suffix)
{
    snprintf(name, OPENAPI_NAME_BYTES, "Compute%c%s%s", toupper((unsigned char)*row->name),
             row->name + 1, suffix);
}

/* ---- arrays ---- */

/* A number of one of the kinds, which are bits 1 << kind. */
static json_t *number_of(unsigned kinds)
{
    if (kinds & 1u << COMPUTE_F32)
        return json_pack("{s:s, s:f, s:f}", "type", "number", "minimum", -(double)FLT_MAX,
                         "maximum", (double)FLT_MAX);
    const json_int_t least = kinds & 1u << COMPUTE_I32 ? INT32_MIN : 0;
    const json_int_t most = kinds & 1u << COMPUTE_U64 ? DECIMAL_WHOLE_MAX : UINT32_MAX;
    return json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum", least, "maximum", most);
}

static json_t *element_of(const struct compute_row *row, const struct compute_field *field)
{
    if (field->kind == FIELD_TYPED)
        return number_of(row->kinds);
    if (field->kind == FIELD_INDEX)
        return number_of(1u << COMPUTE_U32);
    if (field->kind == FIELD_FLAG)
        return json_pack("{s:[{s:s}, {s:s, s:i, s:i}]}", "anyOf", "type", "boolean", "type",
                         "integer", "minimum", 0, "maximum", 1);
    return number_of(1u << COMPUTE_F32);
}

/* A list of elements, which is taken over; null too where it may be left out. */
static json_t *list_of(const struct openapi *openapi, json_t *element, bool nullable)
{
    json_t *type = nullable ? json_pack("[s, s]", "array", "null") : json_string("array");
    return json_pack("{s:o, s:o, s:o}", "type", type, "items", element, "maxItems",
                     openapi_limit(openapi, LIMIT_compute_elements, 0));
}

static json_t *array_schema(const struct openapi *openapi, const struct compute_row *row,
                            const struct compute_field *field)
{
    const bool nullable = !(field->flags & FIELD_REQUIRED);
    json_t *element = element_of(row, field);
    if (field->flags & (FIELD_PAIRS | FIELD_ROWS)) {
        const int least = field->flags & FIELD_PAIRS ? 2 : 1;
        const int most = field->flags & FIELD_PAIRS ? 2 : COMPUTE_DIMENSION_MAX;
        element = json_pack("{s:s, s:o, s:i, s:i}", "type", "array", "items", element, "minItems",
                            least, "maxItems", most);
    }
    json_t *list = list_of(openapi, element, nullable);
    if (field->flags & FIELD_ROWS)
        // a list counts as rows of one
        return json_pack("{s:[o, o]}", "anyOf", list,
                         list_of(openapi, element_of(row, field), nullable));
    if (field->flags & FIELD_ONE)
        return json_pack("{s:[o, o]}", "anyOf", element_of(row, field), list);
    return list;
}

/* ---- options ---- */

/* The type of an option, null too where it may be left out. */
static json_t *option_type(const struct compute_field *field, const char *type)
{
    return field->flags & FIELD_REQUIRED ? json_string(type) : json_pack("[s, s]", type, "null");
}

static json_t *words_schema(struct openapi *openapi, const struct compute_row *row,
                            const struct compute_field *field)
{
    const bool is_type = field->kind == FIELD_TYPE;
    json_t *words = json_array();
    for (const struct json_word *word = is_type ? compute_type_words : field->words; word->word;
         word++)
        if (!is_type || row->kinds & 1u << word->value)
            openapi_add(openapi, words, json_string(word->word));
    if (!(field->flags & FIELD_REQUIRED))
        openapi_add(openapi, words, json_null());
    return json_pack("{s:o, s:o}", "type", option_type(field, "string"), "enum", words);
}

static json_t *double_schema(struct openapi *openapi, const struct compute_field *field,
                             double initial)
{
    json_t *schema = json_pack("{s:o}", "type", option_type(field, "number"));
    if (isfinite(field->min))
        openapi_set(openapi, schema, "exclusiveMinimum", json_real(field->min));
    if (isfinite(field->max))
        openapi_set(openapi, schema, field->flags & FIELD_CLOSED ? "maximum" : "exclusiveMaximum",
                    json_real(field->max));
    if (initial > 0)
        openapi_set(openapi, schema, "default", json_real(initial));
    return schema;
}

static json_t *whole_schema(struct openapi *openapi, const struct compute_field *field,
                            uint64_t initial)
{
    const bool limited = field->flags & FIELD_LIMITED;
    json_t *most = field->kind == FIELD_SEED ? json_integer(INT64_MAX)
                   : limited                 ? openapi_limit(openapi, field->limit, UINT32_MAX)
                                             : json_integer((json_int_t)field->max);
    json_t *schema = json_pack("{s:o, s:I, s:o}", "type", option_type(field, "integer"), "minimum",
                               (json_int_t)field->min, "maximum", most);
    if (initial)
        openapi_set(openapi, schema, "default", json_integer((json_int_t)initial));
    return schema;
}

static json_t *field_schema(struct openapi *openapi, const struct compute_row *row,
                            const struct compute_field *field)
{
    const void *initial = (const char *)&compute_defaults + field->offset;
    switch (field->kind) {
    case FIELD_TYPE:
    case FIELD_WORD:
        return words_schema(openapi, row, field);
    case FIELD_BOOL:
        return json_pack("{s:o, s:b}", "type", option_type(field, "boolean"), "default",
                         *(const bool *)initial);
    case FIELD_U32:
        return whole_schema(openapi, field, *(const uint32_t *)initial);
    case FIELD_SEED:
        return whole_schema(openapi, field, *(const uint64_t *)initial);
    case FIELD_DOUBLE:
        return double_schema(openapi, field, *(const double *)initial);
    case FIELD_TYPED:
    case FIELD_PAYLOAD:
    case FIELD_INDEX:
    case FIELD_FLAG:
    case FIELD_REAL:
        break;
    }
    return array_schema(openapi, row, field);
}

json_t *openapi_compute_request(struct openapi *openapi, const struct compute_row *row)
{
    json_t *properties = json_object(), *required = json_array();
    for (unsigned i = 0; i < row->field_count; i++) {
        const struct compute_field *field = &row->fields[i];
        openapi_set(openapi, properties, field->name, field_schema(openapi, row, field));
        if (field->flags & FIELD_REQUIRED)
            openapi_add(openapi, required, json_string(field->name));
    }
    return json_pack("{s:s, s:o, s:b, s:o}", "type", "object", "required", required,
                     "additionalProperties", 0, "properties", properties);
}
