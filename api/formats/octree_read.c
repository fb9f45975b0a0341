#include "formats/gather.h"
#include "formats/numbers.h"
#include "formats/octree.h"
#include "formats/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Bytes of the file's parts. */
enum {
    WORD_BYTES = 2,
    VALUE_BYTES = 4,
    COLOR_BYTES = 3,
    LEGACY_TYPE = 3,
    LEGACY_RESOLUTION_AT = 4,
    LEGACY_SIZE_AT = 12,
    LEGACY_BYTES = 16,
};

enum { WORDS_MIN = 256 };

/* The least resolution, and the largest, at which the whole tree is within the lengths of a world.
 */
#define RESOLUTION_MAX (LENGTH_MAX / OCTREE_HALF)

/* What the header says. */
struct header {
    bool full;    /* .ot: a value a node */
    bool colored; /* ColorOcTree: .ot has three bytes more a node */
    bool has_id, has_size, has_resolution;
};

static bool refuse(const struct format_file *file, const char *why)
{
    problem_add(file->problem, PROBLEM_INVALID_ARGUMENT, "%s", why);
    return false;
}

/* ---- the header ---- */

static bool read_id(struct header *header, const struct reader *reader, const struct word *id)
{
    header->has_id = true;
    header->colored = word_is(id, "ColorOcTree");
    if (header->colored || word_is(id, "OcTree"))
        return true;
    return reader_unsupported(reader, id->line,
                              "trees of id \"%.*s\" are not read here, only OcTree and ColorOcTree",
                              WORD_SHOWN(id));
}

/* One line of the header besides "data". */
static bool read_entry(struct header *header, struct octree *tree, const struct reader *reader,
                       struct word line, struct format_report *report)
{
    struct word key, value;
    if (!word_split(&line, NULL, &key) || *key.text == '#')
        return true;
    const bool has_value = word_split(&line, NULL, &value);
    if (word_is(&key, "id") && has_value)
        return read_id(header, reader, &value);
    if (word_is(&key, "size")) {
        header->has_size = true;
        return (has_value && word_whole(&value, &tree->size)) ||
               reader_fault(reader, key.line, "size must be a whole number");
    }
    if (word_is(&key, "res")) {
        header->has_resolution = true;
        return (has_value && word_number(&value, &tree->resolution)) ||
               reader_fault(reader, key.line, "res must be a number");
    }
    report_warn(report, "Line %d of the header is not known and was left out.", key.line);
    return true;
}

static bool read_header(struct header *header, struct octree *tree, struct reader *reader,
                        const struct format_file *file, struct format_report *report)
{
    struct word line;
    if (!reader_line(reader, &line) || !word_begins(&line, "# Octomap OcTree "))
        return refuse(file, "the file is no OctoMap: its first line must begin with \"# Octomap "
                            "OcTree binary file\" or \"# Octomap OcTree file\"");
    header->full = word_begins(&line, "# Octomap OcTree file");
    if (!header->full && !word_begins(&line, "# Octomap OcTree binary file"))
        return refuse(file, "the first line names neither a binary file nor a file");

    // up to the line "data"
    for (;;) {
        if (!reader_line(reader, &line))
            return refuse(file, "the header has no line \"data\"");
        struct word rest = line, key;
        if (word_split(&rest, NULL, &key) && word_is(&key, "data"))
            break;
        if (!read_entry(header, tree, reader, line, report))
            return false;
    }
    if (!header->has_id || !header->has_size || !header->has_resolution)
        return refuse(file, "the header must have id, size and res");
    return true;
}

/* ---- the data ---- */

void octree_refuse_size(const struct octree *tree, uint64_t nodes, size_t rest,
                        const struct format_file *file)
{
    if (nodes != tree->size)
        problem_add(file->problem, PROBLEM_INVALID_ARGUMENT,
                    "the tree has %" PRIu64 " nodes where the header says %" PRIu64, nodes,
                    tree->size);
    else
        problem_add(file->problem, PROBLEM_INVALID_ARGUMENT,
                    "%zu bytes follow the tree's %" PRIu64 " nodes", rest, nodes);
}

/* .bt: the words as they are. */
static bool read_binary(struct octree *tree, const unsigned char *data, size_t bytes,
                        const struct format_file *file)
{
    if (bytes % WORD_BYTES)
        return refuse(file, "the data end within a node: the file is cut off, or has more than its "
                            "tree");
    tree->word_count = bytes / WORD_BYTES;
    tree->words = malloc(bytes + 1);
    if (!tree->words) {
        problem_no_memory(file->problem, "%zu bytes of a tree", bytes);
        return false;
    }
    for (size_t i = 0; i < tree->word_count; i++)
        tree->words[i] = (uint16_t)(data[WORD_BYTES * i] | data[WORD_BYTES * i + 1] << 8);
    return true;
}

