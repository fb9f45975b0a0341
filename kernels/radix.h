/* What the programs of sorting share: keys and their order, payloads, and a group's sort of one
 * tile by one digit.
 *
 * -D DIGIT_BITS=b: 1 to 8. -D KEY_U32, KEY_I32, KEY_F32 or KEY_U64: the keys, which memory holds as
 * unsigned words of their width. -D DESCENDING: greatest first; else least first. -D PAYLOAD_NONE,
 * PAYLOAD_VALUES or PAYLOAD_INDEX: nothing moves with the keys, a word does, or their first places
 * do (made here).
 */
#ifndef KERNELS_RADIX_H
#define KERNELS_RADIX_H

#include "chunk.h"
#include "radix_limits.h"

#if !defined(DIGIT_BITS) || DIGIT_BITS < 1 || DIGIT_BITS > DIGIT_BITS_MAX
#error "DIGIT_BITS must be the width of a digit, 1 to 8"
#endif
#if !defined(KEY_U32) && !defined(KEY_I32) && !defined(KEY_F32) && !defined(KEY_U64)
#error "one of KEY_U32, KEY_I32, KEY_F32 and KEY_U64 must say how keys are ordered"
#endif
#if !defined(PAYLOAD_NONE) && !defined(PAYLOAD_VALUES) && !defined(PAYLOAD_INDEX)
#error "one of PAYLOAD_NONE, PAYLOAD_VALUES and PAYLOAD_INDEX must say what moves with the keys"
#endif

#ifdef KEY_U64
#define KEY u64
#define KEY_BITS 64
#else
#define KEY u32
#define KEY_BITS 32
#endif
#define KEY_SIGN ((KEY)1 << (KEY_BITS - 1))

#define DIGITS (1 << DIGIT_BITS)
#define DIGIT(key, shift) ((u32)(key_order(key) >> (shift)) & (DIGITS - 1))

/* Maps a key to a word whose unsigned order is the one wanted. f32: the bits, sign flipped; all
 * bits where negative. Descending: its complement, so that equal keys keep their order too. */
static inline KEY key_order(KEY key)
{
#if defined(KEY_I32)
    const KEY ascending = key ^ KEY_SIGN;
#elif defined(KEY_F32)
    const KEY ascending = key ^ ((u32)((i32)key >> 31) | KEY_SIGN);
#else
    const KEY ascending = key;
#endif
#ifdef DESCENDING
    return ~ascending;
#else
    return ascending;
#endif
}

/* The word that moves with element i; `again`: it has moved before, so that where PAYLOAD_INDEX it
 * is there. */
static inline u32 payload_at(__global const u32 *payload, u32 i, bool again)
{
#if defined(PAYLOAD_VALUES)
    return payload[i];
#elif defined(PAYLOAD_INDEX)
    return again ? payload[i] : i;
#else
    return 0;
#endif
}

static inline void payload_put(__global u32 *payload, u32 i, u32 value)
{
#ifndef PAYLOAD_NONE
    payload[i] = value;
#endif
}

#if WORKGROUP == 1

/* Elements of a block of a serial loop: their places stay in the first-level cache, and the moves
 * of a block fill what the processor can have under way. */
#define BLOCK 64

/* Moves elements [begin, end) in their order to the next free places of their digits.
 *
 * In blocks: first the places of a block, then its moves. In one loop each read of a next place
 * would wait until the processor knows the address of the move before it, which hangs on the next
 * place before that: half as much time again. */
static inline void radix_move(__global KEY *to, __global u32 *payload_to, __global const KEY *from,
                              __global const u32 *payload_from, u32 *next, u32 begin, u32 end,
                              u32 shift, bool again)
{
    u32 base = begin;
    for (; base + BLOCK <= end; base += BLOCK) {
        u32 places[BLOCK];
#pragma unroll 8
        for (u32 j = 0; j < BLOCK; j++)
            places[j] = next[DIGIT(from[base + j], shift)]++;
#pragma unroll 8
        for (u32 j = 0; j < BLOCK; j++) {
            to[places[j]] = from[base + j];
            payload_put(payload_to, places[j], payload_at(payload_from, base + j, again));
        }
    }
    for (u32 i = base; i < end; i++) {
        const u32 place = next[DIGIT(from[i], shift)]++;
        to[place] = from[i];
        payload_put(payload_to, place, payload_at(payload_from, i, again));
    }
}

#else

/* Sorts the `count` <= TILE keys that the work-items hold (ITEMS each, in the tile's order) into
 * staged local memory; begins[d] is where digit d begins in it. `counters` is a u16 a digit and
 * work-item. */
static inline void sort_tile(const KEY *keys, const u32 *payload, u32 count, u32 shift,
                             __local KEY *staged_keys, __local u32 *staged_payload,
                             __local ushort *counters, __local u32 *begins, __local u32 *scratch)
{
    const u32 item = (u32)get_local_id(0);
    const u32 first = item * ITEMS;

    // own counters of every digit
    for (u32 c = item; c < DIGITS * WORKGROUP; c += WORKGROUP)
        counters[c] = 0;
    workgroup_barrier();
    for (u32 k = 0; k < ITEMS && first + k < count; k++)
        counters[DIGIT(keys[k], shift) * WORKGROUP + item]++;
    workgroup_barrier();

    // scan of all counters, digits first: each work-item takes DIGITS neighbours
    u32 sum = 0;
    for (u32 c = item * DIGITS; c < (item + 1) * DIGITS; c++)
        sum += counters[c];
    u32 total;
    u32 prefix = workgroup_scan_exclusive(sum, &total, scratch);
    for (u32 c = item * DIGITS; c < (item + 1) * DIGITS; c++) {
        const u32 value = counters[c];
        counters[c] = (ushort)prefix;
        prefix += value;
    }
    workgroup_barrier();
    for (u32 d = item; d < DIGITS; d += WORKGROUP)
        begins[d] = counters[d * WORKGROUP];
    workgroup_barrier();

    // each element to its place in the tile
    for (u32 k = 0; k < ITEMS && first + k < count; k++) {
        const u32 place = counters[DIGIT(keys[k], shift) * WORKGROUP + item]++;
        staged_keys[place] = keys[k];
        staged_payload[place] = payload[k];
    }
    workgroup_barrier();
}

#endif

#endif
