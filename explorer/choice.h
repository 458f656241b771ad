/* A choice: a point where the standard allows more than one continuation, and what is taken there.
 *
 * Points and taken alternatives have one equality, one hash, one order, one text form and one byte
 * form. All are defined here. A point has the same name in every interleaving that reaches it,
 * whatever the number of ranks.
 *
 * Text form (position.h extends it):
 *
 *   0.3=1          call 3 of rank 0 takes rank 1's message
 *   2.5/1=3        the second operation (1) of rank 2's call 5 takes rank 3's
 *   0.5=#1         a Waitany reports the second of its active requests; #0+2: first and third
 *   0.4=no         a poll returns "not yet"; yes: all are complete
 *   0.4=+2:yes     a loop of polls: those of calls 4 and 5 return "not yet", that of call 6 this
 *   0.3=cancelled  MPI_Cancel came before the match
 *   0.2=early      a standard send completes before it is matched, or a member leaves a collective
 *                  as early as the standard allows; late: only after the match, or after all
 *                  members have entered
 *   0.4/turn=#1    after call 4 of rank 0 its thread 1 makes the next call
 *   w1.0.3=2       the third grant of the lock of window 1 at target 0 goes to rank 2
 *   w1.0r2.3=1     of what rank 2 needs for a shared lock there, the third grant goes to rank 1
 *   w1@2.3.1=3     the first grant at target 3 of window 1, counted among the windows whose lowest
 *                  rank is 2 (lock.h), goes to rank 3
 *
 *   w1.0+8.3=2     rank 2 makes the third atomic operation at byte 8 of rank 0's part of window 1
 *
 *   0.1:0.3=0.1:1  ranks of spawned and separate worlds have names (rank_name.h)
 *
 * (MPI 3.1, sections 3.4, 3.5, 3.7.3, 3.7.5, 3.8.1, 3.8.4, 5.1, 11.5.3, 12.4.) */
#ifndef MATCHPOINT_EXPLORER_CHOICE_H
#define MATCHPOINT_EXPLORER_CHOICE_H

#include <glib.h>
#include <stdbool.h>

#include "lock.h"
#include "operation.h"

enum point_kind {
	/* an operation that a call has started, or the answer of a call about requests */
	POINT_CALL,
	POINT_TURN, /* which thread of the rank makes the next call after this one */
	POINT_LOCK, /* which rank gets the lock of a window next */
};

struct point {
	enum point_kind kind;
	int32_t rank;  /* rank of the call in MPI_COMM_WORLD; LOCK: the target */
	uint32_t call; /* number of the call; LOCK: number of the grant, from 1 */
	uint32_t sub;  /* CALL: index of the operation among those that the call has started */
	/* LOCK: as in struct lock_place, and of a word, too; other kinds: 0 */
	int32_t window;
	int32_t first;
	int32_t reader;
	int32_t word;
};

enum taken_kind {
	TAKEN_MESSAGE,
	TAKEN_NO,        /* a poll returns "not yet" */
	TAKEN_YES,       /* MPI_Test, MPI_Testall: all complete */
	TAKEN_ONE,       /* a single request is reported */
	TAKEN_SOME,      /* several requests are reported */
	TAKEN_THREAD,    /* this thread makes the next call */
	TAKEN_CANCELLED, /* MPI_Cancel came before the match */
	TAKEN_EARLY,     /* completes before it is matched; leaves before all have come */
	TAKEN_LATE,      /* completes after the match; leaves after all have entered */
	TAKEN_KINDS
};

#define TAKEN_AHEAD UINT16_MAX /* the longest loop of polls, in calls */
#define TAKEN_WINDOW 64u       /* requests that can be reported together */

/* Requests are counted from 0, in the order of the call's list; inactive ones are not counted. */
struct taken {
	enum taken_kind kind : 8;
	/* Set by plans and by the search. The choice is made as soon as possible, while everything
	 * else that is open continues. If that never happens, the plan did not need it. Not
	 * compared by taken_equal. */
	bool promised;
	/* In a loop of polls: so many calls after that of the point, one of its polls gets this
	 * answer. Those before it are answered "no". */
	uint16_t ahead;
	union {
		/* MESSAGE. The source identifies the message: the other choices determine which of
		 * its messages it is. So call and sub are not compared. 0: not known (yet). */
		struct op_id send;
		uint32_t request; /* ONE */
		uint32_t thread;  /* THREAD */
		struct { /* SOME: requests 64 window to 64 window + 63 whose bits are set */
			uint32_t window;
			uint32_t low, high;
		} some;
	};
};

struct choice {
	struct point point;
	struct taken taken;
};

static inline struct point point_call(int32_t rank, uint32_t call, uint32_t sub)
{
	return (struct point){.kind = POINT_CALL, .rank = rank, .call = call, .sub = sub};
}

/* point_of: the point at which an operation of the matcher or the trace waits for its match or
 * answer. In an op_id a place of a lock is one more rank (lock.h), and a turn is a part of the call
 * before. point_operation is the inverse. */
struct point point_of(struct op_id operation, int ranks);
struct op_id point_operation(const struct point *point, int ranks);

static inline struct taken taken_message(struct op_id send)
{
	return (struct taken){.kind = TAKEN_MESSAGE, .send = send};
}

/* The first message of this source that fits, as soon as there is one. */
static inline struct taken taken_promise(int32_t source)
{
	return (struct taken){.kind = TAKEN_MESSAGE, .promised = true, .send = {source, 0, 0}};
}

