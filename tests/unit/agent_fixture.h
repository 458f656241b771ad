/* This process as a rank that is parked and copied, without MPI. */
#ifndef AGENT_FIXTURE_H
#define AGENT_FIXTURE_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ckpt/agent.h"
#include "ckpt/clone_plan.h"

struct fixture {
	char base[64]; /* contains old/, new1/, new2/ */
	char world[96];
	char file[96], other[96]; /* paths of files that do not exist yet */
	struct agent *agent;
	int worlds;
};

/* Runs in a restored copy. Returns 0 or an error number, as the exit status. */
typedef int (*restored_group)(struct fixture *fixture, void *data);

static inline int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	int fd;

	/* ctest's log, for example, which grows meanwhile */
	close_range(STDERR_FILENO + 1, ~0u, 0);
	strcpy(fixture->base, "/dev/shm/matchpoint-test-XXXXXX");
	assert_non_null(mkdtemp(fixture->base));
	snprintf(fixture->world, sizeof(fixture->world), "%s/old", fixture->base);
	snprintf(fixture->file, sizeof(fixture->file), "%s/file", fixture->base);
	snprintf(fixture->other, sizeof(fixture->other), "%s/other", fixture->base);
	assert_int_equal(mkdir(fixture->world, 0700), 0);
	fd = open(fixture->world, O_RDONLY | O_DIRECTORY);
	assert_int_equal(dup2(fd, AGENT_WORLD_FD), AGENT_WORLD_FD);
	close(fd);
	fixture->agent = agent_new(-1, -1);
	assert_non_null(fixture->agent);
	*state = fixture;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *fixture = *state;
	char command[128];

	agent_free(fixture->agent);
	close(AGENT_WORLD_FD);
	snprintf(command, sizeof(command), "rm -rf %s", fixture->base);
	assert_int_equal(system(command), 0);
	free(fixture);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static inline void survey_safely(struct fixture *fixture)
{
	assert_int_equal(agent_survey(fixture->agent), 0);
	if (agent_hazard(fixture->agent))
		fail_msg("unexpected hazard: %s", agent_hazard(fixture->agent));
}

/* Starts `body` in `copies` restored copies of this process, side by side in one new world. */
static inline void restore_copies(struct fixture *fixture, restored_group body, void *data,
                                  int copies, pid_t *ret_children)
{
	const struct agent_mapping *mappings;
	size_t count = agent_mappings(fixture->agent, &mappings);
	struct clone_plan *plan = clone_plan_new(1, fixture->world);
	const struct agent_clone *clones;
	char world[128];

	snprintf(world, sizeof(world), "%s/new%d", fixture->base, ++fixture->worlds);
	assert_int_equal(mkdir(world, 0700), 0);
	clone_plan_add(plan, 0, getpid(), mappings, count);
	assert_true(clone_plan_write(plan, world, NULL));
	count = clone_plan_rank(plan, 0, &clones);
	for (int i = 0; i < copies; i++) {
		ret_children[i] = agent_fork(fixture->agent, world, clones, count);
		if (ret_children[i] == 0)
			_exit(body(fixture, data));
		assert_true(ret_children[i] > 0);
	}
	clone_plan_free(plan);
}

static inline int exit_status(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	agent_know_children(); /* the copies are not the program's children */
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs `body` in a restored copy of this process; returns how it ended. */
static inline int restore(struct fixture *fixture, restored_group body, void *data)
{
	pid_t child;

	restore_copies(fixture, body, data, 1, &child);
	return exit_status(child);
}

static inline void put_text(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static inline void assert_file(const char *directory, const char *name, const char *expected)
{
	char path[256], text[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", directory, name);
	file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, expected);
}

#endif
