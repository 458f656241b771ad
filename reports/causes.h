/* Findings by their cause: the choice to blame. */
#ifndef MATCHPOINT_REPORTS_CAUSES_H
#define MATCHPOINT_REPORTS_CAUSES_H

#include "scheduler/store/record.h"

/* The findings (struct record_finding, borrowed) so that those of one cause follow one another;
 * causes, and the findings of each, stay in the order in which they are given. Free with
 * g_ptr_array_unref. */
GPtrArray *causes_order(const GPtrArray *findings);

/* A line for each cause, with its findings: "rank 0's MPI_Recv(ANY_SOURCE) at a.c:11: deadlock #1,
 * crash #3". Free with g_strfreev. */
GStrv causes_print(const GPtrArray *findings);

#endif
