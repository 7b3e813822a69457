/* A device of local learning in C: the library computes, books and keeps; this program brings the
 * network.
 *
 *     cc -std=c99 device.c $(pkg-config --cflags --libs tacet-c) -o device
 *     ./device PORT task.json policy.toml token record.csv folder
 *
 * It speaks plain HTTP to a server on the same machine, or to a program there that ends TLS. Your
 * own exchange may use the system's HTTP client, if that verifies certificates. The library asks
 * again where no answer came, so that nothing is tried twice here. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tacet.h"

enum { MOST_HEAD = 16384, MOST_FILE = 1 << 20 };

static int connect_to(int port) {
  const struct timeval patience = {30, 0};
  struct sockaddr_in place;
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  if (client < 0) return -1;
  memset(&place, 0, sizeof place);
  place.sin_family = AF_INET;
  place.sin_port = htons((unsigned short)port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(client, (struct sockaddr*)&place, sizeof place) == 0) return client;
  close(client);
  return -1;
}

static int send_all(int client, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t sent = send(client, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return 0;
    bytes += sent;
    size -= (size_t)sent;
  }
  return 1;
}

/* A header's number; -1 where there is none. */
static long header(const char* head, const char* name) {
  const char* line = strstr(head, "\r\n");
  for (; line != NULL; line = strstr(line + 2, "\r\n")) {
    if (strncasecmp(line + 2, name, strlen(name)) == 0) {
      return strtol(line + 2 + strlen(name), NULL, 10);
    }
  }
  return -1;
}

/* Until the server ends the connection, as it was asked to. */
static int receive(int client, const tacet_request* request, tacet_reply* reply) {
  const size_t most = MOST_HEAD + request->room;
  char* text = malloc(most + 1);
  size_t size = 0;
  const char* end = NULL;
  int kind = TACET_IO;
  while (text != NULL && size < most) {
    const ssize_t got = recv(client, text + size, most - size, 0);
    if (got <= 0) break;
    size += (size_t)got;
  }
  if (text != NULL) {
    text[size] = '\0';
    end = strstr(text, "\r\n\r\n");
  }
  if (end != NULL && strncmp(text, "HTTP/1.1 ", 9) == 0) {
    const size_t body = size - (size_t)(end + 4 - text);
    if (body <= request->room && header(text, "Content-Length:") == (long)body) {
      const long wait = header(text, "Retry-After:");
      memcpy(request->answer, end + 4, body);
      reply->status = (int)strtol(text + 9, NULL, 10);
      reply->size = body;
      reply->retry_seconds = wait > 0 ? wait : 0;
      kind = TACET_OK;
    }
  }
  free(text);
  return kind;
}

static int exchange(const tacet_request* request, tacet_reply* reply, void* context) {
  char head[1024];
  int kind = TACET_IO;
  const int is_post = strcmp(request->method, "POST") == 0;
  const int client = connect_to(*(const int*)context);
  int size;
  if (client < 0) return TACET_IO;
  size = snprintf(head, sizeof head, "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n",
                  request->method, request->path);
  if (request->token[0] != '\0') {
    size += snprintf(head + size, sizeof head - (size_t)size, "Authorization: Bearer %s\r\n",
                     request->token);
  }
  if (is_post) {
    size += snprintf(head + size, sizeof head - (size_t)size, "Content-Length: %lu\r\n",
                     (unsigned long)request->body_size);
  }
  if (send_all(client, head, (size_t)size) && send_all(client, "\r\n", 2) &&
      send_all(client, request->body, request->body_size)) {
    kind = receive(client, request, reply);
  }
  close(client);
  return kind;
}

/* All of a small file; its size, or -1. */
static long read_file(const char* path, char* text) {
  FILE* file = fopen(path, "rb");
  size_t size;
  if (file == NULL) return -1;
  size = fread(text, 1, MOST_FILE - 1, file);
  fclose(file);
  text[size] = '\0';
  return (long)size;
}

int main(int count, char** words) {
  static char task[MOST_FILE], policy[MOST_FILE], token[MOST_FILE];
  tacet_device device = 0;
  int port;
  long size;
  if (count != 7) {
    fprintf(stderr, "device PORT task.json policy.toml token record.csv folder\n");
    return 2;
  }
  port = atoi(words[1]);
  size = read_file(words[2], task);
  if (size < 0 || read_file(words[3], policy) < 0 || read_file(words[4], token) < 0) {
    fprintf(stderr, "device: a file cannot be read\n");
    return 7;
  }
  token[strcspn(token, "\r\n")] = '\0';
  if (tacet_device_new(task, (size_t)size, policy, &device) ||
      tacet_device_set(device, "token", token) || tacet_device_set(device, "record", words[5]) ||
      tacet_device_set(device, "folder", words[6]) ||
      tacet_device_join(device, exchange, NULL, &port, 0)) {
    fprintf(stderr, "device: %s\n", tacet_last_error());
    return 1;
  }
  printf("counted\n");
  return tacet_free(device);
}
