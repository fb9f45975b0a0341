/* What connecting the ends of queries tells the host. */
#ifndef KERNELS_CONNECT_TYPES_H
#define KERNELS_CONNECT_TYPES_H

#include "language.h"

/* Of an end, as bits. */
enum end_flag {
    END_FREE = 1,         /* within limits and free of obstacles */
    END_AT_MILESTONE = 2, /* its one link is to the milestone that it is */
    END_OUTSIDE = 4,      /* out of bounds: found by the host, never looked at here */
};

/* Of a query whose ends are fine. */
enum connect_verdict {
    CONNECT_OK,
    CONNECT_NO_START_LINK,
    CONNECT_NO_GOAL_LINK,
    CONNECT_OTHER_COMPONENT, /* no link of the start and of a goal lead into one component */
};

struct connect_report {
    u32 verdict;               /* enum connect_verdict */
    u32 start_size, goal_size; /* of the components that the nearest links lead into; 0: no link */
};

#endif
