/* An OctoMap's tree as two bits a node, whichever file it came of: internal to the OctoMap reader.
 *
 * Nodes with children are words of eight codes, in pre-order: first all codes of a node, then its
 * inner children one after the other. That is what .bt files hold.
 */
#ifndef FORMATS_OCTREE_H
#define FORMATS_OCTREE_H

#include "formats/format.h"

enum {
    OCTREE_DEPTH = 16,
    OCTREE_CHILDREN = 8,
    OCTREE_SIDE = 1 << OCTREE_DEPTH, /* cells along an edge of all */
    OCTREE_HALF = OCTREE_SIDE / 2,   /* so many lie below 0 */
};

/* What a child is; the numbers of .bt files. */
enum octree_code { OCTREE_UNKNOWN, OCTREE_FREE, OCTREE_OCCUPIED, OCTREE_INNER };

struct octree {
    double resolution; /* metres a cell */
    uint64_t size;     /* nodes, as the header says; with the root */
    uint16_t *words;   /* owned; [word_count] */
    size_t word_count;
};

/* Reads a file: .bt, .ot, or .bt as before version 1. false: the file's problem says why not, and
 * nothing is owned. report: gets warnings. */
bool octree_read(struct octree *tree, const struct format_file *file, struct format_report *report);
void octree_deinit(struct octree *tree);

/* Reports that the tree ends after `nodes`, with `rest` bytes behind it. */
void octree_refuse_size(const struct octree *tree, uint64_t nodes, size_t rest,
                        const struct format_file *file);

static inline enum octree_code octree_child(uint16_t word, unsigned child)
{
    return (enum octree_code)(word >> 2 * child & 3);
}

#endif
