/* Requests from outside for checkpoints on disk (scheduler/host/control.h). They are obeyed as
 * lines of the prompt when it waits for one, in turn. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_DEBUG_CONTROL_H
#define MATCHPOINT_SCHEDULER_DEBUG_DEBUG_CONTROL_H

#include <stdbool.h>

struct debugger;
struct debug_control;

/* Listens. Returns NULL, without a word, if nobody can be listened to: in a simulation, or if the
 * prompt reads scripts only. */
struct debug_control *debug_control_new(struct debugger *debugger);
void debug_control_free(struct debug_control *control); /* NULL is legal */

/* For the owner of the prompt; NULL is legal. The prompt waits for a line, or no longer; it has
 * shown this text; a position was saved in this folder. */
void debug_control_waits(struct debug_control *control, bool waits);
void debug_control_shown(struct debug_control *control, const char *text);
void debug_control_saved(struct debug_control *control, const char *path);

#endif
