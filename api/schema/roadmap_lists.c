#include "schema/roadmap_lists.h"

#include "schema/world.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_DIGITS = 17, PAIR = 2 };

/* Room for all that the lists may hold, right or wrong. false: no memory. */
static bool make_room(struct roadmap_document *roadmap, const json_t *anchors, const json_t *allow)
{
    size_t numbers = 0, bytes = 0, i, k;
    const char *key;
    json_t *element, *name, *value;
    json_array_foreach(anchors, i, element)
    {
        numbers += json_is_object(element) ? json_object_size(element) : json_array_size(element);
        json_object_foreach(element, key, value) bytes += strlen(key) + 1;
    }
    json_array_foreach(allow, i, element) json_array_foreach(element, k, name) bytes +=
        json_string_length(name) + 1;
    roadmap->anchors = calloc(json_array_size(anchors) + 1, sizeof(*roadmap->anchors));
    roadmap->allowed = calloc(json_array_size(allow) + 1, sizeof(*roadmap->allowed));
    roadmap->numbers = calloc(numbers + 1, sizeof(*roadmap->numbers));
    roadmap->names = calloc(bytes + 1, 1);
    return roadmap->anchors && roadmap->allowed && roadmap->numbers && roadmap->names;
}

/* Keeps a name; its place. */
static size_t keep_name(struct roadmap_document *roadmap, const char *name)
{
    const size_t place = roadmap->name_bytes, bytes = strlen(name) + 1;
    memcpy(roadmap->names + place, name, bytes);
    roadmap->name_bytes += bytes;
    return place;
}

static void read_anchor(struct roadmap_document *roadmap, const struct json_node *node,
                        const struct limits *limits)
{
    struct roadmap_anchor *anchor = &roadmap->anchors[roadmap->anchor_count++];
    const bool named = json_is_object(node->json);
    const size_t count = named ? json_object_size(node->json) : json_array_size(node->json);
    const char *key;
    json_t *value;

    *anchor = (struct roadmap_anchor){.first = roadmap->number_count, .names = ROADMAP_UNNAMED};
    if (!named && !json_is_array(node->json)) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT,
                        "must be a state: an array of numbers, or an object by coordinate name");
        return;
    }
    if (count > limits->dof) {
        json_node_over(node, limits, LIMIT_dof, "coordinates");
        return;
    }
    anchor->count = (uint32_t)count;
    for (size_t i = 0; i < count && !named; i++) {
        struct json_node number = json_node_element(node, i);
        json_node_number(&number, JSON_ANY, &roadmap->numbers[roadmap->number_count++]);
    }
    if (named)
        anchor->names = roadmap->name_bytes;
    json_object_foreach(named ? node->json : NULL, key, value)
    {
        struct json_node number = json_node_member(node, key);
        keep_name(roadmap, key);
        json_node_number(&number, JSON_ANY, &roadmap->numbers[roadmap->number_count++]);
    }
}

static void read_allowed(struct roadmap_document *roadmap, const struct json_node *node)
{
    struct roadmap_allowed *pair = &roadmap->allowed[roadmap->allowed_count++];
    struct json_node link = json_node_element(node, 0), obstacle = json_node_element(node, 1);
    const char *name;
    if (json_array_size(node->json) != PAIR) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT,
                        "must be a pair: a link, or \"body\", and an obstacle's id");
        return;
    }
    if (json_node_string(&link, OBSTACLE_ID_BYTES_MAX, &name))
        pair->link = keep_name(roadmap, name);
    if (json_node_string(&obstacle, OBSTACLE_ID_BYTES_MAX, &name))
        pair->obstacle = keep_name(roadmap, name);
}

void roadmap_lists_read(struct roadmap_document *roadmap, const struct json_node *root,
                        const struct limits *limits)
{
    struct json_node anchors = json_node_nullable(root, "anchors");
    struct json_node allow = json_node_nullable(root, "allow");
    if (!json_node_array(&anchors) || !json_node_array(&allow))
        return;
    const size_t anchor_count = json_array_size(anchors.json);
    const size_t allow_count = json_array_size(allow.json);
    if (anchor_count > roadmap->count)
        json_node_fault(&anchors, PROBLEM_INVALID_ARGUMENT,
                        "are %zu states, more than samples.count, which is %u", anchor_count,
                        roadmap->count);
    else if (anchor_count > 0 && roadmap->sample_method == SAMPLE_LATTICE)
        json_node_fault(&anchors, PROBLEM_INVALID_ARGUMENT, "do not go with the method lattice");
    else if (allow_count > limits->obstacles)
        json_node_over(&allow, limits, LIMIT_obstacles, "pairs");
    else if (!make_room(roadmap, anchors.json, allow.json))
        json_node_no_memory(root);
    else {
        for (size_t i = 0; i < anchor_count && !json_node_full(&anchors); i++) {
            struct json_node element = json_node_element(&anchors, i);
            read_anchor(roadmap, &element, limits);
        }
        for (size_t i = 0; i < allow_count && !json_node_full(&allow); i++) {
            struct json_node element = json_node_element(&allow, i);
            read_allowed(roadmap, &element);
        }
    }
}

void roadmap_lists_write(const struct roadmap_document *roadmap, struct text *out)
{
    text_json_key(out, "anchors");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < roadmap->anchor_count; i++) {
        const struct roadmap_anchor *anchor = &roadmap->anchors[i];
        const double *numbers = roadmap->numbers + anchor->first;
        if (anchor->names == ROADMAP_UNNAMED) {
            text_json_numbers(out, NULL, numbers, anchor->count);
            continue;
        }
        const char *name = roadmap->names + anchor->names;
        text_json_open(out, '{');
        for (uint32_t c = 0; c < anchor->count; c++, name += strlen(name) + 1)
            text_member_number(out, name, numbers[c], NUMBER_DIGITS);
        text_json_close(out, '}');
    }
    text_json_close(out, ']');

    text_json_key(out, "allow");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < roadmap->allowed_count; i++) {
        text_json_open(out, '[');
        text_json_string(out, roadmap->names + roadmap->allowed[i].link);
        text_json_string(out, roadmap->names + roadmap->allowed[i].obstacle);
        text_json_close(out, ']');
    }
    text_json_close(out, ']');
}

void roadmap_deinit(struct roadmap_document *roadmap)
{
    free(roadmap->anchors);
    free(roadmap->allowed);
    free(roadmap->numbers);
    free(roadmap->names);
    roadmap->anchors = NULL;
    roadmap->allowed = NULL;
    roadmap->numbers = NULL;
    roadmap->names = NULL;
}

/* A copy of `bytes`, or of nothing; NULL: no memory. */
static void *duplicate(const void *from, size_t bytes)
{
    void *to = malloc(bytes + 1);
    if (to && bytes)
        memcpy(to, from, bytes);
    return to;
}

bool roadmap_copy(struct roadmap_document *to, const struct roadmap_document *from)
{
    *to = *from;
    to->anchors = duplicate(from->anchors, from->anchor_count * sizeof(*from->anchors));
    to->allowed = duplicate(from->allowed, from->allowed_count * sizeof(*from->allowed));
    to->numbers = duplicate(from->numbers, from->number_count * sizeof(*from->numbers));
    to->names = duplicate(from->names, from->name_bytes);
    if (to->anchors && to->allowed && to->numbers && to->names)
        return true;
    roadmap_deinit(to);
    return false;
}
