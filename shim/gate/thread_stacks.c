#define _GNU_SOURCE
#include "thread_stacks.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>

#include "shim/process/process.h"

static note_stack_function *note;

struct creation {
	void *(*start)(void *);
	void *argument;
	sem_t noted;
};

void thread_stacks_tell(note_stack_function *function)
{
	note = function;
}

static void note_stack(pthread_t thread, bool is_mpis)
{
	struct memory_range stack;

	if (note && process_find_stack(thread, &stack))
		note(stack.start, stack.end - stack.start, is_mpis);
}

static void *run(void *pointer)
{
	struct creation *creation = pointer;
	void *(*start)(void *) = creation->start;
	void *argument = creation->argument;

	while (sem_wait(&creation->noted) != 0 && errno == EINTR)
		;
	sem_destroy(&creation->noted);
	free(creation);
	return start(argument);
}

int thread_stacks_create(create_thread_function *create, bool is_mpis, pthread_t *thread,
                         const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	struct creation *creation = note ? malloc(sizeof(*creation)) : NULL;
	int code;

	if (!creation)
		return create(thread, attributes, start, argument);
	creation->start = start;
	creation->argument = argument;
	sem_init(&creation->noted, 0, 0);
	code = create(thread, attributes, run, creation);
	if (code != 0) {
		sem_destroy(&creation->noted);
		free(creation);
		return code;
	}
	/* By this thread, as the C library allocates memory for that: another thread would get a
	 * heap of its own. */
	note_stack(*thread, is_mpis);
	sem_post(&creation->noted);
	return 0;
}

void thread_stacks_note_own(void)
{
	note_stack(pthread_self(), false);
}
