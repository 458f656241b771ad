/* The kernel state of a rank that has a birth, computed again and again: a change is never missed
 * because of results remembered from before. Without support by the kernel nothing is tested. */
#define _GNU_SOURCE
#include "agent_fixture.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>

#include "ckpt/agent_rewind.h"
#include "ckpt/agent_state.h"
#include "common/state_hash.h"

enum { PAGE = 4096, CANNOT = 77 };

static struct agent *agent;
static bool born;

static void add(void *user, const void *bytes, size_t size)
{
	state_hash_add_bytes(user, bytes, size);
}

/* NULL, or why there is no state. */
static const char *tell(struct state_hash *hash)
{
	*hash = (struct state_hash){{0, 0}};
	return agent_state_tell(agent, add, hash);
}

static bool tells(const struct state_hash *then)
{
	struct state_hash now;

	return !tell(&now) && now.word[0] == then->word[0] && now.word[1] == then->word[1];
}

static bool tells_another(const struct state_hash *then)
{
	struct state_hash now;

	return !tell(&now) && (now.word[0] != then->word[0] || now.word[1] != then->word[1]);
}

static bool refuses_for(const char *reason)
{
	struct state_hash now;
	const char *why = tell(&now);

	return why && strstr(why, reason);
}

/* Keeps the descriptor's number. */
static void open_at(int fd, const char *path)
{
	int opened = open(path, O_RDONLY);

	if (opened != fd) {
		dup2(opened, fd);
		close(opened);
	}
}

/* A rank that has a file open for writing has no state: its output may be such a file. */
static void write_nothing(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		open_at(fd, "/dev/null");
}

static void note_birth(void)
{
	write_nothing();
	agent_survey(agent); /* as its keeper did */
	born = agent_note_birth(agent, NULL, 0) == 0;
}

#define EXPECT(condition)                      \
	do {                                   \
		if (!(condition))              \
			return __LINE__ % 256; \
	} while (0)

static int change_descriptors(struct fixture *fixture, void *data)
{
	/* Descriptors opened later have lower numbers. */
	const int one = 100;
	int other = open(fixture->other, O_RDONLY), extra;
	struct state_hash then, moved;

	(void)data;
	open_at(one, fixture->file);
	agent_step_private_stack(agent, note_birth);
	if (!born)
		return CANNOT;
	EXPECT(!tell(&then) && tells(&then));
	lseek(one, 3, SEEK_SET);
	EXPECT(tells_another(&then));
	lseek(one, 0, SEEK_SET);
	EXPECT(tells(&then));
	extra = dup(other);
	EXPECT(tells_another(&then));
	close(extra);
	EXPECT(tells(&then));
	open_at(one, fixture->other);
	EXPECT(tells_another(&then));
	open_at(one, fixture->file);
	EXPECT(tells(&then));
	dup2(other, one);
	EXPECT(tells_another(&then));
	/* The same number of descriptors, but others. */
	close(one);
	extra = fcntl(other, F_DUPFD, one + 10);
	EXPECT(tells_another(&then) && !tell(&moved));
	close(extra);
	EXPECT(tells_another(&then) && tells_another(&moved));
	extra = fcntl(other, F_DUPFD, one + 11);
	EXPECT(tells_another(&then) && tells_another(&moved));
	close(extra);
	open_at(one, fixture->file);
	EXPECT(tells(&then));
	return 0;
}

static void *map_at(void *place, int fd, int protection)
{
	void *mapped = mmap(place, PAGE, protection, MAP_SHARED | (place ? MAP_FIXED : 0), fd, 0);

	close(fd);
	return mapped;
}

/* A file of the world. */
static int open_world(void)
{
	int fd = openat(AGENT_WORLD_FD, "shared", O_RDWR | O_CREAT, 0600);

	return ftruncate(fd, PAGE) < 0 ? -1 : fd;
}

