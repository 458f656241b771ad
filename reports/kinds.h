/* The kinds of findings, explained to those who meet them in another tool's list. */
#ifndef MATCHPOINT_REPORTS_KINDS_H
#define MATCHPOINT_REPORTS_KINDS_H

struct kind {
	const char *id;      /* as in struct record_finding */
	const char *summary; /* a sentence: when it is found */
	const char *help;    /* what to look for, one paragraph */
};

/* Never NULL: a kind that is not known is explained as such, under the id "unknown". */
const struct kind *kinds_find(const char *id);

#endif
