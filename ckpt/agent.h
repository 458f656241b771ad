/* The part of a checkpoint that runs inside the rank: survey what must be carried, fork a copy of
 * this process into a new world. Libc only; what it allocates is mapped, not taken from the
 * program's heap. The technique and its hazards: docs/internals/checkpoints.md.
 *
 * The process that is parked (the keeper) stays as it is; a restored child is a fork of it whose
 * shared mappings have been replaced by clones, whose files have been reopened at the keeper's
 * offsets, and whose world directory stands on descriptor AGENT_WORLD_FD.
 *
 * Files in the world's directory (the captured output `out.R` and `err.R`) become files of the
 * same name in the new one, with what they held at the survey. Files elsewhere that are open for
 * writing get the contents and the mode back that they had at the survey, at the path that they
 * had, and that file is what the descriptors refer to. Ranks may share them, so no rank of a
 * restored world may go on before all of them stand. A file that is open for reading only is moved
 * back to its path, but not made anew when it has been removed; one that had no path any more at
 * the survey gets none.
 *
 * A descriptor that was open when agent_new was called, and not the program's, is MPI's or the
 * launcher's and is shared with the keeper, unless it is a file, a directory or an epoll instance:
 * those are renewed always. The program's are those that were open in agent_before_init and not in
 * agent_before_main (or closed on exec then: made by a library as it was loaded), and standard
 * input, output and errors, which are files unless a shell has put others in their place. Of these,
 * and of what is opened later, pipes that nobody else has and that are empty, and event counters,
 * are made anew in each copy; what else is no file is a hazard. */
#ifndef MATCHPOINT_CKPT_AGENT_H
#define MATCHPOINT_CKPT_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define AGENT_WORLD_FD 200 /* the world's directory on tmpfs; UCX_POSIX_DIR=/proc/self/fd/200 */

struct agent_mapping {
	uint64_t start, length, offset, device, inode;
	uint32_t protection;
};

struct agent_clone {
	uint64_t start, length, offset;
	uint32_t protection;
	uint32_t file; /* clone.<file> in the new world's directory */
};

struct agent;

/* Optional, before the program's main: what is open already is not the program's. */
void agent_before_main(void);

/* Optional, just before MPI_Init: threads that run already, and what is open, are the program's
 * own. */
void agent_before_init(void);

/* Called once, right after MPI_Init: what is open and running now is MPI's own. control_fd and
 * pmi_fd are descriptors that the agent must not call a hazard; a restored child must have its new
 * sockets on the same numbers. NULL with errno. */
struct agent *agent_new(int control_fd, int pmi_fd);
void agent_free(struct agent *agent);

/* Children that this process has waited for up to now, and that no survey has seen, are none of the
 * program's. agent_new says so, too. */
void agent_know_children(void);

/* Looks at the process as it stands: shared mappings, open files with offset and (if open for
 * writing) contents, threads, sockets. 0, or -1 with errno. What is unsafe is told by
 * agent_hazard: a clause for the user ("it has 3 threads of its own"), or NULL. Idempotent. */
int agent_survey(struct agent *agent);
const char *agent_hazard(const struct agent *agent);
size_t agent_mappings(const struct agent *agent, const struct agent_mapping **ret);
/* Whether what a copy puts back besides its memory is nobody else's, so that others may go on
 * before it has: no file is open but those of its world, and what has no name. */
bool agent_is_by_itself(const struct agent *agent);

/* Gives files the contents and names back that they had at the survey, after children have changed
 * them, and has descriptors refer to them. 0, or -1 with errno. */
int agent_put_files_back(const struct agent *agent);

/* Forks what was last surveyed. In the parent the child's pid, or -1 with errno. In the child 0,
 * once it stands in the new world, without the control socket (the caller connects anew); a child
 * that cannot be set up ends with _exit(AGENT_SETUP_FAILED). The child dies with its parent. */
#define AGENT_SETUP_FAILED 119
pid_t agent_fork(struct agent *agent, const char *world_directory, const struct agent_clone *clones,
                 size_t count);

#endif
