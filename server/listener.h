/* The listening socket and the file that tells its port. */
#ifndef SERVER_LISTENER_H
#define SERVER_LISTENER_H

#include <stdbool.h>
#include <stdint.h>

enum { LISTENER_FAULT_MAX = 256 };

/* Listens on "ADDRESS:PORT", "[IPv6]:PORT" or "NAME:PORT"; port 0 takes a free one. `any_address`:
 * addresses that are not loopback are allowed. The socket, which the caller closes, or -1 with
 * `fault`; `usage` says whether the text itself was at fault rather than the system. */
int listener_open(const char *text, bool any_address, char fault[LISTENER_FAULT_MAX], bool *usage);

/* The port that a listener got. */
uint16_t listener_port(int listener);

/* Writes the decimal port as a whole: to a neighbour, then renamed. */
bool listener_write_port(const char *path, uint16_t port, char fault[LISTENER_FAULT_MAX]);

#endif
