/* The C library's calls that change files by name, replaced for the program: what is about to be
 * changed is noted in the journal (ckpt/agent_journal.h) first. Everything is then left to the C
 * library. Calls that do not go through it (system calls of the program's own) are not seen. */
#ifndef MATCHPOINT_SHIM_LIBC_FILE_CALLS_H
#define MATCHPOINT_SHIM_LIBC_FILE_CALLS_H

#include <stdbool.h>

/* As soon as the shim is loaded. Without $MATCHPOINT_JOURNAL nothing is noted. */
void file_calls_start(void);

/* Whether files were changed by name, or were about to be, since this was forgotten. */
bool file_calls_seen(void);
void file_calls_forget(void);

#endif
