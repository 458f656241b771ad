/* Communicators made from a group alone, as sessions have them (MPI 4.0, section 7.4.2). */
#ifndef MATCHPOINT_SHIM_CALLS_COMMUNICATOR_FROM_GROUP_H
#define MATCHPOINT_SHIM_CALLS_COMMUNICATOR_FROM_GROUP_H

#include <stdbool.h>

/* Whether one with other ranks has been made. */
bool communicator_from_group(void);

#endif
