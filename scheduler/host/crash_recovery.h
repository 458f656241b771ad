/* Puts back the program's files after a matchpoint process was killed. It leaves changed files
 * and the journal with their former contents (ckpt/journal.h). The journal is found in its store,
 * or by a link in the run directory. */
#ifndef MATCHPOINT_SCHEDULER_HOST_CRASH_RECOVERY_H
#define MATCHPOINT_SCHEDULER_HOST_CRASH_RECOVERY_H

#include <glib.h>
#include <stdbool.h>

/* Puts back the files of all journals in the directory `place` whose owners are gone. Appends
 * sentences for the user to `notes` (char *; may be NULL). Returns false with `error` set if
 * files could not be put back; the error names them, and where their former contents are. */
bool crash_recovery_put_back(const char *place, GPtrArray *notes, GError **error);

/* Does the same for the journals that abandoned run directories link to. Call this before those
 * directories are removed. What cannot be put back stays in its store. */
void crash_recovery_put_back_all(GPtrArray *notes);

#endif
