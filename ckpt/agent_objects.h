/* Pipes and event counters (eventfd), for which a copy can create equal ones, and the processes
 * that may share them. Libc only. */
#ifndef MATCHPOINT_CKPT_AGENT_OBJECTS_H
#define MATCHPOINT_CKPT_AGENT_OBJECTS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Flags of F_GETFL that fcntl(F_SETFL) can set. */
#define AGENT_STATUS_FLAGS (O_APPEND | O_ASYNC | O_DIRECT | O_NOATIME | O_NONBLOCK)

/* Whether the process, or one that it is a copy of, has ever waited for a child of the program's.
 * What such a child started may still run and hold descriptors. */
bool agent_had_children(void);

/* agent_pipe_room: capacity of a pipe in bytes. agent_pipe_is_empty: whether nothing is in it. */
size_t agent_pipe_room(int fd);
bool agent_pipe_is_empty(int fd);

struct agent_end {     /* of a pipe */
	int fd, flags; /* flags for open(), with O_CLOEXEC of the descriptor */
};

/* Replaces two descriptors by an empty pipe. Returns 0, or -1 with errno. */
int agent_make_pipe(const struct agent_end *reads, const struct agent_end *writes, size_t room);

/* Parses the /proc/self/fdinfo text of an event counter; false: incomplete, or it is not one. */
bool agent_read_event(const char *info, uint64_t *ret_count, bool *ret_semaphore);
/* Returns the descriptor, or -1 with errno. */
int agent_make_event(uint64_t count, bool semaphore, int flags);

#endif
