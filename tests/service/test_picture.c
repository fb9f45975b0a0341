/* Goal: pictures of every kind of obstacle are well-formed, in the frame, and bounded in size;
 * projections and outlines are right. Method: documents made by hand. Oracle: geometry by hand, a
 * tag counter. */
#include "service/pictures/picture.h"
#include "service/pictures/projection.h"
#include "service/pictures/svg.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double TINY = 1e-9;

static const struct picture_motion no_motion = {.paths = NULL};

static void flat_points_stay(void **state)
{
    (void)state;
    const double point[3] = {3, -4, 0};
    const struct paper_point at = project(VIEW_FLAT, point);
    assert_true(at.x == 3 && at.y == -4);
}

static void solid_axes_are_even(void **state)
{
    (void)state;
    // the three unit vectors are equally long on the paper, and 120 degrees apart
    struct paper_point axes[3];
    for (unsigned i = 0; i < 3; i++) {
        const double unit[3] = {i == 0, i == 1, i == 2};
        axes[i] = project(VIEW_LEFT, unit);
    }
    for (unsigned i = 0; i < 3; i++) {
        const struct paper_point a = axes[i], b = axes[(i + 1) % 3];
        assert_true(fabs(a.x * a.x + a.y * a.y - 2.0 / 3) < TINY);
        // x and y axes point down-right and up-left of z: their sum with -z is not 0, but dots
        // agree in size
        assert_true(fabs(fabs(a.x * b.x + a.y * b.y) - 1.0 / 3) < TINY);
    }
}

static double area(const struct outline *outline)
{
    double twice = 0;
    for (unsigned i = 0; i < outline->count; i++) {
        const struct paper_point a = outline->points[i];
        const struct paper_point b = outline->points[(i + 1) % outline->count];
        twice += a.x * b.y - b.x * a.y;
    }
    return twice / 2;
}

static void outlines(void **state)
{
    (void)state;
    struct outline outline;
    const struct obstacle_document rectangle = {
        .type = OBSTACLE_RECTANGLE, .center = {1, 1}, .size = {2, 3}, .angle = 0.7};
    outline_of(&outline, VIEW_LEFT, &rectangle);
    assert_int_equal(outline.count, 4);
    assert_true(fabs(area(&outline) - 6) < TINY);

    // a unit cube seen along its diagonal is a hexagon of area √3
    const struct obstacle_document cube = {
        .type = OBSTACLE_BOX, .size = {1, 1, 1}, .quaternion = {0, 0, 0, 1}};
    outline_of(&outline, VIEW_LEFT, &cube);
    assert_int_equal(outline.count, 6);
    assert_true(fabs(area(&outline) - sqrt(3)) < 1e-6);

    // turning by a quarter about z changes nothing of it
    const struct obstacle_document turned = {
        .type = OBSTACLE_BOX, .size = {1, 1, 1}, .quaternion = {0, 0, sqrt(0.5), sqrt(0.5)}};
    outline_of(&outline, VIEW_LEFT, &turned);
    assert_true(fabs(area(&outline) - sqrt(3)) < 1e-6);

    // a capsule without length is a disc
    const struct obstacle_document pill = {
        .type = OBSTACLE_CAPSULE, .radius = 2, .quaternion = {0, 0, 0, 1}};
    outline_of(&outline, VIEW_LEFT, &pill);
    assert_true(fabs(area(&outline) / (4 * 3.14159265) - 1) < 0.02);
}

/* Counts what is opened and closed; every tag must be closed. */
static void assert_well_formed(const struct text *svg)
{
    int depth = 0;
    for (size_t i = 0; i < svg->length; i++) {
        if (svg->data[i] != '<')
            continue;
        const char *end = memchr(svg->data + i, '>', svg->length - i);
        assert_non_null(end);
        if (svg->data[i + 1] == '/')
            depth--;
        else if (end[-1] != '/')
            depth++;
        assert_true(depth >= 0);
    }
    assert_int_equal(depth, 0);
}

/* How often a piece of text occurs. */
static unsigned count_of(const struct text *svg, const char *piece)
{
    unsigned count = 0;
    const size_t length = strlen(piece);
    for (size_t i = 0; i + length <= svg->length; i++)
        count += memcmp(svg->data + i, piece, length) == 0;
    return count;
}

