/* How a snapshot's head and facts lie in bytes, in both directions. */
#include "roadmap/snapshot/snapshot_format.h"

#include <math.h>
#include <openssl/evp.h>
#include <string.h>

static const unsigned char MAGIC[SNAPSHOT_MAGIC_BYTES] = {'P', 'R', 'M', 'S', 'N', 'A', 'P', '\n'};
/* As a word: what another order of bytes would turn round. */
enum { BYTE_ORDER_MARK = 0x01020304 };

/* `bytes` bytes of a little-endian number. */
static void code_bytes(struct snapshot_codec *codec, uint64_t *value, size_t bytes)
{
    if (codec->failed || codec->left < bytes) {
        codec->failed = true;
        *value = codec->put != NULL ? *value : 0;
        return;
    }
    codec->left -= bytes;
    if (codec->put != NULL) {
        for (size_t i = 0; i < bytes; i++)
            *codec->put++ = (unsigned char)(*value >> (8 * i));
        return;
    }
    *value = 0;
    for (size_t i = 0; i < bytes; i++)
        *value |= (uint64_t)*codec->take++ << (8 * i);
}

static void code_u64(struct snapshot_codec *codec, uint64_t *value)
{
    code_bytes(codec, value, sizeof(*value));
}

static void code_u32(struct snapshot_codec *codec, uint32_t *value)
{
    uint64_t wide = *value;
    code_bytes(codec, &wide, sizeof(*value));
    *value = (uint32_t)wide;
}

/* One of `count` values. */
static void code_choice(struct snapshot_codec *codec, uint32_t *value, uint32_t count)
{
    code_u32(codec, value);
    if (*value >= count) {
        codec->failed = true;
        *value = 0;
    }
}

static void code_bool(struct snapshot_codec *codec, bool *value)
{
    uint32_t wide = *value;
    code_choice(codec, &wide, 2);
    *value = wide != 0;
}

/* A number as its bits; `any`: one that may be none. */
static void code_number(struct snapshot_codec *codec, double *value, bool any)
{
    uint64_t bits;
    memcpy(&bits, value, sizeof(bits));
    code_u64(codec, &bits);
    memcpy(value, &bits, sizeof(bits));
    if (!isfinite(*value) && !(any && isnan(*value))) {
        codec->failed = true;
        *value = 0.0;
    }
}

static void code_f64(struct snapshot_codec *codec, double *value)
{
    code_number(codec, value, false);
}

static void code_text(struct snapshot_codec *codec, char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        uint64_t letter = (unsigned char)text[i];
        code_bytes(codec, &letter, 1);
        text[i] = (char)letter;
    }
    // names are printable ASCII, and end
    const size_t length = strnlen(text, bytes);
    for (size_t i = 0; i < length; i++)
        codec->failed |= text[i] < ' ' || text[i] > '~';
    codec->failed |= length == bytes;
    text[bytes - 1] = '\0';
}

/* 64 hexadecimal digits as 32 bytes. */
static void code_digest(struct snapshot_codec *codec, char *digest)
{
    static const char HEX[] = "0123456789abcdef";
    for (size_t i = 0; i < SNAPSHOT_DIGEST_BYTES; i++) {
        uint64_t byte = 0;
        for (size_t d = 0; codec->put != NULL && d < 2; d++)
            byte = byte << 4 | (uint64_t)(strchr(HEX, digest[2 * i + d]) - HEX);
        code_bytes(codec, &byte, 1);
        digest[2 * i] = HEX[byte >> 4];
        digest[2 * i + 1] = HEX[byte & 15];
    }
    digest[(size_t)2 * SNAPSHOT_DIGEST_BYTES] = '\0';
}

void prm_snapshot_code_head(struct snapshot_codec *codec, struct prm_snapshot *snapshot)
{
    struct prm_snapshot_info *info = &snapshot->info;
    uint32_t mark = BYTE_ORDER_MARK, sections = SECTION_COUNT;

    for (size_t i = 0; i < sizeof(MAGIC); i++) {
        uint64_t byte = MAGIC[i];
        code_bytes(codec, &byte, 1);
        codec->failed |= byte != MAGIC[i];
    }
    code_u32(codec, &mark);
    code_u32(codec, &info->format);
    // what follows is this version's
    if (mark != BYTE_ORDER_MARK)
        info->format = 0;
    if (info->format != PRM_SNAPSHOT_FORMAT)
        return;
    code_u64(codec, &info->bytes);
    code_u32(codec, &info->dof);
    code_u32(codec, &info->milestone_count);
    code_u32(codec, &info->edge_count);
    code_u32(codec, &sections);
    codec->failed |= sections != SECTION_COUNT;
    for (int c = 0; c < 3; c++)
        code_f64(codec, &info->center[c]);
    code_digest(codec, info->digest);
    for (int s = 0; s < SECTION_COUNT; s++)
        code_u64(codec, &snapshot->section_bytes[s]);
}

