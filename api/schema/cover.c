#include "schema/cover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More cells than this cost more than a moment. */
enum { CELLS_MAX = 16000 };

/* Edge of the cells by the tolerance: what still fits into a sphere at a corner of a box; less
 * where cells stand out of the solid. */
#define CELL_SHARE_BOX 1.0
#define CELL_SHARE_ROUND 0.6

/* By so much the tolerance grows where spheres or cells are too many. */
#define TOLERANCE_GROWTH 1.25

/* Spheres are larger by this share than what they must hold, for roundings. */
#define RADIUS_SLACK 1e-9

enum solid_kind { SOLID_BOX, SOLID_CYLINDER, SOLID_POLYGON };

struct solid {
    enum solid_kind kind;
    double lower[3], upper[3]; /* its box */
    double radius;             /* cylinder */
    const double *points;      /* polygon */
    uint32_t point_count;
};

/* The work on one solid: cells, and the spheres to choose from. */
struct work {
    const struct solid *solid;
    double tolerance;
    uint32_t cells[3]; /* along each axis */
    double edge[3];    /* of a cell */
    uint16_t *covered; /* by cell: how many spheres hold it; or OUTSIDE */
    uint16_t *before;  /* [rows][cells[0] + 1]: cells of the row before this that none holds */
    double *radii;     /* by candidate */
    uint32_t *gains;   /* by candidate: no more new cells than this */
    uint32_t *heap;    /* candidates, those of the highest gains first */
    uint32_t candidate_count;
    uint32_t spheres_max;
    uint32_t uncovered;
};

enum { OUTSIDE = UINT16_MAX };

/* ---- solids ---- */

/* Distance to the surface of what is [-half, half] in each of `count` axes; negative outside. */
static double depth_of_sides(const double *inside, int count)
{
    double least = inside[0], square = 0;
    for (int i = 0; i < count; i++) {
        least = fmin(least, inside[i]);
        square += inside[i] < 0 ? inside[i] * inside[i] : 0;
    }
    return square > 0 ? -sqrt(square) : least;
}

static double depth_of_polygon(const double *points, uint32_t count, const double *p)
{
    double nearest = INFINITY;
    bool inside = false;
    for (uint32_t i = 0; i < count; i++) {
        const double *a = points + 2 * (size_t)i, *b = points + 2 * (size_t)((i + 1) % count);
        const double abx = b[0] - a[0], aby = b[1] - a[1], apx = p[0] - a[0], apy = p[1] - a[1];
        const double t = fmin(1, fmax(0, (apx * abx + apy * aby) / (abx * abx + aby * aby)));
        nearest = fmin(nearest, hypot(apx - t * abx, apy - t * aby));
        if ((a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0] + abx * (p[1] - a[1]) / aby)
            inside = !inside;
    }
    return inside ? nearest : -nearest;
}

/* How deep p lies below the surface; negative: how far outside. */
static double depth_of(const struct solid *solid, const double p[3])
{
    double inside[3];
    switch (solid->kind) {
    case SOLID_POLYGON:
        return depth_of_polygon(solid->points, solid->point_count, p);
    case SOLID_CYLINDER:
        inside[0] = solid->radius - hypot(p[0], p[1]);
        inside[1] = solid->upper[2] - fabs(p[2]);
        return depth_of_sides(inside, 2);
    case SOLID_BOX:
        break;
    }
    for (int a = 0; a < 3; a++)
        inside[a] = solid->upper[a] - fabs(p[a]);
    return depth_of_sides(inside, 3);
}

/* Whether a cell surely has nothing of the solid. */
static bool cell_is_outside(const struct solid *solid, const double center[3], const double edge[3])
{
    switch (solid->kind) {
    case SOLID_BOX:
        return false;
    case SOLID_CYLINDER:
        return hypot(fmax(0, fabs(center[0]) - edge[0] / 2),
                     fmax(0, fabs(center[1]) - edge[1] / 2)) > solid->radius;
    case SOLID_POLYGON:
        break;
    }
    return depth_of(solid, center) < -hypot(edge[0], edge[1]) / 2 * (1 + RADIUS_SLACK);
}

/* ---- cells and candidates ---- */

static uint32_t cell_count(const struct work *work)
{
    return work->cells[0] * work->cells[1] * work->cells[2];
}

/* Place number `index` of a lattice of count[] places, `shift` cells from the lower corner. */
static void place_of(const struct work *work, uint32_t index, const uint32_t count[3], double shift,
                     double place[3])
{
    const uint32_t at[3] = {index % count[0], index / count[0] % count[1],
                            index / count[0] / count[1]};
    for (int a = 0; a < 3; a++)
        place[a] = work->solid->lower[a] + (at[a] + shift) * work->edge[a];
}