/* Boxes, points and triangles, turned and shifted; too many are thinned out. */
static void many_elements_are_drawn(void **state)
{
    (void)state;
    enum { MANY = 100000, DRAWN_MAX = 20000 };
    double boxes[12] = {0, 0, 0, 1, 1, 1, 2, 0, 0, 1, 1, 1};
    double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    uint32_t triangles[6] = {0, 1, 2, 1, 0, 2}; // the one's front is the other's back
    double *points = calloc(3 * MANY, sizeof *points);
    assert_non_null(points);
    struct obstacle_document obstacles[] = {
        {.type = OBSTACLE_BOXES,
         .enabled = true,
         .quaternion = {0, 0, 0, 1},
         .points = boxes,
         .point_count = 2},
        {.type = OBSTACLE_MESH,
         .enabled = true,
         .center = {5, 7, 0},
         .quaternion = {0, 0, 1, 0},
         .points = corners,
         .point_count = 4,
         .triangles = triangles,
         .triangle_count = 2},
        {.type = OBSTACLE_POINTS,
         .enabled = true,
         .dynamic = true,
         .quaternion = {0, 0, 0, 1},
         .points = points,
         .point_count = MANY},
    };
    const struct world_document world = {.dimension = 3,
                                         .has_bounds = true,
                                         .upper = {10, 10, 10},
                                         .obstacles = obstacles,
                                         .obstacle_count = 3};
    const struct prm_graph_copy graph = {.dof = 3};
    const struct picture picture = {
        .title = "t", .world = &world, .graph = &graph, .motion = &no_motion};
    struct text svg = {0};
    picture_write(&picture, &svg);
    assert_well_formed(&svg);
    assert_int_equal(count_of(&svg, "z"), 2 * (2 + 2));
    const unsigned circles = count_of(&svg, "<circle class=\"dynamic\"");
    assert_true(circles > DRAWN_MAX && circles <= 2 * DRAWN_MAX);

    // both ways round make the same ring, so that they fill and do not cancel
    text_append(&svg, "", 1);
    const char *mesh = strstr(strstr(svg.data, "class=\"obstacle\"") + 1, "class=\"obstacle\"");
    double area[2] = {0};
    for (int i = 0; i < 2; i++) {
        double at[6];
        mesh = strchr(mesh, 'M');
        assert_int_equal(
            sscanf(mesh++, "M%lf %lfL%lf %lfL%lf %lfz", at, at + 1, at + 2, at + 3, at + 4, at + 5),
            6);
        area[i] = (at[2] - at[0]) * (at[5] - at[1]) - (at[3] - at[1]) * (at[4] - at[0]);
    }
    assert_true(fabs(area[0] - area[1]) < 1e-5 && fabs(area[0]) > 0.1);

    // the mesh's corner (1,0,0), turned by half a turn about z, stands at (4,7,0)
    struct text at = {0};
    const double corner[3] = {4, 7, 0};
    const struct paper_point paper = project(VIEW_LEFT, corner);
    svg_point("", paper, &at);
    text_append(&at, "", 1);
    assert_int_equal(count_of(&svg, at.data), 2);
    text_deinit(&at);
    text_deinit(&svg);
    free(points);
}

static void every_obstacle_is_drawn(void **state)
{
    (void)state;
    double points[6] = {1, 1, 2, 1, 2, 2};
    char rows[] = ".@WT@.";
    struct obstacle_document obstacles[] = {
        {.type = OBSTACLE_CIRCLE, .enabled = true, .radius = 1},
        {.type = OBSTACLE_RECTANGLE, .enabled = true, .size = {1, 1}},
        {.type = OBSTACLE_POLYGON, .enabled = true, .points = points, .point_count = 3},
        {.type = OBSTACLE_GRID,
         .enabled = true,
         .grid = {.width = 3, .height = 2, .resolution = 1, .rows = rows, .passable_trees = true}},
        {.type = OBSTACLE_CIRCLE, .enabled = false, .radius = 9},
    };
    const struct world_document world = {.dimension = 2,
                                         .has_bounds = true,
                                         .upper = {10, 10},
                                         .obstacles = obstacles,
                                         .obstacle_count = 5};
    double states[4] = {1, 1, 9, 9};
    uint32_t edges[2] = {0, 1};
    uint8_t valid[1] = {1};
    const struct prm_graph_copy graph = {.milestone_count = 2,
                                         .edge_count = 1,
                                         .dof = 2,
                                         .states = states,
                                         .edges = edges,
                                         .valid = valid};
    const struct plan_result result = {.status = PLAN_STATUS_SOLVED, .waypoint_count = 2};
    const struct picture picture = {.title = "a<b>&c",
                                    .world = &world,
                                    .graph = &graph,
                                    .results = &result,
                                    .result_count = 1,
                                    .waypoints = states,
                                    .motion = &no_motion};
    struct text svg = {0};
    picture_write(&picture, &svg);
    assert_well_formed(&svg);
    text_append(&svg, "", 1);
    assert_non_null(strstr(svg.data, "a&lt;b>&amp;c"));
    assert_non_null(strstr(svg.data, "class=\"trees\""));
    assert_null(strstr(svg.data, "class=\"water\""));
    assert_non_null(strstr(svg.data, "class=\"path\""));
    assert_null(strstr(svg.data, "r=\"9\""));
    text_deinit(&svg);
}