static void code_coordinate(struct snapshot_codec *codec, struct prm_coordinate *coordinate)
{
    uint32_t kind = coordinate->kind;
    code_choice(codec, &kind, PRM_COORDINATE_QUATERNION + 1);
    coordinate->kind = (enum prm_coordinate_kind)kind;
    code_bool(codec, &coordinate->limited);
    code_f64(codec, &coordinate->lower);
    code_f64(codec, &coordinate->upper);
    code_f64(codec, &coordinate->weight);
    code_f64(codec, &coordinate->origin);
}

static void code_params(struct snapshot_codec *codec, struct prm_roadmap_params *params)
{
    uint32_t sample_method = params->sample_method, neighbor_method = params->neighbor_method,
             edge_check = params->edge_check;

    code_u64(codec, &params->seed);
    code_u32(codec, &params->sample_count);
    code_choice(codec, &sample_method, PRM_SAMPLE_MIX + 1);
    for (int m = 0; m < PRM_SAMPLE_MIXABLE; m++)
        code_f64(codec, &params->sample_shares[m]);
    code_u32(codec, &params->anchor_count);
    code_f64(codec, &params->anchor_share);
    code_f64(codec, &params->lattice_spacing);
    code_choice(codec, &neighbor_method, PRM_NEIGHBOR_TILES + 1);
    code_u32(codec, &params->k);
    code_f64(codec, &params->radius);
    code_u32(codec, &params->tables);
    code_u32(codec, &params->projections);
    code_f64(codec, &params->width);
    code_f64(codec, &params->target_recall);
    code_choice(codec, &edge_check, PRM_EDGE_SAMPLED + 1);
    code_u32(codec, &params->milestones_max);
    code_u32(codec, &params->lattice_cells_max);
    code_f64(codec, &params->edge_resolution);
    params->sample_method = (enum prm_sample_method)sample_method;
    params->neighbor_method = (enum prm_neighbor_method)neighbor_method;
    params->edge_check = (enum prm_edge_check)edge_check;
}

static void code_statistics(struct snapshot_codec *codec, struct prm_snapshot *snapshot)
{
    struct prm_roadmap_statistics *statistics = &snapshot->statistics;
    uint32_t method = statistics->neighbor_method;

    code_u64(codec, &statistics->samples_drawn);
    code_number(codec, &statistics->free_fraction, true);
    for (int s = 0; s < PRM_SAMPLE_SOURCES; s++) {
        code_u32(codec, &statistics->samples[s].wanted);
        code_u32(codec, &statistics->samples[s].kept);
        code_u64(codec, &statistics->samples[s].drawn);
    }
    code_choice(codec, &method, PRM_NEIGHBOR_TILES + 1);
    statistics->neighbor_method = (enum prm_neighbor_method)method;
    code_u32(codec, &statistics->tables);
    code_u32(codec, &statistics->projections);
    code_f64(codec, &statistics->width);
    code_number(codec, &statistics->recall, true);
    code_u32(codec, &statistics->recall_samples);
    code_u32(codec, &statistics->cuckoo_attempts);
    code_f64(codec, &statistics->margin);
    code_choice(codec, &statistics->stage_count, PRM_STAGES_MAX + 1);
    for (uint32_t s = 0; s < statistics->stage_count; s++) {
        code_text(codec, snapshot->stage_names[s], sizeof(snapshot->stage_names[s]));
        code_f64(codec, &statistics->stages[s].milliseconds);
    }
}

void prm_snapshot_code_facts(struct snapshot_codec *codec, struct prm_snapshot *snapshot)
{
    uint32_t kind = snapshot->robot_kind;

    code_choice(codec, &kind, PRM_ROBOT_ARM + 1);
    snapshot->robot_kind = (enum prm_robot_kind)kind;
    for (uint32_t c = 0; c < snapshot->info.dof; c++)
        code_coordinate(codec, &snapshot->space.coordinates[c]);
    code_params(codec, &snapshot->params);
    code_f64(codec, &snapshot->weight_scale);
    code_statistics(codec, snapshot);
}

void prm_snapshot_put_words(unsigned char *bytes, const void *words, size_t count)
{
    const unsigned char *at = words;
    for (size_t i = 0; i < count; i++, at += 4, bytes += 4) {
        uint32_t word;
        memcpy(&word, at, sizeof(word));
        for (size_t b = 0; b < 4; b++)
            bytes[b] = (unsigned char)(word >> (8 * b));
    }
}

void prm_snapshot_take_words(void *words, const unsigned char *bytes, size_t count)
{
    unsigned char *at = words;
    for (size_t i = 0; i < count; i++, at += 4, bytes += 4) {
        const uint32_t word = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
                              (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
        memcpy(at, &word, sizeof(word));
    }
}

enum prm_status prm_snapshot_sum(unsigned char *sum, const unsigned char *bytes, size_t size)
{
    unsigned int length = 0;
    if (EVP_Digest(bytes, size, sum, &length, EVP_sha256(), NULL) != 1 ||
        length != SNAPSHOT_DIGEST_BYTES)
        return prm_fault_set(PRM_UNSUPPORTED, "SHA-256 is not available");
    return PRM_OK;
}
