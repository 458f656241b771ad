/* Going back in place: a rank that has just finished an interleaving becomes again what it was when
 * it began, in the same process, without a fork and without an exit.
 *
 * At its birth (when it stands in its world, and has done nothing yet) a rank forks a twin, which
 * never runs: it holds what the rank's memory was. What the rank writes from then on is found by
 * bit 56 of its pagemap (mapped by this process alone), and copied back from the twin. What the
 * kernel holds is put back too (descriptors, files, signals, working directory), or found to be the
 * same; whatever is neither is told, and the rank is to be forked anew.
 *
 * The code that does it runs on a stack and in memory of its own ("aside"), which are not put back.
 * What shared mappings hold is the scheduler's matter; they stay where they are. Linux 6.11 or
 * later is needed; where it, or what it allows, is not enough, agent_rewind_trouble says so. */
#ifndef MATCHPOINT_CKPT_AGENT_REWIND_H
#define MATCHPOINT_CKPT_AGENT_REWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent.h"

/* Takes the memory apart, once, before the rank first becomes a keeper; with room for images of
 * it, or none. 0, or -1 with errno: then all runs where it always did, and nothing is rewound. */
int agent_private_stack_new(struct agent *agent, bool images);

/* Where it lies, whole pages; false: there is none. */
bool agent_private_stack_memory(const struct agent *agent, uintptr_t *ret_start,
                                uintptr_t *ret_end);

/* Calls the function on the stack apart and comes back when it returns; without such a stack, at
 * once. What is on the program's stack then is what agent_leave_private_stack goes back to. */
void agent_step_private_stack(struct agent *agent, void (*function)(void));

/* Leaves the program's stack for good: the function does not return unless the rank was rewound,
 * and then to where agent_step_private_stack was called last. False: there is no stack apart. */
bool agent_stay_private_stack(struct agent *agent, void (*function)(void));

/* In a child, aside, once it stands in its world: notes what it is now, and forks the twin, a
 * child of the rank's parent, which goes with the rank. -1: agent_rewind_trouble says why it cannot
 * be gone back to. */
int agent_note_birth(struct agent *agent, const struct agent_clone *clones, size_t count);
/* What was noted does not hold any more; the twin is ended. */
void agent_forget_birth(struct agent *agent);
bool agent_has_birth(const struct agent *agent);
/* Whether some of it was mapped at the birth; false when there is none. */
bool agent_had_mapped(const struct agent *agent, uintptr_t start, uintptr_t end);

/* In a rank that has a birth, at its end: whether it has descriptors which it had not then, or it
 * cannot be told. */
bool agent_has_opened(struct agent *agent);

/* Aside, in a rank that has a birth: keeps what its memory is now, to be gone back to as to the
 * birth. Its number, from 1; 0: agent_rewind_trouble says why not, the rank can go on. What the
 * kernel holds, and what is mapped, must be as at the birth, but for how signals are handled and
 * where it stands in files of its world (what these hold is the scheduler's matter). */
uint32_t agent_image_take(struct agent *agent);
/* The image is referred to once more, and once less: when that was the last, it is gone. */
void agent_image_share(struct agent *agent, uint32_t image);
void agent_image_forget(struct agent *agent, uint32_t image);
/* What all of them take, in bytes. */
uint64_t agent_image_bytes(const struct agent *agent);

/* Aside, in a rank that has a birth: makes the process what it was then (0), or in an image, in two
 * steps. The first one is its own affair, and may be taken while other ranks of its world still
 * run: what it has changed is looked for, and its memory put back. From the birth it can be taken
 * once more, to an image. The second one, when its world is over and files are what they are to be,
 * puts back what others could see: nothing, if agent_is_by_itself where its keeper was parked, and
 * it has not opened anything since. When it returns 0 the function that was called aside may
 * return.
 * -1: what could not be put back is told; the process is to be ended. */
int agent_rewind_memory(struct agent *agent, uint32_t image);
int agent_rewind_rest(struct agent *agent, uint32_t image);

/* From here on nothing of the process runs but the agent, and whoever carries out orders in its
 * place; and that is over. In between, what was looked at once is not looked at again, unless page
 * faults tell of something. */
void agent_is_unmoved(struct agent *agent);
void agent_moves(struct agent *agent);
/* Whether what was looked at since then holds. */
bool agent_is_standing(struct agent *agent);

/* A clause for the user ("it has 2 threads"), in memory apart; "" where all went well. */
const char *agent_rewind_trouble(const struct agent *agent);

#endif
