/* Reading large messages out of their senders' memory.
 *
 * UCX's transport cma copies a large message once, with process_vm_readv(2), from the memory of the
 * process that sends it, whose number it has learnt in MPI_Init. In copies of ranks, and in ranks
 * that were rewound beside them, that is the number of a root keeper, whose memory is another one's
 * of another time. So each rank keeps, in memory that the ranks of its world share, as which
 * process it stands in this world, and what UCX asks for (other_memory.c) is read from there.
 *
 * A rank tells so when its memory is what it is to be, before HELLO; who needs it earlier waits for
 * it. Nothing is ever written into another rank's memory (UCX_RNDV_SCHEME): a rank that has not
 * moved is what it was. */
#ifndef MATCHPOINT_SHIM_PARK_PEERS_H
#define MATCHPOINT_SHIM_PARK_PEERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PEERS_FILE "matchpoint-peers" /* in the world's directory */

/* Before MPI_Init, where the world's directory is open: `rank` as the launcher has told it. Where
 * that memory cannot be had, or UCX is a later one than 1.13, UCX is told to copy through shared
 * memory. */
void peers_start(int rank);

/* This process stands in this world now. */
void peers_tell(uint32_t world, pid_t process);

/* The process that is in this world what `told` was in the job that the launcher started; 0: no
 * rank of the job. Waits until it has told so; -1: `connection`, to the scheduler, is gone before.
 */
pid_t peers_find(uint32_t world, pid_t told, int connection);

/* Whether that address is in UCX's code, or in the MPI library's, which may contain UCX's. */
bool peers_is_asked_by(const void *return_address);

#endif
