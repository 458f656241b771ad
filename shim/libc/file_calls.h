/* The C library's functions that change files by name, replaced for the program: the journal
 * (ckpt/agent_journal.h) first notes what is about to change. The C library does the rest. Direct
 * system calls of the program are not seen. */
#ifndef MATCHPOINT_SHIM_LIBC_FILE_CALLS_H
#define MATCHPOINT_SHIM_LIBC_FILE_CALLS_H

#include <stdbool.h>

/* When the shim is loaded. Without $MATCHPOINT_JOURNAL, nothing is noted. */
void file_calls_start(void);

/* Whether files were changed by name, or were about to be, since file_calls_forget. */
bool file_calls_seen(void);
void file_calls_forget(void);

#endif
