/* Prints what was built and planned as one table, a column a world.
 *
 *   report TITLE ROADMAP ANSWER …     the last two are files of the service's JSON
 *
 * Exit status 1 where less than 97 % of the queries are solved, 2 where the files cannot be read.
 */
#include "client/table.h"
#include "tools/scene.h"

#include <math.h>
#include <string.h>

enum { WORLDS_MAX = 4, NAME_BYTES = 32 };

static const double solved_share_min = 0.97;

struct column {
    const char *title;
    struct document *roadmap, *answer;
    size_t queries, solved;
    double length_sum;
};

static bool column_read(struct column *column, char **argv, char *fault, size_t fault_bytes)
{
    column->title = argv[0];
    column->roadmap = scene_read_json(argv[1], fault, fault_bytes);
    column->answer = column->roadmap ? scene_read_json(argv[2], fault, fault_bytes) : NULL;
    if (!column->answer)
        return false;
    const struct document_value *results = document_at(document_root(column->answer), "/results");
    column->queries = document_length(results);
    for (size_t i = 0; i < column->queries; i++) {
        const struct document_value *result = document_element(results, i);
        if (strcmp(document_string(result, "/status", ""), "solved") == 0) {
            column->solved++;
            column->length_sum += document_number(result, "/length", 0);
        }
    }
    return true;
}

/* A row of the number at a pointer of each roadmap (or each answer). */
static void number_row(struct table *table, const struct column *columns, unsigned count,
                       const char *title, bool of_answer, const char *pointer, int decimals)
{
    table_cell(table, "%s", title);
    for (unsigned i = 0; i < count; i++) {
        const struct document *from = of_answer ? columns[i].answer : columns[i].roadmap;
        double number = document_number(document_root(from), pointer, NAN);
        if (isnan(number))
            table_cell(table, "-");
        else
            table_cell(table, "%.*f", decimals, number);
    }
}

/* A row for each member of an object of times; the names are those of the first column. */
static void time_rows(struct table *table, const struct column *columns, unsigned count,
                      bool of_answer, const char *pointer, const char *word)
{
    const struct document *from = of_answer ? columns[0].answer : columns[0].roadmap;
    const struct document_value *times = document_at(document_root(from), pointer);
    for (const char *key = document_next_key(times, NULL); key;
         key = document_next_key(times, key)) {
        char title[64], member[64];
        snprintf(title, sizeof title, "%s %.*s, ms", word, NAME_BYTES, key);
        snprintf(member, sizeof member, "%.*s/%.*s", NAME_BYTES - 1, pointer, NAME_BYTES - 2, key);
        number_row(table, columns, count, title, of_answer, member, 2);
    }
}

static void planning_rows(struct table *table, const struct column *columns, unsigned count)
{
    table_cell(table, "queries");
    for (unsigned i = 0; i < count; i++)
        table_cell(table, "%zu", columns[i].queries);
    table_cell(table, "solved");
    for (unsigned i = 0; i < count; i++)
        table_cell(table, "%zu", columns[i].solved);
    table_cell(table, "queries a second");
    for (unsigned i = 0; i < count; i++) {
        double ms = document_number(document_root(columns[i].answer), "/timing_ms/total", NAN);
        table_cell(table, "%.0f", 1000 * (double)columns[i].queries / ms);
    }
    table_cell(table, "mean path length");
    for (unsigned i = 0; i < count; i++)
        table_cell(table, "%.2f", columns[i].length_sum / fmax((double)columns[i].solved, 1));
}

static void print(const struct column *columns, unsigned count)
{
    const char *titles[WORLDS_MAX + 2] = {""};
    char right[WORLDS_MAX][NAME_BYTES];
    for (unsigned i = 0; i < count; i++) {
        snprintf(right[i], sizeof right[i], ">%.*s", NAME_BYTES - 2, columns[i].title);
        titles[i + 1] = right[i];
    }
    struct table table;
    table_init(&table, titles);
    number_row(&table, columns, count, "milestones", false, "/statistics/milestones", 0);
    number_row(&table, columns, count, "edges", false, "/statistics/edges", 0);
    number_row(&table, columns, count, "components", false, "/statistics/components", 0);
    number_row(&table, columns, count, "neighbour recall", false, "/statistics/recall", 3);
    time_rows(&table, columns, count, false, "/statistics/stages_ms", "build:");
    planning_rows(&table, columns, count);
    time_rows(&table, columns, count, true, "/timing_ms", "plan:");
    table_print(&table, stdout);
    table_deinit(&table);
}

int main(int argc, char **argv)
{
    char fault[512] = "usage: report TITLE ROADMAP ANSWER …";
    struct column columns[WORLDS_MAX] = {{0}};
    unsigned count = argc > 1 && argc % 3 == 1 ? (unsigned)(argc - 1) / 3 : 0;
    bool good = count > 0 && count <= WORLDS_MAX, solved = true;
    for (unsigned i = 0; good && i < count; i++) {
        good = column_read(&columns[i], argv + 1 + 3 * (size_t)i, fault, sizeof fault);
        solved =
            solved && (double)columns[i].solved >= solved_share_min * (double)columns[i].queries;
    }
    if (good)
        print(columns, count);
    else
        fprintf(stderr, "report: %s\n", fault);
    if (good && !solved)
        fprintf(stderr, "report: less than %.0f %% are solved\n", 100 * solved_share_min);
    for (unsigned i = 0; i < WORLDS_MAX; i++) {
        document_destroy(columns[i].roadmap);
        document_destroy(columns[i].answer);
    }
    return !good ? 2 : !solved;
}
