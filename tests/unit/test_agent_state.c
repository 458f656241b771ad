/* What the kernel holds of a rank that has a birth, told again and again: what is remembered of an
 * earlier time is never told of what has changed since. Where the kernel does not let a rank be
 * rewound, nothing is tested. */
#define _GNU_SOURCE
#include "agent_fixture.h"

#include <sys/mman.h>

#include "ckpt/agent_rewind.h"
#include "ckpt/agent_state.h"
#include "explorer/state_hash.h"

enum { PAGE = 4096, CANNOT = 77 };

static struct agent *agent;
static bool born;

static void add(void *user, const void *bytes, size_t size)
{
	state_hash_add_bytes(user, bytes, size);
}

/* NULL, or why it cannot be told. */
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

/* The number stays. */
static void open_at(int fd, const char *path)
{
	int opened = open(path, O_RDONLY);

	if (opened != fd) {
		dup2(opened, fd);
		close(opened);
	}
}

/* A state of a rank that has a file open for writing is not told: output may be such a file. */
static void write_nothing(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		open_at(fd, "/dev/null");
}

static void note_birth(void)
{
	write_nothing();
	born = agent_note_birth(agent, NULL, 0) == 0;
}

#define EXPECT(condition)                      \
	do {                                   \
		if (!(condition))              \
			return __LINE__ % 256; \
	} while (0)

static int change_descriptors(struct fixture *fixture, void *data)
{
	/* What is opened later has a lower number than this one. */
	const int one = 100;
	int other = open(fixture->other, O_RDONLY), extra;
	struct state_hash then, moved;

	(void)data;
	open_at(one, fixture->file);
	agent_step_aside(agent, note_birth);
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
	/* As many, but others. */
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

/* A file of the world's own. */
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
	agent_step_aside(agent, note_birth);
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

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	put_text(fd, text);
	assert_int_equal(ftruncate(fd, PAGE), 0);
	close(fd);
}

/* The line that was not as expected, if not 0. */
static void change(void **state, restored_body body)
{
	struct fixture *fixture = *state;
	int status;

	agent = fixture->agent;
	assert_int_equal(agent_aside_new(agent, true), 0);
	write_file(fixture->file, "one");
	write_file(fixture->other, "other");
	/* What the agent maps for it is there before the birth, as in a rank. */
	agent_state_writes(agent);
	survey_safely(fixture);
	status = restore(fixture, body, NULL);
	while (waitpid(-1, NULL, 0) > 0) /* its twin */
		;
	agent_know_children();
	if (status == CANNOT)
		skip();
	assert_int_equal(status, 0);
}

static void test_other_descriptors_are_told(void **state)
{
	change(state, change_descriptors);
}

static void test_other_mappings_are_told(void **state)
{
	change(state, change_mappings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_other_descriptors_are_told),
		TEST(test_other_mappings_are_told),
	};

	/* Whoever runs this may have files open for writing, too. */
	close_range(STDERR_FILENO + 1, ~0u, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
