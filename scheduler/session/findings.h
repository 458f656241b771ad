/* What has been found so far: equal findings of several interleavings are one, counted. Pure. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_FINDINGS_H
#define MATCHPOINT_SCHEDULER_SESSION_FINDINGS_H

#include <stdbool.h>

#include "explorer/path.h"
#include "scheduler/store/record.h"

struct findings;

struct findings *findings_new(guint bufferings);
void findings_free(struct findings *findings);

/* Takes one of the things that an interleaving showed (owned from here on) together with the path
 * it took; returns the finding that stands for it from now on. */
struct record_finding *findings_add(struct findings *findings, struct record_finding *finding,
                                    const struct record_execution *execution,
                                    const GArray *choices);

/* Whether an equal one has been added already. */
bool findings_known(const struct findings *findings, const struct record_finding *finding);

/* The same, by an interleaving under this buffering (one of RECORD_BUFFERINGS). */
bool findings_known_under(const struct findings *findings, const struct record_finding *finding,
                          guint32 buffering);

/* An interleaving came to its proper end, whatever it showed on the way (execution->findings). */
void findings_add_good(struct findings *findings, const struct record_execution *execution,
                       const GArray *choices);

/* The choices of the first of these under a buffering, and which interleaving it is; NULL: none. */
const GArray *findings_good(const struct findings *findings, enum buffering buffering,
                            guint32 *ret_execution);

/* Other interleavings that were added as good show this finding after all: executions (guint32) by
 * id. It counts them all. */
void findings_show(struct findings *findings, guint id, const GArray *executions);

/* All of them (struct record_finding), by id. */
GPtrArray *findings_all(const struct findings *findings);

/* The choices of the interleaving that showed finding `id` first, and its buffering. */
const GArray *findings_choices(const struct findings *findings, guint id,
                               enum buffering *ret_buffering);

/* Those of them that a path has to name, as far as is known without trying it: a replay makes the
 * others where a path says nothing. */
const GArray *findings_least(const struct findings *findings, guint id);

/* The path that names all of them; NULL: not known. */
const char *findings_whole_path(const struct findings *findings, guint id);

/* Whether it has shown under both bufferings, of both. */
bool findings_everywhere(const struct findings *findings, guint id);

/* The interleaving that showed it first. */
guint32 findings_execution(const struct findings *findings, guint id);

/* Whether the same interleaving showed both first. */
bool findings_same_route(const struct findings *findings, guint id, guint other);

/* Names for each finding the choice it needs: the first in which it differs from the interleaving
 * with the longest common beginning that ends well and does not show it. To be called when all have
 * been added. */
void findings_blame(struct findings *findings);

#endif
