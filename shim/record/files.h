/* Files that the program opens by name, as the C library's functions do it. */
#ifndef MATCHPOINT_SHIM_RECORD_FILES_H
#define MATCHPOINT_SHIM_RECORD_FILES_H

/* Replaying: what the program would write goes to this folder, a descriptor; -1: none. */
void files_start(int folder);

/* At replay, fewer descriptors are open than were. Gives the file the one that the program had, if
 * that is free. Returns the file's descriptor. */
int files_moved(int file, int recorded);

#endif
