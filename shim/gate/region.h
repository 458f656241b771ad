/* The regions of a rank in which, its program says, the order of messages does not matter: from
 * MPI_Pcontrol(0) to the next MPI_Pcontrol(1) of any thread. Other levels change nothing, and
 * regions do not nest (MPI 4.0, section 15.2.4, where 0 turns profiling off and 1 on again). */
#ifndef MATCHPOINT_SHIM_GATE_REGION_H
#define MATCHPOINT_SHIM_GATE_REGION_H

#include <stdbool.h>

/* Whether the rank is in such a region now. */
bool region_is_marked(void);

#endif
