/* Snapshots written: the device's part is copied in pieces, the rest is host code. */
#include "roadmap/snapshot/snapshot_format.h"

#include "device/assert.h"
#include "device/try.h"

#include <stdlib.h>
#include <string.h>

/* Copied from the device in a step: a millisecond or two. */
enum { PIECE_BYTES = 1 << 20 };

struct prm_snapshot_writer {
    const struct prm_roadmap *roadmap;
    const struct prm_validity *validity;
    struct prm_snapshot content; /* edges, valid and allowed are its own; states and lengths are
                                    read where the roadmap has them */
    size_t copied;               /* bytes, of all that is copied */
};

/* What is copied: one array after the other. */
struct copy {
    struct prm_buffer from;
    void *to;
    size_t bytes;
};
enum { COPIES = 3 };

static void list_copies(struct copy *copies, const struct prm_snapshot_writer *writer)
{
    const struct prm_roadmap *roadmap = writer->roadmap;
    const struct prm_snapshot *content = &writer->content;
    const size_t edges = roadmap->edge_count, allowed = roadmap->allowed_count;
    copies[0] = (struct copy){roadmap->edges, content->edges, prm_words(2 * edges)};
    copies[1] = (struct copy){writer->validity->edge_valid, content->valid, prm_words(edges)};
    copies[2] = (struct copy){roadmap->allowed, content->allowed, prm_words(2 * allowed)};
}

/* All that is known on the host. */
static void set_facts(struct prm_snapshot *content, const struct prm_roadmap *roadmap)
{
    struct prm_snapshot_info *info = &content->info;

    info->format = PRM_SNAPSHOT_FORMAT;
    info->dof = roadmap->space.dof;
    info->milestone_count = roadmap->milestone_count;
    info->edge_count = roadmap->edge_count;
    memcpy(info->center, roadmap->center, sizeof(info->center));
    memcpy(info->digest, roadmap->digest, sizeof(info->digest));
    content->robot_kind = roadmap->robot->kind;
    content->space = roadmap->space;
    // limits of what has none may be anything
    for (uint32_t c = 0; c < info->dof; c++) {
        struct prm_coordinate *coordinate = &content->space.coordinates[c];
        coordinate->lower = coordinate->limited ? coordinate->lower : 0.0;
        coordinate->upper = coordinate->limited ? coordinate->upper : 0.0;
    }
    content->params = roadmap->params;
    content->statistics = roadmap->statistics;
    for (uint32_t s = 0; s < roadmap->statistics.stage_count; s++) {
        const char *name = roadmap->statistics.stages[s].name;
        PRM_ASSERT(strlen(name) < SNAPSHOT_STAGE_NAME_BYTES);
        memcpy(content->stage_names[s], name, strlen(name) + 1);
    }
    content->weight_scale = roadmap->weight_scale;
    content->allowed_count = roadmap->allowed_count;
}

