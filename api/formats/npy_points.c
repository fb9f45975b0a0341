#include "formats/npy_points.h"

#include "formats/gather.h"
#include "formats/numbers.h"
#include "schema/npy.h"

enum { AXES = 3 };

static enum number_type type_of(enum npy_type type)
{
    switch (type) {
    case NPY_UINT8:
        return NUMBER_U8;
    case NPY_UINT32:
        return NUMBER_U32;
    case NPY_INT32:
        return NUMBER_I32;
    case NPY_UINT64:
        return NUMBER_U64;
    case NPY_INT64:
        return NUMBER_I64;
    case NPY_FLOAT32:
        return NUMBER_F32;
    case NPY_FLOAT64:
        return NUMBER_F64;
    case NPY_BOOL:
    case NPY_UTF32:
    case NPY_BYTES:
    case NPY_TYPE_COUNT:
        break;
    }
    return NUMBER_NONE;
}

static bool read_points(struct gather *gather, const struct npy_array *array)
{
    const unsigned char *at = array->data;
    const enum number_type type = type_of(array->type);
    for (size_t i = 0; i < array->count; i += AXES) {
        double point[AXES];
        for (int axis = 0; axis < AXES; axis++, at += number_bytes(type))
            point[axis] = number_get(type, at, false);
        if (!gather_point(gather, point))
            return false;
    }
    return true;
}

bool npy_points_read(struct world_document *world, struct format_report *report,
                     const struct format_file *file)
{
    struct npy_array array;
    if (!npy_read(&array, file->data, file->bytes, NULL, file->problem))
        return false;
    if (array.axes != 2 || array.shape[1] != AXES || type_of(array.type) == NUMBER_NONE) {
        problem_add(file->problem, PROBLEM_INVALID_ARGUMENT,
                    "points are an array of numbers of shape (n, 3)");
        return false;
    }
    struct gather gather = gather_begin(OBSTACLE_POINTS, file);
    return gather_end(&gather, world, report, read_points(&gather, &array));
}
