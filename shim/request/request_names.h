/* Requests by the name of the operation that is under way (request.h has request_rename). */
#ifndef MATCHPOINT_SHIM_REQUEST_REQUEST_NAMES_H
#define MATCHPOINT_SHIM_REQUEST_REQUEST_NAMES_H

#include "request.h"
#include "shim/process/memory_range.h"

/* NULL: there is none. */
struct request *request_find_named(struct wire_name name);

/* The request has no name any more; it need not have had one. */
void request_forget_name(struct request *request);

/* All memory that changes when names do, besides the requests themselves. */
struct memory_range request_names_memory(void);

#endif
