#include "finding_kind.h"

#include <glib.h>

/* Each text as it reads. */
/* clang-format off */
static const struct finding_kind_info kinds[FINDING_KINDS] = {
	[FINDING_NONE] = {
		.name = "ok",
		.summary = "Nothing is wrong.",
		.help = "",
	},
	[FINDING_ABORT] = {
		.name = "abort",
		.summary = "A rank called MPI_Abort.",
		.help =
			"The program gave up by itself. "
			"If a choice is named, it does so only in that order of messages.",
		.emit = FINDING_EMIT_ASSERT,
		.ends = true,
		.can_be_ignored = true,
	},
	[FINDING_BUFFER_MODIFIED] = {
		.name = "buffer-modified",
		.summary =
			"The buffer of a nonblocking operation is written to before a call has "
			"completed the operation.",
		.help =
			"Until MPI_Wait or MPI_Test has completed the request, the buffer belongs "
			"to MPI (MPI 3.1, section 3.7.2). "
			"Use another buffer, or wait first.",
		.detail =
			"Sends, receives and collectives are checked, partitions of a send from "
			"MPI_Pready on, and what is written to a file. "
			"It is also reported if the buffer is a variable of a function that has "
			"returned, or if its memory was freed or unmapped. "
			"Of a receive, only the bytes that its message fills count. "
			"A buffer of more than 16 KiB is sampled: a write between the samples is "
			"not seen. "
			"Memory of a window is not checked, because other ranks may write there. "
			"In programs compiled with the flags of matchpoint --cflags-access each "
			"store is seen, with its line.",
		.emit = FINDING_EMIT_WRITE,
		.can_be_ignored = true,
	},
	[FINDING_BUFFER_OVERLAP] = {
		.name = "buffer-overlap",
		.summary =
			"Two active operations of a rank use the same bytes, and one of them "
			"writes there.",
		.help =
			"Two buffers overlap, or an array is shorter than the count of its "
			"receive says. "
			"Memory that an operation writes to belongs to it alone until it is "
			"complete, and memory that it reads must not change until then (MPI 3.1, "
			"sections 3.7.2 and 5.12). "
			"Give each operation a buffer of its own.",
		.detail = "Sends, receives, collectives and one-sided calls are checked.",
		.no_calls = "where buffers lie is no part of the record, which holds only calls",
		.can_be_ignored = true,
	},
	[FINDING_BUFFER_READ] = {
		.name = "buffer-read",
		.summary =
			"The program reads the buffer of a nonblocking receive or collective "
			"before a call has completed the operation.",
		.help =
			"What it reads may be old or new. "
			"Until MPI_Wait or MPI_Test has completed the request, the buffer belongs "
			"to MPI (MPI 3.1, section 3.7.2). "
			"Of a partitioned receive, a partition may be read when MPI_Parrived "
			"returns true for it. "
			"Wait first.",
		.detail =
			"Loads are seen only in programs compiled for it: "
			"matchpoint --cflags-access. "
			"Of a receive, only the bytes that its message fills count.",
		.no_calls = "the load is in the program, and the record holds only calls",
		.can_be_ignored = true,
	},
	[FINDING_COLLECTIVE_MISMATCH] = {
		.name = "collective-mismatch",
		.summary =
			"The members of a communicator call different collectives, or the same "
			"one with arguments that do not fit.",
		.help =
			"All members must call the same collectives in the same order (MPI 3.1, "
			"section 5.1). "
			"The roll-call shows in what the calls differ.",
		.detail =
			"These must agree: the function, the root, the reduction, the arguments "
			"that describe a new communicator, the file and mode of MPI_File_open. "
			"What one member sends must be what another expects, in count and type.",
		.ends = true,
		.can_be_ignored = true,
	},
	[FINDING_CRASH] = {
		.name = "crash",
		.summary = "A signal killed a rank, or a sanitizer ended it.",
		.help =
			"The place is where the signal came, or that of the sanitizer's report. "
			"If a choice is named, the rank crashes only in that order of messages. "
			"Perhaps it takes the data of one message for those of another, or trusts "
			"a length or an index.",
		.emit = FINDING_EMIT_ASSERT,
		.ends = true,
		.can_be_ignored = true,
		.may_be_memory = true,
	},
	[FINDING_DEADLOCK] = {
		.name = "deadlock",
		.summary =
			"Ranks wait for each other, or for a rank that has ended, and none can go "
			"on.",
		.help =
			"The roll-call shows where each rank waits, and for which ranks. "
			"If a choice is named, the program hangs only when that receive takes "
			"that message: name the source or the tag that is meant instead of "
			"MPI_ANY_SOURCE or MPI_ANY_TAG, or accept every order. "
			"If no choice is named, the calls do not fit together, or the program "
			"relies on a standard send being buffered (MPI 3.1, section 3.5).",
		.emit = FINDING_EMIT_HANG,
		.text = FINDING_TEXT_ROLL_CALL,
		.ends = true,
		.can_be_ignored = true,
	},
	[FINDING_ERROR_RETURNED] = {
		.name = "error-returned",
		.summary =
			"MPI returned an error, the program went on, and the interleaving ended "
			"well.",
		.help =
			"Look at what the call returns, and act on it: after an error the "
			"result of the call is undefined (MPI 3.1, section 8.3). "
			"Or leave the error handler as it is by default, MPI_ERRORS_ARE_FATAL.",
		.detail =
			"It is a finding only with --errors-returned=finding: a program that "
			"looks at the code and one that does not look the same. "
			"Otherwise a line \"not checked\" names these calls. "
			"Errors on files are returned unless the program asks otherwise. "
			"That MPI_File_delete finds no file does not count.",
		.text = FINDING_TEXT_MESSAGE,
		.can_be_ignored = true,
	},
	[FINDING_EXIT] = {
		.name = "exit",
		.summary =
			"A rank ended without MPI_Finalize, or with an exit status other than 0.",
		.help =
			"The program's own check failed, or it left before MPI_Finalize. "
			"If a choice is named, it does so only in that order of messages.",
		.emit = FINDING_EMIT_ASSERT,
		.ends = true,
		.can_be_ignored = true,
	},
	[FINDING_LEAK] = {
		.name = "leak",
		.summary =
			"The interleaving ends well, but something that was created is never "
			"freed, or a message is never received.",
		.help =
			"The place is where it was created. "
			"Complete or free each request. "
			"Free each communicator, type, group or window before MPI_Finalize.",
		.detail =
			"Requests, communicators, datatypes, groups, windows, files, operations, "
			"error handlers, attribute keys and info objects are reported by the line "
			"that made them. "
			"Info objects and error handlers may live until the process ends, all "
			"others until MPI_Finalize.",
		.emit = FINDING_EMIT_LEAVE,
		.text = FINDING_TEXT_MESSAGE,
		.can_be_ignored = true,
	},
	[FINDING_LIVELOCK] = {
		.name = "livelock",
		.summary = "Ranks only poll, and nothing that they poll for can change any more.",
		.help =
			"What MPI_Test or MPI_Iprobe asks for never comes: the message is not "
			"sent, or another receive has taken it.",
		.detail =
			"It is proven if memory and registers of the ranks that poll come back to "
			"the same state. "
			"Otherwise it is suspected, and the finding says so: after 60 s of the "
			"program's time if the loop looks at a clock, after 300,000 polls if the "
			"loop changes memory. "
			"Ranks that only look at a window are judged by time: 60 s.",
		.no_calls = "a livelock is a loop of the program, and the record holds only calls",
		.ends = true,
		.can_be_ignored = true,
	},
	[FINDING_MISUSE] = {
		.name = "misuse",
		.summary = "The standard does not allow the call there, but MPI lets it pass.",
		.help =
			"The result is not defined: another MPI may refuse the call, or hang. "
			"The request of a collective must be completed, never freed or cancelled "
			"(MPI 3.1, section 5.12). "
			"MPI_Rput belongs between MPI_Win_lock and MPI_Win_unlock (section "
			"11.3.5).",
		.detail =
			"It is reported when the request of a collective under way is freed or "
			"cancelled; "
			"when MPI_Rput or a call of its kind is made without a lock of the "
			"window; "
			"when a call receives into a datatype whose entries overlap (elements of "
			"up to 4 MB); "
			"when two threads of a rank are in collectives of one communicator, "
			"window or file at the same time; "
			"when a thread that has not called MPI_Init calls MPI_Finalize; "
			"when a process that a rank has forked calls MPI (the process is ended); "
			"when an operation of the program is declared commutative, and gives "
			"another result for operands in the other order (a difference within "
			"rounding does not count); "
			"and when a send in ready mode (MPI_Rsend) is not certain to come after "
			"the start of its receive.",
		.no_calls = "MPI itself accepts it",
		.can_be_ignored = true,
	},
	[FINDING_MPI_ERROR] = {
		.name = "mpi-error",
		.summary =
			"MPI returned an error, and the program has not asked for errors to be "
			"returned.",
		.help =
			"Often it is a truncation: the receive took another, longer message than "
			"it has room for. "
			"Receive from the source and with the tag that the probe reported.",
		.detail = "Calls after MPI_Finalize count, too.",
		.ends = true,
		.can_be_ignored = true,
	},
	[FINDING_NATIVE_DIFFERS] = {
		.name = "native-differs",
		.summary =
			"Without control, the program ends or prints as in no interleaving "
			"(--native).",
		.help =
			"Either the MPI library has a bug in a call that matchpoint carries out in "
			"another way, or the program depends on something that control changes: "
			"time, environment variables, memory that was never initialised. "
			"Run it under a debugger or valgrind, without matchpoint.",
		.detail =
			"A crash, an error or a hang counts if no interleaving has such an end. "
			"What is printed counts if all was explored; lines that vary when the "
			"program is run again are not compared.",
		.no_calls = "it shows without control only",
		.text = FINDING_TEXT_MESSAGE,
		.can_be_ignored = true,
		.beyond_choices = true,
		.native = true,
	},
	[FINDING_OUTCOME_DIFFERS] = {
		.name = "outcome-differs",
		.summary = "Interleavings end well, but not with the same result.",
		.help =
			"The result depends on the order in which messages are received. "
			"If that is not intended, name the source of each receive, or combine the "
			"parts in a fixed order.",
		.detail =
			"Compared are the printed lines, and the files that ranks write. "
			"A line may also be the same each time under some choices, and vary under "
			"others: memory that is used before it is initialised does that, and "
			"--wrap \"valgrind -q\" shows where. "
			"A line that varies under all choices, as a time does, is not compared.",
		.emit = FINDING_EMIT_ASSERT,
		.can_be_ignored = true,
		.compares = true,
	},
	[FINDING_RMA_CONFLICT] = {
		.name = "rma-conflict",
		.summary =
			"Two one-sided accesses to the same memory, one of which writes, are in "
			"no order.",
		.help =
			"The result is undefined (MPI 3.1, section 11.7), whatever comes out "
			"today. "
			"Put synchronisation between the two: a fence, another epoch, or a flush "
			"followed by a message or a barrier. "
			"Or use accumulates with one operation. "
			"A call's own buffers are in use, too, until the call is complete.",
		.detail =
			"The order alone counts, not what was observed. "
			"Loads and stores of the program count if it is compiled for it: "
			"matchpoint --cflags-access. "
			"Accumulates with the same operation do not conflict. "
			"A send, receive or collective that uses bytes of a window counts as an "
			"access. "
			"So does another use, or a change, of a call's own buffer before the call "
			"is complete. "
			"Bytes of a shared window are the same through whichever rank's window "
			"they are reached.",
		.can_be_ignored = true,
	},
	[FINDING_RMA_RANGE] = {
		.name = "rma-range",
		.summary =
			"A one-sided access goes beyond the memory that its target gave to the "
			"window.",
		.help =
			"It reads or writes other memory of the target, or crashes; "
			"MPI need not report it (MPI 3.1, section 11.6.2: MPI_ERR_RMA_RANGE). "
			"A displacement counts units of the target's window, as the target gave "
			"them when the window was made. "
			"The target's datatype adds to it.",
		.detail = "Dynamic windows are not checked.",
		.can_be_ignored = true,
	},
	[FINDING_STALL] = {
		.name = "stall",
		.summary =
			"A rank is inside a call that MPI carries out by itself, the others wait, "
			"and nothing moves.",
		.help =
			"Find the rank that should answer that call. "
			"A one-sided operation may wait for its target to synchronise, a "
			"collective file operation for its members.",
		.detail =
			"Such calls are one-sided communication, MPI-IO, and collectives that "
			"make a communicator, window or file. "
			"Nothing moves: for 10 s no call ends, and nothing is read or written. "
			"A function that MPI calls for the program, such as that of an MPI_Op, "
			"stalls when it has not returned for 10 s.",
		.no_calls = "MPI carries out the call by itself, and the record does not hold how",
		.ends = true,
		.can_be_ignored = true,
		.unexplained_end = true,
	},
	[FINDING_THREAD_LEVEL] = {
		.name = "thread-level",
		.summary =
			"A thread calls MPI where the level of thread support does not allow it.",
		.help =
			"Ask for MPI_THREAD_MULTIPLE in MPI_Init_thread, and look at the level "
			"that is provided. "
			"Or let only the thread that initialised MPI call it "
			"(MPI_THREAD_FUNNELED), or one thread at a time (MPI_THREAD_SERIALIZED; "
			"MPI 3.1, section 12.4).",
		.detail =
			"Without MPI_THREAD_MULTIPLE two threads must not call MPI at the same "
			"time. "
			"Below MPI_THREAD_SERIALIZED only the thread that initialised MPI may "
			"call it.",
		.no_calls = "it is about threads, and the program that is written has none",
		.ends = true,
		.can_be_ignored = true,
		.any_call = true,
	},
	[FINDING_TYPE_MISMATCH] = {
		.name = "type-mismatch",
		.summary = "A receive names other types than the send that it takes.",
		.help =
			"The type signatures must match (MPI 3.1, section 3.3.1), or the data "
			"mean something else on the other side.",
		.detail =
			"Bytes fit anything, and so do types of one kind and size. "
			"A one-sided call is reported when what it names at the target does not "
			"fit its own buffer, in type or size.",
		.can_be_ignored = true,
	},
	[FINDING_NOT_REPRODUCIBLE] = {
		.name = "not-reproducible",
		.summary = "The same path led to other calls.",
		.help =
			"The program depends on something besides matching: time, random numbers, "
			"addresses, files, threads, or memory that was never initialised (replay "
			"--wrap \"valgrind -q\" shows that). "
			"Not everything can be explored then.",
		.no_calls = "what is not reproducible depends on more than messages",
		.ends = true,
		.beyond_choices = true,
	},
	[FINDING_UNKNOWN] = {
		.name = "unknown",
		.summary = "Something is wrong that this version cannot explain further.",
		.help = "The message says what was seen.",
	},
	[FINDING_RECORDED] = {
		.name = "recorded",
		.summary = "A recorded run: nothing was checked.",
		.help = "The whole job can run again under control (replay DIR).",
	},
};
/* clang-format on */

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

	if (g_strcmp0(name, kinds[FINDING_RECORDED].name) == 0)
		return FINDING_RECORDED;
	while (kind < FINDING_UNKNOWN && g_strcmp0(kinds[kind].name, name) != 0)
		kind++;
	return kind;
}
