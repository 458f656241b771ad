/* Texts that the program gives, for the terminal and for pages: MPI allows any bytes in them.
 * Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_PRINTABLE_H
#define MATCHPOINT_SCHEDULER_WORLD_PRINTABLE_H

/* As record_printable, on one line: '?' replaces tabs and newlines, too. Free with g_free. */
char *printable(const char *text);

#endif
