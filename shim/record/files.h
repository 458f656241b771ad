/* Files that the program opens by name, as the C library's functions do it. */
#ifndef MATCHPOINT_SHIM_RECORD_FILES_H
#define MATCHPOINT_SHIM_RECORD_FILES_H

/* Replaying: what the program would write goes to this folder, a descriptor; -1: none. */
void files_start(int folder);

#endif
