/* Common code of the calls that complete requests: classifies the requests of a call, asks the
 * scheduler about them, and completes each. */
#ifndef MATCHPOINT_SHIM_REQUEST_COMPLETION_H
#define MATCHPOINT_SHIM_REQUEST_COMPLETION_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "request.h"
#include "shim/gate/gate.h"

/* How a call that completes requests treats a request. */
enum standing {
	ABSENT,  /* MPI_REQUEST_NULL, or inactive: empty status */
	READY,   /* can complete without the scheduler */
	ASKED,   /* the scheduler decides */
	FOREIGN, /* MPI decides */
};

struct completion {
	struct wire_call call;
	MPI_Request *handles;
	int count;
	uint32_t asked; /* how many are ASKED; their names, and their indices in `handles` */
	struct wire_name *names;
	uint32_t *places;
	struct request **requests; /* room for as many */
	int ready, foreign;
	int first_ready; /* index; -1: none */
	uint32_t place;  /* what stands for the indices (WIRE_UNDEFINED, WIRE_TOLD_LATER) */
	bool reported;
	MPI_Comm comm;   /* of the request that failed, for the error handler */
	uint32_t failed; /* the call that started the first request that failed; 0: none */
	int first_error; /* and its code */
};

enum standing completion_standing(MPI_Request handle);

/* Whether one of them is not a request, so that MPI will refuse the call. */
bool completion_is_wrong(int count, const MPI_Request *handles);
/* The requests to pass to MPI in that case: inactive ones instead of the shim's. NULL if `handles`
 * is NULL, or memory is out. Valid until the thread's next call of this function. */
MPI_Request *completion_stand_ins(int count, const MPI_Request *handles);

/* Opens the call and classifies its requests. MPI's code. One at a time per thread; nothing to
 * free. */
int completion_open(struct completion *set, unsigned function, const void *site, int count,
                    MPI_Request *handles);

/* Asks the scheduler; the answer's indices are those of set->places. If there is nothing to ask,
 * the call is reported, once. */
struct gate_answer completion_ask(struct completion *set, enum wire_wait wait);

/* Completes an absent, ready or answered request and stores its status. MPI's code. */
int completion_finish(struct completion *set, int place, MPI_Status *status);
/* The same, also for a foreign one: waits for it. */
int completion_finish_any(struct completion *set, int place, MPI_Status *status);

/* Reports what Waitany or its kin has returned, if the set has foreign requests: the scheduler
 * cannot know it. */
void completion_tell(const struct completion *set, const int *indices, int count);

/* Completes the first foreign request that is over. false: none is. */
bool completion_try_foreign(struct completion *set, int *ret_place, MPI_Status *status,
                            int *ret_code);
bool completion_foreign_all_over(const struct completion *set);

/* Raises the call's error; MPI_SUCCESS is returned unchanged. */
int completion_raise(const struct completion *set, int code);

#endif
