#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <glib.h>

#include "scheduler/debug/colouring.h"

static const struct colours marks = {"<bad>", "<good>", "<strong>", "</>"};

static void important_words_are_coloured(void **state)
{
	static const struct {
		const char *plain, *coloured;
	} cases[] = {
		{"", ""},
		{"\n", "\n"},
		{"stopped: choice 0.2\n  rank 0  MPI_Recv()\n",
	         "<strong>stopped: choice 0.2</>\n  rank 0  MPI_Recv()\n"},
		{"     12)  rank 1's message\n", "<strong>     12)</>  rank 1's message\n"},
		{"stopped: finding deadlock\n", "<bad>stopped: finding deadlock</>\n"},
		{"stopped: end\n", "<good>stopped: end</>\n"},
		{"     7  \tx = 1) + 2;\n->   8  \ty;",
	         "     7  \tx = 1) + 2;\n<strong>->   8  \ty;</>"},
		{"1) at the margin\n", "1) at the margin\n"},
	};

	(void)state;
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *coloured = colouring_lines(cases[i].plain, &marks);

		assert_string_equal(coloured, cases[i].coloured);
	}
}

static void without_colours_nothing_changes(void **state)
{
	static const char text[] = "stopped: end\n  1) x\n->\n";
	const struct colours none = {"", "", "", ""};
	g_autofree char *same = colouring_lines(text, &none);

	(void)state;
	assert_string_equal(same, text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(important_words_are_coloured),
		cmocka_unit_test(without_colours_nothing_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
