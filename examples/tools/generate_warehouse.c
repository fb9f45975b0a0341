/* Makes examples/warehouse.json: a hall 40 x 30 x 8 m with racks, pillars, tanks, lamps and a wall
 * with an open gate and a shutter.
 *
 * The shutter is the dynamic obstacle "shutter": PATCH its `enabled` and the roadmap follows. The
 * seed is fixed: the committed file is this program's output.
 */
#include "tools/random.h"

#include <stdbool.h>
#include <stdio.h>

enum { SEED = 40308 };

static const double hall[3] = {40, 30, 8};

/* Begins an obstacle in a list; the first has no comma before it. */
static void begin(const char *id, const char *type)
{
    static bool first = true;
    printf("%s\n  {", first ? "" : ",");
    first = false;
    if (id)
        printf("\"id\":\"%s\",", id);
    printf("\"type\":\"%s\"", type);
}

static void box(const char *id, double x, double y, double z, double sx, double sy, double sz,
                double yaw)
{
    begin(id, "box");
    printf(",\"center\":[%.4g,%.4g,%.4g],\"size\":[%.4g,%.4g,%.4g]", x, y, z, sx, sy, sz);
    if (yaw != 0)
        printf(",\"rpy\":[0,0,%.4g]", yaw);
    printf("}");
}

/* Racks: boards on four levels between uprights, with crates of random size on them. */
static void rack(struct random *random, double x, double y, double length)
{
    enum { LEVELS = 4 };
    static const double level_m = 1.6, depth_m = 1.2, board_m = 0.06, post_m = 0.1, crate_m = 2.0;
    for (int end = -1; end <= 1; end++)
        box(NULL, x + end * 0.5 * length, y, 0.5 * LEVELS * level_m, post_m, depth_m,
            LEVELS * level_m, 0);
    for (int level = 0; level < LEVELS; level++) {
        double z = level * level_m + 0.2;
        box(NULL, x, y, z, length, depth_m, board_m, 0);
        for (int place = 1; place * crate_m < length - 1; place++) {
            double at = place * crate_m - 0.5 * length;
            double side = random_uniform(random, 0.5, 1.1), high = random_uniform(random, 0.4, 1.0);
            if (random_uniform(random, 0, 1) < 0.35)
                continue;
            box(NULL, x + at, y, z + 0.5 * (board_m + high), side, side, high,
                random_uniform(random, -0.3, 0.3));
        }
    }
}

static void pillar(double x, double y)
{
    begin(NULL, "cylinder");
    printf(",\"center\":[%.4g,%.4g,4],\"radius\":0.35,\"length\":8}", x, y);
}

/* A tank lying along x: a quarter turn about y brings its z there. */
static void tank(double x, double y, double z)
{
    begin(NULL, "capsule");
    printf(",\"center\":[%.4g,%.4g,%.4g],\"radius\":0.7,\"length\":3,\"rpy\":[0,1.5707963267948966,"
           "0]}",
           x, y, z);
}

static void lamp(double x, double y)
{
    begin(NULL, "sphere");
    printf(",\"center\":[%.4g,%.4g,7.2],\"radius\":0.4}", x, y);
}

/* A wall across the hall at x = 27 with a gate that is open and one with a shutter. */
static void wall(void)
{
    box("wall-south", 27, 3, 4, 0.2, 6, 8, 0);    // y 0 … 6, then the gate to y 9
    box("wall-middle", 27, 15, 4, 0.2, 12, 8, 0); // y 9 … 21, then the shutter to y 24
    box("wall-north", 27, 27, 4, 0.2, 6, 8, 0);
    box("lintel-gate", 27, 7.5, 6, 0.2, 3, 4, 0);
    box("lintel-shutter", 27, 22.5, 6, 0.2, 3, 4, 0);
    begin("shutter", "box");
    printf(",\"center\":[27,22.5,2],\"size\":[0.1,3,4],\"dynamic\":true,\"enabled\":true}");
}

int main(void)
{
    struct random random = {SEED};
    printf("{\"dimension\":3,\"bounds\":{\"min\":[0,0,0],\"max\":[%g,%g,%g]},\"obstacles\":[",
           hall[0], hall[1], hall[2]);
    wall();
    for (int row = 0; row < 4; row++)
        rack(&random, 12, 5.5 + 6 * row, 18);
    for (int i = 0; i < 3; i++) {
        tank(33, 6 + 5 * i, 0.9);
        tank(33, 6 + 5 * i, 3.2);
    }
    for (int i = 0; i < 8; i++) {
        pillar(2 + 7.0 * (i % 4), i < 4 ? 8.5 : 20.5);
        lamp(4 + 9.0 * (i % 4), i < 4 ? 9 : 21);
    }
    for (int i = 0; i < 14; i++)
        box(NULL, random_uniform(&random, 29, 38), random_uniform(&random, 20, 28), 0.5,
            random_uniform(&random, 0.6, 1.2), random_uniform(&random, 0.6, 1.2), 1,
            random_uniform(&random, -1.5, 1.5));
    printf("\n]}\n");
    return fflush(stdout) != 0;
}