/* Candidates are the cells' centres, then the corners that cells share (in the plane: z stays). */
static void candidate_place(const struct work *work, uint32_t index, double place[3])
{
    const uint32_t cells = cell_count(work);
    if (index < cells) {
        place_of(work, index, work->cells, 0.5, place);
        return;
    }
    const bool flat = work->edge[2] <= 0;
    const uint32_t inner[3] = {work->cells[0] - 1, work->cells[1] - 1,
                               flat ? 1 : work->cells[2] - 1};
    place_of(work, index - cells, inner, 1, place);
}

static uint32_t inner_count(const struct work *work)
{
    const uint32_t flat = work->edge[2] <= 0;
    return (work->cells[0] - 1) * (work->cells[1] - 1) * (flat ? 1 : work->cells[2] - 1);
}

/* The cells along an axis that a sphere may hold whole. */
static void cell_range(const struct work *work, int axis, double center, double radius,
                       uint32_t *first, uint32_t *end)
{
    const double edge = work->edge[axis];
    *first = 0;
    *end = work->cells[axis];
    if (edge <= 0)
        return;
    const double low = (center - radius - work->solid->lower[axis]) / edge;
    const double high = (center + radius - work->solid->lower[axis]) / edge;
    *first = low > 0 ? (uint32_t)fmin(low, *end) : 0;
    *end = high > 0 ? (uint32_t)fmin(ceil(high), *end) : 0;
}

/* The distance from a centre to the farthest side of a cell, along one axis. */
static double far_side(const struct work *work, int axis, uint32_t cell, double center)
{
    const double middle = work->solid->lower[axis] + (cell + 0.5) * work->edge[axis];
    return fabs(middle - center) + work->edge[axis] / 2;
}

/* A run of cells along x that a sphere holds whole. */
struct run {
    uint32_t row, first, end;
    double square; /* of the distance to the cells' farthest sides in y and z */
};
typedef void visit_run(struct work *work, const struct run *run, const double center[3],
                       void *context);

static void visit_held(struct work *work, const double center[3], double radius, visit_run *visit,
                       void *context)
{
    uint32_t first[3], end[3];
    const double most = radius * radius;
    cell_range(work, 1, center[1], radius, &first[1], &end[1]);
    cell_range(work, 2, center[2], radius, &first[2], &end[2]);
    for (uint32_t z = first[2]; z < end[2]; z++) {
        const double dz = far_side(work, 2, z, center[2]);
        for (uint32_t y = first[1]; dz <= radius && y < end[1]; y++) {
            const double dy = far_side(work, 1, y, center[1]);
            struct run run = {.row = z * work->cells[1] + y, .square = dy * dy + dz * dz};
            if (run.square > most)
                continue;
            const double reach = sqrt(most - run.square);
            cell_range(work, 0, center[0], reach, &run.first, &run.end);
            // the ends of the range may reach out
            while (run.first < run.end && far_side(work, 0, run.first, center[0]) > reach)
                run.first++;
            while (run.first < run.end && far_side(work, 0, run.end - 1, center[0]) > reach)
                run.end--;
            if (run.first < run.end)
                visit(work, &run, center, context);
        }
    }
}

/* Counts a row's cells anew. */
static void count_row(struct work *work, uint32_t row)
{
    const uint16_t *covered = work->covered + (size_t)row * work->cells[0];
    uint16_t *before = work->before + (size_t)row * (work->cells[0] + 1);
    before[0] = 0;
    for (uint32_t x = 0; x < work->cells[0]; x++)
        before[x + 1] = (uint16_t)(before[x] + (covered[x] == 0));
}

static void count_new(struct work *work, const struct run *run, const double center[3],
                      void *context)
{
    const uint16_t *before = work->before + (size_t)run->row * (work->cells[0] + 1);
    (void)center;
    *(uint32_t *)context += (uint32_t)(before[run->end] - before[run->first]);
}

/* Counts one sphere more, or fewer: *context, int. */
static void count_sphere(struct work *work, const struct run *run, const double center[3],
                         void *context)
{
    uint16_t *covered = work->covered + (size_t)run->row * work->cells[0];
    (void)center;
    for (uint32_t x = run->first; x < run->end; x++) {
        if (covered[x] == OUTSIDE)
            continue;
        work->uncovered -= covered[x] == 0;
        covered[x] = (uint16_t)(covered[x] + *(const int *)context);
        work->uncovered += covered[x] == 0;
    }
    count_row(work, run->row);
}