/* The same answer to a poll that comes so many calls later in its loop. */
static inline struct taken taken_ahead(struct taken taken, uint32_t ahead)
{
	taken.ahead = (uint16_t)ahead;
	return taken;
}

/* LOCK, of a word: its first byte in the target's part of the window. */
static inline int64_t point_byte(const struct point *point)
{
	return ((int64_t)point->word - 1) * LOCK_WORD_BYTES;
}

/* For kinds without further data: NO, YES, CANCELLED, EARLY, LATE. */
static inline struct taken taken_plain(enum taken_kind kind)
{
	return (struct taken){.kind = kind};
}

static inline struct taken taken_one(uint32_t request)
{
	return (struct taken){.kind = TAKEN_ONE, .request = request};
}

static inline struct taken taken_thread(uint32_t thread)
{
	return (struct taken){.kind = TAKEN_THREAD, .thread = thread};
}

/* `bits` must not be 0. A single request becomes TAKEN_ONE, so that equal sets compare equal. */
struct taken taken_some(uint32_t window, uint64_t bits);

/* The lowest index from `from` on, below `count`, of a request that is reported; `count`: none. YES
 * reports all requests. */
uint32_t taken_next(const struct taken *taken, uint32_t from, uint32_t count);

/* Return <0, 0 or >0. Points of ranks come first, by rank and call, then points of locks. Choices
 * are ordered by their points. */
int point_compare(const struct point *one, const struct point *other);

int choice_compare(const struct choice *one, const struct choice *other);

static inline bool point_equal(const struct point *one, const struct point *other)
{
	return point_compare(one, other) == 0;
}

bool taken_equal(const struct taken *one, const struct taken *other);

static inline bool choice_equal(const struct choice *one, const struct choice *other)
{
	return point_equal(&one->point, &other->point) && taken_equal(&one->taken, &other->taken);
}

/* A set of choices is hashed as the sum of the hashes of its members. */
uint64_t choice_hash(const struct choice *choice);

/* For hash tables whose keys point to struct point, or to struct choice. */
unsigned point_key_hash(const void *point);
int point_key_equal(const void *one, const void *other);
unsigned choice_key_hash(const void *choice);
int choice_key_equal(const void *one, const void *other);

/* The length of the longest common prefix of two arrays of struct choice. */
unsigned choices_common(const GArray *one, const GArray *other);

/* choices_include: whether `all` has each choice of `some`. choices_same: whether both have the
 * same choices, in any order. An array has at most one choice for each point. The time is linear as
 * far as both have the same order. */
bool choices_include(const GArray *all, const GArray *some);
bool choices_same(const GArray *one, const GArray *other);

/* A copy; free with g_array_unref. */
GArray *choices_copy(const GArray *choices);
/* Those at these indices (guint), in that order. */
GArray *choices_at(const GArray *choices, const GArray *indices);

/* choices_promise: whether any of the choices is a promise. choices_are_owed: whether any is not a
 * promise, so that it has to be made. */
bool choices_promise(const GArray *choices);
bool choices_are_owed(const GArray *choices);

/* The choice of the array at this point; NULL: none. */
const struct choice *choices_find(const GArray *choices, const struct point *point);

void point_append(GString *text, const struct point *point);
void taken_append(GString *text, const struct taken *taken);
void choice_append(GString *text, const struct choice *choice);
/* The same, with these names of ranks (rank_name.h) instead of the current ones. NULL: numbers. */
struct rank_names;
void point_append_in(GString *text, const struct rank_names *names, const struct point *point);
void taken_append_in(GString *text, const struct rank_names *names, const struct taken *taken);
void choice_append_in(GString *text, const struct rank_names *names, const struct choice *choice);

/* The text of what is taken, for example "2" or "#0+2"; free with g_free. */
char *taken_print(const struct taken *taken);

/* Parses the output of choice_append at *at, and advances *at. Ranks must be below `ranks`; numbers
 * are always allowed. Returns NULL, or a description of the error at *at; free with g_free. */
char *choice_parse(const char **at, int ranks, struct choice *ret_choice);
char *choice_parse_in(const char **at, int ranks, const struct rank_names *names,
                      struct choice *ret_choice);
/* The same for a rank alone, from `least` on; `what` names it in the error. */
char *choice_parse_rank(const char **at, int ranks, const struct rank_names *names, guint64 least,
                        const char *what, guint64 *ret);

/* The same for a decimal number from `least` to `most` without leading zeros. `what` names the
 * number in the error. */
char *choice_parse_number(const char **at, guint64 least, guint64 most, const char *what,
                          guint64 *ret);

/* Serialise everything, including the send of a message. Equal values with the same send give the
 * same bytes. */
void point_put(GByteArray *bytes, const struct point *point);
void taken_put(GByteArray *bytes, const struct taken *taken);
void choices_put(GByteArray *bytes, const GArray *choices); /* struct choice */

/* Variable length: as few bytes as the number needs. */
void number_put(GByteArray *bytes, uint64_t value);

/* Parse what the functions above write, and advance past it. Return false if the bytes are damaged
 * or encode no valid choice. */
struct choice_bytes {
	const uint8_t *data;
	size_t left;
};
bool point_take(struct choice_bytes *bytes, struct point *ret_point);
bool taken_take(struct choice_bytes *bytes, struct taken *ret_taken);
bool choices_take(struct choice_bytes *bytes, GArray *choices); /* appended */

#endif
