/* The state of a rank that waits in the gate, for a search that visits equal states once. It is a
 * hash of all that the program can observe when its call returns:
 *
 *   private memory   every page that was ever written, without the data of MPI's libraries and the
 *                    shim (heap.h), and the stack below the frame that made the call
 *   registers        those that a call preserves, and floating-point modes
 *   the kernel       open files, what was written into them, signals, ... (ckpt/agent_state.h)
 *   requests         handles that the program holds, and what each means
 *   windows          their memory and epochs (window_state.h)
 *
 * The arguments of a pending call may be in no register any more: before each call, a seal reports
 * them (struct wire_seal). What only MPI knows (attributes, datatypes, attached buffers) is
 * reported as hidden. For memory that MPI gives to the program, and for threads, the state is
 * refused. In doubt, more goes into the hash. If equal states are taken to be different, that costs
 * time; if different states are taken to be equal, the search misses what one of them leads to. */
#ifndef MATCHPOINT_SHIM_STATE_STATE_H
#define MATCHPOINT_SHIM_STATE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "shim/gate/gate.h"

/* Whether states are compared. If not, nothing below need be called. */
static inline bool state_is_wanted(void)
{
	return __builtin_expect(gate_welcome()->states, 0);
}

/* When the shim is loaded, and again before MPI_Init; after MPI_Init. */
void state_load(void);
void state_start(void);

/* A call of the program begins; `function` is an enum mpi_call. `hides`: MPI keeps something of
 * it. */
void state_note_call(unsigned function, const uint64_t *arguments, size_t count, bool hides);
/* The data that it sends, or the buffer that it will receive into. Unknown if the type is not a
 * basic one. */
void state_note_data(const void *buffer, MPI_Count count, MPI_Datatype type);
/* The rank has made a call of which MPI keeps something hidden. */
void state_hide(void);
/* From now on the rank has no state, for this reason (a literal). */
void state_refuse(const char *why);

/* Whether the program's memory can be told from that of MPI's libraries and the shim. Then
 * state_digest stores a hash of what the program can observe of its own memory and registers when
 * `call` returns; false: unknown, also if it has windows, threads or timers. state_start_digests:
 * after MPI_Init, if state_start was not called. */
bool state_can_digest(void);
void state_start_digests(void);

/* Finds, by forking once, what each fork changes in the C library. A process from which ranks are
 * forked does it for all of them; else each rank does it when its states or digests begin. */
void state_find_generation(void);
bool state_digest(const struct wire_call *call, uint64_t ret[2]);

/* For the gate: the call that it is about to report has no seal; the scheduler takes it to hide
 * something. */
void state_go_unsealed(void);

/* For the gate: the seal of the call that it is about to report; the state while `call` is
 * pending. */
struct wire_seal state_seal(uint32_t call);
struct wire_state state_compute(const struct wire_call *call);

#endif
