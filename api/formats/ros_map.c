#include "formats/ros_map.h"

#include "formats/image.h"
#include "formats/yaml_document.h"
#include "schema/grid.h"
#include "schema/length.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PERCENT = 100, WHITE_8 = 255, QUOTED_MAX = 40 };

enum mode { MODE_TRINARY, MODE_SCALE, MODE_RAW };
enum cell { CELL_FREE, CELL_OCCUPIED, CELL_UNKNOWN, CELL_KINDS };

/* The yaml. */
struct map {
    double resolution, origin[3], occupied, free;
    bool negate;
    enum mode mode;
};

/* ---- the yaml ---- */

/* A key that must be there; NULL: a fault. */
static const struct yaml_value *required(const struct yaml_value *root, const char *key,
                                         struct problem *problem)
{
    const struct yaml_value *value = yaml_member(root, key);
    if (!value)
        yaml_fault(root, problem, PROBLEM_INVALID_ARGUMENT, "the yaml has no key \"%s\"", key);
    return value;
}

/* A number that must be there, from `least` to `most`. */
static bool read_number(const struct yaml_value *root, const char *key, double least, double most,
                        double *number, struct problem *problem)
{
    const struct yaml_value *value = required(root, key, problem);
    if (!value || !yaml_number(value, key, number, problem))
        return false;
    if (*number >= least && *number <= most)
        return true;
    yaml_fault(value, problem, PROBLEM_INVALID_ARGUMENT, "%s must be from %g to %g, not %.*s", key,
               least, most, QUOTED_MAX, value->text);
    return false;
}

static bool read_origin(const struct yaml_value *root, double origin[3], struct problem *problem)
{
    const struct yaml_value *value = required(root, "origin", problem);
    if (!value || !yaml_numbers(value, "origin", origin, 3, problem))
        return false;
    // the turn too: what a world of JSON may say
    if (fabs(origin[0]) <= LENGTH_MAX && fabs(origin[1]) <= LENGTH_MAX &&
        fabs(origin[2]) <= LENGTH_MAX)
        return true;
    yaml_fault(value, problem, PROBLEM_INVALID_ARGUMENT, "origin must be within %g of 0",
               LENGTH_MAX);
    return false;
}

/* One of some words, by place; the first where the key is missing. false: it is none of them. */
static bool read_word(const struct yaml_value *root, const char *key, const char *const *words,
                      const char *list, unsigned *place, struct problem *problem)
{
    const struct yaml_value *value = yaml_member(root, key);
    *place = 0;
    if (!value)
        return true;
    for (; value->kind == YAML_SCALAR && words[*place]; ++*place)
        if (strcmp(words[*place], value->text) == 0)
            return true;
    yaml_fault(value, problem, PROBLEM_INVALID_ARGUMENT, "%s must be %s, not \"%.*s\"", key, list,
               QUOTED_MAX, value->text);
    return false;
}

static bool read_root(struct map *map, const struct yaml_value *root, struct problem *problem)
{
    static const char *const MODES[] = {"trinary", "scale", "raw", NULL};
    // false at even places
    static const char *const BOOLEANS[] = {"0",    "1",  "false", "true", "False", "True", "FALSE",
                                           "TRUE", "no", "yes",   "off",  "on",    NULL};
    unsigned mode, negate;
    if (root->kind != YAML_MAPPING) {
        yaml_fault(root, problem, PROBLEM_INVALID_ARGUMENT, "the yaml must be keys and values");
        return false;
    }
    if (!required(root, "image", problem) ||
        !read_number(root, "resolution", LENGTH_LEAST, LENGTH_MAX, &map->resolution, problem) ||
        !read_origin(root, map->origin, problem) ||
        !read_number(root, "occupied_thresh", 0, 1, &map->occupied, problem) ||
        !read_number(root, "free_thresh", 0, 1, &map->free, problem) ||
        !read_word(root, "negate", BOOLEANS, "0 or 1, false or true", &negate, problem) ||
        !read_word(root, "mode", MODES, "trinary, scale or raw", &mode, problem))
        return false;
    map->negate = negate % 2;
    map->mode = (enum mode)mode;
    if (map->free <= map->occupied)
        return true;
    yaml_fault(yaml_member(root, "free_thresh"), problem, PROBLEM_INVALID_ARGUMENT,
               "free_thresh must not be above occupied_thresh");
    return false;
}

