#include "kinds.h"

#include <glib.h>

static const struct kind kinds[] = {
	{"deadlock", "Ranks wait for each other, or for one that has ended, and nobody can go on.",
         "The roll-call says who waits where for whom. If a choice is named, the program hangs "
         "only "
         "when that receive takes that message: name the source or the tag that is meant instead "
         "of "
         "MPI_ANY_SOURCE or MPI_ANY_TAG, or accept every order. Without one, the calls do not fit "
         "together, or a standard send was trusted to be buffered (MPI 3.1, section 3.5)."},
	{"livelock", "Ranks only poll, and nothing that they ask for can change any more.",
         "What is polled for (MPI_Test, MPI_Iprobe) never comes: the message is not sent, or "
         "another "
         "receive has taken it."},
	{"stall",
         "A rank is inside a call that MPI carries out by itself, the others wait, and nothing "
         "moves.",
         "Look at who should answer that call: a one-sided operation may wait for its target to "
         "synchronise, a collective file operation for its members."},
	{"crash", "A rank was killed by a signal.",
         "The place is where the signal came. If a choice is named, the rank crashes only in that "
         "order of messages: data that were taken for another message's, a length, an index."},
	{"abort", "A rank called MPI_Abort, or abort.",
         "The program gave up by itself. If a choice is named, it does so only in that order of "
         "messages."},
	{"exit", "A rank ended without MPI_Finalize, or with an exit status other than 0.",
         "The program's own check failed, or it left before MPI_Finalize. If a choice is named, it "
         "does "
         "so only in that order of messages."},
	{"mpi-error", "MPI returned an error that the program did not ask to be told of.",
         "Often a truncation: the receive took another, longer message than the one that it made "
         "room "
         "for. Receive from the source and with the tag that the probe reported."},
	{"thread-level", "A thread calls MPI where the level of thread support does not let it.",
         "Ask for MPI_THREAD_MULTIPLE in MPI_Init_thread and look at what is provided; or let only "
         "the thread that initialised MPI call it (MPI_THREAD_FUNNELED), or one at a time "
         "(MPI_THREAD_SERIALIZED; MPI 3.1, section 12.4)."},
	{"collective-mismatch",
         "The members of a communicator call different collectives, or the same "
         "with arguments that do not fit.",
         "All members must call the same collectives in the same order (MPI 3.1, section 5.1); the "
         "roll-call tells in what they differ."},
	{"type-mismatch", "A receive names other types than the send that it takes.",
         "The type signatures must match (MPI 3.1, section 3.3.1), or the data mean something else "
         "on "
         "the other side."},
	{"leak", "Something that was created is never freed.",
         "The place is where it was created: a request is completed or freed, a communicator, "
         "type, "
         "group or window freed before MPI_Finalize."},
	{"outcome-differs", "Interleavings end well, but not with the same result.",
         "The result depends on the order in which messages were received. If that is not meant, "
         "name "
         "the source of each receive, or combine the parts in an order of their own."},
	{"buffer-modified",
         "The buffer of a nonblocking operation is written to before a call has completed it.",
         "Until MPI_Wait or MPI_Test has completed the request the buffer belongs to MPI (MPI 3.1, "
         "section 3.7.2): use another buffer, or wait first."},
	{"buffer-overlap", "MPI writes a message into the buffer of another active operation.",
         "Two buffers overlap, or an array is shorter than the count of its receive says. The "
         "bytes that a receive fills belong to it until it is complete (MPI 3.1, section 3.7.2): "
         "give each operation a buffer of its own."},
	{"rma-conflict",
         "Two one-sided accesses to the same memory, one of which writes, are in no order.",
         "The result is undefined (MPI 3.1, section 11.7), whatever comes out today. Put "
         "synchronisation between the two: a fence, another epoch, or a flush and then a message "
         "or barrier; or use accumulates with one operation. A call's own buffers are in use, too, "
         "until it is complete. Loads and stores of the program are not seen."},
	{"not-reproducible", "The same matches led to other calls.",
         "The program depends on something besides matching: time, random numbers, addresses, "
         "files, "
         "threads, or memory that was never initialised (replay --wrap \"valgrind -q\" shows "
         "that). "
         "Not everything can be explored then."},
	{"unknown", "Something is wrong that this version cannot explain further.",
         "The message tells what was seen."},
};

const struct kind *kinds_find(const char *id)
{
	guint i = 0;

	while (i + 1 < G_N_ELEMENTS(kinds) && !g_str_equal(kinds[i].id, id))
		i++;
	return &kinds[i];
}
