/* How far links move with each coordinate, by themselves and against each other; pairs of them.
 *
 * A link moves at most `reach` metres a unit of a coordinate: of a joint that turns, the distance
 * that its farthest sphere can have from the joint's origin, whatever the joints between do; of one
 * that slides, 1. Two links move against each other only by the joints that are on the way to one
 * of them and not to the other. */
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/robot/robot_maker.h"

#include <math.h>
#include <stdlib.h>

/* Errors of a sphere's place: 2^-20 of the way that a turn by a radian makes, joint by joint (the
 * angle's float32, sine and cosine, the products), and 2^-22 of all lengths on the way. */
#define ROUNDING_OF_TURNS 9.5367431640625e-7
#define ROUNDING_OF_LENGTHS 2.384185791015625e-7

static double length3(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* How far the centre of a link's farthest sphere is from its body's origin. */
static double link_radius(const struct prm_robot_maker *maker, const struct body_link *link)
{
    double radius = 0.0;
    for (uint32_t i = link->ball_first; i < link->ball_end; i++) {
        const struct body_ball *ball = &maker->balls[i];
        const double c[3] = {(double)ball->center[0], (double)ball->center[1],
                             (double)ball->center[2]};
        radius = fmax(radius, length3(c));
    }
    return radius;
}

/* ---- how far things move ---- */

double prm_robot_add_reach(struct prm_robot_maker *maker, float *reach,
                           const struct body_link *link, const bool *counts)
{
    double radius = link_radius(maker, link), rounding = 0.0;
    for (uint32_t b = link->body; b != 0; b = maker->bodies[b].parent) {
        const struct body *body = &maker->bodies[b];
        const double factor = fabs((double)body->multiplier);
        const double metres = body->motion == BODY_SLIDES ? 1.0 : radius;
        const double t[3] = {(double)body->translation[0], (double)body->translation[1],
                             (double)body->translation[2]};
        if (counts == NULL || counts[b])
            reach[body->coordinate] =
                prm_round_up((double)reach[body->coordinate] + factor * metres * (1 + 1e-6));
        rounding += ROUNDING_OF_TURNS * metres;
        radius += maker->slides[b] + length3(t);
    }
    maker->reach = fmax(maker->reach, radius);
    const float *base = maker->bodies[0].translation;
    const double from_center[3] = {(double)base[0], (double)base[1], (double)base[2]};
    return rounding + ROUNDING_OF_LENGTHS * (radius + length3(from_center));
}

void prm_robot_rigid_reach(struct prm_robot_maker *maker)
{
    const struct prm_space *space = maker->space;
    const uint32_t dimension = space->dof == 3 ? 2 : 3;
    const double radius = link_radius(maker, &maker->links[0]);
    for (uint32_t c = 0; c < dimension; c++)
        maker->link_reach[c] = prm_round_up(1 / space->coordinates[c].weight);
    maker->link_reach[dimension] =
        prm_round_up(dimension == 2 ? radius / space->coordinates[2].weight : radius);
    maker->rounding = (ROUNDING_OF_TURNS + ROUNDING_OF_LENGTHS) * radius;
    maker->reach = radius;
}

/* ---- pairs ---- */

static bool is_ignored(const struct prm_robot_spec *spec, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < spec->ignored_count; i++) {
        const uint32_t *pair = spec->ignored + 2 * (size_t)i;
        if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a))
            return true;
    }
    return false;
}

/* Links of one body, and of two that share a joint, are never tested against each other. */
static bool may_collide(const struct prm_robot_maker *maker, const struct body_link *a,
                        const struct body_link *b)
{
    const uint32_t p = a->body, q = b->body;
    if (p == q || (p != 0 && maker->bodies[p].parent == q) ||
        (q != 0 && maker->bodies[q].parent == p))
        return false;
    return !is_ignored(maker->spec, a->link, b->link);
}

/* Which bodies' joints are on the way to one of two links and not to the other. */
static void find_between(const struct prm_robot_maker *maker, bool *of_a, bool *of_b,
                         const struct body_link *a, const struct body_link *b)
{
    for (uint32_t body = a->body; body != 0; body = maker->bodies[body].parent)
        of_a[body] = true;
    for (uint32_t body = b->body; body != 0; body = maker->bodies[body].parent) {
        of_b[body] = !of_a[body];
        of_a[body] = false;
    }
}

/* A pair of links with the key that it is sorted by: its bodies, the lower one first, and its own
 * numbers. */
struct keyed_pair {
    uint32_t key[4];
    struct link_pair pair;
};

