#include "report.h"

/* In place of otf2.c where OTF2 was not there when matchpoint was built. */

const struct report report_otf2 = {
	.name = "otf2",
	.summary = "an interleaving as an OTF2 trace, for Vampir and others",
	.unavailable = "built without OTF2; install libotf2-trace-dev and rebuild",
};
