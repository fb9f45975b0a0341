/* Decoded snapshots made resident: copies in pieces, then the index and what a validity needs
 * beside its bits, as builds make them. */
#include "roadmap/snapshot/snapshot_format.h"

#include "device/try.h"
#include "roadmap/build/roadmap_index.h"
#include "roadmap/build/validity.h"
#include "roadmap/collision/vicinity.h"
#include "roadmap/nearest/neighbors.h"
#include "roadmap/robot/robot_clearances.h"
#include "roadmap/search/numbering.h"

#include <stdlib.h>
#include <string.h>

/* Copied to the device in a step: a millisecond or two, as its memory is touched for the first
 * time. */
enum { PIECE_BYTES = 1 << 20 };
/* Floats and words of the device that a milestone takes beside its rows, and words of an edge: of
 * the index and of what is made from a validity, scratch included. */
enum { ROWS_PER_MILESTONE = 4, WORDS_PER_MILESTONE = 18, WORDS_PER_EDGE = 12 };

enum reader_stage {
    READER_COPY,
    READER_EMBED,
    READER_INDEX,
    READER_LINK,
    READER_LABEL,
    READER_WEIGH,
    READER_SUMMARISE,
    READER_DONE
};

struct prm_snapshot_reader {
    struct prm_context *context;
    struct prm_snapshot *snapshot;
    struct prm_roadmap *roadmap;
    struct prm_validity *validity;
    struct prm_arena *arena;
    enum reader_stage stage;
    uint32_t array; /* that is copied, and how many of its bytes are */
    size_t copied;
};

/* The roadmap's space is the snapshot's, but for names. */
static bool same_space(const struct prm_space *a, const struct prm_space *b)
{
    if (a->dof != b->dof)
        return false;
    for (uint32_t c = 0; c < a->dof; c++) {
        const struct prm_coordinate *p = &a->coordinates[c], *q = &b->coordinates[c];
        if (p->kind != q->kind || p->limited != q->limited || p->weight != q->weight ||
            p->origin != q->origin ||
            (p->limited && (p->lower != q->lower || p->upper != q->upper)))
            return false;
    }
    return true;
}

/* The snapshot is of such a robot, in such a world. */
static enum prm_status check_fit(const struct prm_snapshot *snapshot, const struct prm_space *space,
                                 const struct prm_robot_spec *robot, const struct prm_world *world)
{
    const struct prm_snapshot_info *info = &snapshot->info;

    for (int c = 0; c < 3; c++)
        if (world->center[c] != info->center[c])
            return prm_fault_set(PRM_INVALID_ARGUMENT,
                                 "the world's local frame is about %g, the snapshot's about %g",
                                 world->center[c], info->center[c]);
    if (robot->kind != snapshot->robot_kind || !same_space(space, &snapshot->space))
        return prm_fault_set(PRM_INVALID_ARGUMENT,
                             "the snapshot is of another robot, or of other bounds");
    for (uint32_t i = 0; i < snapshot->allowed_count; i++)
        if (robot->kind == PRM_ROBOT_ARM ? snapshot->allowed[2 * (size_t)i] >= robot->link_count
                                         : snapshot->allowed[2 * (size_t)i] != 0)
            return prm_fault_set(PRM_INVALID_ARGUMENT,
                                 "the snapshot allows a link to touch that the robot has not");
    return PRM_OK;
}

/* Refuses up front what the device has no room for. */
static enum prm_status check_memory(struct prm_context *context,
                                    const struct prm_snapshot *snapshot)
{
    const struct prm_memory_use use = prm_context_memory(context);
    const struct prm_embedding embedding = prm_embedding_of(&snapshot->space);
    const uint64_t n = snapshot->info.milestone_count, edges = snapshot->info.edge_count;
    const uint64_t words =
        n * (snapshot->space.row + ROWS_PER_MILESTONE * embedding.row + WORDS_PER_MILESTONE) +
        edges * WORDS_PER_EDGE;
    const uint64_t needed = prm_words(words), used = use.resident_bytes + use.scratch_bytes;

    if (used + needed > use.limit_bytes)
        return prm_fault_set(
            PRM_DEVICE_MEMORY,
            "the roadmap needs about %llu bytes of device memory; %llu of %llu are in use",
            (unsigned long long)needed, (unsigned long long)used,
            (unsigned long long)use.limit_bytes);
    return PRM_OK;
}

