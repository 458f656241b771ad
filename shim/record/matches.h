/* At replay, for the command (scheduler/recording/recorded_matches.h): what each communication call
 * got, as lines among the news (replay.h). The recorded run as a whole is followed by them.
 *
 *   k NUMBER FUNCTION SITE         a communication call begins; a poll: it is answered "yes"
 *   n NUMBER FUNCTION TIMES SITE   polls from this number on were answered "not yet"
 *   s INDEX START SUB SOURCE TAG CANCELLED BYTES
 *                                  in that call a message or request was reported: its index among
 *                                  the active requests, and the call that had started it, or 0
 *   p SUB NUMBER                   that call has started what this call has prepared
 *   c HANDLE                       that call has made a communicator
 *   g GROUP FIRST DISTANCE COUNT   its next COUNT members, as ranks in MPI_COMM_WORLD; GROUP 1: the
 *                                  other group
 *   a NAME=VALUE ...               what that call was given, and handles that it gave: numbers, or
 *                                  MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_PROC_NULL, MPI_ROOT,
 *                                  MPI_COMM_WORLD, MPI_COMM_SELF, whose numbers vary by library
 *   l                              that call has returned
 *   t                              that call is made by another thread than those before it
 *
 * Calls are counted as under control: from 1, only those that communicate. The site is where the
 * call returns to. A SOURCE below 0 is no rank, and a TAG below 0 is none.
 *
 * If all calls are asked for, there are also these, for calls that do not communicate as well:
 *
 *   e CALL FUNCTION SITE           a call begins; CALL counts all calls from 1
 *   a NAME=VALUE ...               what it was given
 *   y                              it is a poll, and is answered "not yet" */
#ifndef MATCHPOINT_SHIM_RECORD_MATCHES_H
#define MATCHPOINT_SHIM_RECORD_MATCHES_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "mpi_functions.h"

/* From here on, calls are told; `all`: also those that do not communicate. */
void matches_begin(bool all);

/* The program is in this call; it leaves it. */
void matches_enter(enum mpi_call function);
void matches_leave(void);
/* Whether a poll was answered "yes". */
void matches_answer(bool yes);
/* An argument of the present call, or a handle that it gives. The name is static. */
void matches_given(const char *name, int64_t value);
void matches_given_comm(const char *name, MPI_Comm comm);
/* The call is given elements of so many bytes, to send or to fill. */
void matches_bytes(bool sends, int64_t bytes);
/* The call has made a communicator; then, in order, members of one of its groups. */
void matches_makes(MPI_Comm comm);
void matches_members(bool remote, int first, int distance, int count);
/* No call follows. */
void matches_end(void);

/* The call has begun what the request stands for, or has prepared it. */
void matches_add(MPI_Request request, bool is_persistent);
void matches_start(MPI_Request request);
void matches_free(MPI_Request request);
/* What the call was given at this place has completed. `stays`: the program was only told so. */
void matches_completed(const MPI_Request *given, int at, const MPI_Status *status, bool stays);
/* A status of a call that is given no requests. */
void matches_status(const MPI_Status *status);

#endif
