/* Makes examples/keep.map and its scenario: a castle of rooms, doors, colonnades, ponds and groves.
 *
 *   generate_map           the map, MovingAI's octile form, 256 x 224
 *   generate_map scenario  200 random start and goal cells with their shortest octile lengths
 *
 * Rooms come from recursive division: a wall never meets a door of an older wall. What cannot be
 * reached is filled in, so that every free cell is connected to every other. The seed is fixed: the
 * output is always the same, and the committed files are that output.
 */
#include "tools/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 256,
    HEIGHT = 224,
    CELLS = WIDTH * HEIGHT,
    WALL = 2,          /* thickness */
    DOOR = 6,          /* width */
    DOOR_MARGIN = 4,   /* from a door to the next wall */
    ROOM_MIN = 24,     /* least side of a room */
    FURNITURE_GAP = 7, /* free ring along a room's walls */
    SCENARIO_LINES = 200,
    SEED = 2026,
};

struct map {
    char cells[HEIGHT][WIDTH];
    struct random random;
};

/* Half-open: columns x0 … x1 - 1, rows y0 … y1 - 1. */
struct room {
    int x0, y0, x1, y1;
};

static void fill(struct map *map, struct room area, char cell)
{
    for (int y = area.y0; y < area.y1; y++)
        memset(&map->cells[y][area.x0], cell, (size_t)(area.x1 - area.x0));
}

/* Whether all cells of an area are blocked. */
static bool is_wall(const struct map *map, struct room area)
{
    for (int y = area.y0; y < area.y1; y++) {
        for (int x = area.x0; x < area.x1; x++) {
            if (map->cells[y][x] != '@')
                return false;
        }
    }
    return true;
}

/* ---- rooms ---- */

/* A wall across a room at `at`, upright or level. */
static struct room wall_across(struct room room, bool upright, int at)
{
    return upright ? (struct room){at, room.y0, at + WALL, room.y1}
                   : (struct room){room.x0, at, room.x1, at + WALL};
}

/* Whether both ends of a new wall meet solid walls, away from doors. */
static bool ends_are_solid(const struct map *map, struct room wall, bool upright)
{
    struct room before = wall, after = wall;
    if (upright) {
        before.x0 = after.x0 = wall.x0 - DOOR_MARGIN;
        before.x1 = after.x1 = wall.x1 + DOOR_MARGIN;
        before.y0 = wall.y0 - 1, before.y1 = wall.y0;
        after.y0 = wall.y1, after.y1 = wall.y1 + 1;
    } else {
        before.y0 = after.y0 = wall.y0 - DOOR_MARGIN;
        before.y1 = after.y1 = wall.y1 + DOOR_MARGIN;
        before.x0 = wall.x0 - 1, before.x1 = wall.x0;
        after.x0 = wall.x1, after.x1 = wall.x1 + 1;
    }
    return is_wall(map, before) && is_wall(map, after);
}

/* Opens one door at a random place of a wall, kept off its ends. */
static void open_door(struct map *map, struct room wall, bool upright)
{
    int low = (upright ? wall.y0 : wall.x0) + DOOR_MARGIN;
    int high = (upright ? wall.y1 : wall.x1) - DOOR_MARGIN - DOOR;
    int at = random_integer(&map->random, low, high);
    struct room door = upright ? (struct room){wall.x0, at, wall.x1, at + DOOR}
                               : (struct room){at, wall.y0, at + DOOR, wall.y1};
    fill(map, door, '.');
}

/* ---- furniture ---- */

static void colonnade(struct map *map, struct room inner)
{
    for (int y = inner.y0; y + 2 <= inner.y1; y += 8) {
        for (int x = inner.x0; x + 2 <= inner.x1; x += 8)
            fill(map, (struct room){x, y, x + 2, y + 2}, '@');
    }
}

/* An ellipse of a cell class. */
static void pond(struct map *map, struct room inner, char cell)
{
    double cx = 0.5 * (inner.x0 + inner.x1), cy = 0.5 * (inner.y0 + inner.y1);
    double rx = 0.5 * (inner.x1 - inner.x0), ry = 0.5 * (inner.y1 - inner.y0);
    for (int y = inner.y0; y < inner.y1; y++) {
        for (int x = inner.x0; x < inner.x1; x++) {
            double u = (x + 0.5 - cx) / rx, v = (y + 0.5 - cy) / ry;
            if (u * u + v * v <= 1)
                map->cells[y][x] = cell;
        }
    }
}

