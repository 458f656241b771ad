/* What is wrong in an interleaving without ending it: the types of a message differ, something is
 * never freed. Ranks' calls are parties to a remark; equal remarks of one interleaving are one.
 * Part of the world's state, so that a snapshot has those of its past. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_REMARKS_H
#define MATCHPOINT_SCHEDULER_WORLD_REMARKS_H

#include <glib.h>

#include "common/state_hash.h"
#include "scheduler/store/finding_kind.h"

#define REMARK_PARTIES 2

/* One rank's part in it. */
struct remark_party {
	int rank;
	guint32 call;     /* the call it is about; 0: none that is known */
	guint16 function; /* enum mpi_call */
	guint64 site;     /* of the call: return address in the program */
	const char *does; /* "sends 4 MPI_INT", "never frees a communicator" */
	guint64 count;    /* as in struct record_given, and so is type */
	const char *type;
};

struct remark {
	enum finding_kind kind;
	guint count; /* of parties */
	struct remark_party parties[REMARK_PARTIES];
};

struct remarks;

struct remarks *remarks_new(void);
struct remarks *remarks_copy(const struct remarks *remarks);
void remarks_free(struct remarks *remarks);

/* Copies the remark, unless the same has been made before: kind, ranks, sites and words, whatever
 * the numbers in them and those of the calls. Beyond some hundreds further ones are dropped. */
void remarks_add(struct remarks *remarks, const struct remark *remark);

/* In the order made. */
guint remarks_count(const struct remarks *remarks);
const struct remark *remarks_get(const struct remarks *remarks, guint index);

/* What it says, added to `ret`. */
void remark_fingerprint(const struct remark *remark, struct state_hash *ret);

#endif
