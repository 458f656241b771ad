/* Feeds what a recording (recorder.h) says a world was asked into a world again: it does the same,
 * without any process. So a world can be rebuilt from its history (history.h). */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_PLAYBACK_H
#define MATCHPOINT_SCHEDULER_EXECUTION_PLAYBACK_H

#include <stdbool.h>

#include "common/wire.h"
#include "scheduler/world/world.h"
#include "scheduler/world/world_watch.h"

#define PLAYBACK_ERROR (playback_error_quark())
GQuark playback_error_quark(void);

/* For a world whose orders no rank waits for. */
extern const struct world_orders playback_orders;

/* Words like "ranks=3": whether there is one of this name, and its number (0: none). */
bool playback_has(char **words, const char *name);
guint playback_number(char **words, const char *name);
/* The options in a line "begins". Returns false if they are not those of a world. */
bool playback_options(char **words, struct world_options *ret);

/* A message from the words of its text (tools/wire_text.h). Returns false if not all of it could be
 * read; release it with wire_message_release in either case. */
bool playback_message(char **words, struct wire_message *ret);

/* Does what the words of a line ask ("choose", "0.3=1"), without the number of the world. Returns
 * false if they cannot be read. `refused` is set if the world rejects a report, as it did then. */
bool playback_ask(struct world *world, char **words, GError **refused);

struct playback {
	const char *history; /* lines of one world, from its beginning (history.h) */
	struct communicators *comms;
	void (*watch)(void *user, const struct world_step *step); /* of the world; NULL: none */
	void *user;                                               /* of the world */
};

/* Makes the world that the history leads to, and meanwhile the one that is watched, in `*world`, to
 * be freed in any case. Returns false with `error` set: it cannot be repeated. */
bool playback_world(const struct playback *playback, struct world **world, GError **error);

#endif
