/* The tables of the store, shared by the writer (scheduler/store.c) and the reader
 * (reports/store_reader.c). Did you change a table? Then raise STORE_VERSION: a store of another
 * version is refused, never guessed at. */
#ifndef MATCHPOINT_SCHEDULER_STORE_SCHEMA_H
#define MATCHPOINT_SCHEDULER_STORE_SCHEMA_H

#define STORE_FILE "matchpoint.db"
#define STORE_APPLICATION 0x4d504e54 /* "MPNT", in the file's header */
#define STORE_VERSION 16             /* user_version */

/* Places are told by id, 0 being unknown; an excerpt is the source around one.
 *
 * In roll_call, execution is 0 for the roll-call of a finding, and finding 0 for that of an
 * execution. In choice and alternative, execution 0 has the blame of the finding `position`;
 * alternative number 0 is the message taken.
 *
 * Calls and matches are many. They are appended, those of an execution one after the other as in
 * struct record_execution, and have no index: the execution tells how many there are, and the id of
 * the first.
 *
 * Where calls stand is told by a stack: its frames by depth, the innermost being 0. It is known of
 * the interleavings that were carried out with stacks, some of which are replays.
 *
 * What a later session needs to go on: identity, of what was explored (store.h), and search, the
 * parts of the tree that are left (explorer/frontier.h), position 0 being what else is known so
 * far. What stores must have in common to be merged: identity, and common. */
/* common: what interleavings that end well are compared with. `path` (s) and `texts` (aay, by
 * rank): an interleaving that all shards ran, and what it printed; `left-out` (OUTCOMES_LEFT_OUT):
 * lines that vary by themselves; `again` (b): an interleaving of each outcome was run again to see
 * which; `files` (s): how what a shard leaves in files differs from what that interleaving left.
 * And `split` (s): a digest of how the tree was split. */
#define STORE_COMMON_TYPE "a{sv}"

/* clang-format off */
#define STORE_SCHEMA \
	"CREATE TABLE exploration (" \
	" id INTEGER PRIMARY KEY CHECK (id = 1), command TEXT, directory TEXT, ranks INTEGER," \
	" bufferings INTEGER, backtrack TEXT, backtrack_reason TEXT, collectives TEXT," \
	" version TEXT, mpi TEXT, machine TEXT, complete INTEGER, incomplete_reason TEXT," \
	" interleavings INTEGER, wasted INTEGER, seconds REAL, shard INTEGER, shards INTEGER," \
	" random INTEGER, seed INTEGER, runs INTEGER, standard_input TEXT);" \
	"CREATE TABLE argument (position INTEGER PRIMARY KEY, value BLOB);" \
	"CREATE TABLE note (position INTEGER PRIMARY KEY, value TEXT);" \
	"CREATE TABLE place (" \
	" id INTEGER PRIMARY KEY, directory TEXT, file TEXT, line INTEGER, function TEXT," \
	" offset INTEGER);" \
	"CREATE TABLE excerpt (place INTEGER PRIMARY KEY, first INTEGER, text TEXT);" \
	"CREATE TABLE communicator (number INTEGER PRIMARY KEY, name TEXT, members TEXT);" \
	"CREATE TABLE execution (" \
	" id INTEGER PRIMARY KEY, buffering INTEGER, status TEXT, path TEXT," \
	" first_call INTEGER, calls INTEGER, first_match INTEGER, matches INTEGER);" \
	"CREATE TABLE shows (execution INTEGER, finding INTEGER," \
	" PRIMARY KEY (execution, finding)) WITHOUT ROWID;" \
	"CREATE TABLE roll_call (" \
	" execution INTEGER, finding INTEGER, position INTEGER, rank INTEGER, call INTEGER," \
	" function TEXT, arguments TEXT, place INTEGER, waits_for TEXT, ended TEXT," \
	" bystander INTEGER, does TEXT," \
	" PRIMARY KEY (execution, finding, position)) WITHOUT ROWID;" \
	"CREATE TABLE process (" \
	" execution INTEGER, rank INTEGER, exit INTEGER, output BLOB, error BLOB," \
	" PRIMARY KEY (execution, rank)) WITHOUT ROWID;" \
	"CREATE TABLE choice (" \
	" execution INTEGER, position INTEGER, rank INTEGER, call INTEGER, sub INTEGER," \
	" function TEXT, place INTEGER, window INTEGER, window_first INTEGER, target INTEGER," \
	" reader INTEGER, granted INTEGER," \
	" PRIMARY KEY (execution, position)) WITHOUT ROWID;" \
	"CREATE TABLE alternative (" \
	" execution INTEGER, position INTEGER, number INTEGER, source INTEGER, tag INTEGER," \
	" call INTEGER, sub INTEGER, place INTEGER, answer TEXT, requests TEXT," \
	" PRIMARY KEY (execution, position, number)) WITHOUT ROWID;" \
	"CREATE TABLE match (" \
	" id INTEGER PRIMARY KEY, execution INTEGER, rank INTEGER, call INTEGER, sub INTEGER," \
	" source INTEGER, send_call INTEGER, send_sub INTEGER, tag INTEGER);" \
	"CREATE TABLE call (" \
	" id INTEGER PRIMARY KEY, execution INTEGER, rank INTEGER, call INTEGER," \
	" kind INTEGER, operations INTEGER, function TEXT, place INTEGER," \
	" communicator INTEGER, peer INTEGER, peer_given INTEGER, tag INTEGER," \
	" bytes INTEGER, collective INTEGER, completed INTEGER, waits INTEGER, asked TEXT);" \
	"CREATE TABLE frame (" \
	" stack INTEGER, depth INTEGER, function TEXT, place INTEGER," \
	" PRIMARY KEY (stack, depth)) WITHOUT ROWID;" \
	"CREATE TABLE stands (" \
	" execution INTEGER, rank INTEGER, call INTEGER, stack INTEGER," \
	" PRIMARY KEY (execution, rank, call)) WITHOUT ROWID;" \
	"CREATE TABLE finding (" \
	" id INTEGER PRIMARY KEY, kind TEXT, count INTEGER, bufferings INTEGER, path TEXT," \
	" message TEXT, replayed INTEGER, reproduced INTEGER);" \
	"CREATE TABLE outcome (" \
	" finding INTEGER, number INTEGER, count INTEGER, execution INTEGER, path TEXT," \
	" place TEXT, line TEXT, instead TEXT, PRIMARY KEY (finding, number)) WITHOUT ROWID;" \
	"CREATE TABLE identity (name TEXT, value TEXT);" \
	"CREATE TABLE search (position INTEGER PRIMARY KEY, buffering INTEGER, frontier BLOB);" \
	"CREATE TABLE common (id INTEGER PRIMARY KEY CHECK (id = 1), value BLOB);"
/* clang-format on */

#endif
