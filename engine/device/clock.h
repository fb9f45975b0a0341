/* The host's steady clock, for the times that results report. */
#ifndef PRM_DEVICE_CLOCK_H
#define PRM_DEVICE_CLOCK_H

/* Milliseconds; no relation to the calendar. */
double prm_clock_ms(void);

#endif
