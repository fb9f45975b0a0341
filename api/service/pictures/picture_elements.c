#include "service/pictures/picture_elements.h"

#include "service/pictures/svg.h"

#include <math.h>
#include <string.h>

enum { DRAWN_MAX = 20000, AXES = 3, CORNERS = 3 };

/* Every so-manyth is drawn. */
static uint32_t stride_of(uint32_t count)
{
    return count / DRAWN_MAX + 1;
}

static void put_boxes(const struct obstacle_document *boxes, enum view view, struct text *out)
{
    const uint32_t stride = stride_of(boxes->point_count);
    struct obstacle_document box = {.type = OBSTACLE_BOX};
    memcpy(box.quaternion, boxes->quaternion, sizeof(box.quaternion));
    for (size_t i = 0; i < boxes->point_count; i += stride) {
        const double *row = boxes->points + i * 2 * AXES;
        struct outline outline;
        place(box.center, boxes, row);
        memcpy(box.size, row + AXES, sizeof(box.size));
        outline_of(&outline, view, &box);
        svg_ring(outline.points, outline.count, out);
    }
}

static void put_triangles(const struct obstacle_document *mesh, enum view view, struct text *out)
{
    const uint32_t stride = stride_of(mesh->triangle_count);
    for (size_t i = 0; i < mesh->triangle_count; i += stride) {
        struct paper_point ring[CORNERS];
        for (size_t corner = 0; corner < CORNERS; corner++) {
            double at[AXES];
            place(at, mesh, mesh->points + AXES * (size_t)mesh->triangles[CORNERS * i + corner]);
            ring[corner] = project(view, at);
        }

        // all one way round: where two ways overlap, nothing would be filled
        const double area = (ring[1].x - ring[0].x) * (ring[2].y - ring[0].y) -
                            (ring[1].y - ring[0].y) * (ring[2].x - ring[0].x);
        if (area < 0) {
            const struct paper_point last = ring[2];
            ring[2] = ring[1];
            ring[1] = last;
        }
        svg_ring(ring, CORNERS, out);
    }
}

static void put_points(const struct obstacle_document *cloud, enum view view,
                       const char *class_name, double dot, struct text *out)
{
    const uint32_t stride = stride_of(cloud->point_count);
    for (size_t i = 0; i < cloud->point_count; i += stride) {
        double at[AXES];
        place(at, cloud, cloud->points + AXES * i);
        svg_circle(project(view, at), fmax(cloud->radius, dot), class_name, out);
    }
}

void picture_put_elements(const struct obstacle_document *obstacle, enum view view,
                          const char *class_name, double dot, struct text *out)
{
    if (obstacle->type == OBSTACLE_POINTS) {
        put_points(obstacle, view, class_name, dot, out);
        return;
    }
    svg_put("<path class=\"", out);
    svg_put(class_name, out);
    svg_put("\" d=\"", out);
    if (obstacle->type == OBSTACLE_MESH)
        put_triangles(obstacle, view, out);
    else
        put_boxes(obstacle, view, out);
    svg_put("\"/>\n", out);
}
