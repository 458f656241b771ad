/* A choice: a point where the standard lets more than one thing happen, and what is taken there.
 *
 * Points and what is taken have one equality, one hash, one order, one text and one form in bytes,
 * here, for whoever remembers, compares or stores them. A point is named so that it is the same in
 * every interleaving that comes to it, whatever the number of ranks.
 *
 * As text (position.h has more of it):
 *
 *   0.3=1          call 3 of rank 0 takes rank 1's message
 *   2.5/1=3        the second operation (1) of rank 2's call 5 takes rank 3's
 *   0.5=#1         a Waitany reports the second of its active requests; #0+2: first and third
 *   0.4=no         a poll is told "not yet"; yes: all are complete
 *   0.3=cancelled  MPI_Cancel came before the match
 *   0.2=early      a standard send completes before it is matched, a member leaves a collective as
 *                  early as the standard lets it; late: only when it is matched, or all have come
 *   0.4/turn=#1    after call 4 of rank 0 its thread 1 makes the next one
 *   w1.0.3=2       the third grant of the lock of window 1 at target 0 goes to rank 2
 *   w1.0r2.3=1     of what rank 2 needs for a shared lock there, the third grant goes to rank 1
 *   w1@2.3.1=3     the same of window 1 of those whose lowest rank is 2 (lock.h)
 *
 * (MPI 3.1, sections 3.4, 3.5, 3.7.3, 3.7.5, 3.8.1, 3.8.4, 5.1, 11.5.3, 12.4.) */
#ifndef MATCHPOINT_EXPLORER_CHOICE_H
#define MATCHPOINT_EXPLORER_CHOICE_H

#include <glib.h>
#include <stdbool.h>

#include "operation.h"

enum point_kind {
	POINT_CALL, /* an operation that a call has started, or what the call is told of requests */
	POINT_TURN, /* which thread of the rank makes the next call after this one */
	POINT_LOCK, /* who gets a lock of a window next */
};

struct point {
	enum point_kind kind;
	int32_t rank;  /* whose call, in MPI_COMM_WORLD; LOCK: the target */
	uint32_t call; /* its number; LOCK: which grant it is, from 1 */
	uint32_t sub;  /* CALL: which of the operations that the call has started */
	/* LOCK, else 0: as in struct lock_place */
	int32_t window;
	int32_t first;
	int32_t reader;
};

enum taken_kind {
	TAKEN_MESSAGE,
	TAKEN_NO,        /* a poll: not yet */
	TAKEN_YES,       /* MPI_Test, MPI_Testall: all complete */
	TAKEN_ONE,       /* one request alone is reported */
	TAKEN_SOME,      /* several are */
	TAKEN_THREAD,    /* this thread's turn it is */
	TAKEN_CANCELLED, /* MPI_Cancel came before the match */
	TAKEN_EARLY,     /* completes before it is matched; leaves before all have come */
	TAKEN_LATE,      /* only then */
	TAKEN_KINDS
};

#define TAKEN_WINDOW 64u /* requests that can be reported together */

/* Requests are counted as the call lists those that are active, from 0. */
struct taken {
	enum taken_kind kind : 8;
	/* Of a plan, and of the search: it is taken as soon as it can be, while everything else
	 * that is open goes on, and that may be never: then the plan was not needed. No part of
	 * what is taken, either. */
	bool promised;
	union {
		/* MESSAGE. Who sent it tells which one it is: which of that rank's messages follows
		 * from the other choices. So call and sub are no part of what is taken; 0: not
		 * known (yet). */
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

/* Where an operation waits to be matched or answered: its name in matcher and trace, where a lock
 * is one more rank (lock.h), and a turn a part of the call before. And back. */
struct point point_of(struct op_id operation, int ranks);
struct op_id point_operation(const struct point *point, int ranks);

static inline struct taken taken_message(struct op_id send)
{
	return (struct taken){.kind = TAKEN_MESSAGE, .send = send};
}

/* The first message of this source that fits, whenever there is one. */
static inline struct taken taken_promise(int32_t source)
{
	return (struct taken){.kind = TAKEN_MESSAGE, .promised = true, .send = {source, 0, 0}};
}

/* Of the kinds that say it all: NO, YES, CANCELLED, EARLY, LATE. */
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

/* `bits` not 0. One request alone is always TAKEN_ONE, so that equal ones look equal. */
struct taken taken_some(uint32_t window, uint64_t bits);

/* The first request reported that is not below `from`, of the first `count`; `count`: there is
 * none. YES reports all. */
uint32_t taken_next(const struct taken *taken, uint32_t from, uint32_t count);

/* Order: <0, 0, >0. Ranks' points by rank and call, then those of locks; choices by their points.
 */
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

/* The sum of the hashes of some choices stands for their set. */
uint64_t choice_hash(const struct choice *choice);

/* For hash tables whose keys point to a struct point or choice. */
unsigned point_key_hash(const void *point);
int point_key_equal(const void *one, const void *other);
unsigned choice_key_hash(const void *choice);
int choice_key_equal(const void *one, const void *other);

/* How many choices (struct choice) two arrays begin with alike. */
unsigned choices_common(const GArray *one, const GArray *other);

/* Whether one has all choices of the other, or they have the same, in whatever order; each has one
 * for a point at most. Takes time in proportion where they begin alike. */
bool choices_include(const GArray *all, const GArray *some);
bool choices_same(const GArray *one, const GArray *other);

/* The same; free with g_array_unref. */
GArray *choices_copy(const GArray *choices);

/* Whether some of them are promises; whether some are not, and have to be made. */
bool choices_promise(const GArray *choices);
bool choices_are_owed(const GArray *choices);

/* The choice made at a point, of those of an array; NULL: none. */
const struct choice *choices_find(const GArray *choices, const struct point *point);

void point_append(GString *text, const struct point *point);
void taken_append(GString *text, const struct taken *taken);
void choice_append(GString *text, const struct choice *choice);

/* The text of what is taken, "2" or "#0+2"; free with g_free. */
char *taken_print(const struct taken *taken);

/* Reads what choice_append writes, from *at on, which moves forward over it, by ranks below
 * `ranks`. NULL: read; else what is wrong where *at then stands; free with g_free. */
char *choice_parse(const char **at, int ranks, struct choice *ret_choice);

/* The same for a decimal number from `least` to `most` without leading zeros; `what` it is. */
char *choice_parse_number(const char **at, guint64 least, guint64 most, const char *what,
                          guint64 *ret);

/* Bytes that tell all of it, a message's send, too. The same for equal ones with the same send. */
void point_put(GByteArray *bytes, const struct point *point);
void taken_put(GByteArray *bytes, const struct taken *taken);
void choices_put(GByteArray *bytes, const GArray *choices); /* struct choice */

/* A number in as few bytes as it needs. */
void number_put(GByteArray *bytes, uint64_t value);

/* Back from bytes, which move forward over what is read. False: damaged, or what no choice is. */
struct choice_bytes {
	const uint8_t *data;
	size_t left;
};
bool point_take(struct choice_bytes *bytes, struct point *ret_point);
bool taken_take(struct choice_bytes *bytes, struct taken *ret_taken);
bool choices_take(struct choice_bytes *bytes, GArray *choices); /* appended */

#endif
