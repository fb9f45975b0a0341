/* XML as data, read by libxml2: elements and attributes, nothing that refers to anything else.
 *
 * A document type is refused, which leaves no entities to expand and no file or network to read; so
 * are deep nesting and files over the limit. Text between elements is of no matter here. Every
 * fault names its line. Memory: some 30 times the bytes at worst.
 *
 * Internal to the formats: libxml2 stays in this folder. Threads: a document belongs to one at a
 * time.
 */
#ifndef FORMATS_XML_H
#define FORMATS_XML_H

#include "schema/problem.h"

#include <stddef.h>

#include <libxml/tree.h>

/* Reads a document whose root is <`root`>. NULL: `problem` says what is wrong. The caller frees it
 * by xmlFreeDoc(). */
xmlDoc *xml_read(const char *data, size_t bytes, const char *root, const struct limits *limits,
                 struct problem *problem);

/* Whether bytes can be given to libxml2: in UTF-8 or what has ASCII in it as it is, and no element
 * with more attributes than any file needs; else a fault. Linear; xml_plain.c. */
bool xml_is_plain(const char *data, size_t bytes, struct problem *problem);

/* The first child of this name, and the next of the same; NULL: no more. */
xmlNode *xml_child(const xmlNode *parent, const char *name);
xmlNode *xml_next(const xmlNode *node, const char *name);

/* An attribute's text, borrowed; NULL: there is none. */
const char *xml_attribute(const xmlNode *node, const char *name);

/* An attribute that must be there, of 1 to bytes_max bytes; NULL after a fault. */
const char *xml_name(const xmlNode *node, const char *name, size_t bytes_max,
                     struct problem *problem);

/* An attribute of just `count` finite numbers between blanks; absent: they stay as they are (*found
 * tells, where it is not NULL). false after a fault. */
bool xml_numbers(const xmlNode *node, const char *name, double *numbers, size_t count, bool *found,
                 struct problem *problem);

/* Adds a fault at an element. */
struct problem_fault *xml_fault(const xmlNode *node, struct problem *problem,
                                enum problem_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
