/* The listening socket and the file that tells its port. */
#ifndef SERVER_LISTENER_H
#define SERVER_LISTENER_H

#include <stdbool.h>
#include <stdint.h>

enum { LISTENER_FAULT_MAX = 256 };

/* What keeps strangers off. Only what is guarded may have an address that is not loopback. */
enum listener_guard {
    LISTENER_GUARDED,         /* by tokens, or was told that nothing need be */
    LISTENER_TOKENS_WOULD_DO, /* nothing does */
    LISTENER_OPEN,            /* nothing does, tokens neither */
};

/* Listens on "ADDRESS:PORT", "[IPv6]:PORT" or "NAME:PORT"; port 0 takes a free one. The socket,
 * which the caller closes, or -1 with `fault`; `usage` says whether the text itself was at fault
 * rather than the system. */
int listener_open(const char *text, enum listener_guard guard, char fault[LISTENER_FAULT_MAX],
                  bool *usage);

/* Whether it may be listened there, without doing so; false: `fault` says why not. */
bool listener_judge(const char *text, enum listener_guard guard, char fault[LISTENER_FAULT_MAX]);

/* The port that a listener got. */
uint16_t listener_port(int listener);

/* Writes the decimal port as a whole: to a neighbour, then renamed. */
bool listener_write_port(const char *path, uint16_t port, char fault[LISTENER_FAULT_MAX]);

#endif
