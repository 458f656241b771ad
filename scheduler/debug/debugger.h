/* The session of `matchpoint debug`: a conductor of a session (session_options). Lines of the
 * prompt or a script decide what the standard leaves open. The session stops at each choice, at
 * findings and at the end. It goes back to any stop by snapshot, or by running again. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_DEBUGGER_H
#define MATCHPOINT_SCHEDULER_DEBUG_DEBUGGER_H

#include "prompt.h"
#include "scheduler/session/scripted_session.h"
#include "vocabulary.h"

struct debug_request {
	enum buffering buffering;         /* of the first interleaving */
	enum collective_mode collectives; /* of the session */
	int ranks;
	const char *nodes;       /* see struct session_options */
	const struct path *path; /* path to follow first; NULL: the program starts with `run` */
	const struct position *position;   /* instead: where the session begins; NULL: none */
	guint stands_before;               /* number of its choices to make before the first stop */
	const struct record_choice *blame; /* the next choice then; NULL: none */
	guint32 finding;    /* number of the finding that the path shows; 0: none known */
	const char *script; /* file whose lines come first; NULL: none */
	bool batch;         /* ends with the script */
	bool web;           /* serves browsers as well */
	int port;           /* for browsers; 0: any */
	const char *title;  /* title of pages */
	const char *store;  /* directory for everything that is recorded */
	/* For the same program beside the session (explore, minimize): argv, and the options that
	 * affect how it runs. NULL-terminated; NULL: none. */
	const char *const *program, *const *options;
	char **environment; /* of the ranks beside it; NULL: our own */
	/* Requests a report of the session when it ends; the file's suffix is the format: html,
	 * json, ... Returns false if no format has the suffix. *ret_problem (g_free): the file
	 * cannot be written. */
	bool (*add_report)(void *user, const char *file, char **ret_problem);
	void *user; /* for add_report */
};

enum debug_end { DEBUG_NOT_ENDED, DEBUG_ENDED_WELL, DEBUG_WENT_WRONG };

struct debug_session {
	struct debug_request request;
	enum debug_end end; /* how the last interleaving ended */
	GError *error;      /* the script cannot be read, or no page be opened; NULL: none */
	/* Private: */
	struct prompt_input input; /* of an earlier session, whose job was too small */
	struct debugger *debugger; /* NULL before and after */
};

/* As in struct session_options; `debug_session` is a struct debug_session, whose `input` is cleared
 * by the caller in the end. A second call repeats what was typed in the first. */
void debug_conduct(struct session *session, void *debug_session);
bool debugger_interrupted(void *debug_session);

/* The commands of the prompt. */
const struct vocabulary_word *debugger_words(void);

#endif
