#include "report.h"

/* A report format that check_extending.py adds to a copy of the source tree. */

static bool tally_write(struct store_reader *reader, const struct report_options *options,
                        FILE *out, GError **error)
{
	const GPtrArray *findings = store_reader_findings(reader);

	(void)options;
	(void)error;
	for (guint i = 0; i < findings->len; i++) {
		const struct record_finding *finding = findings->pdata[i];

		fprintf(out, "%s: %u\n", finding_kind_name(finding->kind), finding->count);
	}
	fputs("end of tally\n", out);
	return true;
}

const struct report report_tally = {
	.name = "tally",
	.suffix = "tal",
	.summary = "in how many interleavings each finding shows",
	.write = tally_write,
};
