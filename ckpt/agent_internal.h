/* Shared by the agent's files: its state, and the survey of descriptors. */
#ifndef MATCHPOINT_CKPT_AGENT_INTERNAL_H
#define MATCHPOINT_CKPT_AGENT_INTERNAL_H

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>

#include "agent.h"
#include "agent_memory.h"
#include "agent_objects.h"

#define AGENT_CONTENTS_MAX ((uint64_t)256 << 20) /* bytes of all files whose contents are kept */

enum agent_file_kind {
	AGENT_FILE,       /* regular file or directory: reopened, offset set */
	AGENT_WORLD_FILE, /* in the world's directory: reopened by its name in the new one */
	AGENT_EPOLL,
	AGENT_DEVICE, /* /dev/null and the like: reopened */
	AGENT_PIPE,   /* one end of a pipe of which the process has both: created anew */
	AGENT_EVENT,  /* an eventfd: created anew */
};

#define AGENT_EPOLL_LINK "anon_inode:[eventpoll]" /* as read from /proc/self/fd */

struct agent_watch { /* a descriptor that an epoll instance watches */
	int fd;
	struct epoll_event event;
};

struct agent_file {
	int fd;
	int shared_with; /* an earlier descriptor of the same open file description, or -1 */
	enum agent_file_kind kind;
	int flags; /* flags for open(), with O_CLOEXEC of the descriptor */
	off_t offset;
	uint64_t device, inode;
	mode_t mode;      /* permissions of a regular file */
	const char *name; /* world file: name in its directory; others: path, or NULL */
	bool has_contents;
	const uint8_t *contents;
	size_t size;                 /* size of contents; pipe: its capacity */
	uint64_t count;              /* event counter: its value; UINT64_MAX: not known */
	bool semaphore;              /* event counter: reads decrement it by one */
	struct agent_watch *watches; /* in ascending order of fd */
	size_t watch_count;
};

struct agent_descriptor { /* open when MPI_Init returned */
	int fd;
	bool inherited; /* opened before the program began: shared with the launcher */
	bool early;     /* opened before MPI_Init by the program or its shell */
	uint64_t device, inode;
};

/* A pipe or socket that is not the program's: keeper and copies share its description. */
struct agent_shared {
	int fd, flags; /* of AGENT_STATUS_FLAGS */
};

struct agent {
	int control_fd, pmi_fd;
	struct agent_arena own; /* lives as long as the agent */
	struct agent_descriptor *known;
	size_t known_count;
	int *threads; /* threads of MPI */
	size_t thread_count;

	struct agent_arena arena; /* memory of the last survey */
	char world[PATH_MAX];     /* path of the world's directory */
	char output[PATH_MAX];    /* of its directory for output; empty: it has none */
	struct agent_mapping *mappings;
	size_t mapping_count;
	int *descriptors; /* all descriptors, in ascending order */
	size_t descriptor_count;
	struct agent_file *files;
	size_t file_count;
	struct agent_shared *shared;
	size_t shared_count;
	uint64_t contents_size;
	char hazard[PATH_MAX + 128]; /* empty: no hazard */
	/* the rank was as at its birth when it was surveyed (agent_state.c) */
	bool is_as_born;

	struct agent_private_stack *private_stack; /* agent_rewind_internal.h; NULL: none */
	struct agent *survey; /* agent_state.c: the survey for a state; NULL: none */
};

/* Records the first hazard; later ones are ignored. */
void agent_set_hazard(struct agent *agent, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Descriptors that are open now, and were not in agent_before_main, are the program's. */
void agent_note_early(void);
/* Sorts the open descriptors into MPI's and the program's. MPI's sockets, pipes and devices are
 * shared with copies. Returns 0, or -1 with errno. */
int agent_know_descriptors(struct agent *agent);
/* Survey descriptors and mappings into the arena. Something that cannot be restored becomes the
 * hazard. Return 0, or -1 with errno. */
int agent_survey_files(struct agent *agent);
int agent_survey_mappings(struct agent *agent);

/* The other end of a pipe; NULL: the process does not have it, or has further ends. */
const struct agent_file *agent_pipe_mate(const struct agent *agent, const struct agent_file *file);

/* Whether a signal's disposition is of interest. `handled`: ignored or caught signals (bit N - 1
 * for signal N). Other signals have the default disposition, whose flags matter only for
 * SIGCHLD. */
static inline bool agent_is_handled(uint64_t handled, int number)
{
	return number == SIGCHLD || (handled >> (number - 1) & 1);
}

/* Reopens the file of a descriptor, whatever its name is now. */
int agent_open_again(int fd, int flags);

/* Parses the next watched descriptor in an epoll instance's /proc/self/fdinfo text; advances *at.
 * False: there is none. */
bool agent_next_watch(const char **at, struct agent_watch *ret_watch);

/* Whether a file's own descriptor has exactly the contents that were surveyed; rewriting the same
 * contents does not matter. */
bool agent_holds_idle(const struct agent_file *file);

/* By the last survey. */
bool agent_is_mapped(const struct agent *agent, const struct agent_file *file);

/* In a new child: its world's directory, and the clones of its shared memory. Returns 0, or the
 * reason (enum agent_failure). */
int agent_enter_world(struct agent *agent, pid_t parent, const char *world_directory,
                      const struct agent_clone *clones, size_t count);
/* In the child: makes every surveyed descriptor independent of the keeper's. */
int agent_renew_files(const struct agent *agent, const struct agent_clone *clones, size_t count);

#endif
