/* Reads large messages from the memory of their senders.
 *
 * UCX's transport cma copies a large message once, with process_vm_readv(2), from the memory of the
 * sending process. UCX has learnt the process's number in MPI_Init. In copies of ranks, and in
 * ranks that were rewound, that number belongs to a root keeper with the memory of another time. So
 * each rank publishes its process in this world, in memory that the ranks of the world share. UCX's
 * calls read from that process (other_memory.c).
 *
 * A rank publishes when its memory is restored, before HELLO. A rank that needs it earlier waits.
 * Nothing is ever written into another rank's memory (UCX_RNDV_SCHEME), so a rank that has not
 * moved stays unchanged. */
#ifndef MATCHPOINT_SHIM_PARK_PEERS_H
#define MATCHPOINT_SHIM_PARK_PEERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PEERS_FILE "matchpoint-peers" /* in the world's directory */

/* Before MPI_Init, when the world's directory is open; `rank` is the launcher's. Without that
 * memory, or with a UCX later than 1.13, makes UCX copy through shared memory. */
void peers_start(int rank);

/* Publishes this process in this world. */
void peers_publish(uint32_t world, pid_t process);

/* The process in this world for `number`, a number of the job that the launcher started. 0: not a
 * rank of the job. Waits until that rank has published; -1: `connection`, to the scheduler, was
 * closed first. */
pid_t peers_find(uint32_t world, pid_t number, int connection);

/* Whether the address is in UCX's code, or in MPI's, which may contain UCX. */
bool peers_is_asked_by(const void *return_address);

#endif
