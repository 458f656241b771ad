/* How the processes of a program begin and end: part of the protocol (wire.h). */
#ifndef MATCHPOINT_COMMON_WIRE_PROCESSES_H
#define MATCHPOINT_COMMON_WIRE_PROCESSES_H

#include <stdint.h>

/* All ranks of a job with prelaunched processes, where WIRE_COMM_WORLD are the ranks that run at
 * once (prelaunched.h). The program does not know it. */
#define WIRE_COMM_JOB 3u

/* Bits of wire_call.status, of MPI_Init and its kin. */
enum wire_init {
	WIRE_THREADS_MULTIPLE = 1, /* MPI grants MPI_THREAD_MULTIPLE */
	WIRE_NOT_SPAWNED = 2,      /* the process waits to be spawned */
};

/* Bits of wire_call.status, of MPI_Finalize. */
enum wire_finalize {
	WIRE_SESSIONS_OPEN = 1,
	WIRE_THREADS_IN_TURN = 2, /* the program has made threads, with MPI_THREAD_SERIALIZED */
};

/* Bits of wire_call.status, of MPI_Comm_spawn and MPI_Comm_spawn_multiple. */
enum wire_spawn {
	WIRE_SPAWN_PLACED = 1, /* info keys that say where processes run were ignored */
};

/* A spawn for which the job has too few processes. */
struct wire_need {
	uint32_t count; /* so many more */
	char *command;
};

struct wire_needs {
	uint32_t spawn; /* its number among those of this root, from 1 */
	uint64_t site;  /* return address in the program */
	uint32_t count;
	struct wire_need *list;
};

#endif
