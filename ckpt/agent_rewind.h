/* Rewinding in place: a rank that has finished an interleaving becomes what it was at the
 * beginning, in the same process, without a fork and an exit.
 *
 * At its birth (when it is in its world and has done nothing yet) a rank forks a twin, which never
 * runs: the twin holds the old contents of the rank's memory. Pages that the rank writes later are
 * found by bit 56 of its pagemap (mapped only by this process), and are copied back from the twin.
 * What the kernel holds is restored too (descriptors, files, signals, working directory), or
 * compared. If something is neither restored nor equal, the rewind is refused with a reason, and
 * the rank must be forked anew.
 *
 * The agent runs on a private stack, in memory that is not restored. The contents of shared
 * mappings are restored by the scheduler; the mappings stay where they are. Linux 6.11 or later is
 * required. If it, or its configuration, is not sufficient, agent_rewind_trouble returns the
 * reason. */
#ifndef MATCHPOINT_CKPT_AGENT_REWIND_H
#define MATCHPOINT_CKPT_AGENT_REWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent.h"

/* Maps the memory of the private stack. Call once, before the rank first becomes a keeper.
 * `images`: with room for images. Returns 0, or -1 with errno: then everything runs on the
 * program's stack, and the rank is never rewound. */
int agent_private_stack_new(struct agent *agent, bool images);

/* The address range of the private stack's memory, in whole pages; false: there is none. */
bool agent_private_stack_memory(const struct agent *agent, uintptr_t *ret_start,
                                uintptr_t *ret_end);

/* Calls the function on the private stack and returns after it; without a private stack, calls it
 * directly. agent_stay_private_stack returns to the state of the program's stack saved here. */
void agent_step_private_stack(struct agent *agent, void (*function)(void));

/* Leaves the program's stack and calls the function on the private stack. If the rank is rewound
 * and the function returns, execution continues where agent_step_private_stack was last called.
 * False: there is no private stack. */
bool agent_stay_private_stack(struct agent *agent, void (*function)(void));

/* In a child that is in its world, on the private stack: records its state and forks the twin. The
 * twin is a child of the rank's parent and ends with the rank. -1: the rank cannot be rewound, see
 * agent_rewind_trouble. */
int agent_note_birth(struct agent *agent, const struct agent_clone *clones, size_t count);
/* Invalidates what was recorded, and ends the twin. */
void agent_forget_birth(struct agent *agent);
bool agent_has_birth(const struct agent *agent);
/* Whether any part of the range was mapped at the birth; false if there is none. */
bool agent_had_mapped(const struct agent *agent, uintptr_t start, uintptr_t end);

/* For a rank that has a birth, at its end: whether it has descriptors that it did not have at its
 * birth, or that cannot be determined. */
bool agent_has_opened(struct agent *agent);

/* For a rank that has a birth, on the private stack: keeps the present contents of its memory as an
 * image. Returns its number, from 1; 0: not possible, see agent_rewind_trouble, and the rank may
 * continue. Kernel state and mappings must be as at the birth, except signal dispositions and
 * offsets in files of its world (the scheduler restores the contents of these). */
uint32_t agent_image_take(struct agent *agent);
/* Adds, or drops, a reference. The image is freed with the last one. */
void agent_image_share(struct agent *agent, uint32_t image);
void agent_image_forget(struct agent *agent, uint32_t image);
/* Bytes taken by all images. */
uint64_t agent_image_bytes(const struct agent *agent);

/* For a rank that has a birth, on the private stack: makes the process what it was at the birth
 * (`image` 0) or in an image, in two steps. agent_rewind_memory finds the changes and restores the
 * memory. It may be called while other ranks of the world still run, and after a return to the
 * birth once more for an image. agent_rewind_rest restores what others could see. Call it when the
 * world is over and the files are as they should be. It changes nothing of that kind if
 * agent_is_by_itself was true when the keeper was parked, and nothing was opened since. After it
 * returned 0, the function called on the private stack may return. -1: see agent_rewind_trouble;
 * the process must be ended. */
int agent_rewind_memory(struct agent *agent, uint32_t image);
int agent_rewind_rest(struct agent *agent, uint32_t image);

/* Between the two calls nothing of the process runs except the agent and the code that carries out
 * orders. Meanwhile results of scans are reused, unless there were page faults. */
void agent_is_unmoved(struct agent *agent);
void agent_moves(struct agent *agent);
/* Whether results obtained since agent_is_unmoved are still valid. */
bool agent_is_standing(struct agent *agent);

/* The reason, a clause for the user ("it has 2 threads"), in the agent's memory; "": no failure. */
const char *agent_rewind_trouble(const struct agent *agent);

#endif
