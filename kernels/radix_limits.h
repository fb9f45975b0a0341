/* Limits of the sorts that host and device must agree on. */
#ifndef KERNELS_RADIX_LIMITS_H
#define KERNELS_RADIX_LIMITS_H

/* Width of a digit. */
#define DIGIT_BITS_MAX 8

/* Segments up to this are ranked by counting and need no spare memory; a multiple of 8. */
#define SEGMENT_RANK_MAX 128

#endif
