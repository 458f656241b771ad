/* What a program is made of, says its debugging information: lines of its files, and functions.
 * Of the executable and, where a process of it is there, of the libraries it has loaded that are
 * not the system's. What is loaded later is not known. */
#ifndef MATCHPOINT_SCHEDULER_PLACES_PROGRAM_CODE_H
#define MATCHPOINT_SCHEDULER_PLACES_PROGRAM_CODE_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

struct program_code;

/* `pid` 0: the executable alone. NULL: neither can be read, or there is no debugging
 * information. */
struct program_code *program_code_new(const char *executable, pid_t pid);
void program_code_free(struct program_code *code); /* NULL is legal */

/* Lines around one of a file (without its folders) to which code belongs; 0: there is none on that
 * side. Both are the line itself if it has code. false: the file is not known. */
bool program_code_line(const struct program_code *code, const char *file, guint line,
                       guint *ret_before, guint *ret_behind);
/* Whether a function for which this holds is known, by its name with namespaces and classes, or as
 * the linker knows it. */
bool program_code_function(const struct program_code *code,
                           bool (*fits)(const char *name, void *user), void *user);

#endif
