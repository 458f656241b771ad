/* What is in the messages that the rank sends: told to the scheduler where it wants to know it (the
 * prompt), for whoever looks at them there. */
#ifndef MATCHPOINT_SHIM_CONTENTS_H
#define MATCHPOINT_SHIM_CONTENTS_H

#include "request.h"
#include "wire.h"

/* The first bytes of what this send, which begins, takes out of the program's memory: kept for the
 * next message to the scheduler. */
void contents_note(const struct request *send);

/* For gate.c: appends what was noted. */
void contents_encode(struct wire_buffer *out);

#endif
