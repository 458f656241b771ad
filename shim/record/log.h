/* The log of this rank as a stream (common/recording.h): while recording it is written, at replay
 * it is read. Each function that moves a value does the one or the other, so that both modes share
 * one description of each call. One thread at a time. */
#ifndef MATCHPOINT_SHIM_RECORD_LOG_H
#define MATCHPOINT_SHIM_RECORD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/recording.h"

extern bool log_replaying;
/* Recording: false once the log could not be written, or has ended. */
extern bool log_on;
extern struct recording_place *log_place;
extern int32_t log_pid;           /* of the recorded process; 0: not known */
extern uint8_t *log_at, *log_end; /* in the present block */
extern uint32_t log_sequence;     /* recording: of the block after the open one */

/* Opens rank RANK's files in the directory. 0, or -errno. */
int log_start(int directory, int rank, bool replaying);
/* Recording: all is in the file, and the rank has ended. */
void log_finish(void);

/* Room for a few numbers in one block. Recording only. */
void log_next_block(void);
static inline void log_room(size_t bytes)
{
	if (__builtin_expect((size_t)(log_end - log_at) < bytes, 0))
		log_next_block();
}
/* What was written is part of the log, whatever happens. Recording only. */
void log_commit(void);

/* Replaying: whether there is something to read; goes to the next block if need be. */
bool log_more(void);
/* The number of the first call of the block that is damaged; 0: the log is only over. */
uint64_t log_damaged(void);

/* A number; at replay `value` is not used, and the recorded one is returned. At the end of the log
 * they do not return (replay_ended). */
uint64_t log_number(uint64_t value);
static inline int64_t log_signed(int64_t value)
{
	return recording_unfold(log_number(recording_fold(value)));
}
/* Fixed-size bytes, not across blocks: at most 64. */
void log_raw(void *bytes, size_t size);
/* Any number of bytes: written from there, or read to there. */
void log_data(void *bytes, size_t size);

/* A new file of this rank beside the log, as "rank.3.start", to write to; -1: errno. */
int log_create_file(int directory, int rank, const char *what);
/* Gives it another name, at once for everybody who looks. 0; -errno. */
int log_name_file(int directory, int rank, const char *what, const char *finally);

#endif
