/* GET of a roadmap's graph: milestones, candidate edges, which of them the world allows, and the
 * components, as JSON, GraphML or numpy's arrays. */
#include "schema/decimal.h"
#include "schema/npz.h"
#include "service/pictures/svg.h"
#include "service/questions/question.h"

#include <string.h>

enum { STATE_DIGITS = 10, LENGTH_DIGITS = 9 };

enum graph_format { GRAPH_JSON, GRAPH_GRAPHML, GRAPH_NPZ, GRAPH_FORMAT_COUNT };

struct graph {
    struct question question; /* first */
    enum graph_format format;
    struct prm_graph_copy copy;
};

static bool read_format(struct question *question)
{
    static const char *const words[GRAPH_FORMAT_COUNT] = {"json", "graphml", "npz"};
    struct graph *graph = (struct graph *)question;
    const char *format = call_parameter(question->call, "format");
    if (!format)
        return true;
    while (graph->format < GRAPH_FORMAT_COUNT && strcmp(format, words[graph->format]) != 0)
        graph->format++;
    if (graph->format < GRAPH_FORMAT_COUNT)
        return true;
    problem_add(&question->call->problem, PROBLEM_INVALID_ARGUMENT,
                "format \"%.32s\" is none of json, graphml, npz", format);
    return false;
}

static enum prm_status copy_graph(struct question *question, struct device *device, bool *done)
{
    struct graph *graph = (struct graph *)question;
    const struct model *model = question->roadmap->model;
    (void)device;
    *done = true;
    return prm_graph_copy_init(&graph->copy, model->topology->roadmap, model->validity);
}

/* ---- JSON ---- */

static void write_state(const struct graph *graph, uint32_t i, struct text *out)
{
    const uint32_t dof = graph->copy.dof;
    text_json_open(out, '[');
    for (uint32_t c = 0; c < dof; c++)
        text_json_number(out, graph->copy.states[(size_t)i * dof + c], STATE_DIGITS);
    text_json_close(out, ']');
}

static void write_edges(const struct prm_graph_copy *copy, struct text *out)
{
    text_json_key(out, "edges");
    text_json_open(out, '[');
    for (size_t e = 0; e < copy->edge_count; e++) {
        text_json_open(out, '[');
        text_json_u64(out, copy->edges[2 * e]);
        text_json_u64(out, copy->edges[2 * e + 1]);
        text_json_close(out, ']');
    }
    text_json_close(out, ']');
    text_json_key(out, "lengths");
    text_json_open(out, '[');
    for (size_t e = 0; e < copy->edge_count; e++)
        text_json_number(out, (double)copy->lengths[e], LENGTH_DIGITS);
    text_json_close(out, ']');
    text_json_key(out, "valid");
    text_json_open(out, '[');
    for (size_t e = 0; e < copy->edge_count; e++)
        text_json_bool(out, copy->valid[e]);
    text_json_close(out, ']');
}

static void write_json(const struct graph *graph, struct text *out)
{
    const struct question *question = &graph->question;
    const struct prm_graph_copy *copy = &graph->copy;
    text_json_open(out, '{');
    text_member_string(out, "roadmap", question->call->segments[0]);
    text_member_u64(out, "revision", question->roadmap->version.revision);
    text_member_u64(out, "world_revision", question->roadmap->world->version.revision);
    text_member_string(out, "digest", question->roadmap->model->topology->roadmap->digest);
    text_json_strings(out, "coordinates", question->space.coordinates, copy->dof);
    text_json_key(out, "states");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < copy->milestone_count; i++)
        write_state(graph, i, out);
    text_json_close(out, ']');
    write_edges(copy, out);
    text_json_key(out, "components");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < copy->milestone_count; i++)
        text_json_u64(out, copy->components[i]);
    text_json_close(out, ']');
    text_json_close(out, '}');
}

/* ---- GraphML ---- */

