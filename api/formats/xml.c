#include "formats/xml.h"

#include "schema/decimal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/parserInternals.h>

/* Beyond it a number is no length, angle or limit of a robot. */
#define NUMBER_MAX 1e9

/* libxml2's own names for what was refused. */
static const char XACRO[] = "xacro";

/* ---- reading ---- */

/* A document type begins: all that follows could refer to something. */
static void refuse_type(void *context, const xmlChar *name, const xmlChar *external,
                        const xmlChar *system)
{
    xmlParserCtxt *parser = context;
    (void)name, (void)external, (void)system;
    *(bool *)parser->_private = true;
    xmlStopParser(parser);
}

/* What libxml2 says, without its final line feed. */
static void add_syntax_fault(xmlParserCtxt *parser, bool has_type, struct problem *problem)
{
    const xmlError *error = xmlCtxtGetLastError(parser);
    if (has_type) {
        problem_add(problem, PROBLEM_UNSUPPORTED,
                    "the XML has a document type (<!DOCTYPE …>): it is not read, nor are entities");
        return;
    }
    if (!error || !error->message) {
        problem_add(problem, PROBLEM_MALFORMED, "the body is not XML");
        return;
    }
    const int length = (int)strcspn(error->message, "\r\n");
    struct problem_fault *fault =
        problem_add(problem, PROBLEM_MALFORMED, "line %d, column %d: %.*s", error->line,
                    error->int2, length, error->message);
    fault->line = error->line;
    fault->column = error->int2;
}

static xmlDoc *parse(const char *data, size_t bytes, struct problem *problem)
{
    bool has_type = false;
    xmlInitParser();
    xmlParserCtxt *parser = xmlCreateMemoryParserCtxt(data, (int)bytes);
    if (!parser) {
        problem_no_memory(problem, "an XML document");
        return NULL;
    }
    // with no document type there are no entities but those of characters
    xmlCtxtUseOptions(parser, XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_NOERROR |
                                  XML_PARSE_NOWARNING | XML_PARSE_NOCDATA | XML_PARSE_COMPACT |
                                  XML_PARSE_NOBLANKS);
    parser->_private = &has_type;
    parser->sax->internalSubset = refuse_type;
    xmlParseDocument(parser);

    xmlDoc *document = parser->myDoc;
    parser->myDoc = NULL;
    if (has_type || !parser->wellFormed || !document) {
        add_syntax_fault(parser, has_type, problem);
        xmlFreeDoc(document);
        document = NULL;
    }
    xmlFreeParserCtxt(parser);
    return document;
}

static bool is_xacro(const xmlNode *node)
{
    return (node->ns && node->ns->prefix && strcmp((const char *)node->ns->prefix, XACRO) == 0) ||
           strncmp((const char *)node->name, "xacro:", sizeof XACRO) == 0;
}

/* Refuses elements of the macro language that files are made from. */
static bool has_xacro(xmlNode *root, struct problem *problem)
{
    for (xmlNode *node = root; node;) {
        if (node->type == XML_ELEMENT_NODE && is_xacro(node)) {
            xml_fault(node, problem, PROBLEM_UNSUPPORTED,
                      "<xacro:%s> is a macro, not part of the format: run xacro first", node->name);
            return true;
        }
        // depth first; the tree is shallow, the way on is found without recursion
        if (node->type == XML_ELEMENT_NODE && node->children) {
            node = node->children;
            continue;
        }
        while (node && !node->next)
            node = node == root || node->parent == root ? NULL : node->parent;
        node = node ? node->next : NULL;
    }
    return false;
}

xmlDoc *xml_read(const char *data, size_t bytes, const char *root, const struct limits *limits,
                 struct problem *problem)
{
    if (bytes > limits->robot_file_bytes || bytes > INT_MAX) {
        struct problem_fault *fault =
            problem_add(problem, PROBLEM_LIMIT_EXCEEDED, "the XML has %zu bytes", bytes);
        problem_fault_limit(fault, limits, LIMIT_robot_file_bytes);
        return NULL;
    }
    if (!bytes) {
        problem_add(problem, PROBLEM_MALFORMED, "there is no XML where it is needed");
        return NULL;
    }
    xmlDoc *document = xml_is_plain(data, bytes, problem) ? parse(data, bytes, problem) : NULL;
    if (!document)
        return NULL;
    xmlNode *top = xmlDocGetRootElement(document);
    bool good = top && !has_xacro(top, problem);
    if (good && strcmp((const char *)top->name, root) != 0) {
        xml_fault(top, problem, PROBLEM_INVALID_ARGUMENT, "the root is <%s>, not <%s>", top->name,
                  root);
        good = false;
    }
    if (good)
        return document;
    xmlFreeDoc(document);
    return NULL;
}

/* ---- looking ---- */

static xmlNode *first_of(xmlNode *node, const char *name)
{
    while (node && !(node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0))
        node = node->next;
    return node;
}

xmlNode *xml_child(const xmlNode *parent, const char *name)
{
    return parent ? first_of(parent->children, name) : NULL;
}

xmlNode *xml_next(const xmlNode *node, const char *name)
{
    return first_of(node->next, name);
}

const char *xml_attribute(const xmlNode *node, const char *name)
{
    const xmlAttr *attribute = node ? node->properties : NULL;
    for (; attribute; attribute = attribute->next)
        if (!attribute->ns && strcmp((const char *)attribute->name, name) == 0)
            return attribute->children ? (const char *)attribute->children->content : "";
    return NULL;
}

const char *xml_name(const xmlNode *node, const char *name, size_t bytes_max,
                     struct problem *problem)
{
    const char *text = xml_attribute(node, name);
    if (!text || !*text) {
        xml_fault(node, problem, PROBLEM_INVALID_ARGUMENT, "<%s> has no %s", node->name, name);
        return NULL;
    }
    if (strlen(text) > bytes_max) {
        xml_fault(node, problem, PROBLEM_INVALID_ARGUMENT,
                  "<%s>: the %s \"%.80s…\" has more than %zu bytes", node->name, name, text,
                  bytes_max);
        return NULL;
    }
    return text;
}

static size_t blanks(const char *text)
{
    return strspn(text, " \t\r\n");
}

bool xml_numbers(const xmlNode *node, const char *name, double *numbers, size_t count, bool *found,
                 struct problem *problem)
{
    const char *text = xml_attribute(node, name);
    if (found)
        *found = text != NULL;
    if (!text)
        return true;
    const char *at = text + blanks(text);
    size_t read = 0;
    for (; read < count && *at; read++) {
        const size_t bytes = decimal_read(&numbers[read], at, strlen(at));
        const bool ends = bytes && (at[bytes] == '\0' || blanks(at + bytes) > 0);
        if (!ends || !(fabs(numbers[read]) <= NUMBER_MAX))
            break;
        at += bytes + blanks(at + bytes);
    }
    if (read == count && !*at)
        return true;
    xml_fault(node, problem, PROBLEM_INVALID_ARGUMENT,
              "<%s %s=\"%.80s\">: %zu number%s of at most 1e9 %s needed", node->name, name, text,
              count, count == 1 ? "" : "s", count == 1 ? "is" : "are");
    return false;
}

struct problem_fault *xml_fault(const xmlNode *node, struct problem *problem,
                                enum problem_code code, const char *format, ...)
{
    char text[PROBLEM_DETAIL_MAX];
    const long line = xmlGetLineNo(node);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct problem_fault *fault = problem_add(problem, code, "line %ld: %s", line, text);
    fault->line = line > 0 ? (int)line : 0;
    return fault;
}
