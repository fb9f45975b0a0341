#include "service/translate.h"

#include "service/translate_robot.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)LIMIT_NEIGHBORS_MAX == (int)PRM_NEIGHBORS_MAX &&
                   (int)LIMIT_DOF_MAX == (int)PRM_DOF_MAX &&
                   (int)LIMIT_LINKS_MAX == (int)PRM_LINKS_MAX &&
                   (int)LIMIT_SPHERES_MAX == (int)PRM_SPHERES_MAX,
               "flags go as far as the engine does");

/* The engine's classes of kernels/types.h by the characters of a map. */
enum cell_class { CELL_BLOCKED, CELL_GROUND, CELL_WATER, CELL_TREES };

static uint8_t cell_translate(char drawn, const struct grid_document *grid)
{
    switch (drawn) {
    case '.':
    case 'G':
    case 'S':
        return CELL_GROUND;
    case 'W':
        return grid->passable_water ? CELL_WATER : CELL_BLOCKED;
    case 'T':
        return grid->passable_trees ? CELL_TREES : CELL_BLOCKED;
    default:
        return CELL_BLOCKED;
    }
}

/* Fills `cells` (width * height), lowest row first, from rows drawn top-down. */
static void grid_translate(struct prm_grid_spec *to, uint8_t *cells,
                           const struct grid_document *grid)
{
    for (size_t y = 0; y < grid->height; y++) {
        const char *drawn = grid->rows + (grid->height - 1 - y) * grid->width;
        for (size_t x = 0; x < grid->width; x++)
            cells[y * grid->width + x] = cell_translate(drawn[x], grid);
    }
    *to = (struct prm_grid_spec){.width = grid->width,
                                 .height = grid->height,
                                 .resolution = grid->resolution,
                                 .cells = cells};
    memcpy(to->origin, grid->origin, sizeof(to->origin));
}

static enum prm_obstacle_kind kind_translate(enum obstacle_type type)
{
    switch (type) {
    case OBSTACLE_SPHERE:
        return PRM_OBSTACLE_SPHERE;
    case OBSTACLE_BOX:
        return PRM_OBSTACLE_BOX;
    case OBSTACLE_CYLINDER:
        return PRM_OBSTACLE_CYLINDER;
    case OBSTACLE_CAPSULE:
        return PRM_OBSTACLE_CAPSULE;
    case OBSTACLE_CIRCLE:
        return PRM_OBSTACLE_CIRCLE;
    case OBSTACLE_RECTANGLE:
        return PRM_OBSTACLE_RECTANGLE;
    case OBSTACLE_POLYGON:
        return PRM_OBSTACLE_POLYGON;
    case OBSTACLE_GRID:
        return PRM_OBSTACLE_GRID;
    case OBSTACLE_BOXES:
        return PRM_OBSTACLE_BOXES;
    case OBSTACLE_POINTS:
        return PRM_OBSTACLE_POINTS;
    case OBSTACLE_MESH:
        return PRM_OBSTACLE_MESH;
    }
    return PRM_OBSTACLE_SPHERE;
}

static struct prm_obstacle obstacle_translate(const struct obstacle_document *from,
                                              double world_padding)
{
    struct prm_obstacle to = {
        .kind = kind_translate(from->type),
        .dynamic = from->dynamic,
        .disabled = !from->enabled,
        .padding = from->has_padding ? from->padding : world_padding,
        .quaternion = {0, 0, sin(from->angle / 2), cos(from->angle / 2)},
        .radius = from->radius,
        .length = from->length,
        .points = from->points,
        .point_count = from->point_count,
        .triangles = from->triangles,
        .triangle_count = from->triangle_count,
        .resolution = from->resolution,
    };
    memcpy(to.center, from->center, sizeof(to.center));
    memcpy(to.size, from->size, sizeof(to.size));
    if (from->has_quaternion || from->has_rpy)
        memcpy(to.quaternion, from->quaternion, sizeof(to.quaternion));
    return to;
}

enum prm_status world_spec_init(struct world_spec *spec, const struct world_document *document)
{
    const uint32_t count = document->obstacle_count;
    size_t cell_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (document->obstacles[i].type == OBSTACLE_GRID)
            cell_count +=
                (size_t)document->obstacles[i].grid.width * document->obstacles[i].grid.height;

