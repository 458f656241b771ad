/* A person at the prompt, or a script, decides what an interleaving does where the standard leaves
 * it open: a conductor of a session (session_options). It stops at each choice, at what is found
 * and at the end; it goes back to any stop by snapshot, or by running again. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_DEBUGGER_H
#define MATCHPOINT_SCHEDULER_DEBUG_DEBUGGER_H

#include "scheduler/session/scripted_session.h"
#include "vocabulary.h"

struct debug_request {
	enum buffering buffering;         /* of the first interleaving */
	enum collective_mode collectives; /* of the session */
	int ranks;
	const struct path *path;           /* to be followed first; NULL: the program is not started
	                                      before it is asked for */
	guint stands_before;               /* so many of its choices are made, then it stops */
	const struct record_choice *blame; /* that comes then; NULL: none */
	guint32 finding;                   /* that the path shows; 0: none that is known */
	const char *script;                /* whose lines come first; NULL: none */
	bool batch;                        /* ends with the script */
	bool web;                          /* it is shown to browsers, too */
	int port;                          /* there; 0: any */
	const char *title;                 /* what runs, for these */
	const char *store;                 /* the directory below which all is kept */
	/* How it was started, for the same beside it (explore, minimize): argv, and the options
	 * that say how the program runs. NULL-terminated; NULL: none. */
	const char *const *program, *const *options;
	/* A report of all this goes to the file in the end, as its name says: html, json, ...
	 * false: no report is called so; *ret_problem (g_free): it is, but cannot be written. */
	bool (*add_report)(void *user, const char *file, char **ret_problem);
	void *user; /* of it */
};

enum debug_end { DEBUG_NOT_ENDED, DEBUG_ENDED_WELL, DEBUG_WENT_WRONG };

struct debug_session {
	struct debug_request request;
	enum debug_end end;        /* of the last interleaving, in the end */
	GError *error;             /* the script cannot be read, or no page be opened; else NULL */
	struct debugger *debugger; /* its own; NULL before and after */
};

/* As in struct session_options; `debug_session` is a struct debug_session. */
void debug_conduct(struct session *session, void *debug_session);
bool debugger_interrupted(void *debug_session);

/* The words of the prompt. */
const struct vocabulary_word *debugger_words(void);

#endif