/* Statistics with the names of their stages, which the roadmap keeps. */
static enum prm_status set_statistics(struct prm_roadmap *roadmap,
                                      const struct prm_snapshot *snapshot)
{
    struct prm_roadmap_statistics *statistics = &roadmap->statistics;

    roadmap->stage_names = malloc(sizeof(snapshot->stage_names));
    if (roadmap->stage_names == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a roadmap");
    memcpy(roadmap->stage_names, snapshot->stage_names, sizeof(snapshot->stage_names));
    *statistics = snapshot->statistics;
    statistics->milestones = snapshot->info.milestone_count;
    statistics->candidate_edges = snapshot->info.edge_count;
    for (uint32_t s = 0; s < statistics->stage_count; s++)
        statistics->stages[s].name =
            roadmap->stage_names + (size_t)s * sizeof(snapshot->stage_names[0]);
    return PRM_OK;
}

enum prm_status prm_snapshot_reader_create(struct prm_context *context,
                                           struct prm_snapshot_reader **reader,
                                           struct prm_snapshot *snapshot,
                                           const struct prm_robot_spec *robot,
                                           const struct prm_world *world)
{
    enum prm_status status = PRM_OK;
    struct prm_snapshot_reader *made = calloc(1, sizeof(*made));
    struct prm_roadmap *roadmap = calloc(1, sizeof(*roadmap));

    *reader = NULL;
    if (made == NULL || roadmap == NULL) {
        free(roadmap);
        free(made);
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a roadmap");
    }
    made->context = context;
    made->snapshot = snapshot;
    made->roadmap = roadmap;
    roadmap->context = context;
    TRY(prm_space_init(&roadmap->space, robot, world));
    TRY(check_fit(snapshot, &roadmap->space, robot, world));
    TRY(check_memory(context, snapshot));
    memcpy(roadmap->center, snapshot->info.center, sizeof(roadmap->center));
    memcpy(roadmap->digest, snapshot->info.digest, sizeof(roadmap->digest));
    roadmap->params = snapshot->params;
    roadmap->milestone_count = snapshot->info.milestone_count;
    roadmap->edge_count = snapshot->info.edge_count;
    roadmap->allowed_count = snapshot->allowed_count;
    roadmap->weight_scale = snapshot->weight_scale;
    TRY(set_statistics(roadmap, snapshot));
    TRY(prm_robot_create(context, &roadmap->robot, robot, &roadmap->space, world->center));
    TRY(prm_validity_begin(&made->validity, roadmap));
    const struct prm_scene scene = prm_roadmap_scene(roadmap, world);
    if (prm_vicinity_pays(&roadmap->params)) {
        TRY(prm_vicinity_create(&made->validity->vicinity, &scene, PRM_VICINITY_ACROSS));
        TRY(prm_robot_measure_clearances(roadmap->robot, &roadmap->space, PRM_CLEARANCE_CELLS));
    }
    TRY(prm_arena_create(context, &made->arena));
    *reader = made;
    made = NULL;
cleanup:
    prm_snapshot_reader_destroy(made);
    return status;
}

/* Copies a piece of an array, and makes its buffer before the first; *done after the last array. */
static enum prm_status copy_piece(struct prm_snapshot_reader *reader, bool *done)
{
    const struct prm_snapshot *snapshot = reader->snapshot;
    struct prm_roadmap *roadmap = reader->roadmap;
    const size_t n = roadmap->milestone_count, edges = roadmap->edge_count;
    const struct {
        struct prm_buffer *to;
        const void *from;
        size_t bytes;
    } arrays[] = {
        {&roadmap->states, snapshot->states, n * roadmap->space.row * sizeof(float)},
        {&roadmap->edges, snapshot->edges, prm_words(2 * edges)},
        {&roadmap->lengths, snapshot->lengths, prm_words(edges)},
        {&roadmap->first_low, snapshot->first_low, prm_words(n + 1)},
        {&roadmap->first_high, snapshot->first_high, prm_words(n + 1)},
        {&roadmap->by_high, snapshot->by_high, prm_words(edges)},
        {&reader->validity->edge_valid, snapshot->valid, prm_words(edges)},
        {&roadmap->allowed, snapshot->allowed, prm_words(2 * (size_t)snapshot->allowed_count)},
    };
    const size_t bytes = arrays[reader->array].bytes, left = bytes - reader->copied;
    struct prm_buffer *to = arrays[reader->array].to;
    enum prm_status status = PRM_OK;

    if (to->memory == NULL && (to != &roadmap->allowed || bytes > 0))
        TRY(prm_buffer_create(reader->context, to, bytes));
    const size_t piece = left < PIECE_BYTES ? left : PIECE_BYTES;
    TRY(prm_buffer_write(reader->context, *to, reader->copied,
                         (const unsigned char *)arrays[reader->array].from + reader->copied,
                         piece));
    reader->copied += piece;
    if (reader->copied == bytes) {
        reader->array++;
        reader->copied = 0;
    }
    *done = reader->array == sizeof(arrays) / sizeof(arrays[0]);
cleanup:
    return status;
}

/* A step of the index that connections ask, and the numbers of vertices by it. */
static enum prm_status index_piece(struct prm_snapshot_reader *reader, bool *done)
{
    struct prm_roadmap *roadmap = reader->roadmap;
    enum prm_status status = PRM_OK;

    if (roadmap->index == NULL)
        TRY(prm_roadmap_index_begin(reader->arena, &roadmap->index, roadmap, PRM_NEIGHBOR_TILES,
                                    1.0));
    TRY(prm_neighbor_index_step(reader->arena, roadmap->index, done));
    if (*done)
        TRY(prm_roadmap_number(reader->arena, roadmap));
cleanup:
    return status;
}

enum prm_status prm_snapshot_reader_step(struct prm_snapshot_reader *reader, bool *done)
{
    const struct prm_snapshot *snapshot = reader->snapshot;
    struct prm_roadmap *roadmap = reader->roadmap;
    struct prm_validity *validity = reader->validity;
    enum prm_status status = PRM_OK;
    bool stage_done = true;

    switch (reader->stage) {
    case READER_COPY:
        TRY(copy_piece(reader, &stage_done));
        break;
    case READER_EMBED:
        TRY(prm_roadmap_embed(roadmap));
        break;
    case READER_INDEX:
        TRY(index_piece(reader, &stage_done));
        break;
    case READER_LINK:
        TRY(prm_validity_link(reader->arena, validity));
        break;
    case READER_LABEL:
        TRY(prm_validity_label(validity, &stage_done));
        break;
    case READER_WEIGH:
        TRY(prm_validity_weigh_as(validity, snapshot->validity_scale, snapshot->degree_max,
                                  snapshot->length_max));
        break;
    case READER_SUMMARISE:
        TRY(prm_validity_summarise(reader->arena, validity, NULL));
        break;
    case READER_DONE:
        break;
    }
    // other work may go between steps: leave the queue empty
    TRY(prm_context_finish(reader->context));
    if (stage_done && reader->stage != READER_DONE)
        reader->stage++;
    *done = reader->stage == READER_DONE;
cleanup:
    return status;
}

enum prm_status prm_snapshot_reader_finish(struct prm_snapshot_reader *reader,
                                           struct prm_roadmap **roadmap,
                                           struct prm_validity **validity)
{
    struct prm_snapshot *snapshot = reader->snapshot;
    struct prm_roadmap *made = reader->roadmap;

    *roadmap = NULL;
    *validity = NULL;
    if (reader->stage != READER_DONE)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "the snapshot is not resident yet");
    // what the host keeps is the snapshot's own
    made->host_states = snapshot->states;
    made->host_lengths = snapshot->lengths;
    snapshot->states = NULL;
    snapshot->lengths = NULL;
    made->statistics.device_bytes = prm_roadmap_device_bytes(made);
    made->statistics.host_bytes = prm_roadmap_host_bytes(made);
    *roadmap = made;
    *validity = reader->validity;
    reader->roadmap = NULL;
    reader->validity = NULL;
    return PRM_OK;
}

void prm_snapshot_reader_destroy(struct prm_snapshot_reader *reader)
{
    if (reader == NULL)
        return;
    prm_validity_destroy(reader->validity);
    prm_roadmap_destroy(reader->roadmap);
    prm_arena_destroy(reader->arena);
    free(reader);
}
