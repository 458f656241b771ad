/* SARIF objects that occur in many places. */
#ifndef MATCHPOINT_REPORTS_SARIF_PARTS_H
#define MATCHPOINT_REPORTS_SARIF_PARTS_H

#include <json-glib/json-glib.h>
#include <stdbool.h>

#include "report.h"
#include "sarif_limits.h"

/* The base of relative file names. */
#define SARIF_ROOT "%SRCROOT%"

/* Context for writing a result. */
struct sarif {
	JsonBuilder *json;
	struct store_reader *reader;
	const char *root;
	GPtrArray *kinds; /* enum finding_kind by GINT_TO_POINTER, in the order of the rules */
	struct sarif_limits limits;
	struct sarif_left_out *left_out; /* counted while results are written */
};

/* These add a member to the object that is open. */
void sarif_text(JsonBuilder *json, const char *name, const char *text);
/* The same; the text is cut if it exceeds the limit. */
void sarif_limited(const struct sarif *context, const char *name, const char *text);
void sarif_object(JsonBuilder *json, const char *name);
/* A message object (section 3.11). */
void sarif_message(JsonBuilder *json, const char *name, const char *text);
void sarif_limited_message(const struct sarif *context, const char *name, const char *text);

/* The members of a location object (section 3.28): a file and a line, or a function. */
void sarif_location(const struct sarif *context, const struct place *place, const char *text);
/* The same for a result. Services refuse results without a file: without one, the program's file
 * is used. */
void sarif_result_location(const struct sarif *context, const struct place *place);

/* The stacks of the ranks that have one, as many as the limits allow (sarif_flows.c). */
void sarif_stacks(const struct sarif *context, const GPtrArray *ranks);
/* The first interleaving that shows the finding, with a thread flow for each rank. Adds nothing
 * if its calls were not kept. False: the store is damaged. */
bool sarif_code_flow(const struct sarif *context, const struct record_finding *finding,
                     GError **error);

#endif
