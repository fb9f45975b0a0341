#include "schema/clock.h"

#include <math.h>
#include <stdio.h>

static double seconds_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double clock_steady(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

struct timespec clock_timespec(double steady)
{
    const double whole = floor(steady);
    return (struct timespec){.tv_sec = (time_t)whole, .tv_nsec = (long)(1e9 * (steady - whole))};
}

double clock_calendar(void)
{
    return seconds_of(CLOCK_REALTIME);
}

void clock_write_json(double calendar, struct text *out)
{
    if (calendar <= 0) {
        text_json_number(out, NAN, 1);
        return;
    }
    const time_t whole = (time_t)calendar;
    struct tm parts;
    char day[32], stamp[48];
    gmtime_r(&whole, &parts);
    strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(stamp, sizeof(stamp), "%s.%03dZ", day, (int)(1000 * (calendar - (double)whole)));
    text_json_string(out, stamp);
}
