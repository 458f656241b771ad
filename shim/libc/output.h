/* Whether all that the program has printed is in the files of its world.
 *
 * Their file system can be full, for a moment only, and most programs do not look whether a write
 * has failed. What is cut short must not be compared. So a rank marks its file: taking the
 * permission to write away needs no room. */
#ifndef MATCHPOINT_SHIM_LIBC_OUTPUT_H
#define MATCHPOINT_SHIM_LIBC_OUTPUT_H

/* The rank has these files, in the world's directory: out.RANK, err.RANK. */
void output_start(int rank);

/* When the rank has flushed what the program has printed, or cannot. Marks the files to which a
 * write has failed since the start. */
void output_mark(void);

#endif
