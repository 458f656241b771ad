/* At replay: the place where each call begins, and how a replay ends early. */
#ifndef MATCHPOINT_SHIM_RECORD_REPLAY_H
#define MATCHPOINT_SHIM_RECORD_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

/* Each replayed MPI call passes through here, before anything of it is compared or given.
 * `number` counts the rank's MPI calls from 1, polls included. It is for others that look at the
 * process from outside: a breakpoint here stops at each call. replay_call is its number, and
 * replay_site where it returns to in the program. */
void replay_call_begin(uint64_t number, uint64_t site);
extern volatile uint64_t replay_call, replay_site;

/* To the command (scheduler/recording/): a line of text, whose first letter tells what it is. */
enum replay_news {
	REPLAY_DIFFERS = 'd', /* the program does something else than it did */
	REPLAY_OVER = 'o',    /* the recording ends in this call */
	REPLAY_WHOLE = 'w',   /* the program has ended where the recorded one did */
	REPLAY_CANNOT = 'c',  /* no replay is possible, or it cannot go on */
	REPLAY_MATCH = 'm',   /* what a call got (matches.h); only if it was asked for */
	REPLAY_REMARK = 'r',  /* a remark; the replay goes on */
	REPLAY_VALUES = 'v',  /* the program sends other values than it did; the replay goes on */
};
void replay_tell(enum replay_news news, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same, with the present call before the text. */
void replay_tell_call(enum replay_news news, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same; then ends the process. */
void replay_stop(enum replay_news news, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn, cold));
/* The log is over, or damaged: ends the process. */
void replay_ended(void) __attribute__((noreturn, cold));

/* The descriptor that the lines go to; -1: none. */
void replay_start(int descriptor);
/* For a debugger that goes back (ckpt/agent_marks.h): from here on, calls are marks. Returns when
 * the process is to go on. false: there is nobody who moves it. */
bool replay_begin_marks(void);

#endif
