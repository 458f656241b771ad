/* What a conductor of a session (struct session_options) may do: carry out one interleaving after
 * the other in one job, by snapshot where that is safe. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SCRIPTED_SESSION_H
#define MATCHPOINT_SCHEDULER_SESSION_SCRIPTED_SESSION_H

#include <stdbool.h>
#include <uv.h>

#include "executor.h"
#include "interleaving.h"
#include "session.h"

struct store_reader;

/* Where these choices lead, under a buffering, with collectives as the session has them. */
struct position *session_position(const struct session *session, const GArray *choices,
                                  enum buffering buffering);
/* Carries out an interleaving along the choices of a position (taken over), apart from what is
 * explored, to its end. `stacks`: the ranks tell them. Whoever has looked at it may account for it,
 * and drops it. */
struct execution *session_follow(struct session *session, struct position *position, bool stacks,
                                 enum interleaving_calls calls);
/* Says in the request for whom it is to be carried out: as told by the driver, an interleaving
 * of the session. */
struct interleaving *session_request(struct session *session, struct run_request *request,
                                     enum interleaving_calls calls);
/* Drives a source of the conductor's own (executor.h), until it has nothing more. */
void session_drive(struct session *session, struct plan_source *source);
/* It becomes part of what is explored, as its record and its findings are now. */
void session_account(struct session *session, const struct execution *execution);
/* So does one that another exploration has told in its store (reader.h), but for what is a
 * judgement on all of its interleavings; it is numbered anew. false with `error` set: it cannot be
 * written. */
bool session_import(struct session *session, const struct store_reader *reader,
                    struct record_execution *execution, GError **error);
/* Ends the execution, if it has not ended, and frees it. */
void session_drop(struct execution *execution);

/* Whether nothing forbids to go on; and why the session is to end: NULL, it is not. */
bool session_may_go_on(const struct session *session);
const char *session_stop_reason(const struct session *session);

/* Lets what happens be told until the condition holds, or the session is to end. */
void session_wait(struct session *session, bool (*condition)(void *data), void *data);
/* On which everything happens; NULL: this session has none. */
uv_loop_t *session_loop(const struct session *session);

/* What is known of an execution, over or not; `inside` (by rank) is filled in. */
struct verdict_facts session_facts(const struct session *session, struct execution *execution,
                                   const struct wire_blocking_call **inside);
/* All stacks that were told (GArray of struct record_frame, innermost first), by number - 1. */
const GPtrArray *session_stacks(const struct session *session);
/* The stack of a rank's call (struct record_frame, innermost first), if calls come with them
 * (struct run_request); NULL: it was not told. */
const GArray *session_stack(const struct session *session, const struct execution *execution,
                            int rank, guint32 call);
/* What has been found so far (struct record_finding), by id. */
const GPtrArray *session_found(const struct session *session);
/* Whether the program has changed files that are not open any more, since it was started; puts them
 * back, between two interleavings. */
bool session_has_changed_files(const struct session *session);
void session_put_files_back(struct session *session);
/* Gives up the snapshots that nobody needs, and those beyond the budget. */
void session_keep_snapshots(struct session *session,
                            bool (*needed)(const struct world *world, void *user), void *user);
/* All that there are: the world as it was then. */
void session_each_snapshot(const struct session *session,
                           void (*look)(const struct world *world, void *user), void *user);
/* Why snapshots are not gone back to; NULL: they are. */
const char *session_reruns_because(const struct session *session);

/* What an interleaving that ended well leaves, to be compared (outcomes.h): GBytes, NULL for a file
 * that is not there. */
GPtrArray *session_texts(const struct session *session, const struct record_execution *record);
void session_texts_free(GPtrArray *texts);

#endif
