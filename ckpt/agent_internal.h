/* What the agent's files share: itself, and the survey of descriptors. */
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

#define AGENT_CONTENTS_MAX ((uint64_t)256 << 20) /* of all files that must be put back, in bytes */

enum agent_file_kind {
	AGENT_FILE,       /* regular, or a directory: reopened, offset set */
	AGENT_WORLD_FILE, /* in the world's directory: the same name in the new one */
	AGENT_EPOLL,
	AGENT_DEVICE, /* /dev/null and the like: reopened */
	AGENT_PIPE,   /* one end, when it has both: made anew */
	AGENT_EVENT,  /* an eventfd: made anew */
};

#define AGENT_EPOLL_LINK "anon_inode:[eventpoll]" /* in /proc/self/fd */

struct agent_watch { /* one descriptor that an epoll instance watches */
	int fd;
	struct epoll_event event;
};

struct agent_file {
	int fd;
	int shared_with; /* an earlier descriptor of the same open file description, or -1 */
	enum agent_file_kind kind;
	int flags; /* as open() takes them, with O_CLOEXEC of the descriptor */
	off_t offset;
	uint64_t device, inode;
	mode_t mode;      /* permissions, of a regular file */
	const char *name; /* of a world file, in its directory; else the path, NULL without one */
	bool has_contents;
	const uint8_t *contents;
	size_t size;                 /* of contents; what a pipe has room for */
	uint64_t count;              /* of an event counter; UINT64_MAX: it is not known */
	bool semaphore;              /* an event counter that is taken from by one */
	struct agent_watch *watches; /* in ascending order of fd */
	size_t watch_count;
};

struct agent_descriptor { /* open when MPI_Init returned */
	int fd;
	bool inherited; /* since before the program began: shared with the launcher */
	bool early;     /* the program's, or its shell's, before MPI_Init */
	uint64_t device, inode;
};

/* A pipe or socket, none of the program's: its description is the keeper's and all copies'. */
struct agent_shared {
	int fd, flags; /* of AGENT_STATUS_FLAGS */
};

struct agent {
	int control_fd, pmi_fd;
	struct agent_arena own; /* lives as long as the agent */
	struct agent_descriptor *known;
	size_t known_count;
	int *threads; /* MPI's */
	size_t thread_count;

	struct agent_arena arena; /* of the last survey */
	char world[PATH_MAX];     /* the world directory's path */
	struct agent_mapping *mappings;
	size_t mapping_count;
	int *descriptors; /* all of them, in ascending order */
	size_t descriptor_count;
	struct agent_file *files;
	size_t file_count;
	struct agent_shared *shared;
	size_t shared_count;
	uint64_t contents_size;
	char hazard[PATH_MAX + 128]; /* empty: none */
	bool is_as_born;             /* it was surveyed as it was at its birth (agent_state.c) */

	struct agent_private_stack *aside; /* agent_rewind_internal.h; NULL: none */
	struct agent *told; /* agent_state.c: what was surveyed for a state; NULL: nothing */
};

/* Notes the first hazard; later ones add nothing. */
void agent_set_hazard(struct agent *agent, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What is open already, and was not in agent_before_main, is the program's. */
void agent_note_early(void);
/* What is open already belongs to MPI, or to the program: sockets, pipes and devices of MPI's are
 * shared with the copies. 0, or -1 with errno. */
int agent_know_descriptors(struct agent *agent);
/* What is open and mapped now, into the arena; what cannot be put back becomes the hazard. 0, or -1
 * with errno. */
int agent_survey_files(struct agent *agent);
int agent_survey_mappings(struct agent *agent);

/* The other end of a pipe; NULL: there is none, or there are ends besides. */
const struct agent_file *agent_pipe_mate(const struct agent *agent, const struct agent_file *file);

/* Whether a signal is handled in a way that counts, by those that are ignored or caught (bit N - 1
 * for signal N): the others are as they are by default, with flags that mean nothing but for
 * SIGCHLD. */
static inline bool agent_is_handled(uint64_t handled, int number)
{
	return number == SIGCHLD || (handled >> (number - 1) & 1);
}

/* Opens the file of a descriptor once more, whatever its name has become. */
int agent_open_again(int fd, int flags);

/* The next descriptor that /proc/self/fdinfo tells an epoll instance to watch; advances *at. False:
 * there is none. */
bool agent_next_watch(const char **at, struct agent_watch *ret_watch);

/* Whether an open file has just the contents that were surveyed; and that of its descriptor, even
 * if it was written once more with the same. */
bool agent_holds(int fd, const struct agent_file *file);
bool agent_holds_idle(const struct agent_file *file);

/* By the last survey. */
bool agent_is_mapped(const struct agent *agent, const struct agent_file *file);

/* In the child: gives every surveyed descriptor a life of its own. */
int agent_renew_files(const struct agent *agent, const struct agent_clone *clones, size_t count);

#endif
