/* The roadmap resource: wire document <-> plain struct (api page, section 5). */
#ifndef SCHEMA_ROADMAP_H
#define SCHEMA_ROADMAP_H

#include "schema/limits.h"
#include "schema/problem.h"

enum { NAME_MAX_BYTES = 64 };

enum sample_method {
    SAMPLE_UNIFORM,
    SAMPLE_HALTON,
    SAMPLE_GAUSSIAN,
    SAMPLE_BRIDGE,
    SAMPLE_OBSTACLE,
    SAMPLE_LATTICE,
    SAMPLE_MIX
};
enum { SAMPLE_MIXABLE = SAMPLE_LATTICE };
enum neighbor_method { NEIGHBOR_AUTO, NEIGHBOR_LSH, NEIGHBOR_EXACT, NEIGHBOR_TILES };
enum edge_check { EDGE_CERTIFIED, EDGE_SAMPLED };

/* A state as sent: an array, or an object by coordinate name. */
struct roadmap_anchor {
    size_t first; /* of `numbers` */
    uint32_t count;
    size_t names; /* in `names`, one a number; ROADMAP_UNNAMED: an array */
};
#define ROADMAP_UNNAMED SIZE_MAX

/* A link and the obstacle that it may touch: names in `names`. */
struct roadmap_allowed {
    size_t link, obstacle;
};

/* Numbers that are null on the wire are 0 here. Pointers are owned. */
struct roadmap_document {
    char world[NAME_MAX_BYTES + 1], robot[NAME_MAX_BYTES + 1];
    uint64_t seed;
    uint32_t count;
    enum sample_method sample_method;
    double shares[SAMPLE_MIXABLE]; /* mix */
    double spacing, anchor_share;
    enum neighbor_method neighbor_method;
    uint32_t k;
    double radius;
    uint32_t tables, projections;
    double width, target_recall;
    enum edge_check edge_check;
    double resolution;
    struct roadmap_anchor *anchors;
    uint32_t anchor_count;
    struct roadmap_allowed *allowed;
    uint32_t allowed_count;
    double *numbers;
    size_t number_count;
    char *names; /* terminated, one behind the other */
    size_t name_bytes;
};

/* false: `problem` says all that is wrong; `roadmap` then needs no deinit. */
bool roadmap_read(struct roadmap_document *roadmap, const char *body, size_t bytes,
                  const struct limits *limits, struct problem *problem);
void roadmap_deinit(struct roadmap_document *roadmap);

/* Reads the body of a growth, {"count": more milestones}. */
bool roadmap_growth_read(uint32_t *count, const char *body, size_t bytes,
                         const struct limits *limits, struct problem *problem);

/* A copy for the caller to deinitialise; false: no memory. */
bool roadmap_copy(struct roadmap_document *to, const struct roadmap_document *from);

void roadmap_write_members(const struct roadmap_document *roadmap, struct text *out);

/* The wire's word for a method that is no mix. */
const char *sample_method_text(enum sample_method method);

/* Whether a name is one: [A-Za-z0-9][A-Za-z0-9._-]{0,63}. */
bool name_valid(const char *name);

#endif
