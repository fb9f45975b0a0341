/* Robots made resident: links joined into bodies, balls about links and groups of spheres, pairs
 * that may collide, and how far everything moves with each coordinate. */
#include "device/context.h"
#include "device/try.h"
#include "kernels/robot_types.h"
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/robot/metric.h"
#include "roadmap/robot/robot_maker.h"
#include "roadmap/robot/rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A group of more spheres than this is halved; a hot loop tests about so many at once. */
enum { GROUP_SPHERES = 6 };
/* Steps that a ball about balls is improved by. */
enum { BALL_STEPS = 256 };

/* A rigid motion: x -> rotation x + translation. */
struct transform {
    double rotation[9]; /* rows */
    double translation[3];
};

static const struct transform IDENTITY = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};

static void transform_point(const struct transform *t, double *out, const double *p)
{
    double result[3];
    for (size_t i = 0; i < 3; i++)
        result[i] = t->rotation[3 * i] * p[0] + t->rotation[3 * i + 1] * p[1] +
                    t->rotation[3 * i + 2] * p[2] + t->translation[i];
    memcpy(out, result, sizeof(result));
}

/* First b, then a. */
static struct transform transform_join(const struct transform *a, const struct transform *b)
{
    struct transform t;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            t.rotation[3 * i + j] = a->rotation[3 * i] * b->rotation[j] +
                                    a->rotation[3 * i + 1] * b->rotation[3 + j] +
                                    a->rotation[3 * i + 2] * b->rotation[6 + j];
    transform_point(a, t.translation, b->translation);
    return t;
}

static struct transform transform_of(const struct prm_frame *frame)
{
    const double *q = frame->quaternion;
    struct transform t = IDENTITY;
    memcpy(t.translation, frame->xyz, sizeof(t.translation));
    if (q[0] != 0.0 || q[1] != 0.0 || q[2] != 0.0 || q[3] != 0.0)
        prm_rotation_of(t.rotation, q);
    return t;
}

/* A rotation whose third column is the axis. */
static struct transform transform_to_axis(const double *axis)
{
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    const double z[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
    // beside the coordinate axis that z is farthest from
    int least = 0;
    for (int i = 1; i < 3; i++)
        least = fabs(z[i]) < fabs(z[least]) ? i : least;
    double x[3] = {-z[least] * z[0], -z[least] * z[1], -z[least] * z[2]};
    x[least] += 1.0;
    const double norm = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int i = 0; i < 3; i++)
        x[i] /= norm;
    const double y[3] = {z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2],
                         z[0] * x[1] - z[1] * x[0]};
    struct transform t = IDENTITY;
    for (size_t i = 0; i < 3; i++) {
        t.rotation[3 * i] = x[i];
        t.rotation[3 * i + 1] = y[i];
        t.rotation[3 * i + 2] = z[i];
    }
    return t;
}

static struct transform transform_inverse_rotation(const struct transform *t)
{
    struct transform inverse = IDENTITY;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            inverse.rotation[3 * i + j] = t->rotation[3 * j + i];
    return inverse;
}

