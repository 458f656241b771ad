/* Pipes and event counters (eventfd), of which a copy can have others that are the same, and the
 * processes that may have them, too. Libc only. */
#ifndef MATCHPOINT_CKPT_AGENT_OBJECTS_H
#define MATCHPOINT_CKPT_AGENT_OBJECTS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What fcntl(F_SETFL) sets, of what F_GETFL tells. */
#define AGENT_STATUS_FLAGS (O_APPEND | O_ASYNC | O_DIRECT | O_NOATIME | O_NONBLOCK)

/* Whether the process, or one that it is a copy of, has ever waited for a child of the program's:
 * what such a child had started may run yet, and hold what was open. */
bool agent_had_children(void);

/* Bytes that a pipe has room for in all; whether there are none in it. */
size_t agent_pipe_room(int fd);
bool agent_pipe_is_empty(int fd);

struct agent_end {     /* of a pipe */
	int fd, flags; /* as open() takes them, with O_CLOEXEC of the descriptor */
};

/* An empty pipe in place of two descriptors. 0, or -1 with errno. */
int agent_make_pipe(const struct agent_end *reads, const struct agent_end *writes, size_t room);

/* What /proc/self/fdinfo tells of an event counter; false: not all, or it is none. */
bool agent_read_event(const char *info, uint64_t *ret_count, bool *ret_semaphore);
/* Its descriptor, or -1 with errno. */
int agent_make_event(uint64_t count, bool semaphore, int flags);

#endif
