#include "formats/octomap.h"

#include "formats/gather.h"
#include "formats/octree.h"

#include <inttypes.h>

enum { AXES = 3 };

/* A cube of the tree, or a box of several, in cells from the tree's lower corner. */
struct cells {
    uint32_t lower[AXES], upper[AXES];
};

/* What a first walk finds. */
struct survey {
    const struct octree *tree;
    size_t word; /* the next */
    uint64_t nodes, free, occupied;
    uint64_t known_cells; /* of the finest size */
    struct cells box;     /* of all leaves */
};

static struct cells child_cells(const uint32_t lower[AXES], uint32_t side, unsigned child)
{
    struct cells cells;
    for (unsigned axis = 0; axis < AXES; axis++) {
        cells.lower[axis] = lower[axis] + (child >> axis & 1) * side;
        cells.upper[axis] = cells.lower[axis] + side;
    }
    return cells;
}

/* ---- the first walk: is it a tree, and what does it hold? ---- */

static void count_leaf(struct survey *survey, const struct cells *leaf, enum octree_code code)
{
    const uint64_t side = leaf->upper[0] - leaf->lower[0];
    survey->free += code == OCTREE_FREE;
    survey->occupied += code == OCTREE_OCCUPIED;
    survey->known_cells += side * side * side;
    for (unsigned axis = 0; axis < AXES; axis++) {
        if (leaf->lower[axis] < survey->box.lower[axis])
            survey->box.lower[axis] = leaf->lower[axis];
        if (leaf->upper[axis] > survey->box.upper[axis])
            survey->box.upper[axis] = leaf->upper[axis];
    }
}

/* The children of the next word, whose cube begins at `lower`; `side` is theirs. Returns what is
 * wrong, or NULL. Recursion: OCTREE_DEPTH. */
static const char *survey_node(struct survey *survey, const uint32_t lower[AXES], uint32_t side)
{
    if (survey->word == survey->tree->word_count)
        return "the data end before the tree does: the file is cut off";
    if (side == 0)
        return "the tree is deeper than 16 levels";
    const uint16_t word = survey->tree->words[survey->word++];
    for (unsigned child = 0; child < OCTREE_CHILDREN; child++) {
        const enum octree_code code = octree_child(word, child);
        const struct cells cells = child_cells(lower, side, child);
        survey->nodes += code != OCTREE_UNKNOWN;
        if (code == OCTREE_FREE || code == OCTREE_OCCUPIED)
            count_leaf(survey, &cells, code);
    }
    for (unsigned child = 0; child < OCTREE_CHILDREN; child++) {
        const struct cells cells = child_cells(lower, side, child);
        if (octree_child(word, child) != OCTREE_INNER)
            continue;
        const char *wrong = survey_node(survey, cells.lower, side / 2);
        if (wrong)
            return wrong;
    }
    return NULL;
}

static bool survey_tree(struct survey *survey, const struct format_file *file)
{
    static const uint32_t origin[AXES] = {0};
    const struct octree *tree = survey->tree;
    const char *wrong = NULL;
    if (tree->word_count) {
        survey->nodes = 1;
        wrong = survey_node(survey, origin, OCTREE_HALF);
    }
    if (wrong) {
        problem_add(file->problem, PROBLEM_INVALID_ARGUMENT,
                    "%s (%" PRIu64 " of %" PRIu64 " nodes)", wrong, survey->nodes, tree->size);
    } else if (survey->word < tree->word_count || survey->nodes != tree->size) {
        octree_refuse_size(tree, survey->nodes,
                           (tree->word_count - survey->word) * sizeof *tree->words, file);
    } else if (!survey->free && !survey->occupied) {
        problem_add(file->problem, PROBLEM_INVALID_ARGUMENT,
                    "the map is empty: it knows of no cell");
    } else {
        return true;
    }
    return false;
}

/* ---- the second walk: boxes ---- */

/* What a cube is for an obstacle. What is outside the leaves' box can be anything: boxes are cut
 * there. */
enum content { EMPTY, SOLID, OUTSIDE, MADE /* its boxes are there already */ };

struct solid {
    const struct octree *tree;
    size_t word;
    struct cells box;
    bool unknown_free;
    uint64_t unknown; /* cells of the tree */
    struct gather *gather;
};

static bool is_outside(const struct cells *cells, const struct cells *box)
{
    for (unsigned axis = 0; axis < AXES; axis++)
        if (cells->lower[axis] >= box->upper[axis] || cells->upper[axis] <= box->lower[axis])
            return true;
    return false;
}

/* Adds cells, cut to the leaves' box, in metres. */
static bool add_box(struct solid *solid, const struct cells *cells)
{
    double row[2 * AXES];
    for (unsigned axis = 0; axis < AXES; axis++) {
        const uint32_t lower = cells->lower[axis] > solid->box.lower[axis] ? cells->lower[axis]
                                                                           : solid->box.lower[axis];
        const uint32_t upper = cells->upper[axis] < solid->box.upper[axis] ? cells->upper[axis]
                                                                           : solid->box.upper[axis];
        row[axis] = (((double)lower + upper) / 2 - OCTREE_HALF) * solid->tree->resolution;
        row[AXES + axis] = (double)(upper - lower) * solid->tree->resolution;
    }
    return gather_row(solid->gather, row);
}

