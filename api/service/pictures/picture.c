#include "service/pictures/picture.h"

#include "service/pictures/picture_elements.h"
#include "service/pictures/projection.h"
#include "service/pictures/svg.h"

#include <math.h>
#include <string.h>

enum {
    EDGES_MAX = 20000,     /* drawn, in all views; beyond, every so-manyth */
    MILESTONES_MAX = 5000, /* likewise */
    GRID_CELLS_MAX = 1 << 18,
    WIDTH_PX = 900,
};

/* Sizes as parts of the picture's larger side. */
static const double LINE = 0.0008, DOT = 0.0016, PATH_LINE = 0.003, END_DOT = 0.006,
                    EDGE_SPACE = 0.02;

/* A view's frame on the paper. */
struct frame {
    enum view view;
    double left, bottom, width, height, side;
};

/* ---- the frame ---- */

static struct frame frame_of(const struct world_document *world, enum view view)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (unsigned corner = 0; corner < 1u << world->dimension; corner++) {
        double at[3] = {0};
        for (uint32_t i = 0; i < world->dimension; i++)
            at[i] = corner >> i & 1 ? world->upper[i] : world->lower[i];
        const struct paper_point point = project(view, at);
        low[0] = fmin(low[0], point.x);
        high[0] = fmax(high[0], point.x);
        low[1] = fmin(low[1], point.y);
        high[1] = fmax(high[1], point.y);
    }
    const double side = fmax(fmax(high[0] - low[0], high[1] - low[1]), 1e-9);
    const double space = EDGE_SPACE * side;
    return (struct frame){view,
                          low[0] - space,
                          low[1] - space,
                          high[0] - low[0] + 2 * space,
                          high[1] - low[1] + 2 * space,
                          side};
}

