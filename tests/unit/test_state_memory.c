/* What a rank's memory comes to when just what can have changed is looked at, and when all of it is
 * looked at: the same, whatever a copy of this process does to it at random. Where the kernel does
 * not tell what was written, nothing is tested. */
#define _GNU_SOURCE
#include "agent_fixture.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/rseq.h>

#include "ckpt/agent_page_scan.h"
#include "ckpt/agent_rewind.h"
#include "ckpt/agent_state.h"
#include "shim/state/mappings.c"
#include "shim/state/page_hash.c"
#include "shim/state/read_guard.c"
#include "shim/state/state_mappings.c"
#include "shim/state/state_memory.c"

enum {
	PAGES = 64,
	STEPS = 400,
	SEEDS = 4,
	RANGES = 64,
	RSEQ = 32,
	DIFFERENT = 1,
	MISSED = 2,
	CANNOT = 77
};

extern char __data_start[], _end[];

/* This program's own data is no part of what is compared: the functions at work keep theirs there.
 */
static struct {
	struct agent *agent;
	struct memory_range left_out[RANGES];
	char *pages, *untouched, *large, *constant;
	unsigned random;
	bool looks;
	bool is_brief;
	unsigned cut;          /* bytes at the beginning of a page that are not left out */
	unsigned held, looked; /* how often nothing had to be looked at, and how often something */
	uint64_t number;
} test;

const struct agent_page_scan *park_scan(void)
{
	const struct agent_page_scan *look = test.looks ? agent_page_scan_take(test.agent) : NULL;

	if (look)
		*(look->number == test.number ? &test.held : &test.looked) += 1;
	test.number = look ? look->number : test.number;
	return look;
}

bool park_scan_holds(void)
{
	return agent_page_scan_holds(test.agent);
}

void *park_scan_notes(size_t size)
{
	return agent_page_scan_notes(test.agent, size);
}

static unsigned draw(unsigned below)
{
	test.random = test.random * 1103515245u + 12345u;
	return (test.random >> 16) % below;
}

/* Of the stack what is above. */
static struct state_hash name_memory(bool looks, const void *stack)
{
	struct state_hash hash = {{0, 0}};
	struct agent_state_range own[8];
	int count = agent_state_memory(test.agent, own, 8), used = 0;
	const char *trouble;

	for (; used < count; used++)
		test.left_out[used] = (struct memory_range){own[used].start, own[used].end};
	test.left_out[used++] = (struct memory_range){(uintptr_t)__data_start, (uintptr_t)_end};
	/* Which processor it runs on. */
	test.left_out[used++] = (struct memory_range){
		(uintptr_t)__builtin_thread_pointer() + (uintptr_t)__rseq_offset,
		(uintptr_t)__builtin_thread_pointer() + (uintptr_t)__rseq_offset + RSEQ};
	/* In the middle of a page. */
	test.left_out[used++] = (struct memory_range){(uintptr_t)test.pages + 5 * PAGE + 100,
	                                              (uintptr_t)test.pages + 5 * PAGE + 300};
	/* Of one that is never written, not always the same. */
	test.left_out[used++] = (struct memory_range){(uintptr_t)test.constant + PAGE + test.cut,
	                                              (uintptr_t)test.constant + PAGE + 300};
	test.looks = looks;
	trouble = state_memory_add(&hash, test.left_out, (size_t)used, (uintptr_t)stack,
	                           test.is_brief);
	if (trouble)
		fprintf(stderr, "%s\n", trouble);
	return trouble ? (struct state_hash){{draw(1000), 1}} : hash;
}

static char *one_page(void)
{
	char *const areas[] = {test.pages, test.untouched, test.large};
	unsigned area = draw(3);

	return areas[area] + (size_t)draw(area == 2 ? 4 * PAGES : PAGES) * PAGE;
}

static void write_stack(unsigned depth)
{
	volatile char room[3 * PAGE];

	room[draw(sizeof(room))] = (char)draw(256);
	if (depth > 0)
		write_stack(depth - 1);
}

