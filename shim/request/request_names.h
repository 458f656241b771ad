/* Requests by the name of the operation that is under way (request.h has request_rename). */
#ifndef MATCHPOINT_SHIM_REQUEST_REQUEST_NAMES_H
#define MATCHPOINT_SHIM_REQUEST_REQUEST_NAMES_H

#include "request.h"

/* NULL: there is none. */
struct request *request_find_named(struct wire_name name);

/* The request has no name any more; it need not have had one. */
void request_forget_name(struct request *request);

/* All memory that changes when names do, besides the requests themselves; bytes. */
const void *request_names_memory(size_t *ret_length);

#endif
