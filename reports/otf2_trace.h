/* The parts of the OTF2 report (otf2.c). Built only where OTF2 is there. */
#ifndef MATCHPOINT_REPORTS_OTF2_TRACE_H
#define MATCHPOINT_REPORTS_OTF2_TRACE_H

#include <otf2/otf2.h>
#include <stdbool.h>

#include "report.h"
#include "timeline.h"

/* --- what a function of MPI is to OTF2 (otf2_kinds.c) --- */

OTF2_RegionRole otf2_role(const char *function, uint8_t kind);
/* False: OTF2 has no collective operation for it. */
bool otf2_collective(const char *function, OTF2_CollectiveOp *ret_op);
bool otf2_is_rooted(OTF2_CollectiveOp op);
/* Whether the operation goes on when the call returns. */
bool otf2_is_nonblocking(const char *function);
/* Whether it is about a window, whose messages are not the program's. */
bool otf2_is_one_sided(const char *function);

/* --- definitions, numbered as events name them (otf2_definitions.c) --- */

enum otf2_attribute {
	OTF2_ATTRIBUTE_CALL,   /* of Enter: its number, as in a path */
	OTF2_ATTRIBUTE_SOURCE, /* of Enter: the call's line */
	OTF2_ATTRIBUTE_CHOICE, /* of Enter: what was chosen there */
	OTF2_ATTRIBUTE_WAITS,  /* of the Leave of a call that did not return: what it waits for */
	OTF2_ATTRIBUTE_PATH,   /* of ProgramBegin */
	OTF2_ATTRIBUTES
};

struct otf2_definitions;

struct otf2_definitions *otf2_definitions_new(int32_t ranks);
void otf2_definitions_free(struct otf2_definitions *definitions);

OTF2_StringRef otf2_string(struct otf2_definitions *definitions, const char *text);
OTF2_RegionRef otf2_region(struct otf2_definitions *definitions, const struct record_call *call);
/* OTF2_UNDEFINED_SOURCE_CODE_LOCATION: the file is not known. */
OTF2_SourceCodeLocationRef otf2_source(struct otf2_definitions *definitions,
                                       const struct place *place, const char *root);
OTF2_CommRef otf2_communicator(struct otf2_definitions *definitions,
                               const struct record_call *call);
/* The rank that `call`'s rank knows world rank `peer` by on its communicator;
 * OTF2_UNDEFINED_UINT32: it is no member. */
uint32_t otf2_rank_in(const struct otf2_definitions *definitions, const struct record_call *call,
                      int32_t peer);

/* Writes them all; `events` has how many there are by rank. */
OTF2_ErrorCode otf2_definitions_write(struct otf2_definitions *definitions,
                                      OTF2_GlobalDefWriter *writer, const char *machine,
                                      const uint64_t *events, uint64_t length);

/* --- events (otf2_events.c) --- */

struct otf2_events;

/* All arguments must outlive it. */
struct otf2_events *otf2_events_new(const struct record_execution *execution,
                                    const struct record_exploration *exploration,
                                    const struct timeline *timeline,
                                    struct otf2_definitions *definitions, const char *root);
void otf2_events_free(struct otf2_events *events);

/* Writes those of a rank, from ProgramBegin to ProgramEnd. */
OTF2_ErrorCode otf2_events_write(struct otf2_events *events, int32_t rank, OTF2_EvtWriter *writer);

#endif
