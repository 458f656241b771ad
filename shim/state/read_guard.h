/* Reading memory that may be gone, or may not be read any more. */
#ifndef MATCHPOINT_SHIM_STATE_READ_GUARD_H
#define MATCHPOINT_SHIM_STATE_READ_GUARD_H

#include <stdbool.h>

/* Calls the function. false: it came to memory that it cannot read, and was left there. It must
 * hold no lock, and own nothing. What other threads do is not concerned. */
bool read_guard(void (*reads)(void));

#endif
