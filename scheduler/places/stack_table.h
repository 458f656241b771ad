/* The call stacks of an exploration, each known once and by a number from 1. Pure.
 *
 * A rank stands in the same few places again and again: where its return addresses have been seen
 * before, nothing has to be looked up. */
#ifndef MATCHPOINT_SCHEDULER_PLACES_STACK_TABLE_H
#define MATCHPOINT_SCHEDULER_PLACES_STACK_TABLE_H

#include "scheduler/store/record.h"

struct stack_table;

struct stack_table *stack_table_new(void);
void stack_table_free(struct stack_table *table);

/* The number of the stack to which these return addresses of this rank have led; 0: not known. */
uint32_t stack_table_find(const struct stack_table *table, int32_t rank, const uint64_t *addresses,
                          uint32_t count);

/* From now on they lead to these frames (GArray of struct record_frame, taken over). The stack's
 * number: an old one when equal frames are known. */
uint32_t stack_table_add(struct stack_table *table, int32_t rank, const uint64_t *addresses,
                         uint32_t count, GArray *frames);

/* All stacks (GArray of struct record_frame), by number - 1. */
const GPtrArray *stack_table_all(const struct stack_table *table);

#endif
