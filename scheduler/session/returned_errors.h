/* Errors that MPI returned to the program, which went on and ended well. Whether it looked at the
 * code is not seen. So they are a limit of the verdict (LIMIT_ERRORS_RETURNED), one line for each
 * call in the program, unless --errors-returned makes findings of them. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_RETURNED_ERRORS_H
#define MATCHPOINT_SCHEDULER_SESSION_RETURNED_ERRORS_H

#include <glib.h>

struct returned_errors;

struct returned_errors *returned_errors_new(void);
void returned_errors_free(struct returned_errors *errors);

/* An interleaving has ended well: adds its errors (struct record_finding). */
void returned_errors_add(struct returned_errors *errors, const GPtrArray *findings);

/* For --resume. */
void returned_errors_save(const struct returned_errors *errors, GVariantDict *state);
void returned_errors_restore(struct returned_errors *errors, GVariantDict *state);

/* What is not checked, as a clause; NULL: no error was returned. Free with g_free. */
char *returned_errors_words(const struct returned_errors *errors);

#endif
