/* Server-sent events of a job (WHATWG HTML, 9.2): `progress` while it is active, then `done` or
 * `error`, each with the whole job as data.
 *
 * A stream holds the latest view of the job and no queue: a slow client is told what is true when
 * it reads, and misses what was true before. So its memory is bounded, and the id of an event,
 * which grows with the job, is all that a client needs to go on where it was cut off. What has been
 * silent for a while gets a comment.
 *
 * Threads: a job's list of streams belongs to the lock of its table. A stream itself has two
 * owners, that list and the transport, and refers to neither table nor service.
 */
#ifndef SERVICE_JOB_STREAM_H
#define SERVICE_JOB_STREAM_H

#include "service/jobs/jobs.h"

#include <stdbool.h>

struct reply_stream;

/* A stream whose client knows of the job up to event `seen` (0: nothing), put into the list of an
 * active job; of one that has ended it only tells the end. `abandoned`: nobody reads it any more;
 * valid until the close. NULL: no memory. */
struct reply_stream *job_stream_open(struct job *job, unsigned seen, const atomic_bool *abandoned);

/* Tells the streams of a list; where the job has ended they leave it. */
void job_streams_tell(struct job_stream **streams, const struct job_view *view);

/* Sends a comment where there was silence, ends the streams that nobody reads; false: the list is
 * empty. `now`: steady clock. */
bool job_streams_tick(struct job_stream **streams, double now);

#endif
