/* Stacks of threads that MPI's libraries create, such as UCX's thread for timers. They do not
 * belong to the program's state (shim/state/state.h). The C library keeps the stack of a thread
 * that has ended, and gives it to another one. */
#ifndef MATCHPOINT_SHIM_GATE_THREAD_STACKS_H
#define MATCHPOINT_SHIM_GATE_THREAD_STACKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int create_thread_function(pthread_t *thread, const pthread_attr_t *attributes,
                                   void *(*start)(void *), void *argument);

/* Is told of each new stack, also of the program's; `size` in bytes. */
typedef void note_stack_function(uintptr_t start, size_t size, bool is_mpis);

/* NULL: nobody is told. */
void thread_stacks_tell(note_stack_function *note);

/* As `create`, the C library's pthread_create. When it returns, it is known whose the stack is. */
int thread_stacks_create(create_thread_function *create, bool is_mpis, pthread_t *thread,
                         const pthread_attr_t *attributes, void *(*start)(void *), void *argument);

/* The calling thread, which has just begun, is the program's. */
void thread_stacks_note_own(void);

#endif
