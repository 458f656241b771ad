/* What the calls that complete requests have in common: a look at the requests of one call, what is
 * asked of the scheduler about them, and how each is finished. */
#ifndef MATCHPOINT_SHIM_REQUEST_COMPLETION_H
#define MATCHPOINT_SHIM_REQUEST_COMPLETION_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "request.h"
#include "shim/gate/gate.h"

/* How a request stands to a call that completes requests. */
enum standing {
	ABSENT,  /* MPI_REQUEST_NULL, or inactive: with an empty status */
	READY,   /* can complete without asking */
	ASKED,   /* the scheduler knows */
	FOREIGN, /* the MPI library knows */
};

struct completion {
	struct wire_call call;
	MPI_Request *handles;
	int count;
	uint32_t asked; /* their names, and their indices in `handles` */
	struct wire_name *names;
	uint32_t *places;
	int ready, foreign;
	int first_ready; /* index, or -1 */
	bool reported;
	MPI_Comm comm; /* of the request that failed, for the error handler */
};

enum standing completion_standing(MPI_Request handle);

/* Whether one of them is no request at all, so that MPI will refuse the call. */
bool completion_is_wrong(int count, const MPI_Request *handles);
/* The requests to be given to MPI for that, inactive ones in place of the shim's: NULL if `handles`
 * is. Valid until the thread's next call of it. */
MPI_Request *completion_stand_ins(int count, const MPI_Request *handles);

/* Opens the call and looks at its requests. MPI's code. One at a time; nothing to release. */
int completion_open(struct completion *set, unsigned function, const void *site, int count,
                    MPI_Request *handles);

/* Asks the scheduler, indices into set->places; with nothing to ask the call is reported, once. */
struct gate_answer completion_ask(struct completion *set, enum wire_wait wait);

/* Completes an absent, ready or answered request and stores its status. MPI's code. */
int completion_finish(struct completion *set, int place, MPI_Status *status);
/* The same, also for a foreign one: waits for it. */
int completion_finish_any(struct completion *set, int place, MPI_Status *status);

/* The first foreign request that is over, completed; false: none is. */
bool completion_try_foreign(struct completion *set, int *ret_place, MPI_Status *status,
                            int *ret_code);
bool completion_foreign_all_over(const struct completion *set);

/* Raises the call's error; MPI_SUCCESS is passed on. */
int completion_raise(const struct completion *set, int code);

#endif
