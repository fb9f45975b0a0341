#include "support/pause.h"

#include <stddef.h>
#include <time.h>

void test_pause_ms(long milliseconds)
{
    const struct timespec time = {.tv_sec = milliseconds / 1000,
                                  .tv_nsec = milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}
