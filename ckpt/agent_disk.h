/* A checkpoint on disk, in the rank: a keeper forks a child as for a restored rank, and the child
 * writes itself to a file instead (agent_disk_format.h). The keeper does not wait and does not
 * change. Later, in a fresh run of the program, that file is put into the process before anything
 * else of it has run (restorer.c). The child goes on where it was saved, as a restored rank of a
 * new world. Libc only. How it works: docs/internals/disk.md. */
#ifndef MATCHPOINT_CKPT_AGENT_DISK_H
#define MATCHPOINT_CKPT_AGENT_DISK_H

#include "agent.h"

/* Names in the world's directory, with the rank's number behind it: why it could not be saved. */
#define AGENT_DISK_TROUBLE "save-trouble"
/* And, in that of a restarted world, written by the scheduler: what is different now. Lines "name
 * value": see agent_disk_told. */
#define AGENT_DISK_RESTART "restart"

struct agent_disk_order {
	const char *folder; /* that gets the file rank.<rank>.img; it must not be there */
	const char *base;   /* an earlier checkpoint beside it: its folder's name; "": none */
	int32_t rank;
	int launcher_fd; /* closed in the child; -1: none */
};

/* Like agent_fork. But the child ends when it has written itself: with status 0, or with
 * AGENT_FAILURE_DISK or AGENT_FAILURE_UNSAVABLE and the reason in its world's directory. What this
 * returns in the child, it returns in the process that was restarted from the file: 0, in its new
 * world. */
pid_t agent_disk_save(struct agent *agent, const char *world_directory,
                      const struct agent_clone *clones, size_t count,
                      const struct agent_disk_order *order);

/* The value of a name in the restarted world's file, in static memory: the next call overwrites it.
 * "": not there. */
const char *agent_disk_told(const char *name);

/* In a fresh process, before the program or any of its libraries may have done anything: becomes
 * the rank that was saved as `image`. Descriptor AGENT_WORLD_FD must be the new world's directory.
 * Does not return; if it fails, the process prints why, and ends. */
_Noreturn void agent_disk_become(const char *restorer, const char *image);

#endif
