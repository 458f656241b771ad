/* A recorded run as a store, from which reports are written (docs/internals/recording.md). */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_RECORDED_REPORT_H
#define MATCHPOINT_SCHEDULER_RECORDING_RECORDED_REPORT_H

#include <glib.h>
#include <stdbool.h>

/* Replays each rank alone and writes what it did as the only execution of the store in the folder
 * `store`. Its path is the folder of the recording. False with `error` set: no rank can be
 * replayed, or the store cannot be written. *ret_whole: no log is missing or damaged, and each rank
 * did what it did. */
bool recorded_report_make(const char *directory, const char *store, bool *ret_whole,
                          GError **error);

#endif
