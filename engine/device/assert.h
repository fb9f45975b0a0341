/* Assertions that stay in release builds: a programmer's error stops the process where it is seen,
 * before wrong answers leave it. What comes from outside is never asserted; it is a status. */
#ifndef PRM_DEVICE_ASSERT_H
#define PRM_DEVICE_ASSERT_H

#include <stdio.h>
#include <stdlib.h>

#define PRM_ASSERT(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s: assertion failed: %s\n", __FILE__, __LINE__, __func__,     \
                    #condition);                                                                   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
