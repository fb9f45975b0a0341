#include "fake_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* Reads one request into `text`; false: the connection ended. */
static bool request_read(int connection, char *text)
{
    size_t length = 0, wanted = 0;
    while (wanted == 0 || length < wanted) {
        ssize_t got = recv(connection, text + length, FAKE_REQUEST_MAX - 1 - length, 0);
        if (got <= 0)
            return false;
        length += (size_t)got;
        text[length] = '\0';
        char *end = strstr(text, "\r\n\r\n");
        if (end && wanted == 0) {
            // the head is whole: how long is the body
            wanted = (size_t)(end + 4 - text);
            for (char *line = text; line < end; line = strstr(line, "\r\n") + 2) {
                if (strncasecmp(line, "Content-Length:", 15) == 0)
                    wanted += strtoul(line + 15, NULL, 10);
            }
        }
    }
    return true;
}

/* The answer to a request by its first line. */
static struct fake_answer *answer_find(struct fake_server *server, const char *request)
{
    for (struct fake_answer *answer = server->answers; answer->request; answer++) {
        size_t length = strlen(answer->request);
        if (strncmp(request, answer->request, length) != 0 || request[length] != ' ')
            continue;
        if (answer->uses == 1 && answer[1].request) {
            answer->request = ""; // used up: matches nothing any more
            return answer;
        }
        if (answer->uses > 1)
            answer->uses--;
        return answer;
    }
    return NULL;
}

static void answer_send(int connection, const struct fake_answer *answer)
{
    char head[512];
    const char *body = answer && answer->body ? answer->body : "";
    int length = snprintf(head, sizeof head,
                          "HTTP/1.1 %ld Fake\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n",
                          answer ? answer->status : 404,
                          answer && answer->type ? answer->type : "application/json", strlen(body));
    (void)!send(connection, head, (size_t)length, MSG_NOSIGNAL);
    (void)!send(connection, body, strlen(body), MSG_NOSIGNAL);
}

static void *serve(void *context)
{
    struct fake_server *server = context;
    static char text[FAKE_REQUEST_MAX];
    for (int connection; (connection = accept(server->listener, NULL, NULL)) >= 0;) {
        pthread_mutex_lock(&server->lock);
        server->connections++;
        pthread_mutex_unlock(&server->lock);
        while (request_read(connection, text)) {
            pthread_mutex_lock(&server->lock);
            server->requests++;
            memcpy(server->last, text, sizeof text);
            struct fake_answer *answer = answer_find(server, text);
            pthread_mutex_unlock(&server->lock);
            answer_send(connection, answer);
        }
        close(connection);
    }
    return NULL;
}

void fake_server_start(struct fake_server *server, struct fake_answer *answers)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    memset(server, 0, sizeof *server);
    server->answers = answers;
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    int bad = server->listener < 0 ||
              bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
              listen(server->listener, 8) != 0 ||
              getsockname(server->listener, (struct sockaddr *)&address, &length) != 0;
    if (bad)
        abort();
    server->port = ntohs(address.sin_port);
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%u", server->port);
    pthread_mutex_init(&server->lock, NULL);
    if (pthread_create(&server->thread, NULL, serve, server) != 0)
        abort();
}

void fake_server_stop(struct fake_server *server)
{
    // wakes accept(); the client under test has closed its connection
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->listener);
    pthread_mutex_destroy(&server->lock);
}