    *spec = (struct world_spec){
        .obstacles = calloc(count + 1, sizeof(*spec->obstacles)),
        .cells = malloc(cell_count + 1),
        .spec = {.dimension = document->dimension, .bounded = document->has_bounds},
    };
    if (!spec->obstacles || !spec->cells)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a world of %u obstacles", count);
    memcpy(spec->spec.lower, document->lower, sizeof(spec->spec.lower));
    memcpy(spec->spec.upper, document->upper, sizeof(spec->spec.upper));
    spec->spec.obstacles = spec->obstacles;
    spec->spec.obstacle_count = count;

    uint8_t *cells = spec->cells;
    for (uint32_t i = 0; i < count; i++) {
        const struct obstacle_document *from = &document->obstacles[i];
        spec->obstacles[i] = obstacle_translate(from, document->padding);
        if (from->type == OBSTACLE_GRID) {
            grid_translate(&spec->obstacles[i].grid, cells, &from->grid);
            cells += (size_t)from->grid.width * from->grid.height;
        }
    }
    return PRM_OK;
}

void world_spec_deinit(struct world_spec *spec)
{
    free(spec->obstacles);
    free(spec->cells);
}

enum prm_status difference_spec_init(struct difference_spec *spec,
                                     const struct world_document *before,
                                     const struct world_document *after, const uint32_t *changed,
                                     uint32_t changed_count)
{
    const uint32_t added = after->obstacle_count - before->obstacle_count;
    struct prm_obstacle *obstacles =
        calloc(2 * (size_t)changed_count + added + 1, sizeof(*obstacles));
    *spec = (struct difference_spec){.obstacles = obstacles};
    if (!obstacles)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u obstacles", added);
    struct prm_obstacle *come = obstacles + changed_count;
    for (uint32_t i = 0; i < changed_count; i++) {
        obstacles[i] = obstacle_translate(&before->obstacles[changed[i]], before->padding);
        come[i] = obstacle_translate(&after->obstacles[changed[i]], after->padding);
    }
    for (uint32_t i = 0; i < added; i++)
        come[changed_count + i] =
            obstacle_translate(&after->obstacles[before->obstacle_count + i], after->padding);
    spec->difference = (struct prm_difference){
        .gone = obstacles,
        .come = come,
        .gone_count = changed_count,
        .come_count = changed_count + added,
    };
    return PRM_OK;
}

void difference_spec_deinit(struct difference_spec *spec)
{
    free(spec->obstacles);
    *spec = (struct difference_spec){0};
}

static enum prm_sample_method sample_method_translate(enum sample_method method)
{
    switch (method) {
    case SAMPLE_HALTON:
        return PRM_SAMPLE_HALTON;
    case SAMPLE_GAUSSIAN:
        return PRM_SAMPLE_GAUSSIAN;
    case SAMPLE_BRIDGE:
        return PRM_SAMPLE_BRIDGE;
    case SAMPLE_OBSTACLE:
        return PRM_SAMPLE_OBSTACLE;
    case SAMPLE_LATTICE:
        return PRM_SAMPLE_LATTICE;
    case SAMPLE_MIX:
        return PRM_SAMPLE_MIX;
    case SAMPLE_UNIFORM:
        break;
    }
    return PRM_SAMPLE_UNIFORM;
}

const char *sample_source_text(unsigned source)
{
    if (source == PRM_SAMPLE_TREES)
        return "anchors";
    for (unsigned m = 0; m < SAMPLE_MIXABLE; m++)
        if ((unsigned)sample_method_translate((enum sample_method)m) == source)
            return sample_method_text((enum sample_method)m);
    return sample_method_text(SAMPLE_LATTICE);
}

static enum prm_neighbor_method neighbor_method_translate(enum neighbor_method method)
{
    switch (method) {
    case NEIGHBOR_LSH:
        return PRM_NEIGHBOR_LSH;
    case NEIGHBOR_EXACT:
        return PRM_NEIGHBOR_EXACT;
    case NEIGHBOR_TILES:
        return PRM_NEIGHBOR_TILES;
    case NEIGHBOR_AUTO:
        break;
    }
    return PRM_NEIGHBOR_AUTO;
}

const char *neighbor_method_text(enum prm_neighbor_method method)
{
    switch (method) {
    case PRM_NEIGHBOR_LSH:
        return "lsh";
    case PRM_NEIGHBOR_EXACT:
        return "exact";
    case PRM_NEIGHBOR_TILES:
        return "tiles";
    case PRM_NEIGHBOR_AUTO:
        break;
    }
    return "auto";
}