static void share_with_child(void)
{
	char *page = one_page();
	pid_t child = vfork();

	if (child == 0) {
		page[draw(PAGE)] = (char)draw(256);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void map_anew(void)
{
	char *page = test.untouched + (size_t)draw(PAGES) * PAGE;

	mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void map_elsewhere(void)
{
	size_t size = (size_t)(1 + draw(8)) * PAGE;
	char *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mapped[draw((unsigned)size)] = 1;
	if (draw(2))
		munmap(mapped, size);
}

static void protect(void)
{
	static const int ways[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};

	mprotect(test.constant, PAGE, ways[draw(3)]);
}

static void change(void)
{
	switch (draw(17)) {
	case 0: madvise(one_page(), PAGE, MADV_DONTNEED); break;
	case 1: memset(one_page(), 0, PAGE); break;
	case 2: write_stack(draw(20)); break;
	case 3: share_with_child(); break;
	case 4: map_anew(); break;
	case 5: map_elsewhere(); break;
	case 6: protect(); break;
	case 7: free(malloc(draw(1 << 18))); break;
	case 8: madvise(test.large, (size_t)4 * PAGES * PAGE, MADV_HUGEPAGE); break;
	case 9: test.pages[5 * PAGE + 100 + draw(200)] = (char)draw(256); break;
	case 10: test.pages[5 * PAGE + draw(100)] = (char)draw(256); break;
	case 11: test.cut = draw(200); break;
	default: one_page()[draw(PAGE)] = (char)draw(256);
	}
}

static void note_birth(void)
{
	if (agent_note_birth(test.agent, NULL, 0) < 0)
		_exit(CANNOT);
}

static void take_image(void)
{
	uint32_t image = agent_image_take(test.agent);

	if (image)
		agent_image_forget(test.agent, image);
}

static struct state_hash names[2];

static bool names_are_same(void)
{
	names[0] = name_memory(true, __builtin_frame_address(0));
	names[1] = name_memory(false, __builtin_frame_address(0));
	return state_hash_equal(&names[0], &names[1]);
}

static int be_compared(struct fixture *fixture, void *data)
{
	(void)fixture;
	test.random = *(unsigned *)data;
	agent_step_private_stack(test.agent, note_birth);
	for (int step = 0; step < STEPS; step++) {
		if (!names_are_same()) {
			fprintf(stderr, "seed %u, step %d\n", *(unsigned *)data, step);
			return DIFFERENT;
		}
		/* Several times the same pages, so that nothing need be looked at. */
		for (unsigned i = 0; i < 4; i++) {
			one_page()[0] = (char)draw(256);
			test.pages[3 * PAGE] = (char)draw(256);
		}
		if (draw(4) == 0)
			change();
		if (draw(8) == 0)
			agent_step_private_stack(test.agent, take_image);
	}
	return test.held > STEPS / 8 && test.looked > STEPS / 8 ? 0 : MISSED;
}

/* Private memory, in kilobytes. */
static unsigned long anonymous(void)
{
	static char text[8 * PAGE];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t length = read(fd, text, sizeof(text) - 1);
	const char *line;

	close(fd);
	text[length > 0 ? length : 0] = '\0';
	line = strstr(text, "RssAnon:");
	return line ? strtoul(line + strlen("RssAnon:"), NULL, 10) : 0;
}

static void keep_image(void)
{
	agent_image_take(test.agent);
}

/* As many pages as an image has added are dropped (of those that nobody wrote since the birth), and
 * no page is faulted in. */
static int be_exchanged(struct fixture *fixture, void *data)
{
	char *written = test.large + (size_t)2 * PAGES * PAGE;
	unsigned long before;

	(void)fixture;
	(void)data;
	agent_step_private_stack(test.agent, note_birth);
	agent_step_private_stack(test.agent, keep_image);
	agent_step_private_stack(test.agent, take_image);
	memset(written, 'x', (size_t)PAGES / 2 * PAGE);
	for (int i = 0; i < 12; i++)
		if (!names_are_same())
			return DIFFERENT;
	before = anonymous();
	agent_step_private_stack(test.agent, keep_image);
	for (char *page = test.large; anonymous() > before && page < written; page += PAGE)
		madvise(page, PAGE, MADV_DONTNEED);
	return anonymous() != before ? MISSED : names_are_same() ? 0 : DIFFERENT;
}

/* What an image itself takes makes no look at the program's memory needed; a page more does, also
 * for the image. */
static int be_imaged(struct fixture *fixture, void *data)
{
	uint64_t number;

	(void)fixture;
	(void)data;
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	agent_step_private_stack(test.agent, note_birth);
	for (int i = 0; i < 8; i++) {
		memset(test.pages, i, (size_t)PAGES * PAGE);
		agent_step_private_stack(test.agent, keep_image);
		if (!names_are_same())
			return DIFFERENT;
	}
	number = test.number;
	for (int i = 0; i < 200; i++) {
		memset(test.pages, i, (size_t)PAGES * PAGE);
		agent_step_private_stack(test.agent, keep_image);
		if (!names_are_same())
			return DIFFERENT;
	}
	/* Where the lists of what the store holds grow by a page it is looked at. */
	if (test.number > number + 20)
		return MISSED;
	number = test.number;
	test.untouched[0] = 1;
	return names_are_same() && test.number > number ? 0 : DIFFERENT;
}

static bool is_named(const struct state_hash *name, const void *stack)
{
	const struct state_hash now = name_memory(false, stack);

	return state_hash_equal(&now, name);
}

static void read_nothing(void)
{
	(void)*(volatile char *)NULL;
}

/* What is looked at briefly is the same only if the contents are: whether pages are written, or
 * mapped or readable. It does not look at how far the stack has grown. */
static int be_brief(struct fixture *fixture, void *data)
{
	const void *stack = __builtin_frame_address(0);
	struct state_hash name;
	char *mapped;

	(void)fixture;
	(void)data;
	test.is_brief = true;
	/* What is linked by its first call changes memory. */
	mprotect(test.pages + 8 * PAGE, PAGE, PROT_READ | PROT_WRITE);
	if (read_guard(read_nothing))
		return MISSED;
	for (int i = 0; i < 3; i++)
		name = name_memory(false, stack);
	for (int i = 0; i < 200; i++) {
		char *at = test.pages + (size_t)draw(PAGES / 2) * PAGE + draw(PAGE);
		const char before = *at;
		const bool matters = at < test.pages + 5 * PAGE + 100
		                     || at >= test.pages + 5 * PAGE + 300;

		*at = (char)(before + 1);
		if (is_named(&name, stack) == matters)
			return DIFFERENT;
		*at = before;
		if (!is_named(&name, stack))
			return DIFFERENT;
	}
	mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (is_named(&name, stack))
		return MISSED;
	munmap(mapped, PAGE);
	write_stack(100);
	if (!is_named(&name, stack))
		return MISSED;
	/* No page fault, and as much is mapped as before. */
	mprotect(test.pages + 8 * PAGE, PAGE, PROT_NONE);
	if (is_named(&name, stack))
		return MISSED;
	mprotect(test.pages + 8 * PAGE, PAGE, PROT_READ | PROT_WRITE);
	if (!is_named(&name, stack))
		return MISSED;
	/* Nor is more or less writable than before. */
	mprotect(test.pages + 9 * PAGE, PAGE, PROT_NONE);
	for (int i = 0; i < 3; i++)
		name = name_memory(false, stack);
	mprotect(test.pages + 8 * PAGE, PAGE, PROT_NONE);
	mprotect(test.pages + 9 * PAGE, PAGE, PROT_READ | PROT_WRITE);
	if (is_named(&name, stack))
		return MISSED;
	mprotect(test.pages + 8 * PAGE, PAGE, PROT_READ | PROT_WRITE);
	mprotect(test.pages + 9 * PAGE, PAGE, PROT_NONE);
	return is_named(&name, stack) ? 0 : MISSED;
}

static char *map(size_t pages, char byte)
{
	char *mapped = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	                    -1, 0);

	assert_ptr_not_equal(mapped, MAP_FAILED);
	if (byte)
		memset(mapped, byte, pages * PAGE / 2);
	return mapped;
}

static void map_all(struct fixture *fixture)
{
	test.agent = fixture->agent;
	assert_int_equal(agent_private_stack_new(test.agent, true), 0);
	test.pages = map(PAGES, 'a');
	test.untouched = map(PAGES, 0);
	test.large = map((size_t)4 * PAGES, 'b');
	test.constant = map(4, 'c');
	/* The dynamic linker notes the functions that are called for the first time. */
	for (int i = 0; i < 3; i++)
		name_memory(false, __builtin_frame_address(0));
	survey_safely(fixture);
}

static void expect_fine(struct fixture *fixture, int (*body)(struct fixture *, void *), void *data)
{
	int status = restore(fixture, body, data);

	while (waitpid(-1, NULL, 0) > 0) /* its twin */
		;
	if (status == CANNOT)
		skip();
	assert_int_equal(status, 0);
}

static void test_a_look_at_what_changed_is_enough(void **state)
{
	map_all(*state);
	for (unsigned seed = 1; seed <= SEEDS; seed++)
		expect_fine(*state, be_compared, &seed);
}

static void test_pages_of_images_do_not_stand_for_those_dropped(void **state)
{
	map_all(*state);
	expect_fine(*state, be_exchanged, NULL);
}

static void test_brief_looks(void **state)
{
	map_all(*state);
	expect_fine(*state, be_brief, NULL);
}

static void test_images_leave_looks_true(void **state)
{
	map_all(*state);
	expect_fine(*state, be_imaged, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_look_at_what_changed_is_enough),
		TEST(test_pages_of_images_do_not_stand_for_those_dropped),
		TEST(test_images_leave_looks_true),
		TEST(test_brief_looks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