static double length3(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* ---- what is made on the host ---- */

static void body_place(struct body *body, const struct transform *t)
{
    for (int i = 0; i < 9; i++)
        body->rotation[i] = (float)t->rotation[i];
    for (int i = 0; i < 3; i++)
        body->translation[i] = (float)t->translation[i];
}

/* Joints whose coordinate moves them begin a body; the others join their child to the parent's. */
static void make_arm_bodies(struct prm_robot_maker *maker, const double *center)
{
    const struct prm_robot_spec *spec = maker->spec;
    struct transform base = transform_of(&spec->base);
    for (int i = 0; i < 3; i++)
        base.translation[i] -= center[i];
    struct transform places[PRM_LINKS_MAX] = {IDENTITY};

    body_place(&maker->bodies[0], &base);
    maker->body_count = 1;
    for (uint32_t j = 0; j < spec->joint_count; j++) {
        const struct prm_joint *joint = &spec->joints[j];
        const bool moves = joint->kind != PRM_JOINT_FIXED && joint->coordinate != UINT32_MAX;
        const bool slides = joint->kind == PRM_JOINT_PRISMATIC;
        const struct transform origin = transform_of(&joint->origin);
        const struct transform at = transform_join(&places[joint->parent], &origin);
        const struct transform to_axis =
            joint->kind == PRM_JOINT_FIXED ? IDENTITY : transform_to_axis(joint->axis);
        const struct transform back = transform_inverse_rotation(&to_axis);
        const struct transform aligned = transform_join(&at, &to_axis);
        const uint32_t parent = maker->places[joint->parent].body;

        if (moves) {
            struct body *body = &maker->bodies[maker->body_count];
            const struct prm_coordinate *coordinate = &maker->space->coordinates[joint->coordinate];
            *body = (struct body){.parent = parent,
                                  .motion = slides ? BODY_SLIDES : BODY_TURNS,
                                  .coordinate = joint->coordinate,
                                  .multiplier = (float)(joint->multiplier / coordinate->weight),
                                  .offset = (float)joint->offset};
            body_place(body, &aligned);
            if (slides)
                maker->slides[maker->body_count] =
                    fmax(fabs(joint->multiplier * coordinate->lower + joint->offset),
                         fabs(joint->multiplier * coordinate->upper + joint->offset));
            maker->places[joint->child].body = maker->body_count++;
            places[joint->child] = back;
        } else {
            // locked where its offset says
            struct transform held = IDENTITY;
            if (slides)
                held.translation[2] = joint->offset;
            else if (joint->kind != PRM_JOINT_FIXED) {
                const double c = cos(joint->offset), s = sin(joint->offset);
                const double turned[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
                memcpy(held.rotation, turned, sizeof(turned));
            }
            const struct transform moved = transform_join(&aligned, &held);
            maker->places[joint->child].body = parent;
            places[joint->child] = transform_join(&moved, &back);
        }
    }
    for (uint32_t l = 0; l < spec->link_count; l++) {
        memcpy(maker->places[l].rotation, places[l].rotation, sizeof(places[l].rotation));
        memcpy(maker->places[l].translation, places[l].translation, sizeof(places[l].translation));
    }
}

/* One body that is free in the plane or in space. */
static void make_rigid_bodies(struct prm_robot_maker *maker)
{
    const struct prm_space *space = maker->space;
    const bool planar = space->dof == 3;
    maker->body_count = 2;
    body_place(&maker->bodies[0], &IDENTITY);
    body_place(&maker->bodies[1], &IDENTITY);
    maker->bodies[1].motion = planar ? BODY_PLANAR : BODY_FREE;
    maker->bodies[1].multiplier = planar ? (float)(1 / space->coordinates[2].weight) : 1.0f;
    for (int i = 0; i < (planar ? 2 : 3); i++)
        maker->bodies[1].scale[i] = (float)(1 / space->coordinates[i].weight);
}

float prm_robot_spread(const float *center, const struct body_ball *balls, uint32_t count)
{
    double most = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        const double d[3] = {(double)balls[i].center[0] - (double)center[0],
                             (double)balls[i].center[1] - (double)center[1],
                             (double)balls[i].center[2] - (double)center[2]};
        if (balls[i].sphere != NONE_U32)
            most = fmax(most, length3(d));
    }
    return prm_round_up(most);
}

/* A ball about balls: its centre steps towards the farthest, ever less (Badoiu & Clarkson 2003). */
static void ball_about(float *center, float *radius, const struct body_ball *spheres,
                       uint32_t count)
{
    double c[3] = {0, 0, 0}, most = 0.0;
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            c[k] += (double)spheres[i].center[k] / count;
    for (int step = 1; count > 1 && step <= BALL_STEPS; step++) {
        uint32_t farthest = 0;
        double distance = -1.0;
        for (uint32_t i = 0; i < count; i++) {
            const double d[3] = {(double)spheres[i].center[0] - c[0],
                                 (double)spheres[i].center[1] - c[1],
                                 (double)spheres[i].center[2] - c[2]};
            if (length3(d) + (double)spheres[i].radius > distance) {
                distance = length3(d) + (double)spheres[i].radius;
                farthest = i;
            }
        }
        for (int k = 0; k < 3; k++)
            c[k] += ((double)spheres[farthest].center[k] - c[k]) / (step + 1);
    }
    for (int k = 0; k < 3; k++)
        center[k] = (float)c[k];
    for (uint32_t i = 0; i < count; i++) {
        const double d[3] = {(double)spheres[i].center[0] - (double)center[0],
                             (double)spheres[i].center[1] - (double)center[1],
                             (double)spheres[i].center[2] - (double)center[2]};
        most = fmax(most, length3(d) + (double)spheres[i].radius);
    }
    // one sphere is its own ball, to the bit
    *radius = count == 1 ? spheres[0].radius : prm_round_up(most);
}

static int sort_axis_compare(const void *a, const void *b, int axis)
{
    const struct body_ball *p = a, *q = b;
    if (p->center[axis] != q->center[axis])
        return p->center[axis] < q->center[axis] ? -1 : 1;
    return p->sphere < q->sphere ? -1 : p->sphere > q->sphere;
}

static int along_x(const void *a, const void *b)
{
    return sort_axis_compare(a, b, 0);
}

static int along_y(const void *a, const void *b)
{
    return sort_axis_compare(a, b, 1);
}

static int along_z(const void *a, const void *b)
{
    return sort_axis_compare(a, b, 2);
}

/* Appends a ball about `count` spheres, which follow it unless it is the only one itself. */
static void add_balls(struct prm_robot_maker *maker, const struct body_ball *spheres,
                      uint32_t count, uint32_t level)
{
    struct body_ball *ball = &maker->balls[maker->ball_count++];
    if (count == 1)
        *ball = spheres[0];
    else {
        *ball = (struct body_ball){.sphere = NONE_U32};
        ball_about(ball->center, &ball->radius, spheres, count);
        ball->spread = prm_robot_spread(ball->center, spheres, count);
    }
    ball->level = level;
    ball->next = maker->ball_count;
}

/* A group: the ball about its spheres, and these. */
static void make_group(struct prm_robot_maker *maker, const struct body_ball *spheres,
                       uint32_t count)
{
    struct body_ball *about = &maker->balls[maker->ball_count];
    add_balls(maker, spheres, count, 1);
    for (uint32_t i = 0; count > 1 && i < count; i++)
        add_balls(maker, spheres + i, 1, 2);
    about->next = maker->ball_count;
}

/* Groups of spheres: halved across their longest side until they are small. The depth is the
 * logarithm of their number. */
static void make_groups(struct prm_robot_maker *maker, struct body_ball *spheres, uint32_t count)
{
    static int (*const ALONG[])(const void *, const void *) = {along_x, along_y, along_z};
    if (count <= GROUP_SPHERES) {
        make_group(maker, spheres, count);
        return;
    }
    int longest = 0;
    float span = -1.0f;
    for (int axis = 0; axis < 3; axis++) {
        float low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            low = fminf(low, spheres[i].center[axis]);
            high = fmaxf(high, spheres[i].center[axis]);
        }
        if (high - low > span) {
            span = high - low;
            longest = axis;
        }
    }
    qsort(spheres, count, sizeof(*spheres), ALONG[longest]);
    make_groups(maker, spheres, count / 2);
    make_groups(maker, spheres + count / 2, count - count / 2);
}

