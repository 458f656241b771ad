/* The call stacks of an exploration. Equal stacks are kept once, with a number from 1. Pure.
 *
 * A rank makes its calls from few places. If its return addresses are known, nothing has to be
 * looked up. */
#ifndef MATCHPOINT_SCHEDULER_PLACES_STACK_TABLE_H
#define MATCHPOINT_SCHEDULER_PLACES_STACK_TABLE_H

#include "scheduler/store/record.h"

struct stack_table;

struct stack_table *stack_table_new(void);
void stack_table_free(struct stack_table *table);

/* Returns the number of the stack of these return addresses of this rank; 0: not known. */
uint32_t stack_table_find(const struct stack_table *table, int32_t rank, const uint64_t *addresses,
                          uint32_t count);

/* Registers the frames of these return addresses (GArray of struct record_frame, ownership passes).
 * Returns the stack's number, which is an old one if equal frames are known. */
uint32_t stack_table_add(struct stack_table *table, int32_t rank, const uint64_t *addresses,
                         uint32_t count, GArray *frames);

/* Returns all stacks (GArray of struct record_frame), by number - 1. */
const GPtrArray *stack_table_all(const struct stack_table *table);

#endif
