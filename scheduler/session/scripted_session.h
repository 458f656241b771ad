/* Functions for the caller that drives a session (`conduct` of struct session_options): it carries
 * out one interleaving after the other in one job, by snapshot where that is safe. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SCRIPTED_SESSION_H
#define MATCHPOINT_SCHEDULER_SESSION_SCRIPTED_SESSION_H

#include <stdbool.h>
#include <uv.h>

#include "executor.h"
#include "interleaving.h"
#include "session.h"

struct store_reader;

/* The position that these choices lead to, under a buffering, with the session's collectives. */
struct position *session_position(const struct session *session, const GArray *choices,
                                  enum buffering buffering);
/* Carries out an interleaving along a position (takes ownership) to its end. It is no part of the
 * exploration. `stacks`: ranks report their call stacks. The caller may account for it, and must
 * drop it. */
struct execution *session_follow(struct session *session, struct position *position, bool stacks,
                                 enum interleaving_calls calls);
/* Does the same from the start of the program: nothing that it prints, and nothing that it has in
 * memory, is left from an earlier run. `uneven_clocks`: see struct wire_welcome. */
struct execution *session_follow_from_start(struct session *session, struct position *position,
                                            guint32 uneven_clocks, enum interleaving_calls calls);
/* Sets the owner of the request: an interleaving of this session. */
struct interleaving *session_request(struct session *session, struct run_request *request,
                                     enum interleaving_calls calls);
/* Runs a plan source of the caller (executor.h) until it has no plan left. */
void session_drive(struct session *session, struct plan_source *source);
/* Makes the execution part of the exploration, with its record and findings as they are now. The
 * session takes the findings: session_shown has them from then on, the verdict no more. */
void session_account(struct session *session, const struct execution *execution);
/* Does the same with an interleaving of another store (reader.h), under a new number. Findings that
 * are judgements on all interleavings of that store are left out. false with `error` set: it cannot
 * be written. */
bool session_import(struct session *session, const struct store_reader *reader,
                    struct record_execution *execution, GError **error);
/* Ends the execution if it has not ended, and frees it. */
void session_drop(struct execution *execution);

/* Whether the session may continue; and the reason why it is to end, NULL: it is not. */
bool session_may_go_on(const struct session *session);
const char *session_stop_reason(const struct session *session);

/* Processes events until the condition holds or the session is to end. */
void session_wait(struct session *session, bool (*condition)(void *data), void *data);
/* The loop of all events; NULL: this session has none. */
uv_loop_t *session_loop(const struct session *session);
/* The host of the ranks: what looks at them asks it. Borrowed. */
struct host *session_host(const struct session *session);

/* The facts of an execution, ended or not. Sets `inside` (by rank). */
struct verdict_facts session_facts(const struct session *session, struct execution *execution,
                                   const struct wire_blocking_call **inside);
/* All stacks that were reported (GArray of struct record_frame, innermost first), by number - 1. */
const GPtrArray *session_stacks(const struct session *session);
/* The stack of a rank's call (struct record_frame, innermost first), if calls carry stacks (struct
 * run_request). NULL: not reported. */
const GArray *session_stack(const struct session *session, const struct execution *execution,
                            int rank, guint32 call);
/* The findings so far (struct record_finding), by id. */
const GPtrArray *session_found(const struct session *session);
/* The findings that an interleaving shows, whether or not it is accounted for: elements borrowed
 * from its verdict or from the session. Free with g_ptr_array_unref. */
GPtrArray *session_shown(const struct session *session, const struct execution *execution);
/* Whether the program has changed files, now closed, since it was started; a function that restores
 * them, between two interleavings. */
bool session_has_changed_files(const struct session *session);
void session_put_files_back(struct session *session);
/* Releases the snapshots that are not needed, and those beyond the budget. */
void session_keep_snapshots(struct session *session,
                            bool (*needed)(const struct world *world, void *user), void *user);
/* Calls `look` for each snapshot, with its world at the time of the snapshot. */
void session_each_snapshot(const struct session *session,
                           void (*look)(const struct world *world, void *user), void *user);
/* Saves the position of an execution that waits for its strategy as a checkpoint on disk
 * (ckpt/disk_folder.h), with `keeps_history` only. Takes a snapshot of keepers for it, if there is
 * none; the execution is where it was afterwards. If the ranks cannot be saved, the position is,
 * with the program: then *ret_why says why, else it is NULL; free with g_free. Returns the
 * checkpoint's path, to be freed with g_free; NULL with `error` set: nothing is left of it. */
char *session_save_on_disk(struct session *session, struct execution *execution, const char *folder,
                           const char *name, char **ret_why, GError **error);
/* Whether the executions of a caller under this buffering save positions (`saves` of struct
 * run_request). */
bool session_saves(const struct session *session, enum buffering buffering);
/* Why the session does not return to snapshots; NULL: it does. */
const char *session_reruns_because(const struct session *session);

struct outcomes;

/* The texts of an interleaving that ended well, for comparison with `outcomes`: GBytes, NULL for a
 * missing file. Adds files that are new to `outcomes`; NULL: only the output. */
GPtrArray *session_texts(const struct session *session, const struct record_execution *record,
                         struct outcomes *outcomes);
void session_texts_free(GPtrArray *texts);

#endif