static void grove(struct map *map, struct room inner)
{
    for (int y = inner.y0; y + 1 < inner.y1; y += 5) {
        for (int x = inner.x0; x + 1 < inner.x1; x += 5) {
            int shift = random_integer(&map->random, 0, 1);
            map->cells[y + shift][x + 1 - shift] = 'T';
        }
    }
}

/* Walls from alternate sides: the way through winds. */
static void baffles(struct map *map, struct room inner)
{
    bool left = random_integer(&map->random, 0, 1);
    for (int y = inner.y0; y + WALL <= inner.y1; y += 8, left = !left) {
        int shift = (inner.x1 - inner.x0) / 4;
        fill(map,
             (struct room){inner.x0 + (left ? 0 : shift), y, inner.x1 - (left ? shift : 0),
                           y + WALL},
             '@');
    }
}

/* A ring wall with two gates. */
static void chapel(struct map *map, struct room inner)
{
    fill(map, inner, '@');
    fill(map, (struct room){inner.x0 + WALL, inner.y0 + WALL, inner.x1 - WALL, inner.y1 - WALL},
         '.');
    int x = (inner.x0 + inner.x1 - DOOR) / 2, y = (inner.y0 + inner.y1 - DOOR) / 2;
    fill(map, (struct room){x, inner.y0, x + DOOR, inner.y0 + WALL}, '.');
    fill(map, (struct room){inner.x0, y, inner.x0 + WALL, y + DOOR}, '.');
}

static void furnish(struct map *map, struct room room)
{
    struct room inner = {room.x0 + FURNITURE_GAP, room.y0 + FURNITURE_GAP, room.x1 - FURNITURE_GAP,
                         room.y1 - FURNITURE_GAP};
    int least =
        inner.x1 - inner.x0 < inner.y1 - inner.y0 ? inner.x1 - inner.x0 : inner.y1 - inner.y0;
    switch (random_integer(&map->random, 0, 6)) {
    case 0:
        break;
    case 1:
        pond(map, inner, 'W');
        break;
    case 2:
        grove(map, inner);
        break;
    case 3:
        baffles(map, inner);
        break;
    case 4:
        if (least >= DOOR + 4 * WALL)
            chapel(map, inner);
        break;
    default:
        colonnade(map, inner);
        break;
    }
}

/* Splits a room in two as long as it is large and a place for a wall is found; then furnishes it.
 */
static void divide(struct map *map, struct room room)
{
    enum { TRIES = 40, ROOM_SURE = 64 };
    int width = room.x1 - room.x0, height = room.y1 - room.y0;
    bool upright = width > height;
    int side = upright ? width : height, first = upright ? room.x0 : room.y0;
    bool wanted = side > ROOM_SURE || random_integer(&map->random, 0, 3) > 0;
    for (int i = 0; i < TRIES && wanted && side >= 2 * ROOM_MIN + WALL; i++) {
        int at = random_integer(&map->random, first + ROOM_MIN, first + side - ROOM_MIN - WALL);
        struct room wall = wall_across(room, upright, at);
        if (!ends_are_solid(map, wall, upright))
            continue;
        fill(map, wall, '@');
        open_door(map, wall, upright);
        if (random_integer(&map->random, 0, 1))
            open_door(map, wall, upright);
        divide(map, upright ? (struct room){room.x0, room.y0, at, room.y1}
                            : (struct room){room.x0, room.y0, room.x1, at});
        divide(map, upright ? (struct room){at + WALL, room.y0, room.x1, room.y1}
                            : (struct room){room.x0, at + WALL, room.x1, room.y1});
        return;
    }
    furnish(map, room);
}

/* ---- shortest ways ---- */

/* Octile distances from one cell; a diagonal step needs both cells beside it free. */
struct distances {
    double length[CELLS]; /* INFINITY: not reached */
    int heap[8 * CELLS];  /* cells by length; a cell may be in it more than once */
    double keys[8 * CELLS];
    int count;
};

static void heap_push(struct distances *d, double key, int cell)
{
    int at = d->count++;
    for (; at > 0 && d->keys[(at - 1) / 2] > key; at = (at - 1) / 2) {
        d->keys[at] = d->keys[(at - 1) / 2];
        d->heap[at] = d->heap[(at - 1) / 2];
    }
    d->keys[at] = key;
    d->heap[at] = cell;
}

