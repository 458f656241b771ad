/* Lines and functions of a program, from its debugging information. It covers the executable and,
 * if a process is given, the libraries that it has loaded and that do not belong to the system.
 * What is loaded later is not known. */
#ifndef MATCHPOINT_SCHEDULER_PLACES_PROGRAM_CODE_H
#define MATCHPOINT_SCHEDULER_PLACES_PROGRAM_CODE_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

struct program_code;

/* Whether a library belongs to the system, or is one of matchpoint's that are preloaded. */
bool program_code_is_systems(const char *path);

/* `pid` 0: the executable alone. Returns NULL if nothing can be read, or if there is no debugging
 * information. */
struct program_code *program_code_new(const char *executable, pid_t pid);
void program_code_free(struct program_code *code); /* NULL is legal */

/* Finds the nearest lines with code before and after a line of a file (name without directory); 0:
 * there is none on that side. Both are the line itself if it has code. Returns false if the file is
 * not known. */
bool program_code_line(const struct program_code *code, const char *file, guint line,
                       guint *ret_before, guint *ret_behind);
/* Whether `fits` returns true for a function. It is called with names with namespaces and classes,
 * and with those of the linker. */
bool program_code_function(const struct program_code *code,
                           bool (*fits)(const char *name, void *user), void *user);

#endif
