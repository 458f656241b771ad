/* The standard streams of a rank. */
#ifndef MATCHPOINT_SHIM_LIFECYCLE_STREAMS_H
#define MATCHPOINT_SHIM_LIFECYCLE_STREAMS_H

#include <stdint.h>

/* Output goes to files of this rank and world, and input comes from the file that the environment
 * names. Once in a rank, also if shells start it: these, and the program's own children, may change
 * their descriptors afterwards. */
void streams_redirect(int rank, uint32_t world);

#endif