enum prm_status prm_snapshot_writer_create(struct prm_snapshot_writer **writer,
                                           const struct prm_roadmap *roadmap,
                                           const struct prm_validity *validity)
{
    const size_t edges = roadmap->edge_count, allowed = roadmap->allowed_count;
    struct prm_snapshot_writer *made = calloc(1, sizeof(*made));

    *writer = NULL;
    if (made == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a snapshot");
    made->roadmap = roadmap;
    made->validity = validity;
    set_facts(&made->content, roadmap);
    made->content.edges = malloc(prm_words(2 * edges) + 1);
    made->content.valid = malloc(prm_words(edges) + 1);
    made->content.allowed = malloc(prm_words(2 * allowed) + 1);
    if (!made->content.edges || !made->content.valid || !made->content.allowed) {
        prm_snapshot_writer_destroy(made);
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a snapshot of %zu edges", edges);
    }
    *writer = made;
    return PRM_OK;
}

enum prm_status prm_snapshot_writer_step(struct prm_snapshot_writer *writer, bool *done)
{
    struct copy copies[COPIES];
    size_t before = 0, left = PIECE_BYTES;

    list_copies(copies, writer);
    for (int i = 0; i < COPIES && left > 0; before += copies[i].bytes, i++) {
        const size_t begin = writer->copied - before;
        if (writer->copied < before || begin >= copies[i].bytes)
            continue;
        const size_t rest = copies[i].bytes - begin, n = rest < left ? rest : left;
        const enum prm_status status =
            prm_buffer_read(writer->roadmap->context, copies[i].from, begin,
                            (unsigned char *)copies[i].to + begin, n);
        if (status != PRM_OK)
            return status;
        writer->copied += n;
        left -= n;
    }
    // there was not enough for a whole piece
    *done = left > 0;
    return PRM_OK;
}

/* ---- host code ---- */

static void size_sections(struct prm_snapshot *content, size_t facts)
{
    const uint64_t n = content->info.milestone_count, edges = content->info.edge_count;
    uint64_t *bytes = content->section_bytes;
    bytes[SECTION_FACTS] = facts;
    bytes[SECTION_STATES] = prm_words(n * content->info.dof);
    bytes[SECTION_FIRST_LOW] = prm_words(n + 1);
    bytes[SECTION_HIGHS] = prm_words(edges);
    bytes[SECTION_LENGTHS] = prm_words(edges);
    bytes[SECTION_VALID] = (edges + 7) / 8;
    bytes[SECTION_ALLOWED] = prm_words((size_t)2 * content->allowed_count);
    content->info.bytes = SNAPSHOT_HEAD_BYTES + SNAPSHOT_DIGEST_BYTES;
    for (int s = 0; s < SECTION_COUNT; s++)
        content->info.bytes += bytes[s];
}

/* The milestones without their pads. */
static unsigned char *put_states(unsigned char *at, const struct prm_roadmap *roadmap)
{
    const uint32_t dof = roadmap->space.dof, row = roadmap->space.row;
    for (uint32_t i = 0; i < roadmap->milestone_count; i++, at += prm_words(dof))
        prm_snapshot_put_words(at, roadmap->host_states + (size_t)i * row, dof);
    return at;
}

/* Where the edges of each lower end begin, then all higher ends. */
static unsigned char *put_edges(unsigned char *at, const struct prm_snapshot *content)
{
    const uint32_t n = content->info.milestone_count, edges = content->info.edge_count;
    for (uint32_t v = 0, e = 0; v <= n; v++, at += sizeof(e)) {
        while (e < edges && content->edges[2 * (size_t)e] < v)
            e++;
        prm_snapshot_put_words(at, &e, 1);
    }
    for (uint32_t e = 0; e < edges; e++, at += sizeof(e))
        prm_snapshot_put_words(at, &content->edges[2 * (size_t)e + 1], 1);
    return at;
}

static unsigned char *put_valid(unsigned char *at, const struct prm_snapshot *content)
{
    const uint32_t edges = content->info.edge_count;
    memset(at, 0, content->section_bytes[SECTION_VALID]);
    for (uint32_t e = 0; e < edges; e++)
        at[e / 8] |= (unsigned char)(content->valid[e] << e % 8);
    return at + content->section_bytes[SECTION_VALID];
}

enum prm_status prm_snapshot_writer_finish(struct prm_snapshot_writer *writer,
                                           unsigned char **bytes, size_t *size)
{
    const struct prm_roadmap *roadmap = writer->roadmap;
    struct prm_snapshot *content = &writer->content;
    enum prm_status status = PRM_OK;
    unsigned char facts[SNAPSHOT_FACTS_MAX], *made = NULL;
    struct snapshot_codec codec = {.put = facts, .left = sizeof(facts)};

    *bytes = NULL;
    prm_snapshot_code_facts(&codec, content);
    PRM_ASSERT(!codec.failed);
    size_sections(content, sizeof(facts) - codec.left);
    made = malloc(content->info.bytes);
    if (made == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a snapshot of %llu bytes",
                             (unsigned long long)content->info.bytes);

    codec = (struct snapshot_codec){.put = made, .left = SNAPSHOT_HEAD_BYTES};
    prm_snapshot_code_head(&codec, content);
    PRM_ASSERT(!codec.failed && codec.left == 0);
    unsigned char *at = made + SNAPSHOT_HEAD_BYTES;
    memcpy(at, facts, content->section_bytes[SECTION_FACTS]);
    at = put_states(at + content->section_bytes[SECTION_FACTS], roadmap);
    at = put_edges(at, content);
    prm_snapshot_put_words(at, roadmap->host_lengths, roadmap->edge_count);
    at = put_valid(at + content->section_bytes[SECTION_LENGTHS], content);
    prm_snapshot_put_words(at, content->allowed, (size_t)2 * content->allowed_count);
    at += content->section_bytes[SECTION_ALLOWED];
    TRY(prm_snapshot_sum(at, made, (size_t)(at - made)));
    *bytes = made;
    *size = content->info.bytes;
    made = NULL;
cleanup:
    free(made);
    return status;
}

void prm_snapshot_writer_destroy(struct prm_snapshot_writer *writer)
{
    if (writer == NULL)
        return;
    free(writer->content.edges);
    free(writer->content.valid);
    free(writer->content.allowed);
    free(writer);
}
