/* Plan requests and answers: wire document <-> plain struct (api page, section 6). */
#ifndef SCHEMA_PLAN_H
#define SCHEMA_PLAN_H

#include "schema/limits.h"
#include "schema/overlay.h"
#include "schema/problem.h"

enum plan_objective { PLAN_LENGTH, PLAN_HOPS };
enum plan_output { PLAN_PATH, PLAN_NODES, PLAN_COST };

/* Samples of trees a query, where a request says nothing and the roadmap is no lattice. */
enum { PLAN_EXPAND_SAMPLES = 1000 };

/* Bytes of a query's id. */
enum { PLAN_ID_BYTES_MAX = 128 };

/* A query as sent. States are indices into the request's numbers. An invalid query keeps why, and
 * has no states. */
struct plan_query {
    char *id_json; /* the id as JSON text to echo, owned; NULL: none */
    bool invalid;
    char *invalid_detail;   /* owned; in words */
    const char *invalid_at; /* "start" or "goal" of the wrong count of numbers; NULL: other */
    uint32_t invalid_goal;  /* which goal then */
    size_t start;           /* of double[dof] in `numbers` */
    size_t goals;           /* of double[goal_count][dof] */
    uint32_t goal_count;
};

struct plan_request {
    struct plan_query *queries; /* owned */
    uint32_t query_count;
    double *numbers; /* owned */
    size_t number_count;
    enum plan_objective objective;
    enum plan_output output;
    bool simplify, allow_stale, diagnose;
    bool single_precision;              /* the numbers came as float32 */
    double deadline_ms;                 /* after the request came; 0: none */
    double interpolate;                 /* 0: none */
    uint32_t connect_k, connect_enough; /* 0: default */
    double connect_radius;              /* 0: default */
    bool expand_said;                   /* whether the next is what was asked for */
    uint32_t expand_samples;            /* 0: no trees */
    struct overlay_document overlay;    /* owned */
};

/* Parses a body for a roadmap with these coordinates. A query that is wrong in itself is marked
 * invalid; all else that is wrong fails the request. false: nothing is left to deinit. */
bool plan_request_read(struct plan_request *request, const char *body, size_t bytes,
                       const char *const *coordinates, uint32_t dof, const struct limits *limits,
                       struct problem *problem);

/* A parameter of the URL. */
struct plan_parameter {
    const char *key, *value;
};

/* The same from an .npy file of starts and goals, float32 or float64 (Q, 2, dof), with the options
 * as parameters by their JSON names, "connect.k". plan_bulk.c */
bool plan_request_read_npy(struct plan_request *request, const char *body, size_t bytes,
                           const struct plan_parameter *parameters, unsigned parameter_count,
                           uint32_t dof, const struct limits *limits, struct problem *problem);

void plan_request_deinit(struct plan_request *request);

/* Parses a state from URL text "1,2,3"; false where it is not dof numbers. */
bool plan_state_parse(double *state, const char *text, uint32_t dof);

/* ---- answers ---- */

/* Query statuses: X(constant, wire text), numbered from 0 in the wire's order. */
#define PLAN_STATUSES(X)                                                                           \
    X(SOLVED, "solved")                                                                            \
    X(NO_PATH, "no_path")                                                                          \
    X(START_OUT_OF_BOUNDS, "start_out_of_bounds")                                                  \
    X(GOAL_OUT_OF_BOUNDS, "goal_out_of_bounds")                                                    \
    X(START_IN_COLLISION, "start_in_collision")                                                    \
    X(GOAL_IN_COLLISION, "goal_in_collision")                                                      \
    X(START_NOT_CONNECTED, "start_not_connected")                                                  \
    X(GOAL_NOT_CONNECTED, "goal_not_connected")                                                    \
    X(DEADLINE_EXCEEDED, "deadline_exceeded")                                                      \
    X(CANCELLED, "cancelled")                                                                      \
    X(INVALID_QUERY, "invalid_query")

enum plan_status {
#define X(constant, text) PLAN_STATUS_##constant,
    PLAN_STATUSES(X)
#undef X
        PLAN_STATUS_COUNT
};

const char *plan_status_text(enum plan_status status);

/* Why a query was not solved. Pointers are borrowed; NULL, NaN and UINT32_MAX leave a member out.
 */
struct plan_reason {
    const char *at, *kind; /* wire words; kind NULL: no reason */
    uint32_t goal_index;
    const char *link;     /* of the robot, NULL: it has none */
    uint32_t sphere;      /* of the link; where there is one */
    const char *obstacle; /* its id */
    const char *other_link;
    double depth;
    const char *coordinate;
    double value, limit;
    uint32_t start_component_size, goal_component_size;
};

/* Writes the member "reason", of a kind, with the members that it has. */
void plan_reason_write(const struct plan_reason *reason, struct text *out);

struct plan_result {
    enum plan_status status;
    bool expanded; /* solved, by growing trees */
    double length;
    uint32_t hops, goal_index;
    size_t waypoint_first, waypoint_count; /* rows of the answer's waypoints */
    size_t node_first, node_count;
    struct plan_reason reason;
};

struct plan_warning {
    const char *code;
    char detail[160];
    int64_t query; /* index, or negative: the whole request */
};

struct plan_times {
    double queue_ms, parse_ms, overlay_ms, connect_ms, expand_ms, search_ms, extract_ms,
        simplify_ms, total_ms;
};

/* Writes the members "warnings", where there are some, and "timing_ms". */
void plan_warnings_write(const struct plan_warning *warnings, uint32_t count, struct text *out);
void plan_times_write(const struct plan_times *times, double write_ms, struct text *out);

/* All that an answer says; everything is borrowed. `write` time is filled in by the writer. */
struct plan_answer {
    const char *roadmap, *fingerprint;
    uint64_t revision, world_revision;
    const char *const *coordinates;
    uint32_t dof;
    const struct plan_request *request; /* ids */
    const struct plan_result *results;  /* [request->query_count] */
    const double *waypoints;            /* [][dof] */
    const uint32_t *nodes;
    const struct plan_warning *warnings;
    uint32_t warning_count;
    struct plan_times times;
};

/* Appends the answer document. The first way-point is the query's start and the last its goal,
 * exactly as sent but for whole turns; those between are written to nine decimals (ten
 * digits where they are below 1), which is finer than float32 in any local frame. */
void plan_answer_write(const struct plan_answer *answer, struct text *out);

/* Appends the answer as an .npz archive: status u8, length f64 (NaN: unsolved), hops and goal_index
 * u32, offsets u64[Q + 1] of each query's rows of waypoints, which are as precise as the request's
 * numbers; with output nodes also node_offsets u64[Q + 1] and nodes u32. plan_bulk.c */
void plan_answer_write_npz(const struct plan_answer *answer, struct text *out);

#endif
