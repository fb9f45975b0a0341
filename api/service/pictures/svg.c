#include "service/pictures/svg.h"

#include "schema/decimal.h"

#include <math.h>
#include <string.h>

enum { COORDINATE_DIGITS = 7 };

void svg_put(const char *markup, struct text *out)
{
    text_append(out, markup, strlen(markup));
}

void svg_number(double value, struct text *out)
{
    char digits[DECIMAL_BYTES_MAX];
    text_append(out, digits, decimal_write(digits, isfinite(value) ? value : 0, COORDINATE_DIGITS));
}

void svg_attribute(const char *name, double value, struct text *out)
{
    svg_put(" ", out);
    svg_put(name, out);
    svg_put("=\"", out);
    svg_number(value, out);
    svg_put("\"", out);
}

void svg_point(const char *command, struct paper_point point, struct text *out)
{
    svg_put(command, out);
    svg_number(point.x, out);
    svg_put(" ", out);
    svg_number(-point.y, out);
}

void svg_dot(struct paper_point point, struct text *out)
{
    svg_point("M", point, out);
    svg_put("h0", out);
}

void svg_escaped(const char *words, struct text *out)
{
    for (; *words; words++) {
        if (*words == '<')
            svg_put("&lt;", out);
        else if (*words == '&')
            svg_put("&amp;", out);
        else if (*words == '"')
            svg_put("&quot;", out);
        else if ((unsigned char)*words < ' ')
            svg_put(" ", out);
        else
            text_append(out, words, 1);
    }
}

void svg_circle(struct paper_point center, double radius, const char *class_name, struct text *out)
{
    svg_put("<circle class=\"", out);
    svg_put(class_name, out);
    svg_put("\"", out);
    svg_attribute("cx", center.x, out);
    svg_attribute("cy", -center.y, out);
    svg_attribute("r", radius, out);
    svg_put("/>\n", out);
}

void svg_ring(const struct paper_point *points, size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++)
        svg_point(i ? "L" : "M", points[i], out);
    svg_put("z", out);
}

void svg_polygon(const struct paper_point *points, size_t count, const char *class_name,
                 struct text *out)
{
    svg_put("<path class=\"", out);
    svg_put(class_name, out);
    svg_put("\" d=\"", out);
    svg_ring(points, count, out);
    svg_put("\"/>\n", out);
}
