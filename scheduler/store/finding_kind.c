#include "finding_kind.h"

#include <glib.h>

static const struct finding_kind_info kinds[FINDING_KINDS] = {
	[FINDING_NONE] = {.name = "ok", .summary = "Nothing is wrong.", .help = ""},
	[FINDING_ABORT] =
		{
			.name = "abort",
			.summary = "A rank called MPI_Abort, or abort.",
			.help = "The program gave up by itself. If a choice is named, it does so "
				"only in "
				"that order of messages.",
			.ends = true,
			.between_calls = true,
			.can_be_ignored = true,
		},
	[FINDING_BUFFER_MODIFIED] =
		{
			.name = "buffer-modified",
			.summary = "The buffer of a nonblocking operation is written to before a "
				   "call has "
				   "completed it.",
			.help = "Until MPI_Wait or MPI_Test has completed the request the buffer "
				"belongs "
				"to MPI (MPI 3.1, section 3.7.2): use another buffer, or wait "
				"first.",
			.can_be_ignored = true,
		},
	[FINDING_BUFFER_OVERLAP] =
		{
			.name = "buffer-overlap",
			.summary = "Two active operations use the same bytes, and one of them "
				   "writes there.",
			.help = "Two buffers overlap, or an array is shorter than the count of its "
				"receive says. What an operation writes to belongs to it alone "
				"until it is complete, and what it reads must stay as it is (MPI "
				"3.1, sections 3.7.2 and 5.12): give each a buffer of its own.",
			.no_calls = "where buffers lie is no part of the record, which tells calls",
			.can_be_ignored = true,
		},
	[FINDING_COLLECTIVE_MISMATCH] =
		{
			.name = "collective-mismatch",
			.summary = "The members of a communicator call different collectives, or "
				   "the same "
				   "with arguments that do not fit.",
			.help = "All members must call the same collectives in the same order (MPI "
				"3.1, "
				"section 5.1); the roll-call tells in what they differ.",
			.ends = true,
			.can_be_ignored = true,
		},
	[FINDING_CRASH] =
		{
			.name = "crash",
			.summary = "A rank was killed by a signal.",
			.help = "The place is where the signal came. If a choice is named, the "
				"rank "
				"crashes only in that order of messages: data that were taken for "
				"another "
				"message's, a length, an index.",
			.ends = true,
			.between_calls = true,
			.can_be_ignored = true,
		},
	[FINDING_DEADLOCK] =
		{
			.name = "deadlock",
			.summary = "Ranks wait for each other, or for one that has ended, and "
				   "nobody can go "
				   "on.",
			.help = "The roll-call says who waits where for whom. If a choice is "
				"named, the "
				"program hangs only when that receive takes that message: name the "
				"source "
				"or the tag that is meant instead of MPI_ANY_SOURCE or "
				"MPI_ANY_TAG, or "
				"accept every order. Without one, the calls do not fit together, "
				"or a "
				"standard send was trusted to be buffered (MPI 3.1, section 3.5).",
			.ends = true,
			.can_be_ignored = true,
		},
	[FINDING_EXIT] =
		{
			.name = "exit",
			.summary = "A rank ended without MPI_Finalize, or with an exit status "
				   "other than 0.",
			.help = "The program's own check failed, or it left before MPI_Finalize. "
				"If a "
				"choice is named, it does so only in that order of messages.",
			.ends = true,
			.between_calls = true,
			.can_be_ignored = true,
		},
	[FINDING_LEAK] =
		{
			.name = "leak",
			.summary = "Something that was created is never freed.",
			.help = "The place is where it was created: a request is completed or "
				"freed, a "
				"communicator, type, group or window freed before MPI_Finalize.",
			.can_be_ignored = true,
		},
	[FINDING_LIVELOCK] =
		{
			.name = "livelock",
			.summary = "Ranks only poll, and nothing that they ask for can change any "
				   "more.",
			.help = "What is polled for (MPI_Test, MPI_Iprobe) never comes: the "
				"message is "
				"not sent, or another receive has taken it.",
			.ends = true,
			.no_calls = "a livelock is a loop of the program's, and the record tells "
				    "calls alone",
			.can_be_ignored = true,
		},
	[FINDING_MISUSE] =
		{
			.name = "misuse",
			.summary = "A call that the standard does not allow there, and MPI lets "
				   "pass.",
			.help = "What comes of it is not defined, and another MPI may refuse it or "
				"hang: the request of a collective is completed, never freed or "
				"cancelled (MPI 3.1, section 5.12), and MPI_Rput belongs between "
				"MPI_Win_lock and MPI_Win_unlock (section 11.3.5).",
			.no_calls = "MPI itself does not mind",
			.can_be_ignored = true,
		},
	[FINDING_MPI_ERROR] =
		{
			.name = "mpi-error",
			.summary =
				"MPI returned an error that the program did not ask to be told of.",
			.help = "Often a truncation: the receive took another, longer message than "
				"the "
				"one that it made room for. Receive from the source and with the "
				"tag that "
				"the probe reported.",
			.ends = true,
			.can_be_ignored = true,
		},
	[FINDING_OUTCOME_DIFFERS] =
		{
			.name = "outcome-differs",
			.summary = "Interleavings end well, but not with the same result.",
			.help = "The result depends on the order in which messages were received. "
				"If that "
				"is not meant, name the source of each receive, or combine the "
				"parts in "
				"an order of their own.",
			.between_calls = true,
			.can_be_ignored = true,
		},
	[FINDING_RMA_CONFLICT] =
		{
			.name = "rma-conflict",
			.summary = "Two one-sided accesses to the same memory, one of which "
				   "writes, are in "
				   "no order.",
			.help = "The result is undefined (MPI 3.1, section 11.7), whatever comes "
				"out "
				"today. Put synchronisation between the two: a fence, another "
				"epoch, or a "
				"flush and then a message or barrier; or use accumulates with one "
				"operation. A call's own buffers are in use, too, until it is "
				"complete. "
				"Loads and stores of the program are not seen.",
			.can_be_ignored = true,
		},
	[FINDING_RMA_RANGE] =
		{
			.name = "rma-range",
			.summary = "A one-sided access goes beyond the memory that its target gave "
				   "to the window.",
			.help = "It reads or writes other memory of the target, or crashes (MPI "
				"3.1, section 11.6.2: MPI_ERR_RMA_RANGE); MPI need not say so. A "
				"displacement counts units of the target's window, as it gave them "
				"when the window was made, and the target's datatype adds to it.",
			.can_be_ignored = true,
		},
	[FINDING_STALL] =
		{
			.name = "stall",
			.summary = "A rank is inside a call that MPI carries out by itself, the "
				   "others wait, "
				   "and nothing moves.",
			.help = "Look at who should answer that call: a one-sided operation may "
				"wait for "
				"its target to synchronise, a collective file operation for its "
				"members.",
			.ends = true,
			.no_calls = "a stall is a call that MPI carries out by itself, which the "
				    "record does "
				    "not tell",
			.can_be_ignored = true,
		},
	[FINDING_THREAD_LEVEL] =
		{
			.name = "thread-level",
			.summary = "A thread calls MPI where the level of thread support does not "
				   "let it.",
			.help = "Ask for MPI_THREAD_MULTIPLE in MPI_Init_thread and look at what "
				"is "
				"provided; or let only the thread that initialised MPI call it "
				"(MPI_THREAD_FUNNELED), or one at a time (MPI_THREAD_SERIALIZED; "
				"MPI 3.1, "
				"section 12.4).",
			.ends = true,
			.no_calls = "it is about threads, and the program that is written has none",
			.can_be_ignored = true,
		},
	[FINDING_TYPE_MISMATCH] =
		{
			.name = "type-mismatch",
			.summary = "A receive names other types than the send that it takes.",
			.help = "The type signatures must match (MPI 3.1, section 3.3.1), or the "
				"data "
				"mean something else on the other side.",
			.can_be_ignored = true,
		},
	[FINDING_NOT_REPRODUCIBLE] =
		{
			.name = "not-reproducible",
			.summary = "The same matches led to other calls.",
			.help = "The program depends on something besides matching: time, random "
				"numbers, "
				"addresses, files, threads, or memory that was never initialised "
				"(replay "
				"--wrap \"valgrind -q\" shows that). Not everything can be "
				"explored then.",
			.ends = true,
			.no_calls = "what is not reproducible depends on more than messages",
		},
	[FINDING_UNKNOWN] =
		{
			.name = "unknown",
			.summary = "Something is wrong that this version cannot explain further.",
			.help = "The message tells what was seen.",
		},
};

const struct finding_kind_info *finding_kind_info(enum finding_kind kind)
{
	return &kinds[kind < FINDING_KINDS ? kind : FINDING_UNKNOWN];
}

const char *finding_kind_name(enum finding_kind kind)
{
	return finding_kind_info(kind)->name;
}

enum finding_kind finding_kind_find(const char *name)
{
	enum finding_kind kind = FINDING_NONE;

	while (kind < FINDING_UNKNOWN && g_strcmp0(kinds[kind].name, name) != 0)
		kind++;
	return kind;
}
