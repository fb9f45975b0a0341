#include "formats/image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool image_size_holds(uint64_t width, uint64_t height, const struct limits *limits,
                      struct problem *problem)
{
    if (!width || !height) {
        problem_add(problem, PROBLEM_INVALID_ARGUMENT, "the image has no pixels");
        return false;
    }
    if (width <= UINT32_MAX && height <= UINT32_MAX && width <= limits->grid_cells / height)
        return true;
    struct problem_fault *fault =
        problem_add(problem, PROBLEM_LIMIT_EXCEEDED,
                    "the image has %" PRIu64 " x %" PRIu64 " pixels, more than the limit of cells",
                    width, height);
    problem_fault_limit(fault, limits, LIMIT_grid_cells);
    return false;
}

bool image_init(struct image *image, uint32_t width, uint32_t height, bool see_through,
                struct problem *problem)
{
    *image = (struct image){.width = width, .height = height};
    const size_t pixels = (size_t)width * height;
    image->values = malloc(pixels * sizeof *image->values);
    image->see_through = see_through ? malloc(pixels) : NULL;
    if (image->values && (image->see_through || !see_through))
        return true;
    image_deinit(image);
    problem_no_memory(problem, "an image of %zu pixels", pixels);
    return false;
}

void image_deinit(struct image *image)
{
    free(image->values);
    free(image->see_through);
    *image = (struct image){0};
}

bool image_read(struct image *image, const char *data, size_t bytes, const struct limits *limits,
                struct problem *problem)
{
    *image = (struct image){0};
    if (bytes >= 4 && memcmp(data, "\x89PNG", 4) == 0)
        return image_read_png(image, data, bytes, limits, problem);
    if (bytes >= 2 && data[0] == 'P' && data[1] >= '1' && data[1] <= '7')
        return image_read_pnm(image, data, bytes, limits, problem);
    problem_add(problem, PROBLEM_UNSUPPORTED,
                bytes ? "the image is neither PNG nor PNM" : "the image is empty");
    return false;
}
