/* Regions of a rank in which the order of messages does not matter, according to its program: from
 * MPI_Pcontrol(0) to the next MPI_Pcontrol(1) of any thread. Other levels change nothing, and
 * regions do not nest (MPI 4.0, section 15.2.4: 0 turns profiling off, 1 turns it on). */
#ifndef MATCHPOINT_SHIM_GATE_REGION_H
#define MATCHPOINT_SHIM_GATE_REGION_H

#include <stdbool.h>

/* Whether the rank is in such a region. */
bool region_is_marked(void);

#endif
