#include "schema/roadmap.h"

#include "schema/json_read.h"
#include "schema/roadmap_lists.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    COUNT_DEFAULT = 10000,
    K_DEFAULT = 16,
    SEED_DEFAULT = 1,
    TABLES_MAX = 64,
    PROJECTIONS_MAX = 8
};
#define RECALL_DEFAULT 0.95
#define ANCHOR_SHARE_DEFAULT 0.1

static const char *const read_only[] = {
    "name",           "revision",   "fingerprint", "created", "updated",  "state",       "digest",
    "world_revision", "statistics", "last_error",  "job",     "warnings", "coordinates", NULL};

/* In the order of their numbers. */
static const struct json_word sample_words[] = {
    {"uniform", SAMPLE_UNIFORM},
    {"halton", SAMPLE_HALTON},
    {"gaussian", SAMPLE_GAUSSIAN},
    {"bridge", SAMPLE_BRIDGE},
    {"obstacle", SAMPLE_OBSTACLE},
    {"lattice", SAMPLE_LATTICE},
    {NULL, 0},
};

static const struct json_word neighbor_words[] = {
    {"auto", NEIGHBOR_AUTO},
    {"lsh", NEIGHBOR_LSH},
    {"exact", NEIGHBOR_EXACT},
    {"tiles", NEIGHBOR_TILES},
    {NULL, 0},
};

static const struct json_word check_words[] = {
    {"certified", EDGE_CERTIFIED}, {"sampled", EDGE_SAMPLED}, {NULL, 0}};

static bool name_char(char c, bool first)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           (!first && (c == '.' || c == '_' || c == '-'));
}

bool name_valid(const char *name)
{
    size_t length = 0;
    for (; name[length]; length++)
        if (length >= NAME_MAX_BYTES || !name_char(name[length], length == 0))
            return false;
    return length > 0;
}

/* A required member that is a resource's name. */
static void read_name(const struct json_node *object, const char *key,
                      char name[NAME_MAX_BYTES + 1])
{
    const char *text = NULL;
    struct json_node node = json_node_member(object, key);
    if (!json_node_required(&node) || !json_node_string(&node, NAME_MAX_BYTES, &text))
        return;
    if (!name_valid(text))
        json_node_fault(&node, PROBLEM_INVALID_ARGUMENT,
                        "must be a name: letters, digits, dots, underscores and hyphens");
    else
        snprintf(name, NAME_MAX_BYTES + 1, "%s", text);
}

/* A method, or an object of methods and their shares. */
static void read_method(struct roadmap_document *roadmap, const struct json_node *samples)
{
    static const char *const methods[] = {"uniform", "halton",   "gaussian",
                                          "bridge",  "obstacle", NULL};
    struct json_node node = json_node_member(samples, "method");
    int method = SAMPLE_UNIFORM;
    if (!json_is_object(node.json)) {
        json_node_word(&node, sample_words, &method);
        roadmap->sample_method = (enum sample_method)method;
        return;
    }

    double sum = 0;
    bool good = json_node_object(&node, methods, NULL);
    for (unsigned m = 0; m < SAMPLE_MIXABLE; m++) {
        struct json_node share = json_node_member(&node, methods[m]);
        good &= json_node_number(&share, JSON_NOT_NEGATIVE, &roadmap->shares[m]);
        sum += roadmap->shares[m];
    }
    if (good && !(sum > 0 && isfinite(sum)))
        json_node_fault(&node, PROBLEM_INVALID_ARGUMENT,
                        "must be shares of methods, of which some are above 0");
    roadmap->sample_method = SAMPLE_MIX;
}

/* A positive number or null, which is 0 here. */
static void read_size(const struct json_node *object, const char *key, double *value)
{
    struct json_node node = json_node_nullable(object, key);
    json_node_number(&node, JSON_POSITIVE, value);
}

static void read_samples(struct roadmap_document *roadmap, const struct json_node *object,
                         const struct limits *limits)
{
    static const char *const members[] = {"count", "method", "spacing", "anchor_share", NULL};
    json_node_object(object, members, NULL);
    if (!json_is_object(object->json))
        return;

    struct json_node count = json_node_member(object, "count");
    json_node_limited(&count, 1, limits, LIMIT_milestones, &roadmap->count);
    read_method(roadmap, object);
    read_size(object, "spacing", &roadmap->spacing);
    if (roadmap->spacing > 0 && roadmap->sample_method != SAMPLE_LATTICE) {
        struct json_node spacing = json_node_member(object, "spacing");
        json_node_fault(&spacing, PROBLEM_INVALID_ARGUMENT, "goes with the method lattice alone");
    }
    struct json_node share = json_node_member(object, "anchor_share");
    if (json_node_number(&share, JSON_NOT_NEGATIVE, &roadmap->anchor_share) &&
        roadmap->anchor_share > 1)
        json_node_fault(&share, PROBLEM_INVALID_ARGUMENT, "must be at most 1");
}

static void read_neighbors(struct roadmap_document *roadmap, const struct json_node *object,
                           const struct limits *limits)
{
    static const char *const members[] = {"method",      "k",     "radius",        "tables",
                                          "projections", "width", "target_recall", NULL};
    json_node_object(object, members, NULL);
    if (!json_is_object(object->json))
        return;

    int method = NEIGHBOR_AUTO;
    struct json_node word = json_node_member(object, "method");
    json_node_word(&word, neighbor_words, &method);
    roadmap->neighbor_method = (enum neighbor_method)method;
    struct json_node k = json_node_member(object, "k");
    json_node_limited(&k, 1, limits, LIMIT_neighbors, &roadmap->k);
    read_size(object, "radius", &roadmap->radius);

    // parameters of lsh; null: chosen by the engine
    struct json_node tables = json_node_nullable(object, "tables");
    json_node_u32(&tables, 1, TABLES_MAX, &roadmap->tables);
    struct json_node projections = json_node_nullable(object, "projections");
    json_node_u32(&projections, 1, PROJECTIONS_MAX, &roadmap->projections);
    read_size(object, "width", &roadmap->width);

    struct json_node recall = json_node_member(object, "target_recall");
    if (json_node_number(&recall, JSON_POSITIVE, &roadmap->target_recall) &&
        roadmap->target_recall > 1)
        json_node_fault(&recall, PROBLEM_INVALID_ARGUMENT, "must be at most 1");
}

