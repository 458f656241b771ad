#include "report.h"

/* Replaces otf2.c if OTF2 was not available when matchpoint was built. */

const struct report report_otf2 = {
	.name = "otf2",
	.summary = "an interleaving as an OTF2 trace, for Vampir and others",
	.shows_recordings = true,
	.unavailable = "built without OTF2; install libotf2-trace-dev and rebuild",
};