static int change_mappings(struct fixture *fixture, void *data)
{
	const int access = PROT_READ | PROT_WRITE;
	void *place = map_at(NULL, open_world(), access), *constant;
	struct state_hash then;

	(void)data;
	agent_step_private_stack(agent, note_birth);
	if (!born)
		return CANNOT;
	EXPECT(place != MAP_FAILED && !tell(&then) && tells(&then));
	EXPECT(map_at(place, open(fixture->other, O_RDWR), access) == place);
	EXPECT(refuses_for("shared and writable") && refuses_for("shared and writable"));
	EXPECT(map_at(place, open_world(), access) == place);
	EXPECT(tells(&then) && tells(&then));
	constant = map_at(NULL, open(fixture->other, O_RDWR), PROT_READ);
	EXPECT(constant != MAP_FAILED && tells(&then) && tells(&then));
	mprotect(constant, PAGE, access);
	EXPECT(refuses_for("shared and writable"));
	mprotect(constant, PAGE, PROT_READ);
	EXPECT(tells(&then));
	munmap(constant, PAGE);
	EXPECT(tells(&then));
	EXPECT(mmap(NULL, PAGE, access, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	EXPECT(tells(&then) && tells(&then));
	return 0;
}

/* Changes that no table of descriptors shows: names, permissions, locks, contents. */
static int change_files(struct fixture *fixture, void *data)
{
	const int one = 100;
	int out = openat(AGENT_WORLD_FD, "out", O_RDWR | O_CREAT, 0600);
	char elsewhere[128];
	struct state_hash then, written;

	(void)data;
	snprintf(elsewhere, sizeof(elsewhere), "%s-moved", fixture->file);
	open_at(one, fixture->file);
	agent_step_private_stack(agent, note_birth);
	if (!born)
		return CANNOT;
	EXPECT(!tell(&then) && tells(&then));
	EXPECT(chmod(fixture->file, 0640) == 0 && tells_another(&then));
	EXPECT(chmod(fixture->file, 0600) == 0 && tells(&then));
	EXPECT(rename(fixture->file, elsewhere) == 0 && tells_another(&then));
	EXPECT(rename(elsewhere, fixture->file) == 0 && tells(&then));
	EXPECT(flock(one, LOCK_SH) == 0 && refuses_for("a lock"));
	EXPECT(flock(one, LOCK_UN) == 0 && tells(&then));
	EXPECT(flock(out, LOCK_SH) == 0 && refuses_for("a lock"));
	EXPECT(flock(out, LOCK_UN) == 0 && tells(&then));
	EXPECT(write(out, "one", 3) == 3 && tells_another(&then) && !tell(&written));
	EXPECT(tells(&written) && tells(&written));
	EXPECT(pwrite(out, "two", 3, 0) == 3 && tells_another(&written));
	EXPECT(pwrite(out, "one", 3, 0) == 3 && tells(&written));
	EXPECT(lseek(out, 0, SEEK_SET) == 0 && tells_another(&written));
	EXPECT(ftruncate(out, 0) == 0 && tells(&then));
	EXPECT(chdir("/dev") == 0 && tells_another(&then));
	return 0;
}

static uint32_t image;

static void take_image(void)
{
	image = agent_image_take(agent);
}

static bool has_image(void)
{
	agent_step_private_stack(agent, take_image);
	return image > 0;
}

static void handle(int number)
{
	(void)number;
}

static bool is_handled_by(uintptr_t function)
{
	uintptr_t handlers[_NSIG];
	const int count = agent_state_handlers(agent, handlers, _NSIG);

	for (int i = 0; i < count; i++)
		if (handlers[i] == function)
			return true;
	return false;
}

static char *mapped = MAP_FAILED;

static void clear_up(const sigset_t *blocked, int other)
{
	const struct timespec none = {0};

	close(other);
	sigtimedwait(blocked, NULL, &none);
	if (mapped != MAP_FAILED)
		munmap(mapped, PAGE);
	mapped = MAP_FAILED;
	agent_moves(agent);
}

/* Results obtained while the rank is idle are reused until it moves or something is noticed. */
static int be_idle_once(struct fixture *fixture, const sigset_t *blocked, int other)
{
	struct state_hash then;

	EXPECT(!tell(&then) && !agent_is_standing(agent)
	       && agent_state_handlers(agent, NULL, 0) < 0);
	agent_is_unmoved(agent);
	EXPECT(tells(&then) && agent_is_standing(agent) && is_handled_by((uintptr_t)handle));
	EXPECT(has_image() && agent_is_standing(agent));
	open_at(other, fixture->other);
	EXPECT(tells(&then) && has_image());
	agent_moves(agent);
	EXPECT(!agent_is_standing(agent) && tells_another(&then) && !has_image());
	close(other);
	agent_is_unmoved(agent);
	EXPECT(tells(&then) && has_image() && agent_is_standing(agent));
	raise(SIGUSR2);
	EXPECT(!agent_is_standing(agent));
	sigwaitinfo(blocked, NULL);
	EXPECT(tells(&then) && agent_is_standing(agent));
	/* As when the heap grows for an order. */
	mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*mapped = 1;
	EXPECT(!agent_is_standing(agent) && !has_image());
	return 0;
}

/* The address sanitizer has page faults of its own at any time: no result stays valid then. */
#if defined(__SANITIZE_ADDRESS__)
static const bool faults_by_itself = true;
#else
static const bool faults_by_itself;
#endif

/* The first time, the code itself is faulted in. */
static int be_idle(struct fixture *fixture, void *data)
{
	const int other = 101;
	sigset_t blocked;
	int wrong = 1;

	(void)data;
	signal(SIGUSR1, handle);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR2);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	agent_step_private_stack(agent, note_birth);
	if (!born || faults_by_itself)
		return CANNOT;
	for (int i = 0; wrong && i < 5; i++) {
		clear_up(&blocked, other);
		wrong = be_idle_once(fixture, &blocked, other);
	}
	return wrong;
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	put_text(fd, text);
	assert_int_equal(ftruncate(fd, PAGE), 0);
	close(fd);
}

/* Checks that no line failed; the exit status is the number of the line that did. */
static void change(void **state, restored_group body)
{
	struct fixture *fixture = *state;
	int status;

	agent = fixture->agent;
	assert_int_equal(agent_private_stack_new(agent, true), 0);
	write_file(fixture->file, "one");
	write_file(fixture->other, "other");
	/* The agent maps its memory before the birth, as in a rank. */
	agent_state_writes(agent);
	survey_safely(fixture);
	status = restore(fixture, body, NULL);
	while (waitpid(-1, NULL, 0) > 0) /* the twin */
		;
	agent_know_children();
	if (status == CANNOT)
		skip();
	assert_int_equal(status, 0);
}

static void test_descriptor_changes_are_noticed(void **state)
{
	change(state, change_descriptors);
}

static void test_mapping_changes_are_noticed(void **state)
{
	change(state, change_mappings);
}

static void test_file_changes_are_noticed(void **state)
{
	change(state, change_files);
}

static void test_an_idle_rank_is_scanned_once(void **state)
{
	change(state, be_idle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_descriptor_changes_are_noticed),
		TEST(test_mapping_changes_are_noticed),
		TEST(test_file_changes_are_noticed),
		TEST(test_an_idle_rank_is_scanned_once),
	};

	/* The process that runs this test may have files open for writing, too. */
	close_range(STDERR_FILENO + 1, ~0u, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
