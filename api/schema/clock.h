/* Time: a steady clock for durations and deadlines, the calendar for people. Seconds. */
#ifndef SCHEMA_CLOCK_H
#define SCHEMA_CLOCK_H

#include "schema/text.h"

#include <time.h>

/* Steady; no relation to the calendar. */
double clock_steady(void);

/* The same clock as an absolute time for pthread_cond_timedwait() on CLOCK_MONOTONIC. */
struct timespec clock_timespec(double steady);

/* Seconds since 1970, UTC. */
double clock_calendar(void);

/* Appends a calendar time as JSON: "2026-01-31T12:00:00.250Z"; 0 is null. */
void clock_write_json(double calendar, struct text *out);

#endif
