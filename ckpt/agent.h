/* The part of a checkpoint that runs inside a rank: it surveys what must be carried over, and forks
 * a copy of this process into a new world. Libc only. Its memory is mapped, not allocated from the
 * program's heap. The technique and its hazards: docs/internals/checkpoints.md.
 *
 * The parked process (the keeper) does not change. A restored child is a fork of it: its shared
 * mappings are replaced by clones, its files are reopened at the keeper's offsets, and descriptor
 * AGENT_WORLD_FD is its world directory.
 *
 * Files in the world's directory (the captured output `out.R` and `err.R`) become files of the same
 * name in the new directory, with the contents they had at the survey. Files elsewhere that are
 * open for writing get the contents, mode and path that they had at the survey, and the descriptors
 * refer to that file. Ranks may share files, so no rank of a restored world may continue before all
 * ranks have theirs. A file that is open only for reading is moved back to its path, but not
 * created again if it was removed. A file that had no path at the survey gets none.
 *
 * Descriptors that were open in agent_new and are not the program's belong to MPI or the launcher.
 * They are shared with the keeper, except files, directories and epoll instances: these are always
 * renewed. The program's descriptors are those that were open in agent_before_init and not in
 * agent_before_main (or were close-on-exec there: opened by a library as it was loaded). Standard
 * input, output and error are the program's as well; they are files unless a shell has replaced
 * them. Of the program's descriptors, and of those opened later, empty pipes that no other process
 * has, and event counters, are created anew in each copy. Everything else that is not a file is a
 * hazard. */
#ifndef MATCHPOINT_CKPT_AGENT_H
#define MATCHPOINT_CKPT_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define AGENT_WORLD_FD 200 /* directory of the world, on tmpfs; UCX_POSIX_DIR=/proc/self/fd/200 */
/* A link in the world's directory, if its output lies elsewhere (world_output.h). */
#define AGENT_OUTPUT "output"

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

/* Optional, before the program's main: descriptors that are open now are not the program's. */
void agent_before_main(void);

/* Optional, just before MPI_Init: threads that run now, and descriptors opened since
 * agent_before_main, are the program's own. */
void agent_before_init(void);

/* Call once, right after MPI_Init: descriptors and threads that exist now are MPI's own. control_fd
 * and pmi_fd are not hazards; a restored child must open its new sockets with the same numbers.
 * Returns NULL and sets errno on failure. */
struct agent *agent_new(int control_fd, int pmi_fd);
void agent_free(struct agent *agent);

/* Children that this process has waited for so far, and that no survey has seen, are not the
 * program's. agent_new implies it. */
void agent_know_children(void);

/* Surveys the process: shared mappings, open files with their offset and (if open for writing)
 * their contents, threads, sockets. Returns 0, or -1 with errno. agent_hazard returns what a copy
 * cannot have, as a clause for the user ("it has 3 threads of its own"), or NULL. May be
 * repeated. */
int agent_survey(struct agent *agent);
const char *agent_hazard(const struct agent *agent);
size_t agent_mappings(const struct agent *agent, const struct agent_mapping **ret);
/* Whether what a copy puts back besides its memory is not shared with other ranks, so that these
 * may continue before it has: only files of its world and objects without a name are open. */
bool agent_is_by_itself(const struct agent *agent);

/* Restores the contents and names that files had at the survey, after children have changed them,
 * and makes the descriptors refer to them. Returns 0, or -1 with errno. */
int agent_put_files_back(const struct agent *agent);

/* Forks what was surveyed last. In the parent: returns the child's pid, or -1 with errno. In the
 * child: returns 0 when it is in the new world, without the control socket (the caller connects
 * anew). A child that cannot be set up ends with _exit(), and the status is the reason
 * (agent_failure.h). The child dies with its parent. */
pid_t agent_fork(struct agent *agent, const char *world_directory, const struct agent_clone *clones,
                 size_t count);

#endif
