/* Loops over the LEVELS entries of a list in registers, while it is short; else there is nothing to
 * gain by long programs.
 *
 *     FOR_LEVELS
 *     for (u32 i = 0; i < LEVELS; i++)
 */
#ifndef KERNELS_LEVELS_H
#define KERNELS_LEVELS_H

#ifndef LEVELS
#error "LEVELS must be the entries of a list"
#endif

#if LEVELS <= 34
#define FOR_LEVELS _Pragma("unroll")
#else
#define FOR_LEVELS
#endif

#endif
