/* Rewinding without MPI: a copy of this process changes itself, rewinds, and checks what it is
 * then. Without support by the kernel nothing is tested. */
#define _GNU_SOURCE
#include "agent_fixture.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "ckpt/agent_rewind.h"
#include "ckpt/agent_rewind_internal.h"

enum { PAGE = 4096, PAGES = 64, TIMES = 3, WRONG = 1, REFUSED = 77 };

/* In shared memory, which is not restored. */
struct told {
	int times; /* number of rewinds so far */
	void *heap_end;
	long faults; /* page faults after a few rewinds */
	bool looked; /* written pages were not searched again, where that can be known */
	char trouble[256];
	uint32_t images[8];
	int image_count;
};

struct subject {
	struct told *told;
	char *pages;     /* PAGES pages, written */
	char *untouched; /* PAGES pages, never written before the birth */
	char *constant;  /* a read-only page */
	/* PAGES pages, written: one mapping with the agent's memory */
	char *beside;
	void (*change)(struct subject *); /* what the interleaving does */
	bool (*is_as_it_was)(struct subject *);
	int times;           /* 0: TIMES */
	restored_group body; /* NULL: be_rank */
};

static struct agent *agent;
static struct told *told;
static int counter = 5;
static char *grown, *beside;

static _Noreturn void refuse(void)
{
	snprintf(told->trouble, sizeof(told->trouble), "%s", agent_rewind_trouble(agent));
	_exit(REFUSED);
}

static void note_birth(void)
{
	if (agent_note_birth(agent, NULL, 0) < 0)
		refuse();
}

static void rewind_rank(void)
{
	if (agent_rewind_memory(agent, 0) < 0 || agent_rewind_rest(agent, 0) < 0)
		refuse();
	told->times++;
}

static int be_rank(struct fixture *fixture, void *data)
{
	struct subject *subject = data;
	volatile int on_stack = 7;

	(void)fixture;
	agent_step_private_stack(agent, note_birth);
	if (on_stack != 7 || !subject->is_as_it_was(subject))
		return WRONG;
	if (told->times == (subject->times ? subject->times : TIMES))
		return 0;
	on_stack = 8;
	subject->change(subject);
	agent_stay_private_stack(agent, rewind_rank);
	return WRONG;
}

static void *map(size_t pages, int flags)
{
	void *mapped = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1,
	                    0);

	assert_ptr_not_equal(mapped, MAP_FAILED);
	return mapped;
}

/* The mapping that contains an address. */
static void find_mapping(const void *address, uintptr_t *ret_start, uintptr_t *ret_end)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	assert_non_null(maps);
	do {
		assert_non_null(fgets(line, sizeof(line), maps));
		assert_int_equal(sscanf(line, "%zx-%zx", ret_start, ret_end), 2);
	} while ((uintptr_t)address < *ret_start || (uintptr_t)address >= *ret_end);
	fclose(maps);
}

