/* What an interleaving that ended well has left behind: objects not freed, requests not completed,
 * messages not received; joined by what they are and by the line that made them. Pure. */
#ifndef MATCHPOINT_SCHEDULER_VERDICT_LEAKS_H
#define MATCHPOINT_SCHEDULER_VERDICT_LEAKS_H

#include "common/wire.h"
#include "scheduler/store/record.h"

/* Beside the kinds of enum wire_object: a message that was sent. */
#define LEAK_UNRECEIVED WIRE_OBJECT_COUNT

/* So many made by one rank at one place. */
struct leak {
	int rank;
	guint kind;            /* enum wire_object, or LEAK_UNRECEIVED */
	const char *function;  /* that made them; interned */
	const char *arguments; /* of that call, "dest=0, tag=7"; NULL: not known */
	guint32 call;          /* its number; 0: not known */
	struct place place;
	guint count;
};

struct leaks;

struct leaks *leaks_new(void);
void leaks_free(struct leaks *leaks);

/* Copies it. */
void leaks_add(struct leaks *leaks, const struct leak *leak);

/* A finding of kind "leak" for each kind of object and line, in the order of their first objects
 * (struct record_finding, without path); `ranks` is the number of all. */
GPtrArray *leaks_findings(const struct leaks *leaks, int ranks);

#endif
