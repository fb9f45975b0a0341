/* The inside of snapshots: what is in them, in host memory, and how it lies in bytes. Internal to
 * the snapshot files.
 *
 * One description serves both directions: a codec goes through the facts field by field, and puts
 * or takes each as its direction says. */
#ifndef PRM_ROADMAP_SNAPSHOT_FORMAT_H
#define PRM_ROADMAP_SNAPSHOT_FORMAT_H

#include "roadmap/snapshot/snapshot.h"

/* In this order, one after the other. */
enum snapshot_section {
    SECTION_FACTS,
    SECTION_STATES,    /* f32[milestones][dof] */
    SECTION_FIRST_LOW, /* u32[milestones + 1] */
    SECTION_HIGHS,     /* u32[edges]: the higher ends, in order */
    SECTION_LENGTHS,   /* f32[edges] */
    SECTION_VALID,     /* a bit an edge, the lowest first, the last byte filled with zeros */
    SECTION_ALLOWED,   /* u32[allowed][2] */
    SECTION_COUNT
};

enum {
    SNAPSHOT_MAGIC_BYTES = 8,
    SNAPSHOT_DIGEST_BYTES = 32,
    /* magic, byte order, format, bytes; dof, milestones, edges, sections; centre; digest; sections'
     * bytes */
    SNAPSHOT_HEAD_BYTES = SNAPSHOT_MAGIC_BYTES + 4 + 4 + 8 + 4 * 4 + 3 * 8 + SNAPSHOT_DIGEST_BYTES +
                          8 * SECTION_COUNT,
    SNAPSHOT_FACTS_MAX = 8192,
    SNAPSHOT_STAGE_NAME_BYTES = 24
};

/* What a snapshot holds; members after `allowed_count` are worked out by decoding. Arrays are
 * malloc'ed. */
struct prm_snapshot {
    struct prm_snapshot_info info;
    uint64_t section_bytes[SECTION_COUNT];

    /* the facts */
    enum prm_robot_kind robot_kind;
    struct prm_space space; /* without names */
    struct prm_roadmap_params params;
    struct prm_roadmap_statistics statistics; /* stages without names */
    char stage_names[PRM_STAGES_MAX][SNAPSHOT_STAGE_NAME_BYTES];
    double weight_scale; /* the roadmap's */

    float *states;       /* [milestones][row] */
    uint32_t *first_low; /* [milestones + 1] */
    uint32_t *edges;     /* [edges][2] */
    float *lengths;      /* [edges] */
    uint32_t *valid;     /* [edges] of 0 and 1 */
    uint32_t *allowed;   /* [allowed_count][2] */
    uint32_t allowed_count;

    uint32_t *first_high, *by_high; /* [milestones + 1], [edges] */
    double validity_scale;
    uint32_t degree_max;
    double length_max;
};

/* Goes through bytes in one direction. Once something has failed, nothing more is put or taken. */
struct snapshot_codec {
    unsigned char *put; /* writing: where the next field goes; else NULL */
    const unsigned char *take;
    size_t left;
    bool failed; /* too few bytes, or a value that cannot be */
};

/* Puts or takes the head: info, counts, the sections' bytes. Taking looks at nothing but whether
 * there are bytes enough. */
void prm_snapshot_code_head(struct snapshot_codec *codec, struct prm_snapshot *snapshot);

/* Puts or takes the facts. Taken numbers are finite, and choices among what there is. */
void prm_snapshot_code_facts(struct snapshot_codec *codec, struct prm_snapshot *snapshot);

/* Arrays of 32-bit words, little-endian in `bytes`. */
void prm_snapshot_put_words(unsigned char *bytes, const void *words, size_t count);
void prm_snapshot_take_words(void *words, const unsigned char *bytes, size_t count);

/* sum[SNAPSHOT_DIGEST_BYTES] = the SHA-256 of bytes. PRM_UNSUPPORTED: there is none. */
enum prm_status prm_snapshot_sum(unsigned char *sum, const unsigned char *bytes, size_t size);

/* Checks all that decoding has taken, and works out the rest. PRM_INVALID_ARGUMENT,
 * PRM_HOST_MEMORY. */
enum prm_status prm_snapshot_check(struct prm_snapshot *snapshot);

#endif
