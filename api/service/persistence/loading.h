/* Loading: at the start of a process what an earlier one has saved is read again.
 *
 * First worlds, robots and the records of roadmaps, then the roadmaps' bytes, each by several
 * workers at a time, as many as there are at once in memory; their device work goes step by step in
 * the lane of builds. A roadmap whose world has changed since its bytes were written is checked
 * against the present world. What cannot be read is left where it is, or has been set aside, and is
 * no reason not to start: the roadmap is there as one that failed and says why.
 *
 * Until all is loaded nothing can be changed; what is loaded answers.
 */
#ifndef SERVICE_LOADING_H
#define SERVICE_LOADING_H

#include "service/call.h"

struct loading;

/* How far it is. */
enum loading_state { LOADING_DONE, LOADING_ROADMAPS, LOADING_DOCUMENTS };

/* Begins; where nothing was saved it is done at once. false: `problem` says why it cannot. */
bool loading_begin(struct service *service, struct problem *problem);

/* Whether a call has to wait until more is loaded; if so, it is refused. */
bool loading_refuses(struct service *service, struct call *call);

/* Frees what loading_begin() made, when the threads have ended; NULL is accepted. */
void loading_destroy(struct loading *loading);

#endif
