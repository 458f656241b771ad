/* gdb beside a rank that waits, for the values of expressions: started once, attached while it is
 * asked, by its machine interface (GDB/MI). Nothing in the rank is run or changed. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_GDB_H
#define MATCHPOINT_SCHEDULER_DEBUG_GDB_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#include "scheduler/store/record.h"

struct gdb;

/* Starts it. NULL with `error` set: it is not there. */
struct gdb *gdb_new(GError **error);
/* Leaves the process as it was. NULL is legal. */
void gdb_free(struct gdb *gdb);

/* The process stands still from here until it is detached, and its frame that has called MPI from
 * this return address is selected; of one that stands at its end (`fell`, else NULL) and was
 * interrupted there by a signal, the one at that place. false with `error` set: it may not be
 * attached to, or gdb does not answer and is of no use any more (gdb_is_lost). */
bool gdb_attach(struct gdb *gdb, pid_t pid, guint64 site, const struct place *fell, GError **error);
void gdb_detach(struct gdb *gdb);
bool gdb_is_lost(const struct gdb *gdb);

/* What gdb says to `print EXPRESSION`, lines with a newline; NULL with `error` set, in its words.
 * Free with g_free. */
char *gdb_print(struct gdb *gdb, const char *expression, GError **error);

#define GDB_ERROR (gdb_error_quark())
GQuark gdb_error_quark(void);

/* --- GDB/MI, for tests ------------------------------------------------------------------------ */

/* The C string literal that a text begins with; NULL: it does not. Free with g_free. */
char *gdb_read_literal(const char *text);
/* As one. */
char *gdb_write_literal(const char *text);
/* Of the answer to -stack-list-frames, the level of the frame at this address; -1: none is. */
int gdb_find_frame(const char *answer, guint64 address);
/* The same of the first frame behind a signal that is at this line of a file (without its folders;
 * NULL: at any). */
int gdb_find_interrupted(const char *answer, const char *file, guint32 line);
/* Of what a process has mapped (/proc/PID/maps), the files whose symbols are needed where it has
 * called MPI from `site`: as regular expressions (char *), for g_ptr_array_unref. */
GPtrArray *gdb_libraries(const char *maps, guint64 site);

#endif
