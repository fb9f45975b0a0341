/* The words by which a search and its host speak: a small array on the device. */
#ifndef KERNELS_SEARCH_CONTROL_H
#define KERNELS_SEARCH_CONTROL_H

enum search_control {
    SEARCH_TAKEN,     /* queries or batches handed out so far */
    SEARCH_CURSOR,    /* pool entries booked, also beyond the pool's end */
    SEARCH_SATURATED, /* not 0: a path cost passed 32 bits */
    SEARCH_FRONTIER,  /* not 0: the latest level had new vertices */
    SEARCH_LEFT,      /* queries that a search has left to another */
    SEARCH_CONTROL_WORDS,
};

#endif
