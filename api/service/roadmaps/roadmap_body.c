/* The roadmap resource as its GET shows it: parameters, state, statistics, warnings. */
#include "service/internal.h"
#include "service/roadmaps/roadmaps.h"
#include "service/translate.h"

#include <math.h>
#include <stdio.h>

enum { SHARE_DIGITS = 6, TIME_DIGITS = 5 };

/* Equal bins from 0 to `max`. */
static void write_histogram(const char *key, const uint32_t *counts, double max, struct text *out)
{
    text_json_key(out, key);
    text_json_open(out, '{');
    text_member_number(out, "min", 0, 1);
    text_member_number(out, "max", max, SHARE_DIGITS);
    text_json_key(out, "counts");
    text_json_open(out, '[');
    for (unsigned i = 0; i < PRM_HISTOGRAM_BINS; i++)
        text_json_u64(out, counts[i]);
    text_json_close(out, ']');
    text_json_close(out, '}');
}

/* What the neighbour search was, and how well it did. */
static void write_neighbors(const struct prm_roadmap_statistics *statistics, struct text *out)
{
    text_json_key(out, "neighbors");
    text_json_open(out, '{');
    text_member_string(out, "method", neighbor_method_text(statistics->neighbor_method));
    if (statistics->neighbor_method == PRM_NEIGHBOR_LSH) {
        text_member_u64(out, "tables", statistics->tables);
        text_member_u64(out, "projections", statistics->projections);
        text_member_number(out, "width", statistics->width, SHARE_DIGITS);
    }
    text_json_close(out, '}');
    text_member_number(out, "recall", statistics->recall, SHARE_DIGITS);
    text_member_u64(out, "recall_samples", statistics->recall_samples);
    text_member_u64(out, "cuckoo_attempts", statistics->cuckoo_attempts);
}

/* What was drawn and kept of each source of samples that was asked for. */
static void write_samples(const struct prm_roadmap_statistics *statistics, struct text *out)
{
    text_json_key(out, "samples");
    text_json_open(out, '{');
    for (unsigned s = 0; s < PRM_SAMPLE_SOURCES; s++) {
        const struct prm_sample_count *count = &statistics->samples[s];
        if (count->wanted == 0 && count->drawn == 0)
            continue;
        text_json_key(out, sample_source_text(s));
        text_json_open(out, '{');
        text_member_u64(out, "wanted", count->wanted);
        text_member_u64(out, "kept", count->kept);
        text_member_u64(out, "drawn", count->drawn);
        text_json_close(out, '}');
    }
    text_json_close(out, '}');
}

static void write_statistics(const struct model *model, struct text *out)
{
    const struct prm_roadmap_statistics *statistics = &model->topology->roadmap->statistics;
    const struct prm_validity *validity = model->validity;
    const double milestones = model->topology->roadmap->milestone_count;

    text_json_open(out, '{');
    text_member_u64(out, "samples_drawn", statistics->samples_drawn);
    text_member_number(out, "free_fraction", statistics->free_fraction, SHARE_DIGITS);
    write_samples(statistics, out);
    text_member_u64(out, "milestones", statistics->milestones);
    text_member_u64(out, "edges", validity->valid_edges);
    text_member_u64(out, "candidate_edges", statistics->candidate_edges);
    text_member_u64(out, "components", validity->component_count);
    text_member_u64(out, "largest_component", validity->largest_size);
    text_member_number(out, "largest_component_share", validity->largest_size / fmax(milestones, 1),
                       SHARE_DIGITS);
    write_histogram("degree_histogram", validity->degree_histogram, validity->degree_max, out);
    write_histogram("edge_length_histogram", validity->length_histogram, validity->length_max, out);
    write_neighbors(statistics, out);
    text_json_key(out, "stages_ms");
    text_json_open(out, '{');
    for (uint32_t i = 0; i < statistics->stage_count; i++)
        text_member_number(out, statistics->stages[i].name, statistics->stages[i].milliseconds,
                           TIME_DIGITS);
    text_json_close(out, '}');
    text_member_number(out, "margin", statistics->margin, SHARE_DIGITS);
    text_member_u64(out, "device_bytes", statistics->device_bytes);
    text_member_u64(out, "host_bytes", statistics->host_bytes);
    text_json_close(out, '}');
}

/* What the roadmap's states are made of, and its digest. */
static void write_identity(const struct model *model, struct text *out)
{
    if (model) {
        text_json_strings(out, "coordinates", model->topology->coordinates,
                          model->topology->roadmap->space.dof);
    }
    text_json_key(out, "digest");
    if (model)
        text_json_string(out, model->topology->roadmap->digest);
    else
        text_json_null(out);
}

/* Methods that ended before they had found their part. */
static void write_ended(const struct prm_roadmap_statistics *statistics, struct text *out)
{
    char detail[PROBLEM_DETAIL_MAX];
    for (unsigned s = 0; s < PRM_SAMPLE_SOURCES; s++) {
        const struct prm_sample_count *count = &statistics->samples[s];
        if (s == PRM_SAMPLE_UNIFORM || count->kept >= count->wanted)
            continue;
        snprintf(detail, sizeof(detail),
                 "of %u milestones %s found %u; uniform samples took the places of the others",
                 count->wanted, sample_source_text(s), count->kept);
        warning_write("few_samples", detail, out);
    }
}

static void write_warnings(const struct roadmap_version *roadmap, bool robot_changed,
                           struct text *out)
{
    const struct roadmap_document *document = &roadmap->document;
    char detail[PROBLEM_DETAIL_MAX];
    text_json_open(out, '[');
    world_write_warnings(roadmap->world, out);
    if (roadmap->state == ROADMAP_STALE)
        warning_write("stale",
                      "the world's dimension, bounds or grid have changed since; build it anew",
                      out);
    if (robot_changed)
        warning_write("robot_changed",
                      "the robot of this name has changed since; build the roadmap anew", out);
    if (roadmap->model) {
        const struct prm_roadmap_statistics *statistics =
            &roadmap->model->topology->roadmap->statistics;
        if (document->sample_method != SAMPLE_LATTICE && statistics->milestones < document->count) {
            snprintf(detail, sizeof(detail), "%u milestones were found of %u wanted",
                     statistics->milestones, document->count);
            warning_write("few_milestones", detail, out);
        }
        write_ended(statistics, out);
        if (statistics->recall < document->target_recall) {
            snprintf(detail, sizeof(detail),
                     "the neighbour search found %.2f of the true neighbours, %.2f were wanted",
                     statistics->recall, document->target_recall);
            warning_write("low_recall", detail, out);
        }
    }
    text_json_close(out, ']');
}

void roadmap_write(const char *name, const struct roadmap_version *roadmap,
                   const struct roadmap_around *around, struct text *out)
{
    text_json_open(out, '{');
    version_write_members(name, &roadmap->version, out);
    text_member_string(out, "state", roadmap_state_texts[roadmap->state]);
    roadmap_write_members(&roadmap->document, out);
    text_member_u64(out, "world_revision", roadmap->world->version.revision);
    write_identity(roadmap->model, out);
    text_json_key(out, "job");
    if (*around->job)
        text_json_string(out, around->job);
    else
        text_json_null(out);
    text_json_key(out, "last_error");
    job_write_error(&roadmap->last_error, out);
    text_json_key(out, "statistics");
    if (roadmap->model)
        write_statistics(roadmap->model, out);
    else
        text_json_null(out);
    text_json_key(out, "warnings");
    write_warnings(roadmap, around->robot_changed, out);
    text_json_close(out, '}');
}
