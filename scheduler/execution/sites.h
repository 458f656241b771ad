/* Places of calls. They are looked up once for each rank and address, and cached, because the
 * process may be gone later. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_SITES_H
#define MATCHPOINT_SCHEDULER_EXECUTION_SITES_H

#include <sys/types.h>

#include "scheduler/host/host.h"

struct sites;

struct sites *sites_new(struct host *host); /* the host looks them up */
void sites_free(struct sites *sites);       /* NULL is legal */

/* A process of a rank (`pid`), and one of the same job and rank to look in first; 0: none. */
struct site_owner {
	guint32 job; /* all processes of a rank of one job have the same addresses */
	gint32 rank;
	pid_t first, pid;
};

/* Returns the place of a return address; all 0: not known. */
struct place sites_find(struct sites *sites, const struct site_owner *owner, guint64 address);
/* Returns the place to show for a stack of return addresses, innermost first: see
 * source_lines_find_caller. */
struct place sites_find_caller(struct sites *sites, pid_t pid, const uint64_t *addresses,
                               guint32 count);
/* Appends the functions (struct record_frame) at an address; more than one if the compiler has
 * inlined some. */
void sites_add_frames(struct sites *sites, const struct site_owner *owner, guint64 address,
                      GArray *frames);

/* The job is over: other processes may have other code at these addresses. */
void sites_forget(struct sites *sites, guint32 job);

#endif
