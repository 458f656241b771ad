/* What a matchpoint that was killed has left of the program's files: changed ones, and the journal
 * by which they are put back (ckpt/journal.h). It is found by the store in which it stands, and by
 * a link in the run directory. */
#ifndef MATCHPOINT_SCHEDULER_HOST_CRASH_RECOVERY_H
#define MATCHPOINT_SCHEDULER_HOST_CRASH_RECOVERY_H

#include <glib.h>
#include <stdbool.h>

/* Puts back what journals in the directory `place` hold whose owners are gone. Sentences for the
 * user are appended to `notes` (char *; may be NULL). false with `error` set: files could not
 * be put back; which, and where the contents are that they had. */
bool crash_recovery_put_back(const char *place, GPtrArray *notes, GError **error);

/* The same of those that abandoned run directories tell of; to be called before they are removed.
 * What cannot be put back stays in its store. */
void crash_recovery_put_back_all(GPtrArray *notes);

#endif
