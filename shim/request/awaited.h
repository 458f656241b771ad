/* Which messages ranks wait for. If nobody looks for other interleavings (proven.h), a receiver
 * tells its sender, in memory that the ranks of a world share. Then the sender need not copy a
 * large message although its call may return first: somebody certainly takes it.
 *
 * Messages of one source, destination, communicator and tag are received in the order in which
 * they are sent (MPI 3.1, section 3.5), and MPI gets only receives that name all of these. So the
 * n-th of these receives takes the n-th of these messages. Both sides count: the sender all its
 * messages, small ones too, and the receiver what it posts. MPI_Mprobe takes messages that the
 * receiver does not count. That does no harm: the message that it then tells of was sent before, or
 * another receive takes it for which the rank waits as well.
 *
 * Nothing is told on intercommunicators, between nodes, or once the rank has been parked. */
#ifndef MATCHPOINT_SHIM_REQUEST_AWAITED_H
#define MATCHPOINT_SHIM_REQUEST_AWAITED_H

#include <stdbool.h>

#define AWAITED_FILE "matchpoint-awaited" /* in the world's directory */

struct request;

/* After MPI's initialisation, before the first message. `rank` of so many in the job. */
void awaited_start(int rank, int ranks);
/* From now on this rank tells nothing and believes nothing. */
void awaited_stop(void);

/* In the order in which MPI gets them: every send of the program, and every receive. Sets their
 * `place`. `source` and `tag` are those that MPI gets. */
void awaited_count_send(struct request *request);
void awaited_count_receive(struct request *request, int source, int tag);

/* The receive is posted to MPI as the program has named it. The rank waits until it is complete,
 * and drives MPI. */
void awaited_tell(const struct request *request);

/* Whether the receiver of this send has told that it waits for its message. */
bool awaited_is_told(const struct request *request);

#endif
