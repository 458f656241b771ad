/* The store's reader; scheduler/store/store.h writes stores. A store may come from an untrusted
 * source. Its tables, and the type and range of all values, are checked; a damaged store is refused
 * with a message, never a crash. schema.h says which formats can be read. */
#ifndef MATCHPOINT_SCHEDULER_STORE_READER_H
#define MATCHPOINT_SCHEDULER_STORE_READER_H

#include <stdbool.h>

#include "record.h"

struct store_reader;

#define STORE_READER_ERROR (store_reader_error_quark())
GQuark store_reader_error_quark(void);
enum store_reader_error {
	STORE_READER_ERROR_MISSING, /* there is no store, or it is empty */
	STORE_READER_ERROR_VERSION,
	STORE_READER_ERROR_BUSY, /* an exploration is writing it */
	STORE_READER_ERROR_DAMAGED,
	STORE_READER_ERROR_UNREADABLE, /* the file cannot be read; the store may be intact */
};

/* Opens the store in `directory` (or the file itself) and reads the exploration and its findings.
 * NULL with `error` set: the message names the file. */
struct store_reader *store_reader_open(const char *directory, GError **error);
/* The same, for reports. Calls of an interpreted program have their place in that program, if their
 * stack was taken, not in the interpreter's module. */
struct store_reader *store_reader_open_to_tell(const char *directory, GError **error);
void store_reader_close(struct store_reader *reader);

/* The directory as given; NULL after store_reader_passes, which marks a store that is removed with
 * the command. */
const char *store_reader_place(const struct store_reader *reader);
void store_reader_passes(struct store_reader *reader);

/* Owned by the reader. */
const struct record_exploration *store_reader_exploration(const struct store_reader *reader);
const GPtrArray *
store_reader_findings(const struct store_reader *reader); /* struct record_finding */
/* The findings without variants of others: those that users should look at one by one. */
const GPtrArray *store_reader_mistakes(const struct store_reader *reader);

/* The finding with this id, or NULL. */
const struct record_finding *store_reader_finding(const struct store_reader *reader, uint32_t id);

/* The number of executions in the store; the number of those that show a finding. */
uint64_t store_reader_count(const struct store_reader *reader);
uint64_t store_reader_executions_with_findings(const struct store_reader *reader);
/* The number of interleavings that show a finding of `kind` (FINDING_NONE: any finding); of those
 * under one buffering (one of RECORD_BUFFERINGS). With states: of those that executions stand
 * for. */
uint64_t store_reader_count_kind(const struct store_reader *reader, enum finding_kind kind);
uint64_t store_reader_count_buffering(const struct store_reader *reader, uint32_t buffering);

/* Calls `visit` for each interleaving in the order explored, or only for those with findings. The
 * record is valid during the call. Stops with false if `visit` returns false (which then sets
 * `error`) or the store is damaged. */
typedef bool (*store_reader_visit)(const struct record_execution *execution, void *data,
                                   GError **error);
bool store_reader_each(struct store_reader *reader, bool with_findings_only,
                       store_reader_visit visit, void *data, GError **error);
/* The same for all interleavings, with what their ranks printed and how they ended, and without
 * choices, matches, calls and findings: those of a long one take long to read. */
bool store_reader_each_output(struct store_reader *reader, store_reader_visit visit, void *data,
                              GError **error);

/* Returns the first interleaving that shows the finding; the caller owns it. NULL with `error` set:
 * there is none. */
struct record_execution *store_reader_example(struct store_reader *reader, uint32_t finding,
                                              GError **error);

/* Returns the interleaving with this id; the caller owns it. NULL with `error` set: there is
 * none. */
struct record_execution *store_reader_execution(struct store_reader *reader, uint32_t id,
                                                GError **error);

/* Returns the first interleaving under `buffering` (one of RECORD_BUFFERINGS) that ended well and
 * has its calls in the store; the caller owns it. NULL without `error`: there is none. */
struct record_execution *store_reader_well(struct store_reader *reader, uint32_t buffering,
                                           GError **error);

/* Returns what was explored: names and values in turns (char *); each name occurs once. Free with
 * g_ptr_array_unref. NULL with `error` set: damaged. */
GPtrArray *store_reader_identity(struct store_reader *reader, GError **error);
/* The value of a name there; NULL: none. */
const char *store_identity_value(const GPtrArray *identity, const char *name);

/* Returns the data for merges (STORE_COMMON_TYPE, untrusted); free with g_variant_unref. NULL
 * without `error`: it was not written. */
GVariant *store_reader_common(struct store_reader *reader, GError **error);

/* The source around a place, owned by the reader; NULL: not found when the program ran. */
const struct record_excerpt *store_reader_excerpt(const struct store_reader *reader,
                                                  const struct place *place);

/* The frames (struct record_frame) of the stack with this number, owned by the reader; NULL if the
 * number is 0. And the number of stacks. */
const GArray *store_reader_stack(const struct store_reader *reader, uint32_t number);
uint32_t store_reader_stacks(const struct store_reader *reader);
/* Calls `take` with each call whose stack is stored, by interleaving, and with its frames, owned by
 * the reader. Stops with false if it returns false (which then sets `error`). */
bool store_reader_each_stack(struct store_reader *reader,
                             bool (*take)(const struct record_stack *stands, GArray *frames,
                                          void *data, GError **error),
                             void *data, GError **error);
/* Whether the stack adds information to the place of its call: calls with other stacks have the
 * same place. */
bool store_reader_stack_tells(const struct store_reader *reader, uint32_t number);

typedef struct store_reader StoreReader;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StoreReader, store_reader_close)

#endif
