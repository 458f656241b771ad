/* AddressSanitizer and its LeakSanitizer, if the program is built with them (-fsanitize=address),
 * as a library of their own or inside the program. Nothing happens in other programs.
 *
 * LeakSanitizer looks for leaks at the end of the process. MPI leaks memory by itself, so what is
 * allocated inside MPI calls is left out: it is no leak of the program's. */
#ifndef MATCHPOINT_SHIM_PROCESS_SANITIZER_H
#define MATCHPOINT_SHIM_PROCESS_SANITIZER_H

#include <stdbool.h>

/* Whether AddressSanitizer watches this process. */
bool sanitizer_is_there(void);

/* Around code that is not the program's, in the same thread: nothing that it allocates counts as a
 * leak. They may nest. */
void sanitizer_begin_foreign(void);
void sanitizer_end_foreign(void);

/* Looks for leaks now, if the program wants that (ASAN_OPTIONS) and it has not been done. Leaks are
 * printed and end the process as ASAN_OPTIONS says: by SIGABRT if it says nothing. */
void sanitizer_find_leaks(void);

#endif
