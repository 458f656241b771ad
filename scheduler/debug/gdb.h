/* gdb for the values of expressions in a waiting rank. It is started once, attached for each
 * question, and driven by its machine interface (GDB/MI). Nothing in the rank is run or changed. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_GDB_H
#define MATCHPOINT_SCHEDULER_DEBUG_GDB_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#include "scheduler/host/host.h"
#include "scheduler/store/record.h"

struct gdb;

/* Starts gdb, on this machine. Returns NULL with `error` set if there is none. */
struct gdb *gdb_new(GError **error);
/* Detaches, and ends gdb. The process stays as it was. NULL is legal. */
void gdb_free(struct gdb *gdb);

/* Stops the process until gdb_detach, by the command of `debuggee`, and selects the frame that has
 * called MPI with this return address. For a rank that is stopped at its end (`fell`, else NULL),
 * having been interrupted by a signal, selects the frame at that place. Returns false with `error`
 * set: the process may not be traced, or gdb does not answer and is lost (gdb_is_lost). */
bool gdb_attach(struct gdb *gdb, pid_t pid, const struct host_debuggee *debuggee, guint64 site,
                const struct place *fell, GError **error);
void gdb_detach(struct gdb *gdb);
bool gdb_is_lost(const struct gdb *gdb);

/* gdb's answer to `print EXPRESSION`, lines with a newline. NULL with `error` set to gdb's message.
 * Free with g_free. */
char *gdb_print(struct gdb *gdb, const char *expression, GError **error);

/* Selects the function that has called the selected one (frames 1), or that it has called (-1), of
 * the program's only, until gdb is attached again. Returns gdb's line on it, as gdb_print does. */
char *gdb_move(struct gdb *gdb, int frames, GError **error);

/* The same of `info locals`. */
char *gdb_locals(struct gdb *gdb, GError **error);

#define GDB_ERROR (gdb_error_quark())
GQuark gdb_error_quark(void);

/* --- GDB/MI, for tests ------------------------------------------------------------------------ */

/* The C string literal at the beginning of a text; NULL: there is none. Free with g_free. */
char *gdb_read_literal(const char *text);
/* In the answer to -stack-list-frames, the level of the frame at this address; -1: none. */
int gdb_find_frame(const char *answer, guint64 address);
/* The same for the first frame after a signal that is at this line of a file (without its folders;
 * NULL: any). */
int gdb_find_interrupted(const char *answer, const char *file, guint32 line);
/* In a process's mappings (host.h), the files whose symbols are needed for a call of MPI
 * from `site`: regular expressions (char *). Free with g_ptr_array_unref. */
GPtrArray *gdb_libraries(const char *maps, guint64 site);

#endif
