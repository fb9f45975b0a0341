#include "formats/xyz.h"

#include "formats/gather.h"
#include "formats/reader.h"

enum { AXES = 3 };

/* Whether a line is the names of columns: its first word begins with a letter, and is no number. */
static bool is_heading(struct word line)
{
    struct word word;
    double value;
    return word_split(&line, ",;", &word) && !word_number(&word, &value) &&
           ((*word.text >= 'a' && *word.text <= 'z') || (*word.text >= 'A' && *word.text <= 'Z'));
}

/* The three numbers that a line begins with. */
static bool read_point(double point[AXES], const struct reader *reader, struct word line)
{
    for (int axis = 0; axis < AXES; axis++) {
        struct word word;
        if (!word_split(&line, ",;", &word))
            return reader_fault(reader, line.line, "the line has %d numbers where a point has 3",
                                axis);
        if (!word_number(&word, point + axis))
            return reader_fault(reader, line.line, "\"%.*s\" is no number", WORD_SHOWN(&word));
    }
    return true;
}

static bool read_points(struct gather *gather, struct reader *reader)
{
    struct word line, word;
    bool first = true;
    while (reader_line(reader, &line)) {
        struct word rest = line;
        if (!word_split(&rest, NULL, &word) || *word.text == '#' || word_begins(&word, "//"))
            continue;
        const bool heading = first && is_heading(line);
        double point[AXES];
        first = false;
        if (!heading && (!read_point(point, reader, line) || !gather_point(gather, point)))
            return false;
    }
    return true;
}

bool xyz_read(struct world_document *world, struct format_report *report,
              const struct format_file *file)
{
    struct reader reader = reader_of(file);
    struct gather gather = gather_begin(OBSTACLE_POINTS, file);
    return gather_end(&gather, world, report, read_points(&gather, &reader));
}
