/* `gdb RANK`, backwards: gdb leaves the rank where it waits, and connects to its past: a replay of
 * the rank alone, up to here (docs/internals/backwards.md). That is made when gdb first goes back,
 * since it takes another run of the program. */
#include <string.h>

#include "debug_internal.h"
#include "scheduler/host/launcher.h"

/* Before it, the script sets the words to record and to replay, as lists of bytes. The process of
 * the replay ends when gdb has connected and gone. */
static const char commands[] =
	"import os, subprocess, time\n"
	"class MatchpointPast(gdb.Command):\n"
	"    def __init__(self):\n"
	"        super().__init__('matchpoint-past', gdb.COMMAND_RUNNING)\n"
	"        self.is_there = False\n"
	"    def fail(self, file):\n"
	"        with open(file, errors='replace') as heard:\n"
	"            said = heard.read().strip().split('\\n')[-1]\n"
	"        raise gdb.GdbError('its past cannot be shown: ' + said)\n"
	"    def run(self, words, **options):\n"
	"        with open(folder + b'/said', 'wb') as said:\n"
	"            return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said,\n"
	"                                    stderr=said, start_new_session=True)\n"
	"    def record(self):\n"
	"        if os.path.exists(folder + b'/recording/rank.0.log'):\n"
	"            return\n"
	"        if not to_record:\n"
	"            raise gdb.GdbError(refusal)\n"
	"        print('the program runs to here again, to record its past', flush=True)\n"
	"        if self.run(to_record).wait() not in (0, 1, 3):\n"
	"            self.fail(folder + b'/said')\n"
	"    def listen(self):\n"
	"        server = self.run(to_replay)\n"
	"        while not os.path.exists(folder + b'/socket'):\n"
	"            if server.poll() is not None:\n"
	"                self.fail(folder + b'/said')\n"
	"            time.sleep(0.02)\n"
	/* What stops the rank there is for going back. The heap may have other addresses. */
	"    def set_aside(self):\n"
	"        kinds = (gdb.BP_WATCHPOINT, gdb.BP_HARDWARE_WATCHPOINT)\n"
	"        watched = [one for one in gdb.breakpoints() if one.type in kinds]\n"
	"        words = ['watch ' + one.expression for one in watched]\n"
	"        for one in watched:\n"
	"            one.delete()\n"
	"        enabled = [one for one in gdb.breakpoints() if one.enabled]\n"
	"        for one in enabled:\n"
	"            one.enabled = False\n"
	"        return words, enabled\n"
	"    def put_back(self, words, enabled):\n"
	"        for one in enabled:\n"
	"            one.enabled = True\n"
	"        for line in words:\n"
	"            try:\n"
	"                gdb.execute(line)\n"
	"            except gdb.error as reason:\n"
	"                print('%s: %s' % (line, reason))\n"
	"    def select_program(self):\n"
	"        frame = gdb.newest_frame()\n"
	"        while frame and gdb.solib_name(frame.pc()):\n"
	"            frame = frame.older()\n"
	"        if frame:\n"
	"            frame.select()\n"
	/* In a call of MPI the program's own line is the one that calls. */
	"    def leave_call(self):\n"
	"        frame, names = gdb.newest_frame(), []\n"
	"        while frame and gdb.solib_name(frame.pc()):\n"
	"            names.append(frame.name() or '')\n"
	"            frame = frame.older()\n"
	"        left = 4 * len(names)\n"
	"        if not any(name.lower().startswith(('mpi_', 'pmpi_')) for name in names):\n"
	"            left = 0\n"
	"        while left > 0 and gdb.solib_name(gdb.newest_frame().pc()):\n"
	"            gdb.newest_frame().select()\n"
	"            gdb.execute('reverse-finish', to_string=True)\n"
	"            left -= 1\n"
	/* Whether gdb tells where the rank stands on the way; gdb 13 always does. */
	"    def be_quiet(self, word):\n"
	"        try:\n"
	"            gdb.execute('set suppress-cli-notifications ' + word)\n"
	"        except gdb.error:\n"
	"            pass\n"
	"    def invoke(self, argument, from_tty):\n"
	"        if self.is_there:\n"
	"            return\n"
	"        self.record()\n"
	"        self.listen()\n"
	"        self.is_there = True\n"
	"        gdb.execute('detach', to_string=True)\n"
	"        gdb.execute('set sysroot /')\n"
	"        gdb.execute('set remotetimeout 60')\n"
	"        gdb.execute('skip -rfu ^[Pp]?(MPI|mpi)_', to_string=True)\n"
	"        gdb.execute('target remote ' + os.fsdecode(folder) + '/socket', to_string=True)\n"
	"        aside = self.set_aside()\n"
	"        self.be_quiet('on')\n"
	"        gdb.execute('continue', to_string=True)\n"
	"        self.leave_call()\n"
	"        self.select_program()\n"
	"        self.be_quiet('off')\n"
	"        self.put_back(*aside)\n"
	"        gdb.newest_frame().select()\n"
	"        print('in the past of the rank, which ends here; quit returns to matchpoint')\n"
	"matchpoint_past = MatchpointPast()\n"
	"end\n"
	"define hook-reverse-continue\nmatchpoint-past\nend\n"
	"define hook-reverse-step\nmatchpoint-past\nend\n"
	"define hook-reverse-stepi\nmatchpoint-past\nend\n"
	"define hook-reverse-next\nmatchpoint-past\nend\n"
	"define hook-reverse-nexti\nmatchpoint-past\nend\n"
	"define hook-reverse-finish\nmatchpoint-past\nend\n";