static int by_bodies(const void *a, const void *b)
{
    const struct keyed_pair *p = a, *q = b;
    for (int i = 0; i < 4; i++)
        if (p->key[i] != q->key[i])
            return p->key[i] < q->key[i] ? -1 : 1;
    return 0;
}

/* The pairs of links that may collide, those of two bodies together. */
static bool list_pairs(struct prm_robot_maker *maker)
{
    struct keyed_pair *list = calloc(maker->pair_capacity, sizeof(*list));
    if (list == NULL)
        return false;
    for (uint32_t i = 0; i < maker->link_count; i++)
        for (uint32_t j = i + 1; j < maker->link_count; j++) {
            const uint32_t a = maker->links[i].body, b = maker->links[j].body;
            if (may_collide(maker, &maker->links[i], &maker->links[j]))
                list[maker->pair_count++] =
                    (struct keyed_pair){{a < b ? a : b, a < b ? b : a, i, j}, {i, j}};
        }
    qsort(list, maker->pair_count, sizeof(*list), by_bodies);
    for (uint32_t p = 0; p < maker->pair_count; p++)
        maker->pairs[p] = list[p].pair;
    free(list);
    return true;
}

/* Finds the coordinates of a table for a pair of bodies, if at most two move them against each
 * other. between: the bodies whose joints do. */
static void find_coordinates(const struct prm_robot_maker *maker, struct body_pair *pair,
                             const bool *between)
{
    uint32_t count = 0;
    pair->table = NONE_U32;
    for (uint32_t b = 1; b < maker->body_count; b++) {
        const uint32_t coordinate = maker->bodies[b].coordinate;
        if (!between[b] || (count > 0 && coordinate == pair->coordinate[0]) ||
            (count > 1 && coordinate == pair->coordinate[1]))
            continue;
        if (count == 2)
            return;
        pair->coordinate[count++] = coordinate;
    }
    if (count == 1)
        pair->coordinate[1] = pair->coordinate[0];
    pair->table = 0;
}

/* How far the middles of body b's spheres are from that of the ball about it, at most, where it
 * hangs on body a; else −1. */
static float spread_against(const struct prm_robot_maker *maker, uint32_t a, uint32_t b)
{
    const float *center = maker->bodies[b].center;
    float spread = 0.0f;
    uint32_t body = b;
    while (body > a)
        body = maker->bodies[body].parent;
    if (body != a)
        return -1.0f;
    for (uint32_t l = 0; l < maker->link_count; l++) {
        const struct body_link *link = &maker->links[l];
        if (link->body == b)
            spread = fmaxf(spread, prm_robot_spread(center, maker->balls + link->ball_first,
                                                    link->ball_end - link->ball_first));
    }
    return spread;
}

bool prm_robot_make_pairs(struct prm_robot_maker *maker)
{
    const uint32_t dof = maker->space->dof;
    if (!list_pairs(maker))
        return false;
    for (uint32_t p = 0; p < maker->pair_count; p++) {
        const struct body_link *a = &maker->links[maker->pairs[p].a],
                               *b = &maker->links[maker->pairs[p].b];
        bool of_a[PRM_LINKS_MAX + 1] = {false}, of_b[PRM_LINKS_MAX + 1] = {false};
        float *reach = maker->pair_reach + (size_t)p * dof;
        find_between(maker, of_a, of_b, a, b);
        prm_robot_add_reach(maker, reach, a, of_a);
        prm_robot_add_reach(maker, reach, b, of_b);
    }
    for (uint32_t p = 0, end; p < maker->pair_count; p = end) {
        struct body_pair *pair = &maker->body_pairs[maker->body_pair_count++];
        const struct body_link *a = &maker->links[maker->pairs[p].a],
                               *b = &maker->links[maker->pairs[p].b];
        bool of_a[PRM_LINKS_MAX + 1] = {false}, of_b[PRM_LINKS_MAX + 1] = {false};
        for (end = p + 1; end < maker->pair_count; end++) {
            const uint32_t c = maker->links[maker->pairs[end].a].body,
                           d = maker->links[maker->pairs[end].b].body;
            if (!(c == a->body && d == b->body) && !(c == b->body && d == a->body))
                break;
        }
        *pair = (struct body_pair){.first = p, .end = end, .a = a->body, .b = b->body};
        if (a->body > b->body)
            pair->a = b->body, pair->b = a->body;
        pair->spread = spread_against(maker, pair->a, pair->b);
        find_between(maker, of_a, of_b, a, b);
        for (uint32_t body = 0; body <= PRM_LINKS_MAX; body++)
            of_a[body] |= of_b[body];
        find_coordinates(maker, pair, of_a);
    }
    return true;
}
