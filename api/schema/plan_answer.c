#include "schema/plan.h"

#include "schema/clock.h"
#include "schema/decimal.h"

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

/* Answers are mostly way-points: they are written in place. States that were checked are finite. */
static void write_waypoints(const struct plan_answer *answer, const struct plan_result *result,
                            struct text *out)
{
    const uint32_t dof = answer->dof;
    const size_t row_bytes = dof * ((size_t)DECIMAL_BYTES_MAX + 1) + sizeof ",[]";
    const double *state = answer->waypoints + result->waypoint_first * dof;
    for (size_t i = 0; i < result->waypoint_count; i++, state += dof) {
        const bool exact = i == 0 || i + 1 == result->waypoint_count;
        char *const room = text_room(out, row_bytes), *at = room;
        if (!room)
            return;
        if (i > 0)
            *at++ = ',';
        for (uint32_t c = 0; c < dof; c++) {
            *at++ = c > 0 ? ',' : '[';
            at += decimal_write(at, state[c], exact ? EXACT : waypoint_digits(state[c]));
        }
        *at++ = ']';
        out->length += (size_t)(at - room);
    }
}

static void write_solution(const struct plan_answer *answer, const struct plan_result *result,
                           struct text *out)
{
    if (answer->request->output != PLAN_COST) {
        text_literal(out, ",\"path\":[");
        write_waypoints(answer, result, out);
        text_literal(out, "]");
    }
    if (answer->request->output == PLAN_NODES) {
        text_literal(out, ",\"nodes\":[");
        for (size_t i = 0; i < result->node_count; i++)
            text_json_u64(out, answer->nodes[result->node_first + i]);
        text_literal(out, "]");
    }
    text_literal(out, ",\"length\":");
    text_json_number(out, result->length, EXACT);
    text_literal(out, ",\"hops\":");
    text_json_u64(out, result->hops);
    text_literal(out, ",\"goal_index\":");
    text_json_u64(out, result->goal_index);
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
        text_literal(out, "\"id\":");
        text_append(out, query->id_json, strlen(query->id_json));
        text_literal(out, ",");
    }
    const char *status = plan_status_text(result->status);
    text_literal(out, "\"status\":\"");
    text_append(out, status, strlen(status));
    text_literal(out, "\"");
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
