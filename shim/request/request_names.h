/* Finds requests by the name of the operation under way. (request_rename is in request.h.) */
#ifndef MATCHPOINT_SHIM_REQUEST_REQUEST_NAMES_H
#define MATCHPOINT_SHIM_REQUEST_REQUEST_NAMES_H

#include "request.h"
#include "shim/process/memory_range.h"

/* NULL: there is none. */
struct request *request_find_named(struct wire_name name);

/* Removes the request's name, if it has one. */
void request_forget_name(struct request *request);

/* All memory that changes with the names, besides the requests. */
struct memory_range request_names_memory(void);

#endif
