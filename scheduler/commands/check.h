/* Sorts a program's MPI calls by how they are treated. The command `check` prints the lists;
 * explore prints the notes before a run. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_CHECK_H
#define MATCHPOINT_SCHEDULER_COMMANDS_CHECK_H

#include <glib.h>
#include <stdbool.h>

#include "scheduler/host/program.h"

struct check {
	/* struct program_call *; borrowed from `calls` */
	GPtrArray *controlled, *passed, *harmless, *refused;
	GPtrArray *unrecorded; /* also in one of those: matchpoint record cannot log them */
	GPtrArray *calls;
};

struct check *check_new(const char *path);
void check_free(struct check *check);

/* What will not be controlled, or only in part, and the consequence: sentences (char *), owned by
 * the array. Known from the program's files only: the thread level that MPI_Init_thread asks for is
 * not known. */
GPtrArray *check_notes(const struct check *check, const struct program *program);

/* What will not be seen of loads and stores: a sentence, or NULL; free with g_free. */
char *check_unseen(const struct check *check, const struct program *program);

/* Whether no call that could matter is passed through, and none is refused. */
bool check_is_complete(const struct check *check);

#endif
