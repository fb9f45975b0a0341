/* Overrides of the tuning profile: a table of members, each with its range. */
#include "device/profile.h"

#include <stdbool.h>
#include <string.h>

#define WORKGROUP_MAX 1024
#define CHUNKS_MAX 65536
#define RADIX_BITS_MAX 8
#define LANES_MAX 16

static const struct member {
    const char *name;
    size_t offset; /* of a uint32_t in struct prm_profile */
    uint32_t max;
    bool power_of_two;
} MEMBERS[] = {
    {"wg", offsetof(struct prm_profile, workgroup), WORKGROUP_MAX, true},
    {"chunks", offsetof(struct prm_profile, chunks), CHUNKS_MAX, false},
    {"radix_bits", offsetof(struct prm_profile, radix_bits), RADIX_BITS_MAX, false},
    {"lanes", offsetof(struct prm_profile, lanes), LANES_MAX, true},
};

/* Whether the `length` bytes of `text` are the word `word`. */
static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

/* Reads a whole decimal number of `length` digits; false where it is none or above UINT32_MAX. */
static bool read_number(const char *text, size_t length, uint32_t *number)
{
    uint64_t value = 0;

    if (length == 0)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text[i] - '0');
        if (value > UINT32_MAX)
            return false;
    }
    *number = (uint32_t)value;
    return true;
}

static enum prm_status set_shape(struct prm_profile *profile, const char *value, size_t length)
{
    if (is_word(value, length, "cpu"))
        profile->shape = PRM_SHAPE_CPU;
    else if (is_word(value, length, "gpu"))
        profile->shape = PRM_SHAPE_GPU;
    else
        return prm_fault_set(PRM_INVALID_ARGUMENT, "tuning: shape is '%.*s', not cpu or gpu",
                             (int)length, value);
    return PRM_OK;
}

/* Applies one `name=value`. */
static enum prm_status set_member(struct prm_profile *profile, const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length);
    if (!equals)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "tuning: '%.*s' is not name=value", (int)length,
                             text);
    const size_t name_length = (size_t)(equals - text);
    const char *value = equals + 1;
    const size_t value_length = length - name_length - 1;

    if (is_word(text, name_length, "shape"))
        return set_shape(profile, value, value_length);

    for (size_t i = 0; i < sizeof(MEMBERS) / sizeof(MEMBERS[0]); i++) {
        const struct member *member = &MEMBERS[i];
        if (!is_word(text, name_length, member->name))
            continue;
        uint32_t number;
        if (!read_number(value, value_length, &number) || number < 1 || number > member->max ||
            (member->power_of_two && (number & (number - 1)) != 0))
            return prm_fault_set(PRM_INVALID_ARGUMENT, "tuning: %s is '%.*s', not %s from 1 to %u",
                                 member->name, (int)value_length, value,
                                 member->power_of_two ? "a power of two" : "a number", member->max);
        memcpy((char *)profile + member->offset, &number, sizeof(number));
        return PRM_OK;
    }
    return prm_fault_set(PRM_INVALID_ARGUMENT,
                         "tuning: '%.*s' is none of shape, wg, chunks, radix_bits, lanes",
                         (int)name_length, text);
}

enum prm_status prm_profile_override(struct prm_profile *profile, const char *overrides)
{
    // all or nothing: a fault leaves the profile as it was
    struct prm_profile changed = *profile;

    for (const char *at = overrides; at && *at;) {
        const size_t length = strcspn(at, ",");
        const enum prm_status status = set_member(&changed, at, length);
        if (status != PRM_OK)
            return status;
        at += length;
        at += *at == ',';
    }
    *profile = changed;
    return PRM_OK;
}