/* The farthest cell that no other sphere holds. */
static void find_needed(struct work *work, const struct run *run, const double center[3],
                        void *context)
{
    const uint16_t *covered = work->covered + (size_t)run->row * work->cells[0];
    double *farthest = context;
    for (uint32_t x = run->first; x < run->end; x++) {
        const double dx = far_side(work, 0, x, center[0]);
        if (covered[x] == 1)
            *farthest = fmax(*farthest, run->square + dx * dx);
    }
}

/* ---- the cover ---- */

/* Cuts the solid into cells for a tolerance; false: too many. */
static bool cut(struct work *work)
{
    const struct solid *solid = work->solid;
    const double share = solid->kind == SOLID_BOX ? CELL_SHARE_BOX : CELL_SHARE_ROUND;
    double count = 1;
    for (int a = 0; a < 3; a++) {
        const double extent = solid->upper[a] - solid->lower[a];
        const double cells = fmax(1, ceil(extent / (share * work->tolerance)));
        count *= cells;
        if (!(count <= CELLS_MAX))
            return false;
        work->cells[a] = (uint32_t)cells;
        work->edge[a] = extent / cells;
    }
    return true;
}

/* Whether candidate a comes before b: by gain, then by number. */
static bool comes_before(const struct work *work, uint32_t a, uint32_t b)
{
    return work->gains[a] > work->gains[b] || (work->gains[a] == work->gains[b] && a < b);
}

/* Restores the heap's order from a place downwards. */
static void sift_down(struct work *work, uint32_t at)
{
    uint32_t *heap = work->heap;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= work->candidate_count)
            return;
        if (child + 1 < work->candidate_count && comes_before(work, heap[child + 1], heap[child]))
            child++;
        if (!comes_before(work, heap[child], heap[at]))
            return;
        const uint32_t moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
        at = child;
    }
}

static bool prepare(struct work *work)
{
    const uint32_t cells = cell_count(work), rows = cells / work->cells[0];
    work->candidate_count = cells + inner_count(work);
    work->covered = calloc(cells, sizeof *work->covered);
    work->before = calloc((size_t)cells + rows, sizeof *work->before);
    work->radii = calloc(work->candidate_count, sizeof *work->radii);
    work->gains = calloc(work->candidate_count, sizeof *work->gains);
    work->heap = calloc(work->candidate_count, sizeof *work->heap);
    if (!work->covered || !work->before || !work->radii || !work->gains || !work->heap)
        return false;
    work->uncovered = 0;
    for (uint32_t i = 0; i < cells; i++) {
        double center[3];
        place_of(work, i, work->cells, 0.5, center);
        if (cell_is_outside(work->solid, center, work->edge))
            work->covered[i] = OUTSIDE;
        else
            work->uncovered++;
    }
    for (uint32_t row = 0; row < rows; row++)
        count_row(work, row);
    for (uint32_t i = 0; i < work->candidate_count; i++) {
        double center[3];
        candidate_place(work, i, center);
        work->radii[i] = depth_of(work->solid, center) + work->tolerance;
        if (work->radii[i] > 0)
            visit_held(work, center, work->radii[i], count_new, &work->gains[i]);
        work->heap[i] = i;
    }
    for (uint32_t i = work->candidate_count / 2; i-- > 0;)
        sift_down(work, i);
    return true;
}

/* The candidate that holds most new cells; the lowest where several do. Gains only fall: one that
 * is still the most when counted again is it. */
static uint32_t best_candidate(struct work *work)
{
    for (;;) {
        const uint32_t best = work->heap[0];
        double center[3];
        uint32_t gain = 0;
        candidate_place(work, best, center);
        if (work->gains[best])
            visit_held(work, center, work->radii[best], count_new, &gain);
        if (gain == work->gains[best])
            return best;
        work->gains[best] = gain;
        sift_down(work, 0);
    }
}

static void add_sphere(struct work *work, struct cover *cover, uint32_t candidate, double radius)
{
    double *sphere = cover->spheres + 4 * (size_t)cover->count++;
    candidate_place(work, candidate, sphere);
    sphere[3] = radius;
    int more = 1;
    visit_held(work, sphere, radius, count_sphere, &more);
}

/* Chooses spheres until all is covered; false: more than allowed. */
static bool choose(struct work *work, struct cover *cover)
{
    cover->count = 0;
    while (work->uncovered) {
        uint32_t candidate = best_candidate(work);
        double radius = work->radii[candidate];
        if (cover->count == work->spheres_max)
            return false;
        if (!work->gains[candidate]) {
            // a cell that no sphere within the tolerance holds gets its own
            for (candidate = 0; work->covered[candidate]; candidate++)
                ;
            radius = sqrt(work->edge[0] * work->edge[0] + work->edge[1] * work->edge[1] +
                          work->edge[2] * work->edge[2]) /
                     2 * (1 + RADIUS_SLACK);
        }
        add_sphere(work, cover, candidate, radius);
    }
    return true;
}

