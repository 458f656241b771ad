/* Stacks of calls that were unwound before. To unwind a stack takes longer than most calls of MPI
 * do. If the program calls from the same place with the same stack pointer, and all return
 * addresses lie where they lay, the frames are the same.
 *
 * Only where a call pushes its return address (x86-64); elsewhere nothing is known. For one thread
 * at a time. Nothing is allocated. */
#ifndef MATCHPOINT_SHIM_PROCESS_KNOWN_STACKS_H
#define MATCHPOINT_SHIM_PROCESS_KNOWN_STACKS_H

#include <stdint.h>

/* The frames of the call made at `site` with the stack pointer `stack`, without the call's own
 * frame. Returns their number; 0: not known. Reads the stack, which may be gone if the program
 * switches stacks: then SIGSEGV strikes, and known_stacks_forget must be called. */
int known_stacks_find(const void *site, uintptr_t stack, void **ret_frames, int most);

/* These are its frames, as just found by unwinding in the same call. They are kept from the second
 * time on. */
void known_stacks_add(const void *site, uintptr_t stack, void *const *frames, int count);

void known_stacks_forget(void);

#endif