static void write_key(const char *id, uint32_t number, const char *element, const char *name,
                      const char *type, struct text *out)
{
    text_print(out, "<key id=\"%s%u\" for=\"%s\" attr.type=\"%s\" attr.name=\"", id, number,
               element, type);
    svg_escaped(name, out);
    svg_put("\"/>\n", out);
}

static void write_number(double value, int digits, struct text *out)
{
    char number[DECIMAL_BYTES_MAX];
    text_append(out, number, decimal_write(number, value, digits));
}

static void write_nodes(const struct prm_graph_copy *copy, struct text *out)
{
    for (uint32_t i = 0; i < copy->milestone_count; i++) {
        text_print(out, "<node id=\"%u\"><data key=\"component0\">%u</data>", i,
                   copy->components[i]);
        for (uint32_t c = 0; c < copy->dof; c++) {
            text_print(out, "<data key=\"q%u\">", c);
            write_number(copy->states[(size_t)i * copy->dof + c], STATE_DIGITS, out);
            svg_put("</data>", out);
        }
        svg_put("</node>\n", out);
    }
}

static void write_graphml(const struct graph *graph, struct text *out)
{
    const struct prm_graph_copy *copy = &graph->copy;
    svg_put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
            out);
    for (uint32_t c = 0; c < copy->dof; c++)
        write_key("q", c, "node", graph->question.space.coordinates[c], "double", out);
    write_key("component", 0, "node", "component", "int", out);
    write_key("length", 0, "edge", "length", "double", out);
    write_key("valid", 0, "edge", "valid", "boolean", out);
    svg_put("<graph id=\"", out);
    svg_escaped(graph->question.call->segments[0], out);
    svg_put("\" edgedefault=\"undirected\">\n", out);
    write_nodes(copy, out);
    for (size_t e = 0; e < copy->edge_count; e++) {
        text_print(out, "<edge source=\"%u\" target=\"%u\"><data key=\"length0\">",
                   copy->edges[2 * e], copy->edges[2 * e + 1]);
        write_number((double)copy->lengths[e], LENGTH_DIGITS, out);
        text_print(out, "</data><data key=\"valid0\">%s</data></edge>\n",
                   copy->valid[e] ? "true" : "false");
    }
    svg_put("</graph>\n</graphml>\n", out);
}

/* ---- arrays ---- */

static void write_npz(const struct graph *graph, struct text *out)
{
    const struct prm_graph_copy *copy = &graph->copy;
    const size_t states[] = {copy->milestone_count, copy->dof}, edges[] = {copy->edge_count, 2};
    const struct npz_item items[] = {
        {"states", npy_array(NPY_FLOAT64, 2, states, copy->states)},
        {"edges", npy_array(NPY_UINT32, 2, edges, copy->edges)},
        {"lengths", npy_array(NPY_FLOAT32, 1, edges, copy->lengths)},
        {"valid", npy_array(NPY_BOOL, 1, edges, copy->valid)},
        {"components", npy_array(NPY_UINT32, 1, states, copy->components)},
    };
    npz_write(items, sizeof(items) / sizeof(items[0]), out);
}

static const char *write(struct question *question, struct text *out)
{
    const struct graph *graph = (const struct graph *)question;
    switch (graph->format) {
    case GRAPH_GRAPHML:
        write_graphml(graph, out);
        return "application/graphml+xml";
    case GRAPH_NPZ:
        write_npz(graph, out);
        return "application/x-npz";
    case GRAPH_JSON:
    case GRAPH_FORMAT_COUNT:
        break;
    }
    write_json(graph, out);
    return NULL;
}

static void deinit(struct question *question)
{
    prm_graph_copy_deinit(&((struct graph *)question)->copy);
}

void graph_call(struct service *service, struct call *call)
{
    static const struct question_kind KIND = {
        sizeof(struct graph), read_format, copy_graph, write, deinit, NULL};
    question_call(service, call, &KIND);
}
