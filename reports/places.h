/* Source files, named as other tools expect. */
#ifndef MATCHPOINT_REPORTS_PLACES_H
#define MATCHPOINT_REPORTS_PLACES_H

#include "report.h"

/* The directory that file names are relative to: the one from the options, or else the directory
 * where the program was started. Absolute, or "" if unknown. */
const char *places_root(const struct store_reader *reader, const struct report_options *options);

/* The file of a place: relative to the root if it lies below it, else absolute. A file whose
 * directory is unknown is assumed to lie in the root. NULL: the place has no file. Free with
 * g_free. */
char *places_file(const struct place *place, const char *root);

/* Turns an absolute file name into a file: URI, and a relative one into a relative reference
 * (RFC 3986). Free with g_free. */
char *places_uri(const char *file);

/* The place that a tool should point at for a finding: the choice that it needs; else the first
 * rank that is no bystander and has a place with a line; else any place. NULL: no place is
 * known. */
const struct place *places_of_finding(const struct record_finding *finding);

/* The source line at a place; NULL: not in the store. Free with g_free. */
char *places_line(const struct store_reader *reader, const struct place *place);

/* The same without leading and trailing blanks. */
char *places_source(const struct store_reader *reader, const struct place *place);

#endif
