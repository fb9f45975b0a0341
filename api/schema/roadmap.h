/* The roadmap resource: wire document <-> plain struct (api page, section 5). */
#ifndef SCHEMA_ROADMAP_H
#define SCHEMA_ROADMAP_H

#include "schema/limits.h"
#include "schema/problem.h"

enum { NAME_MAX_BYTES = 64 };

enum sample_method { SAMPLE_UNIFORM, SAMPLE_HALTON, SAMPLE_LATTICE };
enum neighbor_method { NEIGHBOR_AUTO, NEIGHBOR_LSH, NEIGHBOR_EXACT, NEIGHBOR_TILES };
enum edge_check { EDGE_CERTIFIED, EDGE_SAMPLED };

/* Numbers that are null on the wire are 0 here. */
struct roadmap_document {
    char world[NAME_MAX_BYTES + 1], robot[NAME_MAX_BYTES + 1];
    uint64_t seed;
    uint32_t count;
    enum sample_method sample_method;
    double spacing;
    enum neighbor_method neighbor_method;
    uint32_t k;
    double radius;
    uint32_t tables, projections;
    double width, target_recall;
    enum edge_check edge_check;
    double resolution;
};

bool roadmap_read(struct roadmap_document *roadmap, const char *body, size_t bytes,
                  const struct limits *limits, struct problem *problem);
void roadmap_write_members(const struct roadmap_document *roadmap, struct text *out);

/* Whether a name is one: [A-Za-z0-9][A-Za-z0-9._-]{0,63}. */
bool name_valid(const char *name);

#endif
