#include "formats/numbers.h"

#include <math.h>
#include <string.h>

size_t number_bytes(enum number_type type)
{
    static const uint8_t bytes[] = {
        [NUMBER_I8] = 1,  [NUMBER_U8] = 1,  [NUMBER_I16] = 2,  [NUMBER_U16] = 2,
        [NUMBER_I32] = 4, [NUMBER_U32] = 4, [NUMBER_I64] = 8,  [NUMBER_U64] = 8,
        [NUMBER_F32] = 4, [NUMBER_F64] = 8, [NUMBER_NONE] = 0,
    };
    return bytes[type];
}

double number_get(enum number_type type, const void *at, bool big_endian)
{
    const unsigned char *bytes = at;
    const size_t count = number_bytes(type);
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits = bits << 8 | bytes[big_endian ? i : count - 1 - i];

    const uint32_t low = (uint32_t)bits;
    float single;
    double value = 0;
    switch (type) {
    case NUMBER_I8:
        return (int8_t)bits;
    case NUMBER_I16:
        return (int16_t)bits;
    case NUMBER_I32:
        return (int32_t)bits;
    case NUMBER_I64:
        return (double)(int64_t)bits;
    case NUMBER_U8:
    case NUMBER_U16:
    case NUMBER_U32:
    case NUMBER_U64:
        return (double)bits;
    case NUMBER_F32:
        memcpy(&single, &low, sizeof single);
        return (double)single;
    case NUMBER_F64:
        memcpy(&value, &bits, sizeof value);
        return value;
    case NUMBER_NONE:
        break;
    }
    return value;
}

uint32_t number_u32(const void *at)
{
    return (uint32_t)number_get(NUMBER_U32, at, false);
}
