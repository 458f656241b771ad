/* Where source files are, as tools beside matchpoint want to hear it. */
#ifndef MATCHPOINT_REPORTS_PLACES_H
#define MATCHPOINT_REPORTS_PLACES_H

#include "report.h"

/* The directory that files are named relative to: what was asked for, else where the program was
 * started. Absolute, or "" when nothing is known. */
const char *places_root(const struct store_reader *reader, const struct report_options *options);

/* The file of a place: relative to the root when it is below it, else absolute; a file whose
 * directory is not known is taken to lie in the root. NULL: the place has no file. Free with
 * g_free. */
char *places_file(const struct place *place, const char *root);

/* An absolute file name as a file: URI; a relative one as a relative reference (RFC 3986). Free
 * with g_free. */
char *places_uri(const char *file);

/* What a tool should point at for a finding: the choice it needs, else the first rank that is no
 * bystander and has a place with a line, else any place there is. NULL: none is known. */
const struct place *places_of_finding(const struct record_finding *finding);

/* The source line at a place; NULL: not in the store. Free with g_free. */
char *places_line(const struct store_reader *reader, const struct place *place);

/* The source line at a place without the blanks around it; NULL: not in the store. Free with
 * g_free. */
char *places_source(const struct store_reader *reader, const struct place *place);

#endif
