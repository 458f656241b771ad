/* Sorting a program's MPI calls by how they are treated: for the command `check`, and for telling
 * before a run what will not be explored. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_CHECK_H
#define MATCHPOINT_SCHEDULER_COMMANDS_CHECK_H

#include <glib.h>
#include <stdbool.h>

#include "scheduler/host/program.h"

struct check {
	/* All of struct program_call *; borrowed from `calls`. */
	GPtrArray *controlled, *passed, *harmless, *refused;
	GPtrArray *calls;
};

struct check *check_new(const char *path);
void check_free(struct check *check);

/* What will not be controlled, or only in part, and what follows: sentences (char *), owned by the
 * array. As far as the files tell: not which level of threads MPI_Init_thread asks for. */
GPtrArray *check_notes(const struct check *check, const struct program *program);

/* Whether nothing is passed through that could matter, and nothing refused. */
bool check_is_complete(const struct check *check);

#endif
