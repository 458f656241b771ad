/* Facts about this process and the calling thread: whether matchpoint started it, the state of MPI,
 * whether its calls are controlled. The module that changes a fact sets it here; all folders may
 * read it. Nothing is locked. */
#ifndef MATCHPOINT_SHIM_PROCESS_PROCESS_H
#define MATCHPOINT_SHIM_PROCESS_PROCESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "above.h"
#include "memory_range.h"

/* matchpoint started the process, under an MPI launcher. Set when the shim is loaded. */
void process_set_managed(void);
bool process_is_managed(void);

/* MPI has been initialised. Stays true after MPI_Finalize. */
void process_set_initialised(void);
bool process_is_initialised(void);

/* The level of thread support that MPI provides: MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE; -1
 * before MPI is initialised. */
void process_set_thread_level(int level);
int process_thread_level(void);

/* Whether calls of the program are controlled: from MPI_Init to MPI_Finalize, in a process that
 * matchpoint started. */
void process_set_controlled(bool controlled);
bool process_is_controlled(void);

/* The kernel's number of this process. The program may read another one (park.h). */
pid_t process_real_pid(void);

/* In a copy of the rank, which reads the number `visible` as its own. process_clock: the clock that
 * the program means by one that it has had since before the copy was made (clock_getcpuclockid,
 * pthread_getcpuclockid): the number of a process or thread is part of its name. */
void process_be_copy(pid_t visible);
clockid_t process_clock(clockid_t clock);

/* This process becomes the rank: at MPI_Init, and in a restored copy. A process that the program
 * forks is not the rank. */
void process_adopt(void);
bool process_is_own(void);

/* The program has made a thread, at any time. */
void process_note_thread(void);
bool process_has_made_threads(void);

/* Nesting depth of controlled calls in the calling thread; only caller.c changes it. initial-exec:
 * the shim is preloaded, so a call needs no detour through the dynamic linker. */
extern _Thread_local unsigned process_call_depth __attribute__((tls_model("initial-exec")));
static inline bool process_is_in_call(void)
{
	return process_call_depth > 0;
}

/* The stack of a thread that has not ended; the C library allocates memory for that. false: not
 * known. */
bool process_find_stack(pthread_t thread, struct memory_range *ret);

/* The program's stack pointer in the calling thread's latest call, without the call's own frame. A
 * call through a binding of MPI's: that of the binding. */
extern _Thread_local uintptr_t process_stack_pointer __attribute__((tls_model("initial-exec")));

/* For a wrapper of an MPI call. */
#define PROCESS_NOTE_STACK()                                                                   \
	do {                                                                                   \
		if (!process_is_in_call())                                                     \
			process_stack_pointer = above_stack((uintptr_t)__builtin_dwarf_cfa()); \
	} while (0)

#endif
