/* Reads a store back (scheduler/store/store.h writes it). A store may come from anywhere: its
 * tables, and the type and range of everything in them, are checked, and a damaged one is refused
 * with a message, never a crash. schema.h says which formats can be read. */
#ifndef MATCHPOINT_SCHEDULER_STORE_READER_H
#define MATCHPOINT_SCHEDULER_STORE_READER_H

#include <stdbool.h>

#include "record.h"

struct store_reader;

#define STORE_READER_ERROR (store_reader_error_quark())
GQuark store_reader_error_quark(void);
enum store_reader_error {
	STORE_READER_ERROR_MISSING, /* there is none, or nothing was explored into it */
	STORE_READER_ERROR_VERSION,
	STORE_READER_ERROR_BUSY, /* an exploration is writing it */
	STORE_READER_ERROR_DAMAGED,
	STORE_READER_ERROR_UNREADABLE, /* the file cannot be read; it may be a good store */
};

/* Opens the store in `directory` (or the file itself) and reads the exploration and its findings.
 * NULL with `error` set: the message names the file. */
struct store_reader *store_reader_open(const char *directory, GError **error);
/* The same for those who tell people of it: the place of a call of an interpreted program, where
 * its stack was taken, is that in the program, not that in the interpreter's module. */
struct store_reader *store_reader_open_to_tell(const char *directory, GError **error);
void store_reader_close(struct store_reader *reader);

/* The directory that was given; NULL after store_reader_passes, for a store that goes away with
 * the command. */
const char *store_reader_place(const struct store_reader *reader);
void store_reader_passes(struct store_reader *reader);

/* Owned by the reader. */
const struct record_exploration *store_reader_exploration(const struct store_reader *reader);
const GPtrArray *
store_reader_findings(const struct store_reader *reader); /* struct record_finding */
/* Without those that are variants of another: what people should look at one by one. */
const GPtrArray *store_reader_mistakes(const struct store_reader *reader);

/* The finding with this id, or NULL. */
const struct record_finding *store_reader_finding(const struct store_reader *reader, uint32_t id);

/* Interleavings in the store; of them, those that show any finding of `kind`; of
 * FINDING_NONE: any finding at all. */
uint64_t store_reader_count(const struct store_reader *reader);
uint64_t store_reader_count_kind(const struct store_reader *reader, enum finding_kind kind);
/* Those under one buffering (one of RECORD_BUFFERINGS). */
uint64_t store_reader_count_buffering(const struct store_reader *reader, uint32_t buffering);

/* Calls `visit` for every interleaving in the order explored, or only for those with findings; the
 * record is valid during the call. Ends at once with false when `visit` returns false (`error` is
 * then its business) or the store is damaged. */
typedef bool (*store_reader_visit)(const struct record_execution *execution, void *data,
                                   GError **error);
bool store_reader_each(struct store_reader *reader, bool with_findings_only,
                       store_reader_visit visit, void *data, GError **error);

/* The first interleaving that shows the finding; the caller's. NULL with `error` set: none. */
struct record_execution *store_reader_example(struct store_reader *reader, uint32_t finding,
                                              GError **error);

/* The interleaving with this id; the caller's. NULL with `error` set: there is none. */
struct record_execution *store_reader_execution(struct store_reader *reader, uint32_t id,
                                                GError **error);

/* The first interleaving under `buffering` (one of RECORD_BUFFERINGS) that ended well and
 * whose calls are in the store; the caller's. NULL without `error`: there is none. */
struct record_execution *store_reader_well(struct store_reader *reader, uint32_t buffering,
                                           GError **error);

/* What was explored: name and value in turns, as char *; free with g_ptr_array_unref. Names occur
 * once. NULL with `error` set: damaged. */
GPtrArray *store_reader_identity(struct store_reader *reader, GError **error);
/* The value of this name there; NULL: it has none. */
const char *store_identity_value(const GPtrArray *identity, const char *name);

/* What a merge must know (STORE_COMMON_TYPE, not to be trusted); NULL without `error`: it was not
 * written. To be unref'd. */
GVariant *store_reader_common(struct store_reader *reader, GError **error);

/* The source around a place, the reader's; NULL: it was not found when the program was run. */
const struct record_excerpt *store_reader_excerpt(const struct store_reader *reader,
                                                  const struct place *place);

/* The frames (struct record_frame) of the stack with this number, the reader's; NULL: it is 0. And
 * how many stacks there are. */
const GArray *store_reader_stack(const struct store_reader *reader, uint32_t number);
uint32_t store_reader_stacks(const struct store_reader *reader);
/* Whether it tells more than the place of its call: calls with other stacks stand there, too. */
bool store_reader_stack_tells(const struct store_reader *reader, uint32_t number);

typedef struct store_reader StoreReader;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StoreReader, store_reader_close)

#endif