static bool read_yaml(struct map *map, const struct format_file *file)
{
    struct yaml_document document;
    if (!yaml_document_read(&document, file->data, file->bytes, file->problem))
        return false;
    const bool good = read_root(map, document.root, file->problem);
    yaml_document_deinit(&document);
    return good;
}

/* ---- pixels ---- */

/* What a share of occupancy is by the thresholds alone. */
static enum cell judge(const struct map *map, double share)
{
    if (share >= map->occupied)
        return CELL_OCCUPIED;
    return share <= map->free ? CELL_FREE : CELL_UNKNOWN;
}

/* What an opaque pixel is. */
static enum cell classify(const struct map *map, uint32_t value, uint32_t white)
{
    if (map->mode == MODE_RAW) {
        const double percent = round((double)value * WHITE_8 / white);
        return percent <= PERCENT ? judge(map, percent / PERCENT) : CELL_UNKNOWN;
    }
    const double share = (double)(map->negate ? value : white - value) / white;
    const enum cell cell = judge(map, share);
    if (map->mode == MODE_TRINARY || cell != CELL_UNKNOWN)
        return cell;

    // between the thresholds, as the server scales it
    const double percent = round(PERCENT * (share - map->free) / (map->occupied - map->free));
    if (percent >= PERCENT)
        return CELL_OCCUPIED;
    return percent <= 0 ? CELL_FREE : CELL_UNKNOWN;
}

/* Writes the cells and counts each kind. false: no memory. */
static bool fill(struct grid_document *grid, uint64_t counts[CELL_KINDS], const struct map *map,
                 const struct image *image, bool unknown_free)
{
    const char marks[CELL_KINDS] = {
        [CELL_FREE] = '.', [CELL_OCCUPIED] = '@', [CELL_UNKNOWN] = unknown_free ? '.' : '@'};
    const size_t cells = (size_t)image->width * image->height;
    const uint32_t white = image->white;

    // each value is judged once: there are fewer of them than cells
    unsigned char *kinds = malloc((size_t)white + 1);
    grid->rows = malloc(cells);
    if (!kinds || !grid->rows) {
        free(kinds);
        return false;
    }
    for (uint32_t value = 0; value <= white; value++)
        kinds[value] = (unsigned char)classify(map, value, white);
    for (size_t i = 0; i < cells; i++) {
        const bool unknown = image->see_through && image->see_through[i];
        const unsigned char kind = unknown ? CELL_UNKNOWN : kinds[image->values[i]];
        counts[kind]++;
        grid->rows[i] = marks[kind];
    }
    free(kinds);
    return true;
}

bool ros_map_read(struct world_document *world, struct format_report *report,
                  const struct format_file *file)
{
    struct map map;
    struct image image;
    uint64_t counts[CELL_KINDS] = {0};
    if (!read_yaml(&map, file) ||
        !image_read(&image, file->image, file->image_bytes, file->limits, file->problem))
        return false;

    struct grid_document grid = {
        .width = image.width, .height = image.height, .resolution = map.resolution};
    memcpy(grid.origin, map.origin, sizeof grid.origin);
    const bool holds = grid_box_holds(&grid);
    const bool good = holds && fill(&grid, counts, &map, &image, file->unknown_free);
    image_deinit(&image);
    if (!good) {
        free(grid.rows);
        if (holds)
            problem_no_memory(file->problem, "a map");
        else
            problem_add(file->problem, PROBLEM_INVALID_ARGUMENT,
                        "the map is larger than numbers can tell, or its resolution too fine "
                        "for where its origin lies");
        return false;
    }

    report->counts_cells = true;
    report->occupied = counts[CELL_OCCUPIED];
    report->free = counts[CELL_FREE];
    report->unknown = counts[CELL_UNKNOWN];
    report->has_unknown = true;
    report->unknown_fraction =
        (double)counts[CELL_UNKNOWN] / ((double)grid.width * (double)grid.height);
    report->unknown_size = (double)counts[CELL_UNKNOWN] * map.resolution * map.resolution;
    return world_of_grid(world, &grid, file->limits, file->problem);
}