/* Drops spheres that others make needless, shrinks the rest to what only they hold. */
static void shrink(struct work *work, struct cover *cover)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cover->count; i++) {
        double *sphere = cover->spheres + 4 * (size_t)i, farthest = 0;
        visit_held(work, sphere, sphere[3], find_needed, &farthest);
        int change = -1;
        visit_held(work, sphere, sphere[3], count_sphere, &change);
        if (!(farthest > 0))
            continue;
        sphere[3] = sqrt(farthest) * (1 + RADIUS_SLACK);
        change = 1;
        visit_held(work, sphere, sphere[3], count_sphere, &change);
        memmove(cover->spheres + 4 * (size_t)kept++, sphere, 4 * sizeof *sphere);
    }
    cover->count = kept;
    cover->excess = 0;
    for (uint32_t i = 0; i < kept; i++) {
        const double *sphere = cover->spheres + 4 * (size_t)i;
        cover->excess = fmax(cover->excess, sphere[3] - depth_of(work->solid, sphere));
    }
}

/* One try at a tolerance. */
enum outcome { COVERED, TOO_MANY, NO_MEMORY };

static enum outcome try_cover(struct cover *cover, const struct solid *solid, double tolerance,
                              uint32_t spheres_max)
{
    struct work work = {.solid = solid, .tolerance = tolerance, .spheres_max = spheres_max};
    enum outcome outcome = TOO_MANY;
    if (!cut(&work))
        return TOO_MANY;
    if (!prepare(&work)) {
        outcome = NO_MEMORY;
    } else if (choose(&work, cover)) {
        shrink(&work, cover);
        outcome = COVERED;
    }
    free(work.covered);
    free(work.before);
    free(work.radii);
    free(work.gains);
    free(work.heap);
    return outcome;
}

static bool cover_solid(struct cover *cover, const struct solid *solid, double size,
                        double tolerance)
{
    enum outcome outcome = TOO_MANY;
    const uint32_t spheres_max = tolerance > 0 ? COVER_SPHERES_MAX : COVER_SPHERES_DEFAULT;
    *cover = (struct cover){.spheres = malloc(4 * sizeof(double) * COVER_SPHERES_MAX)};
    if (!cover->spheres)
        return false;
    // what is far too fine is known to be refused
    tolerance = tolerance > 0 ? fmax(tolerance, size * 1e-3) : size * COVER_TOLERANCE_SHARE;
    // one that holds all in one cell is enough
    for (; outcome == TOO_MANY; tolerance *= TOLERANCE_GROWTH)
        outcome = try_cover(cover, solid, tolerance, spheres_max);
    if (outcome == COVERED)
        return true;
    free(cover->spheres);
    *cover = (struct cover){0};
    return false;
}

bool cover_box(struct cover *cover, const double size[3], double tolerance)
{
    struct solid solid = {.kind = SOLID_BOX};
    for (int a = 0; a < 3; a++) {
        solid.lower[a] = -size[a] / 2;
        solid.upper[a] = size[a] / 2;
    }
    return cover_solid(cover, &solid, cbrt(size[0] * size[1] * size[2]), tolerance);
}

bool cover_cylinder(struct cover *cover, double radius, double length, double tolerance)
{
    const struct solid solid = {.kind = SOLID_CYLINDER,
                                .radius = radius,
                                .lower = {-radius, -radius, -length / 2},
                                .upper = {radius, radius, length / 2}};
    return cover_solid(cover, &solid, cbrt(4 * radius * radius * length), tolerance);
}

bool cover_polygon(struct cover *cover, const double *points, uint32_t count, double tolerance)
{
    struct solid solid = {.kind = SOLID_POLYGON, .points = points, .point_count = count};
    for (int a = 0; a < 2; a++) {
        solid.lower[a] = INFINITY;
        solid.upper[a] = -INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            solid.lower[a] = fmin(solid.lower[a], points[2 * (size_t)i + (size_t)a]);
            solid.upper[a] = fmax(solid.upper[a], points[2 * (size_t)i + (size_t)a]);
        }
    }
    const double width = solid.upper[0] - solid.lower[0], height = solid.upper[1] - solid.lower[1];
    return cover_solid(cover, &solid, sqrt(width * height), tolerance);
}