static int heap_pop(struct distances *d, double *key)
{
    int top = d->heap[0], at = 0;
    *key = d->keys[0];
    int last = --d->count;
    for (int child; (child = 2 * at + 1) < last; at = child) {
        child += child + 1 < last && d->keys[child + 1] < d->keys[child];
        if (d->keys[child] >= d->keys[last])
            break;
        d->keys[at] = d->keys[child];
        d->heap[at] = d->heap[child];
    }
    d->keys[at] = d->keys[last];
    d->heap[at] = d->heap[last];
    return top;
}

static bool is_free(const struct map *map, int x, int y)
{
    return x >= 0 && y >= 0 && x < WIDTH && y < HEIGHT && map->cells[y][x] == '.';
}

/* Dijkstra's algorithm over all cells. */
static void measure(const struct map *map, struct distances *d, int from)
{
    for (int i = 0; i < CELLS; i++)
        d->length[i] = INFINITY;
    d->count = 0;
    d->length[from] = 0;
    heap_push(d, 0, from);
    while (d->count > 0) {
        double length;
        int cell = heap_pop(d, &length), x = cell % WIDTH, y = cell / WIDTH;
        if (length > d->length[cell])
            continue;
        for (int step = 0; step < 9; step++) {
            int dx = step % 3 - 1, dy = step / 3 - 1, to = cell + dy * WIDTH + dx;
            if (!is_free(map, x + dx, y + dy) || !is_free(map, x + dx, y) ||
                !is_free(map, x, y + dy))
                continue;
            double way = length + sqrt(dx * dx + dy * dy);
            if (way < d->length[to]) {
                d->length[to] = way;
                heap_push(d, way, to);
            }
        }
    }
}

/* Any free cell, by the map's own numbers. */
static int free_cell(struct map *map)
{
    int x, y;
    do {
        x = random_integer(&map->random, 0, WIDTH - 1);
        y = random_integer(&map->random, 0, HEIGHT - 1);
    } while (!is_free(map, x, y));
    return y * WIDTH + x;
}

/* Fills all that a cell of the largest part does not reach. */
static void fill_unreachable(struct map *map, struct distances *d)
{
    int reached;
    do {
        measure(map, d, free_cell(map));
        reached = 0;
        for (int i = 0; i < CELLS; i++)
            reached += isfinite(d->length[i]);
    } while (reached < CELLS / 3);
    for (int i = 0; i < CELLS; i++) {
        char *cell = &map->cells[i / WIDTH][i % WIDTH];
        if (*cell == '.' && !isfinite(d->length[i]))
            *cell = '@';
    }
}

static void print_map(const struct map *map)
{
    printf("type octile\nheight %d\nwidth %d\nmap\n", HEIGHT, WIDTH);
    for (int y = 0; y < HEIGHT; y++)
        printf("%.*s\n", WIDTH, map->cells[y]);
}

static void print_scenario(struct map *map, struct distances *d)
{
    enum { BUCKET = 4 };
    printf("version 1\n");
    for (int i = 0; i < SCENARIO_LINES; i++) {
        int start = free_cell(map), goal = free_cell(map);
        measure(map, d, start);
        printf("%d\tkeep.map\t%d\t%d\t%d\t%d\t%d\t%d\t%.8f\n", (int)(d->length[goal] / BUCKET),
               WIDTH, HEIGHT, start % WIDTH, start / WIDTH, goal % WIDTH, goal / WIDTH,
               d->length[goal]);
    }
}

int main(int argc, char **argv)
{
    struct map *map = malloc(sizeof *map);
    struct distances *distances = malloc(sizeof *distances);
    if (map && distances) {
        map->random = (struct random){SEED};
        fill(map, (struct room){0, 0, WIDTH, HEIGHT}, '@');
        struct room inside = {WALL, WALL, WIDTH - WALL, HEIGHT - WALL};
        fill(map, inside, '.');
        divide(map, inside);
        fill_unreachable(map, distances);
        if (argc > 1 && strcmp(argv[1], "scenario") == 0)
            print_scenario(map, distances);
        else
            print_map(map);
    }
    bool failed = !map || !distances || fflush(stdout) != 0;
    free(map);
    free(distances);
    return failed;
}