static void append_list(GString *text, const char *name, const GPtrArray *words)
{
	g_string_append_printf(text, "%s = [", name);
	for (guint i = 0; i < words->len && words->pdata[i]; i++) {
		g_autofree char *quoted = g_strescape(words->pdata[i], NULL);

		g_string_append_printf(text, "b\"%s\", ", quoted);
	}
	g_string_append(text, "]\n");
}

/* NULL: it can be recorded now. */
static const char *why_not(struct debugger *debugger)
{
	if (debugger->state == DEBUG_RUNNING)
		return "the rank runs: its past can be shown at the next stop";
	if (debugger_must_run_apart(debugger))
		return "the program has changed files, which another run would use: leave gdb; "
		       "watch and reverse-next at the prompt go to the past as well";
	return debugger_why_not_recorded(debugger);
}

static void append_words(GString *text, struct debugger *debugger, const char *folder, int rank)
{
	g_autofree char *recording = g_build_filename(folder, "recording", NULL);
	g_autofree char *way = g_build_filename(folder, "way", NULL);
	g_autofree char *socket = g_build_filename(folder, "socket", NULL);
	g_autofree char *number = g_strdup_printf("%d", rank);
	g_autoptr(GPtrArray) given = debugger_words_to_record(debugger, recording, way);
	g_autoptr(GPtrArray) record = launcher_self(given->pdata[0]);
	g_autoptr(GPtrArray) replay = launcher_self("replay");
	const char *const more[] = {recording, "--rank", number, "--listen", socket, NULL};

	g_ptr_array_set_free_func(record, g_free);
	g_ptr_array_set_free_func(replay, g_free);
	debugger_add_words(record, (const char *const *)given->pdata + 1);
	debugger_add_words(replay, more);
	append_list(text, "to_record", record);
	append_list(text, "to_replay", replay);
}

char *debugger_gdb_past(struct debugger *debugger, int rank)
{
	GString *text = g_string_new("python\n");
	g_autoptr(GError) error = NULL;
	const char *refusal = why_not(debugger), *folder = NULL;

	if (!refusal) {
		folder = debugger_past_folder(debugger, &error);
		if (folder) {
			g_autofree char *way = g_build_filename(folder, "way", NULL);

			debugger_write_way(debugger, way, &error);
		}
		refusal = error ? error->message : NULL;
	}
	if (!refusal) {
		g_autofree char *quoted = g_strescape(folder, NULL);

		g_string_append_printf(text, "folder = b\"%s\"\n", quoted);
		append_words(text, debugger, folder, rank);
	} else {
		g_autofree char *quoted = g_strescape(refusal, NULL);

		g_string_append_printf(text, "folder, to_record, refusal = b'', [], \"%s\"\n",
		                       quoted);
	}
	g_string_append(text, commands);
	return g_string_free(text, false);
}
