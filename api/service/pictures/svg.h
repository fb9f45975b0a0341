/* SVG written into a text, whatever the locale. Points are of the paper, whose y is up; SVG's is
 * down. */
#ifndef SERVICE_SVG_H
#define SERVICE_SVG_H

#include "schema/text.h"
#include "service/pictures/projection.h"

/* Markup as it is, words with what must be escaped, a number, and ` name="value"`. */
void svg_put(const char *markup, struct text *out);
void svg_escaped(const char *words, struct text *out);
void svg_number(double value, struct text *out);
void svg_attribute(const char *name, double value, struct text *out);

/* A command of path data and its point. */
void svg_point(const char *command, struct paper_point point, struct text *out);

/* A dot as path data: a line without length, which round caps make as wide as the stroke. */
void svg_dot(struct paper_point point, struct text *out);

/* A closed polygon as path data. */
void svg_ring(const struct paper_point *points, size_t count, struct text *out);

/* Elements of their own. */
void svg_circle(struct paper_point center, double radius, const char *class_name, struct text *out);
void svg_polygon(const struct paper_point *points, size_t count, const char *class_name,
                 struct text *out);

#endif
