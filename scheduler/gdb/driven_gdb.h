/* The process `matchpoint replay DIR --rank R --gdb` with gdb's machine interface on its standard
 * input and output: bytes, lines, and its end. */
#ifndef MATCHPOINT_SCHEDULER_GDB_DRIVEN_GDB_H
#define MATCHPOINT_SCHEDULER_GDB_DRIVEN_GDB_H

#include <glib.h>
#include <poll.h>
#include <stdbool.h>

#include "mi.h"

struct driven_gdb;

struct driven_gdb_options {
	const char *directory; /* of the recording */
	int rank;
	char **arguments; /* more of gdb's, NULL-terminated; may be NULL */
};

/* Returns NULL with `error` set if it could not be started. It ends when this process does. */
struct driven_gdb *driven_gdb_start(const struct driven_gdb_options *options, GError **error);

/* Ends it with all that it has started, and frees it. Waits a few seconds if it does not end by
 * itself. Returns its exit status as a shell would. */
int driven_gdb_end(struct driven_gdb *gdb);

/* What to wait for before driven_gdb_receive. Returns how many of `fds` are set. */
#define DRIVEN_GDB_FDS 3
guint driven_gdb_wait_for(const struct driven_gdb *gdb, struct pollfd fds[DRIVEN_GDB_FDS]);
/* Reads what has come. Never waits. */
void driven_gdb_receive(struct driven_gdb *gdb);
/* Whether it can say nothing more: it has ended, or stopped speaking MI. What came before can
 * still be taken. */
bool driven_gdb_is_lost(const struct driven_gdb *gdb);

/* Takes the next record; clear it. Lines that are none are skipped. False: there is none yet. */
bool driven_gdb_take(struct driven_gdb *gdb, struct mi_record *ret_record);
/* Takes the next line of standard error, without "matchpoint: "; free with g_free. NULL: none. */
char *driven_gdb_take_error(struct driven_gdb *gdb);

/* Sends a command of one line, with the next token, which it returns; reads meanwhile, so that
 * neither side waits for the other. -1: it is lost. */
gint64 driven_gdb_send(struct driven_gdb *gdb, const char *command);

#endif
