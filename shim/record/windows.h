/* Windows of one-sided communication (MPI 3.1, chapter 11). What others have put into the memory of
 * a window is found by comparing it with a shadow copy: as the rank enters a call that may show it,
 * and as it leaves that call. The differences are in the log. What the rank has stored itself is
 * among them; it does no harm.
 *
 * A call that synchronises a window is about that one. In other communication calls, regions of up
 * to WINDOWS_SMALL bytes are compared; larger ones in collectives, as long as that takes little of
 * the time. One thread at a time. */
#ifndef MATCHPOINT_SHIM_RECORD_WINDOWS_H
#define MATCHPOINT_SHIM_RECORD_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

#include "call.h"

enum { WINDOWS_SMALL = 16 << 10 /* bytes */ };

/* When a call on a window shows in its memory what was put there (shows= in mpi_calls.txt). */
enum windows_show {
	WINDOWS_SHOW_NEVER,
	WINDOWS_SHOW_ALWAYS,
	WINDOWS_SHOW_OWN,      /* if it is about the rank itself */
	WINDOWS_SHOW_ACCESSED, /* if the rank has accessed itself since */
};
#define WINDOWS_ALL INT32_MIN /* a call is about all ranks */

/* --- for every call ------------------------------------------------------------------------ */

/* How closely the call looks at windows; decides it for both modes. */
void windows_enter(struct record_call *call, enum mpi_call function);
/* Recording: before MPI carries the call out. */
void windows_before(struct record_call *call);
/* Writes, or gives, what differs; nothing, if the call looks at no window. */
void windows_after(struct record_call *call);

/* --- for calls on windows ------------------------------------------------------------------ */

/* The call synchronises the window; `rank`: in its group, or WINDOWS_ALL. Before it is carried
 * out. */
void windows_synchronise(struct record_call *call, MPI_Win win, enum windows_show show, int rank);
/* The call changes memory of that rank. */
void windows_access(MPI_Win win, int rank);

/* A window that the call has made, of the members of a communicator. */
struct window *windows_add(MPI_Win win, MPI_Comm comm);
/* Memory of the program's that becomes the window's; the other way round, by its address. */
void windows_attach(struct window *window, void *base, MPI_Aint size);
void windows_detach(struct window *window, const void *base);
/* Memory that MPI has allocated: its contents go to the log. `own`: it is
 * memory_of_program. */
void windows_attach_allocated(struct window *window, void *base, MPI_Aint size, void *own);
/* NULL: it was not made by a recorded call. */
struct window *windows_find(MPI_Win win);
/* The window is about to be freed: allocated memory may be gone after the call. */
void windows_end(struct window *window);
/* It was freed, or not. NULL is legal. */
void windows_ended(struct window *window, bool is_gone);

/* Whether memory_of_program takes the place of what MPI has allocated for it. */
bool windows_is_own(const struct window *window);
/* Where a predefined attribute of the window has its value, which the caller fills. */
MPI_Aint *windows_attribute(struct window *window, int keyval);

#endif
