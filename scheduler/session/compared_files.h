/* The files that outcomes are compared by, besides the output of ranks: those that --compare names,
 * or all that the program has changed by name when an interleaving ends.
 *
 * Files are found as interleavings change them. An interleaving that did not change a file leaves
 * what was there at first. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_COMPARED_FILES_H
#define MATCHPOINT_SCHEDULER_SESSION_COMPARED_FILES_H

#include <glib.h>
#include <stdbool.h>

#include "ckpt/journal.h"
#include "outcomes.h"
#include "scheduler/host/host.h"

struct compared_files;

/* `named`: these files (NULL: none). `all`: those that the program changes. `outputs`: texts that
 * come before the files'. The host and `named` must outlive the object. It waits for the host, so
 * none of its functions may be called within `iterate` (host.h). */
struct compared_files *compared_files_new(struct host *host, char *const *named, bool all,
                                          guint outputs);
void compared_files_free(struct compared_files *files);

/* An interleaving has ended, and its files are there: appends them to `texts`, after the outputs,
 * as GBytes (NULL: a missing file). Adds files that are new to `outcomes`. `journal`: NULL, only
 * named files can be found. */
void compared_files_add(struct compared_files *files, const struct journal *journal,
                        struct outcomes *outcomes, GPtrArray *texts);

/* The first interleaving of outcome `index` has been run again, and its files are there. Names that
 * differ vary by themselves: from then on such files are compared by what they contain. */
void compared_files_learn(struct compared_files *files, const struct journal *journal,
                          struct outcomes *outcomes, guint index);

/* The name of each file, as it is shown, in the order of the texts; NULL at the end. */
char *const *compared_files_names(const struct compared_files *files);

/* Whether the program has changed a file that is compared. */
bool compared_files_any(const struct compared_files *files);

/* The files as a value, for a session that is resumed, and back into a new object. A floating
 * reference. */
#define COMPARED_FILES_SAVED "(a(sbub)a(ssbtt))"
GVariant *compared_files_save(const struct compared_files *files);
void compared_files_restore(struct compared_files *files, GVariant *saved);

/* Files too large to be compared: "a, b"; NULL: none. Free with g_free. */
char *compared_files_large(const struct compared_files *files);

/* A message about a named file that no interleaving has written: its name may be misspelt. NULL:
 * there is none. Free with g_free. */
char *compared_files_problem(const struct compared_files *files);

#endif
