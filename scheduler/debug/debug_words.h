/* The commands of the prompt and the completion of their arguments. A command is a row of the table
 * in debug_vocabulary.c, a function in the file of its subject, and its name here. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_DEBUG_WORDS_H
#define MATCHPOINT_SCHEDULER_DEBUG_DEBUG_WORDS_H

#include "vocabulary.h"

extern const struct vocabulary_word debug_vocabulary[];

/* debug_words.c: going on, looking, and the rest */
vocabulary_run word_run, word_finish, word_back, word_forward, word_goto, word_choices, word_where,
	word_list, word_source, word_help, word_quit, word_info_ranks, word_info_messages,
	word_info_path, word_info_findings;
/* debug_choose.c */
vocabulary_run word_choose, word_set_choices;
/* debug_hold_words.c */
vocabulary_run word_continue, word_step, word_hold, word_release, word_set_all_stop;
/* debug_break.c */
vocabulary_run word_break, word_tbreak, word_condition, word_ignore, word_delete, word_disable,
	word_enable, word_info_breakpoints;
/* debug_travel.c */
vocabulary_run word_rollback, word_reverse_step, word_reverse_continue, word_set_confirm;
/* debug_checkpoint.c */
vocabulary_run word_checkpoint, word_restart, word_info_checkpoints;
/* debug_onward.c */
vocabulary_run word_explore, word_minimize, word_save;
/* debug_look.c */
vocabulary_run word_x, word_set_decoder;
/* debug_record.c, debug_past.c */
vocabulary_run word_record, word_watch, word_reverse_next, word_reverse_finish, word_now;
/* debug_gdb.c, debug_gdb_rank.c */
vocabulary_run word_print, word_info_locals, word_up, word_down, word_of_gdb, word_gdb,
	word_set_debugger;
/* debug_processes.c, debug_state.c, debug_calls.c */
vocabulary_run word_info_processes, word_info_requests, word_info_comms, word_info_windows,
	word_info_calls;

/* debug_complete.c */
vocabulary_arguments complete_offers, complete_ranks, complete_places, complete_findings,
	complete_calls, complete_checkpoints, complete_deletable, complete_on_off,
	complete_choosers, complete_words;

#endif