static void large_things_are_thinned(void **state)
{
    (void)state;
    enum { SIDE = 2048, COUNT = 200000 };
    char *rows = malloc((size_t)SIDE * SIDE);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
        rows[i] = (i / SIDE + i) % 2 ? '@' : '.';
    struct obstacle_document grid = {
        .type = OBSTACLE_GRID,
        .enabled = true,
        .grid = {.width = SIDE, .height = SIDE, .resolution = 1, .rows = rows}};
    const struct world_document world = {.dimension = 2,
                                         .has_bounds = true,
                                         .upper = {SIDE, SIDE},
                                         .obstacles = &grid,
                                         .obstacle_count = 1};
    struct prm_graph_copy graph = {
        .milestone_count = COUNT,
        .edge_count = COUNT,
        .dof = 2,
        .states = calloc(COUNT, 2 * sizeof(double)),
        .edges = calloc(COUNT, 2 * sizeof(uint32_t)),
        .valid = malloc(COUNT),
    };
    memset(graph.valid, 1, COUNT);
    const struct picture picture = {
        .title = "m", .world = &world, .graph = &graph, .motion = &no_motion};
    struct text svg = {0};
    picture_write(&picture, &svg);
    assert_well_formed(&svg);
    assert_true(svg.length < (size_t)12 << 20);
    text_deinit(&svg);
    free(rows);
    free(graph.states);
    free(graph.edges);
    free(graph.valid);
}

/* A rigid robot of two spheres in the plane, turned: its spheres are dots about its way. */
static void robots_are_drawn_along_paths(void **state)
{
    (void)state;
    struct robot_sphere spheres[] = {{{0, 0, 0}, 0.5}, {{1, 0, 0}, 0.25}, {{2, 0, 0}, -1}};
    const struct robot_document robot = {
        .type = ROBOT_RIGID, .spheres = spheres, .sphere_count = 3, .dimension = 2};
    const struct prm_space space = {.dof = 3,
                                    .coordinates = {{.kind = PRM_COORDINATE_LINEAR},
                                                    {.kind = PRM_COORDINATE_LINEAR},
                                                    {.kind = PRM_COORDINATE_TURN}}};
    // half a turn by the short way, over the cut
    double states[] = {2, 3, 3, 6, 3, -3};
    const struct plan_result results[] = {{.status = PLAN_STATUS_NO_PATH},
                                          {.status = PLAN_STATUS_SOLVED, .waypoint_count = 2}};
    struct picture_motion motion;
    assert_int_equal(picture_motion_init(&motion, NULL, &robot, 2, &space, results, 2, states),
                     PRM_OK);
    assert_int_equal(motion.path_count, 1);
    assert_int_equal(motion.sphere_count, 3);
    const struct motion_sphere *halfway = motion.paths[0].spheres + 2 * 3;
    assert_true(fabs(halfway[0].center[0] - 4) < TINY && fabs(halfway[0].center[1] - 3) < TINY);
    assert_true(fabs(halfway[1].center[0] - 3) < TINY && fabs(halfway[1].center[1] - 3) < TINY);

    const struct world_document world = {.dimension = 2, .has_bounds = true, .upper = {10, 10}};
    const struct prm_graph_copy graph = {.dof = 3};
    const struct picture picture = {.title = "t",
                                    .world = &world,
                                    .graph = &graph,
                                    .results = results,
                                    .result_count = 2,
                                    .waypoints = states,
                                    .motion = &motion};
    struct text svg = {0};
    picture_write(&picture, &svg);
    assert_well_formed(&svg);
    // what is switched off is not drawn
    assert_int_equal(count_of(&svg, "\"robot first\""), 2);
    assert_int_equal(count_of(&svg, "\"robot between\""), 3 * 2);
    assert_int_equal(count_of(&svg, "\"robot last\""), 2);
    assert_int_equal(count_of(&svg, "class=\"path\""), 1);
    text_deinit(&svg);
    picture_motion_deinit(&motion);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_points_stay),
        cmocka_unit_test(solid_axes_are_even),
        cmocka_unit_test(outlines),
        cmocka_unit_test(every_obstacle_is_drawn),
        cmocka_unit_test(many_elements_are_drawn),
        cmocka_unit_test(large_things_are_thinned),
        cmocka_unit_test(robots_are_drawn_along_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
