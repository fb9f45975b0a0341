/* Worlds: the resource, its obstacles, and its changes.
 *
 * Reading is a look-up. A change is prepared from the present version off the device thread, then
 * carried out on it: roadmaps that name the world are checked again, in bounded steps between which
 * the old ones answer, and the world and all of them are swapped at once. Where the world has
 * changed meanwhile, the change is prepared anew.
 */
#ifndef SERVICE_WORLDS_H
#define SERVICE_WORLDS_H

#include "roadmap/world/world.h"
#include "schema/world.h"
#include "service/call.h"
#include "service/store.h"
#include "service/worlds/world_formats.h"

struct world_version {
    struct version version;
    struct world_document document;
    struct text members; /* canonical text, without braces */
    struct prm_precision precision;
};

/* Makes a version of a document, which it takes over whatever the outcome. NULL: no memory. */
struct world_version *world_version_create(struct world_document *document,
                                           const struct prm_precision *precision);

/* The version that a JSON body says, which the engine takes. NULL: `problem` says why not. */
struct world_version *world_version_of(const char *body, size_t bytes, const struct limits *limits,
                                       struct problem *problem);

/* The version that a PUT, PATCH or DELETE makes of `base` (NULL: there is none), which the engine
 * takes; *status: of the answer, *report: of the file in the body. NULL: the call's problem says
 * why not. */
struct world_version *world_version_read(struct call *call, const struct limits *limits,
                                         const struct world_version *base, int *status,
                                         struct file_report *report);

/* Whether a roadmap built in `from` can be checked again in `to`: same dimension and bounds, and
 * for a lattice the same grid. */
bool world_fits(const struct world_version *from, const struct world_version *to, bool lattice);

/* Appends the resource as a JSON object, left open for more members but for its warnings. */
void world_write_open(const char *name, const struct world_version *world, struct text *out);

/* Appends the warnings of a world as objects of an array that is open. */
void world_write_warnings(const struct world_version *world, struct text *out);

/* Appends one of an array of warnings. */
void warning_write(const char *code, const char *detail, struct text *out);

void world_list(struct service *service, struct call *call);
void world_get(struct service *service, struct call *call);
void world_delete(struct service *service, struct call *call);
void obstacle_get(struct service *service, struct call *call);

/* PUT and PATCH of a world, PUT and DELETE of an obstacle. */
void world_change(struct service *service, struct call *call);

#endif