/* The spheres of a link, in the frame of its body, if there are any. */
static void make_link(struct prm_robot_maker *maker, uint32_t number,
                      const struct prm_sphere *spheres, uint32_t count,
                      const struct prm_link_place *place)
{
    const uint32_t first = maker->ball_count;
    uint32_t active = 0;
    struct transform t;
    memcpy(t.rotation, place->rotation, sizeof(t.rotation));
    memcpy(t.translation, place->translation, sizeof(t.translation));
    for (uint32_t i = 0; i < count; i++) {
        struct body_ball *sphere = &maker->spheres[active];
        double c[3];
        if (spheres[i].radius < 0.0)
            continue;
        transform_point(&t, c, spheres[i].center);
        *sphere = (struct body_ball){.radius = prm_round_up(spheres[i].radius), .sphere = i};
        for (int k = 0; k < 3; k++)
            sphere->center[k] = (float)c[k];
        active++;
    }
    if (active == 0)
        return;
    // one ball about all, and groups where that is not enough
    struct body_ball *about = &maker->balls[maker->ball_count];
    add_balls(maker, maker->spheres, active, 0);
    if (active > 1)
        make_groups(maker, maker->spheres, active);
    about->next = maker->ball_count;
    maker->links[maker->link_count++] = (struct body_link){
        .body = place->body, .ball_first = first, .ball_end = maker->ball_count, .link = number};
}

