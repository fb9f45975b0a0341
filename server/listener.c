#include "server/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HOST_MAX = 256, PORT_MAX = 6, PATH_BYTES = 4096 };

/* Takes "HOST:PORT" apart, brackets off. */
static bool split(const char *text, char host[HOST_MAX], char port[PORT_MAX])
{
    const char *colon = strrchr(text, ':');
    if (colon == NULL || colon == text)
        return false;
    size_t length = (size_t)(colon - text);
    if (text[0] == '[' && colon[-1] == ']' && length > 2) {
        text++;
        length -= 2;
    } else if (memchr(text, ':', length) != NULL) {
        return false;
    }
    const size_t digits = strspn(colon + 1, "0123456789");
    if (length >= HOST_MAX || digits == 0 || digits >= PORT_MAX || colon[1 + digits] != '\0' ||
        strtoul(colon + 1, NULL, 10) > UINT16_MAX)
        return false;
    memcpy(host, text, length);
    host[length] = '\0';
    memcpy(port, colon + 1, digits + 1);
    return true;
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *ip4 = (const void *)address;
        return ntohl(ip4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    }
    const struct sockaddr_in6 *ip6 = (const void *)address;
    return IN6_IS_ADDR_LOOPBACK(&ip6->sin6_addr);
}

/* Binds and listens; -1: errno says why. */
static int open_at(const struct addrinfo *address)
{
    const int on = 1;
    const int listener = socket(address->ai_family, SOCK_STREAM, 0);
    if (listener < 0)
        return -1;
    fcntl(listener, F_SETFD, FD_CLOEXEC);
    fcntl(listener, F_SETFL, O_NONBLOCK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(listener, address->ai_addr, address->ai_addrlen) != 0 ||
        listen(listener, SOMAXCONN) != 0) {
        const int error = errno;
        close(listener);
        errno = error;
        return -1;
    }
    return listener;
}

/* The addresses that a text names, the first of which may be listened on; NULL: `fault` is set. */
static struct addrinfo *find(const char *text, enum listener_guard guard,
                             char fault[LISTENER_FAULT_MAX])
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *addresses = NULL;
    char host[HOST_MAX], port[PORT_MAX];

    if (!split(text, host, port)) {
        snprintf(fault, LISTENER_FAULT_MAX,
                 "'%.100s' is not ADDRESS:PORT with a port from 0 to 65535", text);
        return NULL;
    }
    const int code = getaddrinfo(host, port, &hints, &addresses);
    if (code != 0) {
        snprintf(fault, LISTENER_FAULT_MAX, "%.100s: %s", text, gai_strerror(code));
        return NULL;
    }
    if (guard == LISTENER_GUARDED || is_loopback(addresses->ai_addr))
        return addresses;
    snprintf(fault, LISTENER_FAULT_MAX,
             "%.100s is not a loopback address, and nothing would guard it: give %s--insecure to "
             "allow it all the same",
             text, guard == LISTENER_TOKENS_WOULD_DO ? "--token-file, or " : "");
    freeaddrinfo(addresses);
    return NULL;
}

bool listener_judge(const char *text, enum listener_guard guard, char fault[LISTENER_FAULT_MAX])
{
    struct addrinfo *addresses = find(text, guard, fault);
    if (addresses != NULL)
        freeaddrinfo(addresses);
    return addresses != NULL;
}

int listener_open(const char *text, enum listener_guard guard, char fault[LISTENER_FAULT_MAX],
                  bool *usage)
{
    struct addrinfo *addresses = find(text, guard, fault);
    *usage = addresses == NULL;
    if (addresses == NULL)
        return -1;
    const int listener = open_at(addresses);
    if (listener < 0)
        snprintf(fault, LISTENER_FAULT_MAX, "%.100s: %s", text, strerror(errno));
    freeaddrinfo(addresses);
    return listener;
}

uint16_t listener_port(int listener)
{
    struct sockaddr_storage address;
    socklen_t bytes = sizeof(address);
    if (getsockname(listener, (struct sockaddr *)&address, &bytes) != 0)
        return 0;
    return ntohs(address.ss_family == AF_INET ? ((struct sockaddr_in *)&address)->sin_port
                                              : ((struct sockaddr_in6 *)&address)->sin6_port);
}

bool listener_write_port(const char *path, uint16_t port, char fault[LISTENER_FAULT_MAX])
{
    char whole[PATH_BYTES];
    bool written = false;
    if (snprintf(whole, sizeof(whole), "%s.%ld", path, (long)getpid()) < (int)sizeof(whole)) {
        FILE *file = fopen(whole, "we");
        if (file != NULL) {
            written = fprintf(file, "%u\n", port) > 0;
            written = fclose(file) == 0 && written && rename(whole, path) == 0;
            if (!written)
                unlink(whole);
        }
    } else {
        errno = ENAMETOOLONG;
    }
    if (!written)
        snprintf(fault, LISTENER_FAULT_MAX, "--port-file: %.100s: %s", path, strerror(errno));
    return written;
}