/* Adds the children that are solid, in as few boxes as halves, pairs and single ones allow; no two
 * overlap. mask: a bit a child; joins: children outside, which may be part of a box. */
static bool add_children(struct solid *solid, const uint32_t lower[AXES], uint32_t side,
                         unsigned mask, unsigned joins)
{
    static const uint8_t groups[] = {
        0x55, 0xAA, 0x33, 0xCC, 0x0F, 0xF0,                         // halves across x, y, z
        0x03, 0x0C, 0x30, 0xC0, 0x05, 0x0A, 0x50, 0xA0, 0x11, 0x22, // pairs along x, y
        0x44, 0x88,                                                 // and z
        0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80,
    };
    for (unsigned i = 0; i < sizeof groups && mask; i++) {
        const unsigned group = groups[i];
        if ((group & ~(mask | joins)) || !(group & mask))
            continue;

        // from the lowest child of the group to the highest
        unsigned first = 0, last = OCTREE_CHILDREN - 1;
        while (!(group >> first & 1))
            first++;
        while (!(group >> last & 1))
            last--;
        struct cells cells = child_cells(lower, side, first);
        const struct cells end = child_cells(lower, side, last);
        for (unsigned axis = 0; axis < AXES; axis++)
            cells.upper[axis] = end.upper[axis];
        if (!add_box(solid, &cells))
            return false;
        mask &= ~group;
    }
    return true;
}

/* A leaf, or a cube that is unknown. */
static enum content leaf_content(struct solid *solid, const struct cells *cells,
                                 enum octree_code code)
{
    if (code == OCTREE_FREE)
        return EMPTY;
    if (code == OCTREE_OCCUPIED)
        return SOLID;
    if (is_outside(cells, &solid->box))
        return OUTSIDE;
    solid->unknown++;
    return solid->unknown_free ? EMPTY : SOLID;
}

/* The cube of the next word: makes boxes of what is solid in it unless all of it is. false after a
 * fault. Recursion: OCTREE_DEPTH. */
static bool solid_node(struct solid *solid, const uint32_t lower[AXES], uint32_t side,
                       enum content *content)
{
    const uint16_t word = solid->tree->words[solid->word++];
    unsigned solids = 0, outsides = 0;
    bool made = false;
    for (unsigned child = 0; child < OCTREE_CHILDREN; child++) {
        const enum octree_code code = octree_child(word, child);
        const struct cells cells = child_cells(lower, side, child);
        enum content below;
        if (code != OCTREE_INNER)
            below = leaf_content(solid, &cells, code);
        else if (!solid_node(solid, cells.lower, side / 2, &below))
            return false;
        solids |= (unsigned)(below == SOLID) << child;
        outsides |= (unsigned)(below == OUTSIDE) << child;
        made |= below == MADE;
    }
    const unsigned all = (1u << OCTREE_CHILDREN) - 1;
    if ((solids | outsides) == all) {
        *content = solids ? SOLID : OUTSIDE;
        return true;
    }
    *content = solids || made ? MADE : EMPTY;
    return add_children(solid, lower, side, solids, outsides);
}

static bool make_boxes(struct solid *solid)
{
    static const uint32_t origin[AXES] = {0};
    enum content all;
    if (!solid_node(solid, origin, OCTREE_HALF, &all))
        return false;
    return all != SOLID || add_box(solid, &solid->box);
}

static void report_cells(struct format_report *report, const struct survey *survey,
                         uint64_t unknown, double resolution)
{
    uint64_t all = 1;
    for (unsigned axis = 0; axis < AXES; axis++)
        all *= survey->box.upper[axis] - survey->box.lower[axis];
    report->counts_cells = report->has_unknown = true;
    report->free = survey->free;
    report->occupied = survey->occupied;
    report->unknown = unknown;
    report->unknown_fraction = (double)(all - survey->known_cells) / (double)all;
    report->unknown_size =
        (double)(all - survey->known_cells) * resolution * resolution * resolution;
}

bool octomap_read(struct world_document *world, struct format_report *report,
                  const struct format_file *file)
{
    struct octree tree;
    if (!octree_read(&tree, file, report))
        return false;
    struct survey survey = {
        .tree = &tree,
        .box = {.lower = {OCTREE_SIDE, OCTREE_SIDE, OCTREE_SIDE}},
    };
    if (!survey_tree(&survey, file)) {
        octree_deinit(&tree);
        return false;
    }

    struct gather gather = gather_begin(OBSTACLE_BOXES, file);
    struct solid solid = {
        .tree = &tree,
        .box = survey.box,
        .unknown_free = file->unknown_free,
        .gather = &gather,
    };
    const bool good = gather_end(&gather, world, report, make_boxes(&solid));
    if (good) {
        report_cells(report, &survey, solid.unknown, tree.resolution);
        world->has_bounds = true;
        for (unsigned axis = 0; axis < AXES; axis++) {
            world->lower[axis] = ((double)survey.box.lower[axis] - OCTREE_HALF) * tree.resolution;
            world->upper[axis] = ((double)survey.box.upper[axis] - OCTREE_HALF) * tree.resolution;
        }
    }
    octree_deinit(&tree);
    return good;
}
