/* Snapshots decoded: the head, then each section into an array of its own. What they mean is
 * checked in snapshot_check.c. */
#include "roadmap/snapshot/snapshot_format.h"

#include "device/try.h"

#include <stdlib.h>
#include <string.h>

/* Reads a head; on success all counts are what sections agree with. */
static enum prm_status take_head(struct prm_snapshot *snapshot, const void *bytes, size_t size)
{
    struct snapshot_codec codec = {.take = bytes,
                                   .left = size < SNAPSHOT_HEAD_BYTES ? size : SNAPSHOT_HEAD_BYTES};
    const struct prm_snapshot_info *info = &snapshot->info;
    const uint64_t *sections = snapshot->section_bytes;
    uint64_t sum = SNAPSHOT_HEAD_BYTES + SNAPSHOT_DIGEST_BYTES;

    prm_snapshot_code_head(&codec, snapshot);
    if (codec.failed)
        return prm_fault_set(PRM_INVALID_ARGUMENT,
                             "these %zu bytes are no snapshot of a roadmap, or its head is damaged",
                             size);
    if (info->format == 0)
        return prm_fault_set(PRM_UNSUPPORTED,
                             "the snapshot is of another order of bytes than little-endian");
    if (info->format != PRM_SNAPSHOT_FORMAT)
        return prm_fault_set(PRM_UNSUPPORTED, "the snapshot is of format version %u, not %d",
                             info->format, PRM_SNAPSHOT_FORMAT);

    const uint64_t n = info->milestone_count, edges = info->edge_count;
    bool good = info->dof >= 1 && info->dof <= PRM_DOF_MAX && n >= 1 && edges <= INT32_MAX &&
                sections[SECTION_FACTS] <= SNAPSHOT_FACTS_MAX &&
                sections[SECTION_STATES] == n * info->dof * sizeof(float) &&
                sections[SECTION_FIRST_LOW] == (n + 1) * sizeof(uint32_t) &&
                sections[SECTION_HIGHS] == edges * sizeof(uint32_t) &&
                sections[SECTION_LENGTHS] == edges * sizeof(float) &&
                sections[SECTION_VALID] == (edges + 7) / 8 &&
                sections[SECTION_ALLOWED] % (2 * sizeof(uint32_t)) == 0 &&
                sections[SECTION_ALLOWED] <= UINT32_MAX;
    // none of these is large enough for the sum to overflow
    for (int s = 0; good && s < SECTION_COUNT; s++)
        sum += sections[s];
    if (!good || sum != info->bytes)
        return prm_fault_set(PRM_INVALID_ARGUMENT,
                             "the snapshot's head is damaged: its sizes do not fit each other");
    if (n > INT32_MAX / PRM_NEIGHBORS_MAX)
        return prm_fault_set(PRM_LIMIT_EXCEEDED, "%llu milestones are more than %d",
                             (unsigned long long)n, INT32_MAX / PRM_NEIGHBORS_MAX);
    return PRM_OK;
}

enum prm_status prm_snapshot_peek(struct prm_snapshot_info *info, const void *bytes, size_t size)
{
    struct prm_snapshot head = {.info = {.format = 0}};
    const enum prm_status status = take_head(&head, bytes, size);
    *info = head.info;
    return status;
}

/* The whole is there, and is as it was written. */
static enum prm_status check_sum(const struct prm_snapshot *snapshot, const unsigned char *bytes,
                                 size_t size)
{
    unsigned char sum[SNAPSHOT_DIGEST_BYTES];

    if (size != snapshot->info.bytes)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "the snapshot has %zu bytes of %llu", size,
                             (unsigned long long)snapshot->info.bytes);
    const size_t summed = size - SNAPSHOT_DIGEST_BYTES;
    const enum prm_status status = prm_snapshot_sum(sum, bytes, summed);
    if (status != PRM_OK)
        return status;
    if (memcmp(sum, bytes + summed, sizeof(sum)) != 0)
        return prm_fault_set(PRM_INVALID_ARGUMENT,
                             "the snapshot is damaged: its SHA-256 is not that of its bytes");
    return PRM_OK;
}

static enum prm_status take_facts(struct prm_snapshot *snapshot, const unsigned char *bytes)
{
    struct snapshot_codec codec = {.take = bytes, .left = snapshot->section_bytes[SECTION_FACTS]};
    prm_snapshot_code_facts(&codec, snapshot);
    if (codec.failed || codec.left > 0)
        return prm_fault_set(PRM_INVALID_ARGUMENT,
                             "the snapshot's facts are not of this version's form");
    return PRM_OK;
}

