/* Refinements: making the searches of a new model faster, on the device thread when nothing else
 * waits.
 *
 * Answers are the same before and after (roadmap/search/landmarks.h). A model that nobody uses any
 * more is not refined further; one for which there is no memory stays as it is.
 */
#ifndef SERVICE_REFINEMENT_H
#define SERVICE_REFINEMENT_H

#include "service/internal.h"
#include "service/resident.h"

/* Has a model refined, which is taken; no work where that is done already. On the device thread. */
void refinement_begin(struct service *service, struct model *model);

#endif
