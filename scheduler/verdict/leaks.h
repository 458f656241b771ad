/* What an interleaving that ended well has left behind: objects not freed, requests not completed,
 * messages not received. Leaks of one kind from one line are one finding. Pure. */
#ifndef MATCHPOINT_SCHEDULER_VERDICT_LEAKS_H
#define MATCHPOINT_SCHEDULER_VERDICT_LEAKS_H

#include "common/wire.h"
#include "scheduler/store/record.h"

/* In addition to enum wire_object: a message that was sent. */
#define LEAK_UNRECEIVED WIRE_OBJECT_COUNT

/* Objects that one rank made at one place. */
struct leak {
	int rank;
	guint kind;            /* enum wire_object, or LEAK_UNRECEIVED */
	const char *function;  /* the call that made them; interned */
	const char *arguments; /* of that call, "dest=0, tag=7"; NULL: not known */
	guint32 call;          /* number of that call; 0: not known */
	struct place place;
	guint count;
};

struct leaks;

struct leaks *leaks_new(void);
void leaks_free(struct leaks *leaks);

/* Copies the leak. */
void leaks_add(struct leaks *leaks, const struct leak *leak);

/* A finding of kind "leak" for each kind of object and line, in the order of their first objects
 * (struct record_finding, without path). `ranks`: number of all ranks. Free the array and the
 * findings. */
GPtrArray *leaks_findings(const struct leaks *leaks, int ranks);

#endif