/* The balls about all spheres of each body. */
static void make_body_balls(struct prm_robot_maker *maker)
{
    for (uint32_t b = 0; b < maker->body_count; b++) {
        struct body *body = &maker->bodies[b];
        uint32_t count = 0;
        for (uint32_t l = 0; l < maker->link_count; l++)
            for (uint32_t i = maker->links[l].ball_first;
                 maker->links[l].body == b && i < maker->links[l].ball_end; i++)
                if (maker->balls[i].sphere != NONE_U32)
                    maker->spheres[count++] = maker->balls[i];
        body->radius = -1.0f;
        if (count > 0)
            ball_about(body->center, &body->radius, maker->spheres, count);
    }
}

/* ---- life ---- */

static void maker_deinit(struct prm_robot_maker *maker)
{
    free(maker->links);
    free(maker->balls);
    free(maker->spheres);
    free(maker->pairs);
    free(maker->body_pairs);
    free(maker->link_reach);
    free(maker->pair_reach);
}

static enum prm_status maker_init(struct prm_robot_maker *maker, const struct prm_robot_spec *spec,
                                  const struct prm_space *space)
{
    const size_t links = spec->kind == PRM_ROBOT_ARM ? spec->link_count : 1;
    const size_t pairs = links * links / 2 + 1;
    maker->spec = spec;
    maker->space = space;
    maker->links = calloc(links, sizeof(*maker->links));
    maker->balls = calloc(3 * ((size_t)spec->sphere_count + 1), sizeof(*maker->balls));
    maker->spheres = calloc((size_t)spec->sphere_count + 1, sizeof(*maker->spheres));
    maker->pairs = calloc(pairs, sizeof(*maker->pairs));
    maker->body_pairs = calloc(pairs, sizeof(*maker->body_pairs));
    maker->pair_capacity = (uint32_t)pairs;
    maker->link_reach = calloc(links * space->dof, sizeof(float));
    maker->pair_reach = calloc(pairs * space->dof, sizeof(float));
    if (!maker->links || !maker->balls || !maker->spheres || !maker->pairs || !maker->body_pairs ||
        !maker->link_reach || !maker->pair_reach)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a robot of %u spheres",
                             spec->sphere_count);
    return PRM_OK;
}