static uint32_t most_u32(uint64_t limit)
{
    return limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

struct prm_roadmap_params roadmap_translate(const struct roadmap_document *document,
                                            const struct limits *limits)
{
    struct prm_roadmap_params params = {
        .seed = document->seed,
        .sample_count = document->count,
        .sample_method = sample_method_translate(document->sample_method),
        .anchor_share = document->anchor_share,
        .lattice_spacing = document->spacing,
        .neighbor_method = neighbor_method_translate(document->neighbor_method),
        .k = document->k,
        .radius = document->radius,
        .tables = document->tables,
        .projections = document->projections,
        .width = document->width,
        .target_recall = document->target_recall,
        .edge_check = document->edge_check == EDGE_SAMPLED ? PRM_EDGE_SAMPLED : PRM_EDGE_CERTIFIED,
        .edge_resolution = document->resolution,
        .milestones_max = most_u32(limits->milestones),
        .lattice_cells_max = most_u32(limits->grid_cells),
    };
    for (unsigned m = 0; m < SAMPLE_MIXABLE; m++)
        params.sample_shares[sample_method_translate((enum sample_method)m)] = document->shares[m];
    return params;
}

static enum prm_output output_translate(enum plan_output output)
{
    switch (output) {
    case PLAN_NODES:
        return PRM_OUTPUT_NODES;
    case PLAN_COST:
        return PRM_OUTPUT_COST;
    case PLAN_PATH:
        break;
    }
    return PRM_OUTPUT_PATH;
}

/* Samples of trees a query: those asked for, else the default, none on a lattice. */
static uint32_t expand_samples(const struct plan_request *request, uint64_t most,
                               const struct prm_roadmap *roadmap)
{
    if (request->expand_said)
        return request->expand_samples;
    if (roadmap->params.sample_method == PRM_SAMPLE_LATTICE)
        return 0;
    return PLAN_EXPAND_SAMPLES < most ? PLAN_EXPAND_SAMPLES : (uint32_t)most;
}

struct prm_plan_options plan_translate(const struct plan_request *request,
                                       const struct limits *limits,
                                       const struct prm_roadmap *roadmap)
{
    return (struct prm_plan_options){
        .objective = request->objective == PLAN_HOPS ? PRM_OBJECTIVE_HOPS : PRM_OBJECTIVE_LENGTH,
        .output = output_translate(request->output),
        .simplify = request->simplify,
        .interpolate = request->interpolate,
        .connect_k = request->connect_k,
        .connect_radius = request->connect_radius,
        .connect_enough = request->connect_enough,
        .expand_samples = expand_samples(request, limits->expand_samples, roadmap),
        .diagnose = request->diagnose,
        .waypoints_max = limits->waypoints,
    };
}

struct prm_query *queries_translate(const struct plan_request *request)
{
    struct prm_query *queries = calloc((size_t)request->query_count + 1, sizeof(*queries));
    if (!queries)
        return NULL;
    for (uint32_t i = 0; i < request->query_count; i++) {
        const struct plan_query *from = &request->queries[i];
        // an invalid query has no states
        if (from->invalid)
            queries[i].invalid = true;
        else
            queries[i] = (struct prm_query){.start = request->numbers + from->start,
                                            .goals = request->numbers + from->goals,
                                            .goal_count = from->goal_count};
    }
    return queries;
}

static const char *at_text(enum prm_reason_at at)
{
    switch (at) {
    case PRM_AT_GOAL:
        return "goal";
    case PRM_AT_EDGE:
        return "edge";
    case PRM_AT_START:
        break;
    }
    return "start";
}

static const char *kind_text(enum prm_reason_kind kind)
{
    switch (kind) {
    case PRM_REASON_WORLD_COLLISION:
        return "world_collision";
    case PRM_REASON_SELF_COLLISION:
        return "self_collision";
    case PRM_REASON_BOUNDS:
        return "bounds";
    case PRM_REASON_NOT_CONNECTED:
        return "not_connected";
    case PRM_REASON_OTHER_COMPONENT:
        return "other_component";
    case PRM_REASON_NONE:
        break;
    }
    return NULL;
}

struct plan_reason reason_translate(const struct prm_reason *from,
                                    const struct world_document *world,
                                    const struct robot_document *robot,
                                    const char *const *coordinates, uint32_t dof)
{
    const bool of_self = from->kind == PRM_REASON_SELF_COLLISION;
    const bool collision = from->kind == PRM_REASON_WORLD_COLLISION || of_self;
    const bool bounds = from->kind == PRM_REASON_BOUNDS && from->coordinate < dof;
    const bool of_goal = from->at == PRM_AT_GOAL;
    return (struct plan_reason){
        .at = at_text(from->at),
        .kind = bounds && robot->type == ROBOT_ARM ? "joint_limit" : kind_text(from->kind),
        .goal_index = of_goal ? from->goal_index : UINT32_MAX,
        .link = collision ? robot_link_text(robot, from->link) : NULL,
        .sphere = from->sphere,
        .other_link = of_self ? robot_link_text(robot, from->other_link) : NULL,
        .obstacle = collision && !of_self && from->obstacle < world->obstacle_count
                        ? world->obstacles[from->obstacle].id
                        : NULL,
        .depth = collision ? from->depth : NAN,
        .coordinate = bounds ? coordinates[from->coordinate] : NULL,
        .value = bounds ? from->value : NAN,
        .limit = bounds ? from->limit : NAN,
        .start_component_size =
            from->start_component_size ? from->start_component_size : UINT32_MAX,
        .goal_component_size = from->goal_component_size ? from->goal_component_size : UINT32_MAX,
    };
}

struct plan_result result_translate(const struct prm_plan_result *result,
                                    const struct world_document *world,
                                    const struct robot_document *robot,
                                    const char *const *coordinates, uint32_t dof)
{
    _Static_assert((int)PRM_SOLVED == (int)PLAN_STATUS_SOLVED &&
                       (int)PRM_INVALID_QUERY == (int)PLAN_STATUS_INVALID_QUERY,
                   "the engine's statuses are the wire's, in its order");
    return (struct plan_result){
        .status = (enum plan_status)result->status,
        .expanded = result->expanded,
        .length = result->length,
        .hops = result->hops,
        .goal_index = result->goal_index,
        .waypoint_first = result->waypoint_first,
        .waypoint_count = result->waypoint_count,
        .node_first = result->node_first,
        .node_count = result->node_count,
        .reason = reason_translate(&result->reason, world, robot, coordinates, dof),
    };
}

/* What an engine status is on the wire. */
static enum problem_code status_translate(enum prm_status status)
{
    switch (status) {
    case PRM_OK:
        return PROBLEM_NONE;
    case PRM_INVALID_ARGUMENT:
        return PROBLEM_INVALID_ARGUMENT;
    case PRM_LIMIT_EXCEEDED:
        return PROBLEM_LIMIT_EXCEEDED;
    case PRM_UNSUPPORTED:
        return PROBLEM_UNSUPPORTED;
    case PRM_NO_FREE_SPACE:
        return PROBLEM_WORLD_WITHOUT_FREE_SPACE;
    case PRM_CANCELLED:
        return PROBLEM_CANCELLED;
    case PRM_HOST_MEMORY:
        return PROBLEM_NO_MEMORY;
    case PRM_DEVICE_MEMORY:
        return PROBLEM_DEVICE_MEMORY;
    case PRM_DEVICE_FAILED:
    case PRM_NO_DEVICE:
        return PROBLEM_INTERNAL;
    }
    return PROBLEM_INTERNAL;
}

void problem_add_status(struct problem *problem, enum prm_status status)
{
    const struct prm_fault *from = prm_fault_last();
    struct problem_fault *fault =
        problem_add(problem, status_translate(status), "%s", from->detail);
    if (from->parameter) {
        fault->has_pointer = true;
        if (from->element == PRM_NO_ELEMENT)
            snprintf(fault->pointer, sizeof(fault->pointer), "/%s", from->parameter);
        else
            snprintf(fault->pointer, sizeof(fault->pointer), "/%s/%" PRIu64, from->parameter,
                     from->element);
    }
    if (from->limit > 0)
        snprintf(fault->limit, sizeof(fault->limit), "%.17g", from->limit);
    for (unsigned i = 0; from->limit_name && i < LIMIT_COUNT; i++)
        if (strcmp(from->limit_name, limit_table[i].member) == 0)
            snprintf(fault->flag, sizeof(fault->flag), "%s", limit_table[i].flag);
}
