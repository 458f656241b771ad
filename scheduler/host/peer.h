/* Who is at the other end of a Unix socket. A run's sockets are open to every process of its user;
 * those that are none of the run's must neither end nor change it. */
#ifndef MATCHPOINT_SCHEDULER_HOST_PEER_H
#define MATCHPOINT_SCHEDULER_HOST_PEER_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* The process that has connected (SO_PEERCRED), if it is this user's; else, or where the kernel
 * does not tell, 0. */
pid_t peer_of(int socket);

/* Whether a process is one of the run with that run directory: it was started with it in its
 * environment, or descends from this process. */
bool peer_belongs(pid_t pid, const char *run_directory);

#endif
