/* Which send each message of a recorded run comes from. A log tells the source and the tag of what
 * a receive took, not the call that has sent it. The order does: messages of one rank to another
 * with the same tag on the same communicator are received in the order in which they were sent, by
 * receives in the order in which they were begun (MPI 3.1, section 3.5). Pure. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_RECORDED_MESSAGES_H
#define MATCHPOINT_SCHEDULER_RECORDING_RECORDED_MESSAGES_H

#include <glib.h>
#include <stdbool.h>

struct recorded_messages;

#define RECORDED_ANY (-1)

/* The operation of a call that sends, or receives. Ranks are those in MPI_COMM_WORLD. */
struct recorded_operation {
	gint32 rank;
	guint32 call, sub;
	guint64 comm;
	gint32 peer, tag; /* destination, or source; RECORDED_ANY; of a message that was taken: its
	                   * own */
	bool is_taken;    /* of a receive: it is known to have taken a message */
};

struct recorded_messages *recorded_messages_new(void);
void recorded_messages_free(struct recorded_messages *messages);

/* Those of a rank are to be given in its order, without those that were cancelled. */
void recorded_messages_send(struct recorded_messages *messages,
                            const struct recorded_operation *send);
void recorded_messages_receive(struct recorded_messages *messages,
                               const struct recorded_operation *receive);

/* A probe that has found a message, which `probe` names. To be given in the rank's order, as
 * receives. It takes nothing. */
void recorded_messages_probe(struct recorded_messages *messages,
                             const struct recorded_operation *probe);
/* Calls `match` for each probe that is known to have found the message of one send. */
void recorded_messages_found(struct recorded_messages *messages,
                             void (*match)(void *user, const struct recorded_operation *send,
                                           const struct recorded_operation *probe),
                             void *user);

/* Calls `match` for each message whose send is certain. Returns the number of messages that were
 * taken, and whose send is not. */
guint recorded_messages_match(struct recorded_messages *messages,
                              void (*match)(void *user, const struct recorded_operation *send,
                                            const struct recorded_operation *receive),
                              void *user);

#endif
