/* Obstacles of many boxes, points or triangles in a picture. */
#ifndef SERVICE_PICTURE_ELEMENTS_H
#define SERVICE_PICTURE_ELEMENTS_H

#include "service/pictures/projection.h"

/* Draws them, or every so-manyth where there are too many; points are no smaller than `dot`. */
void picture_put_elements(const struct obstacle_document *obstacle, enum view view,
                          const char *class_name, double dot, struct text *out);

#endif
