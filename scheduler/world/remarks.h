/* Remarks on what is wrong in an interleaving without ending it: types of a message differ,
 * something is never freed. The calls of ranks are parties to a remark. Equal remarks of one
 * interleaving are kept once. They are part of the world's state, so a snapshot contains those of
 * its past. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_REMARKS_H
#define MATCHPOINT_SCHEDULER_WORLD_REMARKS_H

#include <glib.h>

#include "common/state_hash.h"
#include "scheduler/store/finding_kind.h"

#define REMARK_PARTIES 2

/* One rank's part in a remark. */
struct remark_party {
	int rank;
	guint32 call;       /* the number of the call; 0: not known */
	guint16 function;   /* enum mpi_call */
	const char *action; /* what the program itself does: "load", "store"; NULL: an MPI call */
	guint64 site;       /* of the call: return address in the program */
	const char *does;   /* "sends 4 MPI_INT", "never frees a communicator" */
	guint64 count;      /* as in struct record_given; so is type */
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

/* Copies the remark, unless an equal one was added before. Remarks are equal in kind, ranks, sites
 * and words; numbers in the words and numbers of calls may differ. Further remarks are dropped
 * after some hundreds. */
void remarks_add(struct remarks *remarks, const struct remark *remark);

/* In the order added. */
guint remarks_count(const struct remarks *remarks);
const struct remark *remarks_get(const struct remarks *remarks, guint index);

/* Adds the remark to the hash. */
void remark_fingerprint(const struct remark *remark, struct state_hash *ret);

#endif
