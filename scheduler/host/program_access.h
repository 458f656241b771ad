/* Whether matchpoint sees the loads and stores of a program (shim/access/hooks.c), before it is
 * run. The linker's mark shows it for each file, the compiler's options (DW_AT_producer) for each
 * source file. Clang does not record its options, so its source files count as those of their
 * file. */
#ifndef MATCHPOINT_SCHEDULER_HOST_PROGRAM_ACCESS_H
#define MATCHPOINT_SCHEDULER_HOST_PROGRAM_ACCESS_H

#include <glib.h>
#include <stdbool.h>

struct program_access {
	bool seen;         /* those of the program itself, or of one of its libraries */
	GPtrArray *unseen; /* char *, owned: base names of source files, and of libraries that are
	                      not the system's, whose loads and stores are not seen */
};

/* `path`: the program's file. Never NULL. */
struct program_access *program_access_new(const char *path);
void program_access_free(struct program_access *access);

/* "a.c, b.c and 3 more"; NULL: none. Free with g_free. */
char *program_access_unseen(const struct program_access *access);

#endif