/* `frame` is that of all views. */
static void put_head(const struct picture *picture, const struct frame *frame, struct text *out)
{
    svg_put("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"", out);
    svg_number(frame->left, out);
    svg_put(" ", out);
    svg_number(-(frame->bottom + frame->height), out);
    svg_put(" ", out);
    svg_number(frame->width, out);
    svg_put(" ", out);
    svg_number(frame->height, out);
    svg_put("\"", out);
    svg_attribute("width", WIDTH_PX, out);
    svg_attribute("height", WIDTH_PX * frame->height / frame->width, out);
    svg_put(">\n<title>Roadmap ", out);
    svg_escaped(picture->title, out);
    svg_put("</title>\n<style>"
            ".bounds{fill:#fff;stroke:#888}.obstacle{fill:#444;fill-opacity:.75;stroke:#222}"
            ".dynamic{fill:#b60;fill-opacity:.6;stroke:#740}.water{fill:#7ac}.trees{fill:#6a6}"
            ".solid .obstacle{fill-opacity:.25}"
            ".edges{fill:none;stroke:#69c;stroke-opacity:.5}"
            ".milestones{fill:none;stroke:#258;stroke-linecap:round}"
            ".path{fill:none;stroke:#d22;stroke-linejoin:round}.start{fill:#2a2}.goal{fill:#d22}"
            ".robot{fill:none;stroke:#e90;stroke-opacity:.3;stroke-linecap:round}"
            ".first{stroke:#2a2}.last{stroke:#d22}"
            "</style>\n<g",
            out);
    svg_attribute("stroke-width", LINE * frame->side, out);
    svg_put(">\n", out);
}

/* The edges of the world's box. */
static void put_bounds(const struct world_document *world, enum view view, struct text *out)
{
    svg_put("<path class=\"bounds\" d=\"", out);
    for (unsigned corner = 0; corner < 1u << world->dimension; corner++) {
        for (uint32_t axis = 0; axis < world->dimension; axis++) {
            if (corner >> axis & 1)
                continue;
            double from[3] = {0}, to[3] = {0};
            for (uint32_t i = 0; i < world->dimension; i++) {
                from[i] = corner >> i & 1 ? world->upper[i] : world->lower[i];
                to[i] = i == axis ? world->upper[i] : from[i];
            }
            svg_point("M", project(view, from), out);
            svg_point("L", project(view, to), out);
        }
    }
    svg_put("\"/>\n", out);
}

/* ---- obstacles ---- */

/* Whether a character of a map is of the class that is being drawn: 0 blocked, or the letter of a
 * terrain that is passable apart from the ground. */
static bool cell_is(char cell, char terrain, const struct grid_document *grid)
{
    const bool passable =
        (cell == 'T' && grid->passable_trees) || (cell == 'W' && grid->passable_water);
    if (terrain)
        return cell == terrain && passable;
    return cell != '.' && cell != 'G' && cell != 'S' && !passable;
}

/* The cells of one class as runs along the rows; `step` cells a side are drawn as one, by its upper
 * left. */
static void put_cells(const struct grid_document *grid, uint32_t step, char terrain,
                      const char *class_name, struct text *out)
{
    svg_put("<path class=\"", out);
    svg_put(class_name, out);
    svg_put("\" stroke=\"none\" d=\"", out);
    for (uint32_t row = 0; row < grid->height; row += step) {
        const char *cells = grid->rows + (size_t)row * grid->width;
        for (uint32_t column = 0; column < grid->width;) {
            const uint32_t first = column;
            while (column < grid->width && cell_is(cells[column], terrain, grid))
                column += step;
            if (column == first) {
                column += step;
                continue;
            }
            // in units of cells, y up from the lower edge
            const double width = fmin(column, grid->width) - first;
            const double height = fmin(step, grid->height - row);
            svg_put("M", out);
            svg_number(first, out);
            svg_put(" ", out);
            svg_number(grid->height - row, out);
            svg_put("h", out);
            svg_number(width, out);
            svg_put("v", out);
            svg_number(-height, out);
            svg_put("h", out);
            svg_number(-width, out);
            svg_put("z", out);
        }
    }
    svg_put("\"/>\n", out);
}

static void put_grid(const struct grid_document *grid, struct text *out)
{
    const double r = grid->resolution, c = r * cos(grid->origin[2]), s = r * sin(grid->origin[2]);
    const double matrix[6] = {c, -s, -s, -c, grid->origin[0], -grid->origin[1]};
    const double cells = (double)grid->width * grid->height;
    const uint32_t step = (uint32_t)fmax(1, ceil(sqrt(cells / GRID_CELLS_MAX)));
    // cells, y up -> paper, y down
    svg_put("<g transform=\"matrix(", out);
    for (unsigned i = 0; i < 6; i++) {
        svg_number(matrix[i], out);
        svg_put(i < 5 ? "," : ")\">\n", out);
    }
    put_cells(grid, step, 0, "obstacle", out);
    if (grid->passable_water)
        put_cells(grid, step, 'W', "water", out);
    if (grid->passable_trees)
        put_cells(grid, step, 'T', "trees", out);
    svg_put("</g>\n", out);
}

_Static_assert(sizeof(struct paper_point) == 2 * sizeof(double), "a polygon's points are pairs");

static void put_obstacle(const struct obstacle_document *obstacle, enum view view, double dot,
                         struct text *out)
{
    const char *class_name = obstacle->dynamic ? "dynamic" : "obstacle";
    struct outline outline;
    if (!obstacle->enabled)
        return;
    switch (obstacle->type) {
    case OBSTACLE_SPHERE:
    case OBSTACLE_CIRCLE:
        svg_circle(project(view, obstacle->center), obstacle->radius, class_name, out);
        return;
    case OBSTACLE_GRID:
        put_grid(&obstacle->grid, out);
        return;
    case OBSTACLE_POLYGON:
        svg_polygon((const struct paper_point *)obstacle->points, obstacle->point_count, class_name,
                    out);
        return;
    case OBSTACLE_BOX:
    case OBSTACLE_RECTANGLE:
    case OBSTACLE_CYLINDER:
    case OBSTACLE_CAPSULE:
        outline_of(&outline, view, obstacle);
        svg_polygon(outline.points, outline.count, class_name, out);
        return;
    case OBSTACLE_BOXES:
    case OBSTACLE_POINTS:
    case OBSTACLE_MESH:
        picture_put_elements(obstacle, view, class_name, dot, out);
        return;
    }
}

/* ---- the roadmap ---- */

/* How many of a kind each view may show. */
static uint32_t stride_of(uint32_t count, uint32_t most, enum view view)
{
    return count / (view == VIEW_FLAT ? most : most / 2) + 1;
}

static void put_edges(const struct prm_graph_copy *graph, enum view view, struct text *out)
{
    const uint32_t stride = stride_of(graph->edge_count, EDGES_MAX, view);
    svg_put("<path class=\"edges\" d=\"", out);
    for (size_t i = 0; i < graph->edge_count; i += stride) {
        if (!graph->valid[i])
            continue;
        const double *a = graph->states + (size_t)graph->edges[2 * i] * graph->dof;
        const double *b = graph->states + (size_t)graph->edges[2 * i + 1] * graph->dof;
        svg_point("M", project(view, a), out);
        svg_point("L", project(view, b), out);
    }
    svg_put("\"/>\n", out);
}

static void put_milestones(const struct prm_graph_copy *graph, enum view view, double radius,
                           struct text *out)
{
    const uint32_t stride = stride_of(graph->milestone_count, MILESTONES_MAX, view);
    svg_put("<path class=\"milestones\"", out);
    svg_attribute("stroke-width", 2 * radius, out);
    svg_put(" d=\"", out);
    for (size_t i = 0; i < graph->milestone_count; i += stride)
        svg_dot(project(view, graph->states + i * graph->dof), out);
    svg_put("\"/>\n", out);
}

/* ---- paths ---- */

/* A line through places of `stride` numbers each, with its ends. */
static void put_line(const double *places, size_t count, size_t stride, const struct frame *frame,
                     struct text *out)
{
    svg_put("<path class=\"path\"", out);
    svg_attribute("stroke-width", PATH_LINE * frame->side, out);
    svg_put(" d=\"", out);
    for (size_t i = 0; i < count; i++)
        svg_point(i ? "L" : "M", project(frame->view, places + i * stride), out);
    svg_put("\"/>\n", out);
    svg_circle(project(frame->view, places), END_DOT * frame->side, "start", out);
    svg_circle(project(frame->view, places + (count - 1) * stride), END_DOT * frame->side, "goal",
               out);
}

/* A robot's spheres at one state, those of one radius as the dots of one path. */
static void put_spheres(const struct motion_sphere *spheres, uint32_t count, const char *class_name,
                        enum view view, struct text *out)
{
    for (uint32_t first = 0, next; first < count; first = next) {
        const double radius = spheres[first].radius;
        for (next = first; next < count && fabs(spheres[next].radius - radius) < 1e-9; next++)
            ;
        if (radius < 0)
            continue;
        svg_put("<path class=\"robot ", out);
        svg_put(class_name, out);
        svg_put("\"", out);
        svg_attribute("stroke-width", 2 * radius, out);
        svg_put(" d=\"", out);
        for (uint32_t i = first; i < next; i++)
            svg_dot(project(view, spheres[i].center), out);
        svg_put("\"/>\n", out);
    }
}

/* The robot along one path: the states between below the first and the last. */
static void put_motion(const struct picture_motion *motion, const struct motion_path *path,
                       const struct frame *frame, struct text *out)
{
    for (unsigned i = 0; i < MOTION_POSES; i++) {
        const unsigned pose = (i + 1) % MOTION_POSES;
        put_spheres(path->spheres + (size_t)pose * motion->sphere_count, motion->sphere_count,
                    pose == 0                  ? "first"
                    : pose == MOTION_POSES - 1 ? "last"
                                               : "between",
                    frame->view, out);
    }
    if (motion->is_arm)
        put_line(path->line[0], MOTION_STATES, 3, frame, out);
}

static void put_paths(const struct picture *picture, const struct frame *frame, struct text *out)
{
    const struct picture_motion *motion = picture->motion;
    const uint32_t dof = picture->graph->dof;
    for (uint32_t i = 0; i < motion->path_count; i++)
        put_motion(motion, &motion->paths[i], frame, out);
    for (uint32_t i = 0; i < picture->result_count && !motion->is_arm; i++) {
        const struct plan_result *result = &picture->results[i];
        if (result->status == PLAN_STATUS_SOLVED && result->waypoint_count > 0)
            put_line(picture->waypoints + result->waypoint_first * dof, result->waypoint_count, dof,
                     frame, out);
    }
}

/* ---- all ---- */

static void put_view(const struct picture *picture, const struct frame *frame, struct text *out)
{
    const struct world_document *world = picture->world;
    put_bounds(world, frame->view, out);
    for (uint32_t i = 0; i < world->obstacle_count; i++)
        put_obstacle(&world->obstacles[i], frame->view, DOT * frame->side, out);
    if (!picture->motion->is_arm) {
        put_edges(picture->graph, frame->view, out);
        put_milestones(picture->graph, frame->view, DOT * frame->side, out);
    }
    put_paths(picture, frame, out);
}

void picture_write(const struct picture *picture, struct text *out)
{
    const struct world_document *world = picture->world;
    if (world->dimension == 2) {
        const struct frame frame = frame_of(world, VIEW_FLAT);
        put_head(picture, &frame, out);
        put_view(picture, &frame, out);
        svg_put("</g>\n</svg>\n", out);
        return;
    }

    // side by side, their upper edges at one height
    const struct frame left = frame_of(world, VIEW_LEFT), right = frame_of(world, VIEW_RIGHT);
    const double top = left.bottom + left.height;
    struct frame both = left;
    both.width += right.width;
    both.height = fmax(left.height, right.height);
    both.bottom = top - both.height;
    put_head(picture, &both, out);
    svg_put("<g class=\"solid\">\n", out);
    put_view(picture, &left, out);
    svg_put("</g>\n<g class=\"solid\" transform=\"translate(", out);
    svg_number(left.left + left.width - right.left, out);
    svg_put(" ", out);
    svg_number(right.bottom + right.height - top, out);
    svg_put(")\">\n", out);
    put_view(picture, &right, out);
    svg_put("</g>\n</g>\n</svg>\n", out);
}
