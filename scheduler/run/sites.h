/* Where calls were made: looked up once for each rank and address in its process, and remembered,
 * for the process may be gone when it is asked again. */
#ifndef MATCHPOINT_SCHEDULER_RUN_SITES_H
#define MATCHPOINT_SCHEDULER_RUN_SITES_H

#include <sys/types.h>

#include "scheduler/host/host.h"

struct sites;

struct sites *sites_new(struct host *host); /* who is asked */
void sites_free(struct sites *sites);       /* NULL is legal */

/* A process of a rank, and one of the same job and rank to be asked before it; 0: there is none. */
struct site_owner {
	guint32 job; /* addresses are the same in all processes of a rank that one job began */
	gint32 rank;
	pid_t first, pid;
};

/* The place of a return address; all 0: not known. */
struct place sites_find(struct sites *sites, const struct site_owner *owner, guint64 address);
/* Of a stack of return addresses, innermost first, the place to show: see
 * source_lines_find_caller. */
struct place sites_find_caller(struct sites *sites, pid_t pid, const uint64_t *addresses,
                               guint32 count);
/* Appends the functions (struct record_frame) at an address: more than one where the compiler has
 * inlined them. */
void sites_add_frames(struct sites *sites, const struct site_owner *owner, guint64 address,
                      GArray *frames);

/* The job is over: other processes may have other things at these addresses. */
void sites_forget(struct sites *sites, guint32 job);

#endif
