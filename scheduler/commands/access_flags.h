/* Prints the flags with which a program is built so that its loads and stores are seen
 * (shim/access/hooks.c), as pkg-config does:
 *
 *     mpicc.mpich -g $(matchpoint --cflags-access) app.c $(matchpoint --ldflags-access)
 *
 * Both may be given to any call of the compiler: flags for the compiler when it links, and the
 * other way round. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_ACCESS_FLAGS_H
#define MATCHPOINT_SCHEDULER_COMMANDS_ACCESS_FLAGS_H

#include <stdbool.h>

#define ACCESS_FLAGS_COMPILE "cflags-access"
#define ACCESS_FLAGS_LINK "ldflags-access"

/* Whether the argument is one of these options, with its two dashes. */
bool access_flags_are_wanted(const char *argument);

/* `compiler`: the compiler that is called; NULL: the one that mpicc.mpich calls. Returns the exit
 * status. */
int access_flags_print(const char *argument, const char *compiler);

#endif
