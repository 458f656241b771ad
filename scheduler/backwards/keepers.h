/* The keepers of one replayed process: copies of it that wait, untraced, at moments. Traced
 * processes are forked from them. The first one waits at the start, and is never given up; of the
 * others the least recently used goes when there are too many. */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_KEEPERS_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_KEEPERS_H

#include <glib.h>
#include <stdbool.h>

#include "moment.h"
#include "replayer.h"
#include "traced.h"

struct keepers;

/* Starts the process, and waits until it stands at the start. Keeps `interrupt`. Returns NULL with
 * `error` set. */
struct keepers *keepers_new(const struct replayer *replayer, const struct interrupt *interrupt,
                            GError **error);
/* Ends all processes. No traced process may be left. NULL is legal. */
void keepers_free(struct keepers *keepers);

/* Runs the program once, untraced, and leaves a keeper at every n-th mark. Whether the program
 * comes to its end makes no difference. */
void keepers_scout(struct keepers *keepers, guint64 every);

/* A traced process on the way to the moment, as near as there is a keeper. *ret_rest is the way
 * that is left; free it with moment_free. NULL with `error` set, also if the user interrupts. The
 * process must be given back to keepers_end. */
struct traced *keepers_spawn(struct keepers *keepers, const struct moment *goal,
                             struct moment **ret_rest, GError **error);
/* Kills a process of keepers_spawn. NULL is legal. */
void keepers_end(struct keepers *keepers, struct traced *traced);

/* Leaves a keeper where the process stands, which is `moment`. Nothing happens if there is one. */
bool keepers_keep(struct keepers *keepers, struct traced *traced, const struct moment *moment,
                  GError **error);

/* The first instruction of a mark's passage. */
guint64 keepers_entry(const struct keepers *keepers);

#define KEEPERS_ERROR (keepers_error_quark())
GQuark keepers_error_quark(void);
enum keepers_error {
	KEEPERS_FAILED,
	KEEPERS_INTERRUPTED,
};

#endif