/* An .ot on its way to words. */
struct full {
    struct octree *tree;
    size_t capacity;
    const unsigned char *at, *end;
    size_t node_bytes;
    uint64_t nodes;
    const struct format_file *file;
};

/* Appends a word of unknown children; false after a fault. */
static bool add_word(struct full *full)
{
    struct octree *tree = full->tree;
    if (tree->word_count == full->capacity) {
        const size_t capacity = full->capacity ? 2 * full->capacity : WORDS_MIN;
        uint16_t *words = realloc(tree->words, capacity * sizeof *words);
        if (!words) {
            problem_no_memory(full->file->problem, "a tree");
            return false;
        }
        tree->words = words;
        full->capacity = capacity;
    }
    tree->words[tree->word_count++] = 0;
    return true;
}

/* One node and what is below it, depth first. *code: what it is. Recursion: OCTREE_DEPTH. */
static bool read_node(struct full *full, unsigned depth, enum octree_code *code)
{
    const size_t mask_at = full->node_bytes - 1;
    if ((size_t)(full->end - full->at) < full->node_bytes) {
        problem_add(full->file->problem, PROBLEM_INVALID_ARGUMENT,
                    "the data end after %" PRIu64 " of %" PRIu64 " nodes: the file is cut off",
                    full->nodes, full->tree->size);
        return false;
    }
    const double value = number_get(NUMBER_F32, full->at, false);
    const unsigned mask = full->at[mask_at];
    full->at += full->node_bytes;
    full->nodes++;
    if (isnan(value))
        return refuse(full->file, "a node's value is no number");
    *code = value >= 0 ? OCTREE_OCCUPIED : OCTREE_FREE;
    if (!mask && depth > 0)
        return true;
    if (depth == OCTREE_DEPTH)
        return refuse(full->file, "the tree is deeper than 16 levels");

    // a root that is a leaf is eight leaves of one kind
    const size_t word = full->tree->word_count;
    const enum octree_code own = *code;
    *code = OCTREE_INNER;
    if (!add_word(full))
        return false;
    for (unsigned child = 0; child < OCTREE_CHILDREN; child++) {
        enum octree_code below = mask ? OCTREE_UNKNOWN : own;
        if ((mask >> child & 1) && !read_node(full, depth + 1, &below))
            return false;
        full->tree->words[word] |= (uint16_t)((unsigned)below << 2 * child);
    }
    return true;
}

/* .ot: values and masks; `size` becomes that of the words, which count a leaf root's children. */
static bool read_full(struct octree *tree, const struct header *header, const unsigned char *data,
                      size_t bytes, const struct format_file *file)
{
    struct full full = {
        .tree = tree,
        .at = data,
        .end = data + bytes,
        .node_bytes = VALUE_BYTES + (header->colored ? COLOR_BYTES : 0) + 1,
        .file = file,
    };
    enum octree_code root;
    if (tree->size == 0 && bytes == 0)
        return true;
    if (!read_node(&full, 0, &root))
        return false;
    if (full.nodes == tree->size && full.at == full.end) {
        tree->size += full.nodes == 1 ? OCTREE_CHILDREN : 0;
        return true;
    }
    octree_refuse_size(tree, full.nodes, (size_t)(full.end - full.at), file);
    return false;
}

/* ---- the file ---- */

/* .bt as before version 1: int32 3, double resolution, uint32 size, data. */
static bool is_legacy(const struct format_file *file)
{
    return file->bytes >= LEGACY_BYTES && number_u32(file->data) == LEGACY_TYPE;
}

static bool read_tree(struct octree *tree, const struct format_file *file,
                      struct format_report *report)
{
    const unsigned char *data = (const unsigned char *)file->data;
    struct header header = {0};
    size_t at = LEGACY_BYTES;
    if (is_legacy(file)) {
        tree->resolution = number_get(NUMBER_F64, data + LEGACY_RESOLUTION_AT, false);
        tree->size = number_u32(data + LEGACY_SIZE_AT);
    } else {
        struct reader reader = reader_of(file);
        if (!read_header(&header, tree, &reader, file, report))
            return false;
        at = (size_t)(reader.at - file->data);
    }
    if (!(tree->resolution >= LENGTH_LEAST && tree->resolution <= RESOLUTION_MAX)) {
        problem_add(file->problem, PROBLEM_INVALID_ARGUMENT, "res is %g, not from %g to %g",
                    tree->resolution, LENGTH_LEAST, RESOLUTION_MAX);
        return false;
    }
    return header.full ? read_full(tree, &header, data + at, file->bytes - at, file)
                       : read_binary(tree, data + at, file->bytes - at, file);
}

bool octree_read(struct octree *tree, const struct format_file *file, struct format_report *report)
{
    *tree = (struct octree){0};
    if (read_tree(tree, file, report))
        return true;
    octree_deinit(tree);
    return false;
}

void octree_deinit(struct octree *tree)
{
    free(tree->words);
    *tree = (struct octree){0};
}
