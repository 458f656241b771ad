/* The process at the other end of a Unix socket. A run's sockets are open to every process of its
 * user. Processes that do not belong to the run must neither end nor change it. */
#ifndef MATCHPOINT_SCHEDULER_HOST_PEER_H
#define MATCHPOINT_SCHEDULER_HOST_PEER_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* Returns the process that has connected (SO_PEERCRED). 0: it belongs to another user, or the
 * kernel does not report it. */
pid_t peer_of(int socket);

/* Whether a process belongs to the run with that run directory: it has the directory in its
 * environment, or descends from this process. */
bool peer_belongs(pid_t pid, const char *run_directory);

#endif
