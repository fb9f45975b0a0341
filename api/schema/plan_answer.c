#include "schema/plan.h"

#include "schema/clock.h"

#include <math.h>
#include <string.h>

/* Digits of a way-point below 10; each decade above has one more, so that all have nine decimals.
 */
enum { EXACT = 17, WAYPOINT_DIGITS = 10 };

static const char *const status_texts[PLAN_STATUS_COUNT] = {
#define X(constant, text) text,
    PLAN_STATUSES(X)
#undef X
};

const char *plan_status_text(enum plan_status status)
{
    return status_texts[status];
}

/* ---- a result ---- */

static int waypoint_digits(double value)
{
    int digits = WAYPOINT_DIGITS;
    for (double decade = 10; digits < EXACT && fabs(value) >= decade; decade *= 10)
        digits++;
    // 17 would ask for the exact value, which is no finer here
    return digits < EXACT ? digits : EXACT - 1;
}

static void write_path(const struct plan_answer *answer, const struct plan_result *result,
                       struct text *out)
{
    const uint32_t dof = answer->dof;
    const size_t last = result->waypoint_count - 1;

    text_json_key(out, "path");
    text_json_open(out, '[');
    for (size_t i = 0; i < result->waypoint_count; i++) {
        const double *state = answer->waypoints + (result->waypoint_first + i) * dof;
        if (i == 0 || i == last) {
            text_json_numbers(out, NULL, state, dof);
        } else {
            text_json_open(out, '[');
            for (uint32_t c = 0; c < dof; c++)
                text_json_number(out, state[c], waypoint_digits(state[c]));
            text_json_close(out, ']');
        }
    }
    text_json_close(out, ']');
}

static void write_solution(const struct plan_answer *answer, const struct plan_result *result,
                           struct text *out)
{
    if (answer->request->output != PLAN_COST)
        write_path(answer, result, out);
    if (answer->request->output == PLAN_NODES) {
        text_json_key(out, "nodes");
        text_json_open(out, '[');
        for (size_t i = 0; i < result->node_count; i++)
            text_json_u64(out, answer->nodes[result->node_first + i]);
        text_json_close(out, ']');
    }
    text_member_number(out, "length", result->length, EXACT);
    text_member_u64(out, "hops", result->hops);
    text_member_u64(out, "goal_index", result->goal_index);
    if (result->expanded)
        text_member_bool(out, "expanded", true);
}

void plan_reason_write(const struct plan_reason *reason, struct text *out)
{
    text_json_key(out, "reason");
    text_json_open(out, '{');
    if (reason->at)
        text_member_string(out, "at", reason->at);
    if (reason->goal_index != UINT32_MAX)
        text_member_u64(out, "goal_index", reason->goal_index);
    text_member_string(out, "kind", reason->kind);
    if (reason->link) {
        text_member_string(out, "link", reason->link);
        text_member_u64(out, "sphere", reason->sphere);
    }
    if (reason->obstacle)
        text_member_string(out, "obstacle", reason->obstacle);
    if (reason->other_link)
        text_member_string(out, "other_link", reason->other_link);
    if (reason->coordinate)
        text_member_string(out, "coordinate", reason->coordinate);
    if (!isnan(reason->value))
        text_member_number(out, "value", reason->value, EXACT);
    if (!isnan(reason->limit))
        text_member_number(out, "limit", reason->limit, EXACT);
    if (!isnan(reason->depth))
        text_member_number(out, "depth", reason->depth, WAYPOINT_DIGITS);
    if (reason->start_component_size != UINT32_MAX)
        text_member_u64(out, "start_component_size", reason->start_component_size);
    if (reason->goal_component_size != UINT32_MAX)
        text_member_u64(out, "goal_component_size", reason->goal_component_size);
    text_json_close(out, '}');
}

/* Why the query itself is not one. */
static void write_invalid(const struct plan_query *query, struct text *out)
{
    if (query->invalid_detail)
        text_member_string(out, "detail", query->invalid_detail);
    if (!query->invalid_at)
        return;
    bool at_goal = strcmp(query->invalid_at, "goal") == 0;
    struct plan_reason reason = {.at = query->invalid_at,
                                 .kind = "wrong_size",
                                 .goal_index = at_goal ? query->invalid_goal : UINT32_MAX,
                                 .depth = NAN,
                                 .value = NAN,
                                 .limit = NAN,
                                 .start_component_size = UINT32_MAX,
                                 .goal_component_size = UINT32_MAX};
    plan_reason_write(&reason, out);
}

static void write_result(const struct plan_answer *answer, uint32_t index, struct text *out)
{
    const struct plan_query *query = &answer->request->queries[index];
    const struct plan_result *result = &answer->results[index];

    text_json_open(out, '{');
    if (query->id_json) {
        text_json_key(out, "id");
        text_append(out, query->id_json, strlen(query->id_json));
    }
    text_member_string(out, "status", plan_status_text(result->status));
    if (result->status == PLAN_STATUS_SOLVED)
        write_solution(answer, result, out);
    else if (query->invalid)
        write_invalid(query, out);
    else if (result->reason.kind)
        plan_reason_write(&result->reason, out);
    text_json_close(out, '}');
}

/* ---- the whole ---- */

void plan_warnings_write(const struct plan_warning *warnings, uint32_t count, struct text *out)
{
    if (!count)
        return;
    text_json_key(out, "warnings");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        const struct plan_warning *warning = &warnings[i];
        text_json_open(out, '{');
        text_member_string(out, "code", warning->code);
        text_member_string(out, "detail", warning->detail);
        if (warning->query >= 0)
            text_member_u64(out, "query", (uint64_t)warning->query);
        text_json_close(out, '}');
    }
    text_json_close(out, ']');
}

void plan_times_write(const struct plan_times *times, double write_ms, struct text *out)
{
    const struct {
        const char *stage;
        double ms;
    } rows[] = {
        {"queue", times->queue_ms},
        {"parse", times->parse_ms},
        {"overlay", times->overlay_ms},
        {"connect", times->connect_ms},
        {"expand", times->expand_ms},
        {"search", times->search_ms},
        {"extract", times->extract_ms},
        {"simplify", times->simplify_ms},
        {"write", write_ms},
        {"total", times->total_ms},
    };
    enum { TIME_DIGITS = 6 };
    text_json_key(out, "timing_ms");
    text_json_open(out, '{');
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        text_member_number(out, rows[i].stage, rows[i].ms, TIME_DIGITS);
    text_json_close(out, '}');
}

void plan_answer_write(const struct plan_answer *answer, struct text *out)
{
    const double begin = clock_steady();
    text_json_open(out, '{');
    text_member_string(out, "roadmap", answer->roadmap);
    text_member_string(out, "fingerprint", answer->fingerprint);
    text_member_u64(out, "revision", answer->revision);
    text_member_u64(out, "world_revision", answer->world_revision);
    text_json_strings(out, "coordinates", answer->coordinates, answer->dof);

    uint32_t solved = 0;
    text_json_key(out, "results");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < answer->request->query_count; i++) {
        write_result(answer, i, out);
        solved += answer->results[i].status == PLAN_STATUS_SOLVED;
    }
    text_json_close(out, ']');

    text_json_key(out, "summary");
    text_json_open(out, '{');
    text_member_u64(out, "solved", solved);
    text_member_u64(out, "failed", answer->request->query_count - solved);
    text_json_close(out, '}');
    plan_warnings_write(answer->warnings, answer->warning_count, out);
    plan_times_write(&answer->times, 1e3 * (clock_steady() - begin), out);
    text_json_close(out, '}');
}