static bool make(struct prm_robot_maker *maker, const double *center)
{
    const struct prm_robot_spec *spec = maker->spec;
    const uint32_t dof = maker->space->dof;
    if (spec->kind == PRM_ROBOT_RIGID) {
        const struct prm_link_place place = {1, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
        make_rigid_bodies(maker);
        make_link(maker, 0, spec->spheres, spec->sphere_count, &place);
        prm_robot_rigid_reach(maker);
        make_body_balls(maker);
        return true;
    }
    make_arm_bodies(maker, center);
    for (uint32_t l = 0; l < spec->link_count; l++)
        make_link(maker, l, spec->spheres + spec->links[l].sphere_first,
                  spec->links[l].sphere_count, &maker->places[l]);
    for (uint32_t l = 0; l < maker->link_count; l++)
        maker->rounding =
            fmax(maker->rounding, prm_robot_add_reach(maker, maker->link_reach + (size_t)l * dof,
                                                      &maker->links[l], NULL));
    make_body_balls(maker);
    return prm_robot_make_pairs(maker);
}

static enum prm_status take_over(struct prm_robot *robot, const struct prm_robot_maker *maker)
{
    struct prm_context *context = robot->context;
    const size_t row = maker->space->dof * sizeof(float);
    enum prm_status status = PRM_OK;

    robot->body_count = maker->body_count;
    robot->link_count = maker->link_count;
    robot->pair_count = maker->pair_count;
    robot->body_pair_count = maker->body_pair_count;
    robot->rounding = maker->rounding;
    robot->reach = maker->reach;
    for (int c = 0; c < 3; c++)
        robot->base[c] = (double)maker->bodies[0].translation[c];
    TRY(prm_buffer_upload(context, &robot->bodies, maker->bodies,
                          maker->body_count * sizeof(struct body)));
    TRY(prm_buffer_upload(context, &robot->links, maker->links,
                          maker->link_count * sizeof(struct body_link)));
    TRY(prm_buffer_upload(context, &robot->balls, maker->balls,
                          maker->ball_count * sizeof(struct body_ball)));
    TRY(prm_buffer_upload(context, &robot->pairs, maker->pairs,
                          maker->pair_count * sizeof(struct link_pair)));
    TRY(prm_buffer_upload(context, &robot->body_pairs, maker->body_pairs,
                          maker->body_pair_count * sizeof(struct body_pair)));
    TRY(prm_buffer_upload(context, &robot->link_reach, maker->link_reach, maker->link_count * row));
    TRY(prm_buffer_upload(context, &robot->pair_reach, maker->pair_reach, maker->pair_count * row));
    if (robot->kind == PRM_ROBOT_ARM) {
        robot->place_count = maker->spec->link_count;
        robot->places = malloc(robot->place_count * sizeof(*robot->places));
        if (robot->places == NULL)
            return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u links", robot->place_count);
        memcpy(robot->places, maker->places, robot->place_count * sizeof(*robot->places));
    }
cleanup:
    return status;
}

enum prm_status prm_robot_create(struct prm_context *context, struct prm_robot **robot,
                                 const struct prm_robot_spec *spec, const struct prm_space *space,
                                 const double *center)
{
    enum prm_status status = PRM_OK;
    struct prm_robot_maker *maker = NULL;
    struct prm_robot *made = NULL;

    *robot = NULL;
    TRY(prm_robot_check(spec));
    made = calloc(1, sizeof(*made));
    maker = calloc(1, sizeof(*maker));
    if (made == NULL || maker == NULL) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for a robot");
        goto cleanup;
    }
    made->context = context;
    made->kind = spec->kind;
    made->radius = spec->radius;
    if (spec->kind == PRM_ROBOT_RIGID || spec->kind == PRM_ROBOT_ARM) {
        TRY(maker_init(maker, spec, space));
        if (!make(maker, center)) {
            status = prm_fault_set(PRM_HOST_MEMORY, "no memory for pairs of links");
            goto cleanup;
        }
        TRY(take_over(made, maker));
    }
    *robot = made;
    made = NULL;
cleanup:
    if (maker != NULL)
        maker_deinit(maker);
    free(maker);
    prm_robot_destroy(made);
    return status;
}

void prm_robot_destroy(struct prm_robot *robot)
{
    if (robot == NULL)
        return;
    struct prm_buffer *const buffers[] = {
        &robot->bodies,     &robot->links,      &robot->balls,      &robot->pairs,
        &robot->link_reach, &robot->pair_reach, &robot->body_pairs, &robot->clearances};
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
        prm_buffer_destroy(robot->context, buffers[i]);
    free(robot->places);
    free(robot);
}

size_t prm_robot_bytes(const struct prm_robot *robot)
{
    return robot->bodies.bytes + robot->links.bytes + robot->balls.bytes + robot->pairs.bytes +
           robot->link_reach.bytes + robot->pair_reach.bytes + robot->body_pairs.bytes +
           robot->clearances.bytes;
}
