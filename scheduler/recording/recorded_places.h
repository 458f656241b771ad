/* Places of the calls in a recording, by what each rank had mapped when it started. The files are
 * those that were recorded: a replay has compared them. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_RECORDED_PLACES_H
#define MATCHPOINT_SCHEDULER_RECORDING_RECORDED_PLACES_H

#include "scheduler/store/record.h"

struct recorded_places;

struct recorded_places *recorded_places_new(const char *directory);
void recorded_places_free(struct recorded_places *places);

/* The place of a call that returns to `site`: a recorded_place_find (recorded_execution.h), whose
 * `user` is the places. */
struct place recorded_places_find(void *user, int rank, guint64 site);

#endif