static void read_edges(struct roadmap_document *roadmap, const struct json_node *object)
{
    static const char *const members[] = {"check", "resolution", NULL};
    json_node_object(object, members, NULL);
    if (!json_is_object(object->json))
        return;
    int check = EDGE_CERTIFIED;
    struct json_node word = json_node_member(object, "check");
    json_node_word(&word, check_words, &check);
    roadmap->edge_check = (enum edge_check)check;
    read_size(object, "resolution", &roadmap->resolution);
}

bool roadmap_read(struct roadmap_document *roadmap, const char *body, size_t bytes,
                  const struct limits *limits, struct problem *problem)
{
    static const char *const members[] = {"world",   "robot",     "seed",  "allow", "anchors",
                                          "samples", "neighbors", "edges", NULL};
    struct json_body json;
    if (!json_body_begin(&json, body, bytes, problem))
        return false;
    *roadmap = (struct roadmap_document){.seed = SEED_DEFAULT,
                                         .count = COUNT_DEFAULT,
                                         .k = K_DEFAULT,
                                         .anchor_share = ANCHOR_SHARE_DEFAULT,
                                         .target_recall = RECALL_DEFAULT};
    if (roadmap->count > limits->milestones)
        roadmap->count = (uint32_t)limits->milestones;
    if (roadmap->k > limits->neighbors)
        roadmap->k = (uint32_t)limits->neighbors;

    json_node_object(&json.root, members, read_only);
    if (json_is_object(json.root.json)) {
        read_name(&json.root, "world", roadmap->world);
        read_name(&json.root, "robot", roadmap->robot);
        struct json_node seed = json_node_member(&json.root, "seed");
        json_node_u64(&seed, 0, INT64_MAX, &roadmap->seed);

        struct json_node samples = json_node_member(&json.root, "samples");
        read_samples(roadmap, &samples, limits);
        struct json_node neighbors = json_node_member(&json.root, "neighbors");
        read_neighbors(roadmap, &neighbors, limits);
        struct json_node edges = json_node_member(&json.root, "edges");
        read_edges(roadmap, &edges);
        roadmap_lists_read(roadmap, &json.root, limits);
    }

    if (json_body_end(&json))
        return true;
    roadmap_deinit(roadmap);
    return false;
}

/* A number, null where it is 0. */
static void write_optional(const char *key, double value, struct text *out)
{
    text_json_key(out, key);
    if (value > 0)
        text_json_number(out, value, 17);
    else
        text_json_null(out);
}

/* A word, or an object of the shares above 0. */
static void write_method(const struct roadmap_document *roadmap, struct text *out)
{
    if (roadmap->sample_method != SAMPLE_MIX) {
        text_member_string(out, "method", sample_words[roadmap->sample_method].word);
        return;
    }
    text_json_key(out, "method");
    text_json_open(out, '{');
    for (unsigned m = 0; m < SAMPLE_MIXABLE; m++)
        if (roadmap->shares[m] > 0)
            text_member_number(out, sample_words[m].word, roadmap->shares[m], 17);
    text_json_close(out, '}');
}

const char *sample_method_text(enum sample_method method)
{
    return sample_words[method].word;
}

void roadmap_write_members(const struct roadmap_document *roadmap, struct text *out)
{
    text_member_string(out, "world", roadmap->world);
    text_member_string(out, "robot", roadmap->robot);
    text_member_u64(out, "seed", roadmap->seed);

    text_json_key(out, "samples");
    text_json_open(out, '{');
    text_member_u64(out, "count", roadmap->count);
    write_method(roadmap, out);
    write_optional("spacing", roadmap->spacing, out);
    text_member_number(out, "anchor_share", roadmap->anchor_share, 17);
    text_json_close(out, '}');

    text_json_key(out, "neighbors");
    text_json_open(out, '{');
    text_member_string(out, "method", neighbor_words[roadmap->neighbor_method].word);
    text_member_u64(out, "k", roadmap->k);
    write_optional("radius", roadmap->radius, out);
    write_optional("tables", roadmap->tables, out);
    write_optional("projections", roadmap->projections, out);
    write_optional("width", roadmap->width, out);
    text_member_number(out, "target_recall", roadmap->target_recall, 17);
    text_json_close(out, '}');

    text_json_key(out, "edges");
    text_json_open(out, '{');
    text_member_string(out, "check", check_words[roadmap->edge_check].word);
    write_optional("resolution", roadmap->resolution, out);
    text_json_close(out, '}');
    roadmap_lists_write(roadmap, out);
}

bool roadmap_growth_read(uint32_t *count, const char *body, size_t bytes,
                         const struct limits *limits, struct problem *problem)
{
    static const char *const members[] = {"count", NULL};
    json_t *json = json_read(body, bytes, problem);
    if (!json)
        return false;
    struct json_node root = json_node_root(json, problem);
    struct json_node node = json_node_member(&root, "count");
    const bool good = json_node_object(&root, members, NULL) && json_node_required(&node) &&
                      json_node_limited(&node, 1, limits, LIMIT_milestones, count);
    json_decref(json);
    return good;
}
