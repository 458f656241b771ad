/* room: session. What ranks have printed is gathered, whenever the host answers. */
#include "scheduler/session/rank_outputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS = 2, QUESTIONS = RANKS * HOST_STREAMS + 1 };

/* One question. */
struct question {
	struct host_range range;
	void (*output_done)(void *user, struct host_output output);
	void (*room_done)(void *user, struct host_room room);
	void *user;
};

/* A host that answers at once, or the last question first when it is run. */
struct fake {
	struct host base;
	bool at_once;
	struct question questions[QUESTIONS];
	guint asked, timers;
};

static void answer(const struct question *question)
{
	static const char *const words[] = {"out", "err"};
	struct host_output output = {.place = g_strdup("/there")};
	g_autofree char *text = NULL;

	if (question->room_done) {
		g_free(output.place);
		question->room_done(question->user, (struct host_room){.full = HOST_NO_DISK,
		                                                       .place = g_strdup("/x")});
		return;
	}
	text = g_strdup_printf("%s of %d", words[question->range.stream], question->range.rank);
	output.bytes = g_bytes_new(text, strlen(text));
	question->output_done(question->user, output);
}

static void ask(struct fake *fake, struct question question)
{
	assert_true(fake->asked < QUESTIONS);
	if (fake->at_once)
		answer(&question);
	else
		fake->questions[fake->asked++] = question;
}

static void rank_output(struct host *host, const struct host_range *range,
                        void (*done)(void *user, struct host_output output), void *user)
{
	assert_string_equal(range->directory, "/world");
	assert_int_equal(range->from, 0);
	assert_true(range->most == G_MAXUINT64);
	ask((struct fake *)host,
	    (struct question){.range = *range, .output_done = done, .user = user});
}

static void room_of(struct host *host, const char *directory,
                    void (*done)(void *user, struct host_room room), void *user)
{
	assert_string_equal(directory, "/world");
	ask((struct fake *)host, (struct question){.room_done = done, .user = user});
}

static struct host_timer *timer_new(struct host *host, void (*expired)(void *user), void *user)
{
	(void)expired;
	(void)user;
	((struct fake *)host)->timers++;
	return (struct host_timer *)host;
}

static void timer_free(struct host_timer *timer)
{
	((struct fake *)(void *)timer)->timers--;
}

static void iterate(struct host *host)
{
	struct fake *fake = (struct fake *)host;

	assert_false(fake->at_once); /* there is nothing to wait for */
	assert_true(fake->asked > 0);
	answer(&fake->questions[--fake->asked]);
}

static const struct host_operations operations = {.rank_output = rank_output,
                                                  .room_of = room_of,
                                                  .timer_new = timer_new,
                                                  .timer_free = timer_free,
                                                  .iterate = iterate};

static void expect(GBytes *bytes, const char *text)
{
	assert_int_equal(g_bytes_get_size(bytes), strlen(text));
	assert_memory_equal(g_bytes_get_data(bytes, NULL), text, strlen(text));
}

static void gathers(bool at_once)
{
	struct fake fake = {.base.operations = &operations, .at_once = at_once};
	struct rank_outputs *outputs = rank_outputs_read(&fake.base, "/world", RANKS);
	struct verdict_printed printed = rank_outputs_printed(outputs);

	assert_int_equal(fake.asked, 0);
	assert_int_equal(fake.timers, 0);
	expect(printed.outputs[0].bytes, "out of 0");
	expect(printed.outputs[1].bytes, "err of 0");
	expect(printed.outputs[2].bytes, "out of 1");
	expect(printed.outputs[3].bytes, "err of 1");
	assert_int_equal(printed.room.full, HOST_NO_DISK);
	assert_string_equal(printed.room.place, "/x");
	rank_outputs_free(outputs);
}

static void answers_may_come_at_once(void **state)
{
	(void)state;
	gathers(true);
}

static void answers_may_come_later_in_any_order(void **state)
{
	(void)state;
	gathers(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_may_come_at_once),
		cmocka_unit_test(answers_may_come_later_in_any_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