/* Memory that the kernel merges into the mapping at this address. */
static char *map_beside(const void *neighbor)
{
	const size_t size = (size_t)PAGES * PAGE;
	uintptr_t start, end;
	char *mapped;

	find_mapping(neighbor, &start, &end);
	mapped = mmap((void *)(start - size), size, PROT_READ | PROT_WRITE,
	              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (mapped == MAP_FAILED)
		mapped = mmap((void *)end, size, PROT_READ | PROT_WRITE,
		              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	find_mapping(neighbor, &start, &end);
	assert_in_range((uintptr_t)mapped, start, end - 1);
	memset(mapped, 'd', size);
	return mapped;
}

static int set_up_subject(void **state)
{
	set_up(state);
	agent = ((struct fixture *)*state)->agent;
	beside = map_beside(agent);
	assert_int_equal(agent_private_stack_new(agent, true), 0);
	told = map(1, MAP_SHARED);
	return 0;
}

/* Returns how the rank ended. The `told` memory is the copy's own (a clone), so it is read
 * there. */
static int run(struct fixture *fixture, struct subject *subject, char trouble[static 256])
{
	char path[128];
	FILE *clone;
	int status;

	subject->pages = map(PAGES, MAP_PRIVATE);
	subject->untouched = map(PAGES, MAP_PRIVATE);
	subject->constant = map(1, MAP_PRIVATE);
	memset(subject->pages, 'a', (size_t)PAGES * PAGE);
	strcpy(subject->constant, "constant");
	mprotect(subject->constant, PAGE, PROT_READ);
	subject->beside = beside;
	survey_safely(fixture);
	status = restore(fixture, subject->body ? subject->body : be_rank, subject);
	while (waitpid(-1, NULL, 0) > 0) /* the twin */
		;
	snprintf(path, sizeof(path), "%s/new1/clone.0", fixture->base);
	clone = fopen(path, "r");
	assert_non_null(clone);
	fseek(clone, offsetof(struct told, trouble), SEEK_SET);
	assert_int_equal(fread(trouble, 1, 256, clone), 256);
	fclose(clone);
	munmap(subject->pages, (size_t)PAGES * PAGE);
	munmap(subject->untouched, (size_t)PAGES * PAGE);
	munmap(subject->constant, PAGE);
	munmap(beside, (size_t)PAGES * PAGE);
	munmap(told, PAGE);
	return status;
}

static bool kernel_lets_us(const char *trouble)
{
	return !strstr(trouble, "Linux 6.") && !strstr(trouble, "not allowed")
	       && !strstr(trouble, "KSM") && !strstr(trouble, "shared pages");
}

static void expect_same(void **state, struct subject *subject)
{
	char trouble[256];
	int status = run(*state, subject, trouble);

	if (status == REFUSED && !kernel_lets_us(trouble))
		skip();
	assert_string_equal(trouble, "");
	assert_int_equal(status, 0);
}

static void expect_refusal(void **state, struct subject *subject, const char *part)
{
	char trouble[256];
	int status = run(*state, subject, trouble);

	if (!kernel_lets_us(trouble))
		skip();
	assert_int_equal(status, REFUSED);
	if (!strstr(trouble, part))
		fail_msg("\"%s\" is not about \"%s\"", trouble, part);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void write_all_over(struct subject *subject)
{
	counter = 6;
	for (int page = 0; page < PAGES; page += 3)
		subject->pages[page * PAGE] = 'b';
	subject->untouched[5 * PAGE] = 'c';
	mprotect(subject->constant, PAGE, PROT_READ | PROT_WRITE);
	strcpy(subject->constant, "changed");
	grown = malloc(1 << 20);
	memset(grown, 1, 1 << 20);
}

static bool is_unwritten(struct subject *subject)
{
	for (int page = 0; page < PAGES; page++)
		if (subject->pages[page * PAGE] != 'a' || subject->untouched[page * PAGE] != 0)
			return false;
	return counter == 5 && !grown && strcmp(subject->constant, "constant") == 0;
}

static void test_written_memory_is_restored(void **state)
{
	expect_same(state,
	            &(struct subject){.change = write_all_over, .is_as_it_was = is_unwritten});
}

static void map_and_unmap(struct subject *subject)
{
	void *heap = sbrk(40 * PAGE);

	memset(heap, 1, 40 * PAGE);
	grown = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(grown, 1, 16 * PAGE);
	munmap(subject->pages + 8 * PAGE, 4 * PAGE);
	mprotect(subject->pages + 20 * PAGE, PAGE, PROT_NONE);
	madvise(subject->pages + 30 * PAGE, 2 * PAGE, MADV_DONTNEED);
	mremap(subject->untouched, PAGES * PAGE, 2 * PAGES * PAGE, MREMAP_MAYMOVE);
}

static bool is_mapped_as_before(struct subject *subject)
{
	if (told->times == 0)
		told->heap_end = sbrk(0);
	return is_unwritten(subject) && sbrk(0) == told->heap_end;
}

static void test_mappings_are_restored(void **state)
{
	expect_same(state, &(struct subject){.change = map_and_unmap,
	                                     .is_as_it_was = is_mapped_as_before});
}

static void unmap_beside(struct subject *subject)
{
	munmap(subject->beside, 3 * PAGE);
	munmap(subject->beside + 5 * PAGE, 3 * PAGE);
	subject->beside[20 * PAGE] = 'e';
	errno = EXDEV;
}

static bool is_beside(struct subject *subject)
{
	for (int page = 0; page < PAGES; page++)
		if (subject->beside[page * PAGE] != 'd')
			return false;
	return is_unwritten(subject);
}

/* Memory that rewinding itself uses (the agent's, usually next to the thread's data) stays usable
 * while its mapping is made anew. */
static void test_a_mapping_shared_with_the_agent_is_restored(void **state)
{
	expect_same(state, &(struct subject){.change = unmap_beside, .is_as_it_was = is_beside});
}

/* Private pages stay private, and their contents are stored once. */
static bool has_no_more_faults(struct subject *subject)
{
	enum { KEPT = 3 };
	struct rusage now;

	getrusage(RUSAGE_SELF, &now);
	if (told->times == KEPT)
		told->faults = now.ru_minflt;
	return is_unwritten(subject)
	       && (told->times <= KEPT || now.ru_minflt - told->faults < PAGES / 4);
}

static void write_pages(struct subject *subject)
{
	memset(subject->pages, 'b', (size_t)PAGES * PAGE);
	memset(subject->untouched, 'c', (size_t)PAGES * PAGE);
}

static void test_pages_are_faulted_in_once(void **state)
{
	expect_same(state, &(struct subject){.change = write_pages,
	                                     .is_as_it_was = has_no_more_faults,
	                                     .times = 2 * TIMES});
}

enum { NOTHING, DROPPED, NEW_PAGE, MOVED, PROTECTED, SHARED_CHILD, CHANGES, FIRST = 6, ROUNDS = 2 };

/* If the rank writes the same pages as before, without a fault, that is recognised. Then memory
 * changes in other ways, some without a fault; this is noticed the second time at the latest. */
static void change_otherwise(struct subject *subject)
{
	const struct agent_known *known = &agent->private_stack->known;
	int change = told->times < FIRST ? NOTHING : (told->times - FIRST) % CHANGES;

	memset(subject->pages, 'b', 4 * PAGE);
	subject->untouched[5 * PAGE] = 'c';
	if (told->times == FIRST)
		told->looked = known->counts_are_exact && !known->is_whole;
	if (change == NEW_PAGE)
		subject->pages[9 * PAGE] = 'b';
	if (change == DROPPED)
		madvise(subject->pages + 30 * PAGE, 2 * PAGE, MADV_DONTNEED);
	if (change == MOVED
	    && mremap(subject->pages, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
	              subject->untouched + 7 * PAGE)
	               != MAP_FAILED)
		mmap(subject->pages, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (change == PROTECTED)
		mprotect(subject->pages + 12 * PAGE, PAGE, PROT_READ);
	if (change == SHARED_CHILD) {
		pid_t child = vfork();

		if (child == 0) {
			subject->pages[40 * PAGE] = 'd';
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

static bool can_be_written(struct subject *subject)
{
	if (!is_unwritten(subject))
		return false;
	subject->pages[12 * PAGE] = 'a';
	return !told->looked;
}

static void test_changes_without_a_fault_are_restored(void **state)
{
	expect_same(state, &(struct subject){.change = change_otherwise,
	                                     .is_as_it_was = can_be_written,
	                                     .times = FIRST + ROUNDS * CHANGES});
}

/* --- kernel state ----------------------------------------------------------------------------- */

static void on_signal(int number)
{
	counter += number;
}

static void change_signals(struct subject *subject)
{
	stack_t stack = {.ss_sp = subject->pages, .ss_size = (size_t)PAGES * PAGE};

	signal(SIGUSR1, on_signal);
	signal(SIGINT, SIG_IGN);
	sigaltstack(&stack, NULL);
	if (chdir("/tmp") != 0 || open("/dev/null", O_RDONLY) < 0)
		_exit(WRONG);
	raise(SIGUSR1);
}

static bool has_no_signals(struct subject *subject)
{
	char directory[256];
	struct sigaction one, other;
	stack_t stack;

	sigaction(SIGUSR1, NULL, &one);
	sigaction(SIGINT, NULL, &other);
	sigaltstack(NULL, &stack);
	return is_unwritten(subject) && one.sa_handler == SIG_DFL && other.sa_handler == SIG_DFL
	       && stack.ss_sp != subject->pages && getcwd(directory, sizeof(directory))
	       && strcmp(directory, "/tmp") != 0;
}

static void test_signals_and_descriptors_are_restored(void **state)
{
	assert_int_equal(chdir("/"), 0);
	expect_same(state,
	            &(struct subject){.change = change_signals, .is_as_it_was = has_no_signals});
}

static void change_umask(struct subject *subject)
{
	(void)subject;
	umask(0123);
}

static void test_refusals_have_a_reason(void **state)
{
	expect_refusal(state,
	               &(struct subject){.change = change_umask, .is_as_it_was = is_unwritten},
	               "Umask");
}

static void leave_a_child(struct subject *subject)
{
	(void)subject;
	if (fork() == 0)
		_exit(0);
}

static void test_children_are_refused(void **state)
{
	expect_refusal(state,
	               &(struct subject){.change = leave_a_child, .is_as_it_was = is_unwritten},
	               "other processes");
}

static uint32_t goes_to; /* image, or 0 */

static void take_image(void)
{
	told->images[told->image_count] = agent_image_take(agent);
	if (!told->images[told->image_count++])
		refuse();
}

static void rewind_to_image(void)
{
	const uint32_t image = goes_to;

	if (agent_rewind_memory(agent, image) < 0 || agent_rewind_rest(agent, image) < 0)
		refuse();
	told->times++;
}

static void go_to(uint32_t image)
{
	goes_to = image;
	agent_stay_private_stack(agent, rewind_to_image);
}

/* Two successive images: back to the first, on and back to the second, then to the birth. */
static int be_imaged(struct fixture *fixture, void *data)
{
	struct subject *subject = data;
	volatile int on_stack = 1;

	(void)fixture;
	agent_step_private_stack(agent, note_birth);
	if (told->times == 3)
		return on_stack == 1 && is_unwritten(subject) ? 0 : WRONG;
	subject->pages[0] = 'b';
	on_stack = 2;
	agent_step_private_stack(agent, take_image);
	if (subject->pages[0] != 'b' || subject->pages[PAGE] != 'a' || subject->untouched[PAGE] != 0
	    || on_stack != 2)
		return WRONG;
	subject->pages[0] = subject->pages[PAGE] = subject->untouched[PAGE] = 'c';
	on_stack = 3;
	if (told->times == 0)
		go_to(told->images[0]);
	agent_step_private_stack(agent, take_image);
	if (subject->pages[0] != 'c' || subject->pages[PAGE] != 'c' || on_stack != 3)
		return WRONG;
	memset(subject->pages, 'd', (size_t)PAGES * PAGE);
	on_stack = 4;
	if (told->times == 1)
		go_to(told->images[1]);
	agent_image_forget(agent, told->images[0]);
	goes_to = told->images[0];
	if (agent_rewind_memory(agent, goes_to) == 0 || told->times != 2)
		return WRONG;
	go_to(0);
	return WRONG;
}

static void test_images_are_restored(void **state)
{
	struct subject subject = {.body = be_imaged};

	expect_same(state, &subject);
}

static int be_changed(struct fixture *fixture, void *data)
{
	struct subject *subject = data;

	(void)fixture;
	agent_step_private_stack(agent, note_birth);
	subject->change(subject);
	agent_step_private_stack(agent, take_image);
	return WRONG;
}

static void map_more(struct subject *subject)
{
	(void)subject;
	map(3, MAP_PRIVATE);
}

static void change_directory(struct subject *subject)
{
	(void)subject;
	assert_int_equal(chdir("/dev"), 0);
}

static void give_back(struct subject *subject)
{
	madvise(subject->pages, PAGE, MADV_DONTNEED);
}

static int before = -1, pipes[2]; /* open since before the survey */

static void set_flags(struct subject *subject)
{
	(void)subject;
	assert_int_equal(fcntl(before, F_SETFL, O_NONBLOCK), 0);
}

static void lock_file(struct subject *subject)
{
	(void)subject;
	assert_int_equal(flock(before, LOCK_SH), 0);
}

static void watch_pipe(struct subject *subject)
{
	struct epoll_event event = {.events = EPOLLIN};

	(void)subject;
	assert_int_equal(epoll_ctl(before, EPOLL_CTL_ADD, pipes[0], &event), 0);
}

static void expect_refused_image(void **state, int opened, void (*change)(struct subject *),
                                 const char *part)
{
	struct subject subject = {.body = be_changed, .change = change};

	before = opened;
	assert_true(before >= 0);
	expect_refusal(state, &subject, part);
	close(before);
}

static void test_images_with_other_status_flags_are_refused(void **state)
{
	expect_refused_image(state, open("/dev", O_RDONLY), set_flags, "status flags");
}

static void test_images_of_devices_with_other_flags_are_refused(void **state)
{
	expect_refused_image(state, open("/dev/null", O_RDWR), set_flags, "status flags");
}

static void test_images_with_locks_are_refused(void **state)
{
	expect_refused_image(state, open("/dev", O_RDONLY), lock_file, "a lock");
}

static void test_images_of_other_watches_are_refused(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(pipe(pipes), 0);
	agent_free(fixture->agent); /* the pipe was there before */
	agent = fixture->agent = agent_new(-1, -1);
	assert_non_null(agent);
	assert_int_equal(agent_private_stack_new(agent, true), 0);
	expect_refused_image(state, epoll_create1(0), watch_pipe, "epoll");
	close(pipes[0]);
	close(pipes[1]);
}

static void test_images_of_other_mappings_are_refused(void **state)
{
	expect_refusal(state, &(struct subject){.body = be_changed, .change = map_more},
	               "its mappings have changed");
}

static void test_images_in_another_directory_are_refused(void **state)
{
	expect_refusal(state, &(struct subject){.body = be_changed, .change = change_directory},
	               "working directory");
}

static void test_images_after_released_memory_are_refused(void **state)
{
	expect_refusal(state, &(struct subject){.body = be_changed, .change = give_back},
	               "released memory");
}

#define REWINDS(name) cmocka_unit_test_setup_teardown(name, set_up_subject, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		REWINDS(test_written_memory_is_restored),
		REWINDS(test_mappings_are_restored),
		REWINDS(test_a_mapping_shared_with_the_agent_is_restored),
		REWINDS(test_pages_are_faulted_in_once),
		REWINDS(test_changes_without_a_fault_are_restored),
		REWINDS(test_signals_and_descriptors_are_restored),
		REWINDS(test_refusals_have_a_reason),
		REWINDS(test_children_are_refused),
		REWINDS(test_images_are_restored),
		REWINDS(test_images_of_other_mappings_are_refused),
		REWINDS(test_images_with_other_status_flags_are_refused),
		REWINDS(test_images_of_devices_with_other_flags_are_refused),
		REWINDS(test_images_with_locks_are_refused),
		REWINDS(test_images_of_other_watches_are_refused),
		REWINDS(test_images_in_another_directory_are_refused),
		REWINDS(test_images_after_released_memory_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