/* Arrays for all that the bytes hold, and for what is worked out from them. */
static bool make_arrays(struct prm_snapshot *snapshot)
{
    const size_t n = snapshot->info.milestone_count, edges = snapshot->info.edge_count;
    snapshot->allowed_count =
        (uint32_t)(snapshot->section_bytes[SECTION_ALLOWED] / (2 * sizeof(uint32_t)));
    snapshot->states = calloc(n, snapshot->space.row * sizeof(float));
    snapshot->first_low = malloc(prm_words(n + 1));
    snapshot->edges = malloc(prm_words(2 * edges) + 1);
    snapshot->lengths = malloc(prm_words(edges) + 1);
    snapshot->valid = malloc(prm_words(edges) + 1);
    snapshot->allowed = malloc(prm_words((size_t)2 * snapshot->allowed_count) + 1);
    snapshot->first_high = calloc(n + 1, sizeof(uint32_t));
    snapshot->by_high = malloc(prm_words(edges) + 1);
    return snapshot->states && snapshot->first_low && snapshot->edges && snapshot->lengths &&
           snapshot->valid && snapshot->allowed && snapshot->first_high && snapshot->by_high;
}

/* The sections after the facts, one after the other; false: bits after the last edge are set. */
static bool take_arrays(struct prm_snapshot *snapshot, const unsigned char *at)
{
    const uint32_t n = snapshot->info.milestone_count, edges = snapshot->info.edge_count,
                   dof = snapshot->info.dof;

    for (uint32_t i = 0; i < n; i++, at += prm_words(dof))
        prm_snapshot_take_words(snapshot->states + (size_t)i * snapshot->space.row, at, dof);
    prm_snapshot_take_words(snapshot->first_low, at, (size_t)n + 1);
    at += snapshot->section_bytes[SECTION_FIRST_LOW];
    for (uint32_t e = 0; e < edges; e++, at += sizeof(uint32_t))
        prm_snapshot_take_words(&snapshot->edges[2 * (size_t)e + 1], at, 1);
    prm_snapshot_take_words(snapshot->lengths, at, edges);
    at += snapshot->section_bytes[SECTION_LENGTHS];
    for (uint32_t e = 0; e < edges; e++)
        snapshot->valid[e] = at[e / 8] >> e % 8 & 1;
    const bool clean = edges % 8 == 0 || at[edges / 8] >> edges % 8 == 0;
    at += snapshot->section_bytes[SECTION_VALID];
    prm_snapshot_take_words(snapshot->allowed, at, (size_t)2 * snapshot->allowed_count);
    return clean;
}

enum prm_status prm_snapshot_decode(struct prm_snapshot **snapshot, const void *bytes, size_t size)
{
    const unsigned char *facts = (const unsigned char *)bytes + SNAPSHOT_HEAD_BYTES;
    enum prm_status status = PRM_OK;
    struct prm_snapshot *made = calloc(1, sizeof(*made));

    *snapshot = NULL;
    if (made == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a snapshot");
    TRY(take_head(made, bytes, size));
    TRY(check_sum(made, bytes, size));
    made->space.dof = made->info.dof;
    made->space.row = prm_space_row(made->info.dof);
    TRY(take_facts(made, facts));
    if (!make_arrays(made)) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for a snapshot of %zu bytes", size);
        goto cleanup;
    }
    if (!take_arrays(made, facts + made->section_bytes[SECTION_FACTS])) {
        status = prm_fault_set(PRM_INVALID_ARGUMENT, "the snapshot says more of edges than it has");
        goto cleanup;
    }
    TRY(prm_snapshot_check(made));
    *snapshot = made;
    made = NULL;
cleanup:
    prm_snapshot_destroy(made);
    return status;
}

void prm_snapshot_destroy(struct prm_snapshot *snapshot)
{
    if (snapshot == NULL)
        return;
    free(snapshot->states);
    free(snapshot->first_low);
    free(snapshot->edges);
    free(snapshot->lengths);
    free(snapshot->valid);
    free(snapshot->allowed);
    free(snapshot->first_high);
    free(snapshot->by_high);
    free(snapshot);
}

const struct prm_snapshot_info *prm_snapshot_info_of(const struct prm_snapshot *snapshot)
{
    return &snapshot->info;
}
