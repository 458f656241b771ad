/* The parts of the OTF2 report (otf2.c). They are built only where OTF2 is available. */
#ifndef MATCHPOINT_REPORTS_OTF2_TRACE_H
#define MATCHPOINT_REPORTS_OTF2_TRACE_H

#include <otf2/otf2.h>
#include <stdbool.h>

#include "report.h"
#include "timeline.h"

/* --- MPI functions in OTF2's terms (otf2_kinds.c) --- */

OTF2_RegionRole otf2_role(const char *function, uint8_t kind);
/* False: OTF2 has no collective operation for the function. */
bool otf2_collective(const char *function, OTF2_CollectiveOp *ret_op);
bool otf2_is_rooted(OTF2_CollectiveOp op);
/* Whether the operation may continue after the call returns. */
bool otf2_is_nonblocking(const char *function);
/* Whether the call operates on a window. Its messages are then not the program's. */
bool otf2_is_one_sided(const char *function);

/* --- locations: the threads of ranks (otf2_locations.c) --- */

struct otf2_location {
	int32_t rank;
	uint32_t thread; /* 0: the main thread */
};

/* The thread that makes a call, as in struct otf2_location. */
uint32_t otf2_thread(const struct record_call *call);
/* All locations (struct otf2_location); their indices are OTF2's numbers. First the main threads by
 * rank, also of ranks without calls; then other threads that call MPI. Free with g_array_unref. */
GArray *otf2_locations(const GArray *calls, int32_t ranks);

/* --- definitions, with the numbers that events refer to (otf2_definitions.c) --- */

enum otf2_attribute {
	OTF2_ATTRIBUTE_CALL,    /* of Enter: the call's number, as in a path */
	OTF2_ATTRIBUTE_SOURCE,  /* of Enter: the call's line */
	OTF2_ATTRIBUTE_CHOICE,  /* of Enter: the choice made there */
	OTF2_ATTRIBUTE_WAITS,   /* of Leave: what a call that did not return waits for */
	OTF2_ATTRIBUTE_PATH,    /* of ProgramBegin */
	OTF2_ATTRIBUTE_INDICES, /* of Leave: the indices that Waitany or its kin has returned */
	OTF2_ATTRIBUTES
};

struct otf2_definitions;

struct otf2_definitions *otf2_definitions_new(int32_t ranks);
void otf2_definitions_free(struct otf2_definitions *definitions);

OTF2_StringRef otf2_string(struct otf2_definitions *definitions, const char *text);
OTF2_RegionRef otf2_region(struct otf2_definitions *definitions, const struct record_call *call);
/* OTF2_UNDEFINED_SOURCE_CODE_LOCATION: the file is unknown. */
OTF2_SourceCodeLocationRef otf2_source(struct otf2_definitions *definitions,
                                       const struct place *place, const char *root);
OTF2_CommRef otf2_communicator(struct otf2_definitions *definitions,
                               const struct record_call *call);
/* The rank of world rank `peer` in the communicator of `call`. For an intercommunicator, the
 * group remote to `call`'s rank counts. OTF2_UNDEFINED_UINT32: it is no member. */
uint32_t otf2_rank_in(const struct otf2_definitions *definitions, const struct record_call *call,
                      int32_t peer);

/* Writes all definitions. `events`: number of events by location. */
OTF2_ErrorCode otf2_definitions_write(struct otf2_definitions *definitions,
                                      OTF2_GlobalDefWriter *writer, const char *machine,
                                      const GArray *locations, const uint64_t *events,
                                      uint64_t length);

/* --- events (otf2_events.c) --- */

struct otf2_events;

/* All arguments must outlive the returned object. */
struct otf2_events *otf2_events_new(const struct record_execution *execution,
                                    const struct record_exploration *exploration,
                                    const struct timeline *timeline,
                                    struct otf2_definitions *definitions, const char *root);
void otf2_events_free(struct otf2_events *events);

/* Writes the events of a location; those of a main thread begin with ProgramBegin and end with
 * ProgramEnd. Cheapest if locations of a rank follow each other. */
OTF2_ErrorCode otf2_events_write(struct otf2_events *events, const struct otf2_location *location,
                                 OTF2_EvtWriter *writer);

#endif
