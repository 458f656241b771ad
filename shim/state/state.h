/* The state of a rank that waits in the gate, for a search that visits equal states once: a hash of
 * all that the program can go by when its call returns.
 *
 *   private memory   every page that was ever written, but for what MPI's libraries and the shim
 *                    keep (heap.h), and the stack below the frame that made the call
 *   registers        that a call preserves, and how numbers are rounded
 *   the kernel       open files, what was written into them, signals, ... (ckpt/agent_state.h)
 *   requests         handles that the program holds, and what each stands for
 *
 * What a pending call was given may be in no register any more: it is told before each call, as a
 * seal (struct wire_seal). What only MPI keeps (attributes, datatypes, buffers that are attached)
 * is told to be hidden; memory that MPI gives to the program, windows, threads: then the state
 * cannot be told. In doubt more goes into the hash: two states that are taken to be different cost
 * time, two that are taken for one would hide what one of them leads to. */
#ifndef MATCHPOINT_SHIM_STATE_STATE_H
#define MATCHPOINT_SHIM_STATE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "shim/gate/gate.h"

/* Whether states are compared: nothing of this need be called else. */
static inline bool state_is_wanted(void)
{
	return __builtin_expect(gate_welcome()->states, 0);
}

/* As soon as the shim is loaded; and after MPI_Init. */
void state_load(void);
void state_start(void);

/* A call of the program begins, given these arguments (enum mpi_call). `hides`: MPI keeps something
 * of it. */
void state_note_call(unsigned function, const uint64_t *arguments, size_t count, bool hides);
/* What it sends, or the buffer that it will receive into. Unknown if the type is no basic one. */
void state_note_data(const void *buffer, MPI_Count count, MPI_Datatype type);
/* The rank has called something of which MPI keeps what cannot be seen. */
void state_hide(void);
/* It cannot be told any more, for this reason (a literal). */
void state_refuse(const char *why);

/* For the gate: of the call that it is about to tell; and the state, while `call` is pending and
 * `own` is memory of the gate's. */
struct wire_seal state_seal(uint32_t call);
struct wire_state state_tell(const struct wire_call *call);

#endif
