"""Tests that each check of check_style.py accepts correct code and rejects incorrect code."""

import contextlib
import io
import os
import tempfile
import unittest

import check_style
import formatting
import sizes
from rules import ROOMS
from source_tree import Tree

# A tree without problems: a module in each room of scheduler/.
GOOD = {".clang-format": "DisableFormat: true\n",
        **{"scheduler/%s/only_%s.c" % (room, room): "int only_%s;\n" % room
           for level in ROOMS["scheduler"] for room in level}}


def header(name, body=""):
    guard = "MATCHPOINT_" + name.upper().replace("/", "_").replace(".", "_")
    return "/* What it is. */\n#ifndef %s\n#define %s\n%s#endif\n" % (guard, guard, body)


def tree_of(directory, files):
    for name, text in files.items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return Tree(directory)


class StyleTest(unittest.TestCase):
    def problems(self, files):
        """The problems that all checks find in the good tree with these files added."""
        with tempfile.TemporaryDirectory() as directory:
            tree = tree_of(directory, {**GOOD, **files})
            for check in check_style.CHECKS:
                check(tree)
            return tree.problems

    def passes(self, files):
        self.assertEqual(self.problems(files), [])

    def fails(self, files, *parts):
        """There must be exactly one problem, with these parts in its line."""
        problems = self.problems(files)
        self.assertEqual(len(problems), 1, problems)
        for part in parts:
            self.assertIn(part, problems[0])


class Lines(StyleTest):
    def test_the_good_tree_has_no_problem(self):
        self.passes({})

    def test_width(self):
        self.passes({"explorer/a.c": "/* %s */\n" % ("x" * 94)})
        self.fails({"explorer/a.c": "/* %s */\n" % ("x" * 95)}, "explorer/a.c:1:", "100 columns")
        self.passes({"explorer/a.c": "/* http://%s */\n" % ("x" * 95)})

    def test_blanks_at_the_end(self):
        self.fails({"explorer/a.py": "a = 1 \n"}, "explorer/a.py:1:", "blanks at the end")

    def test_end_of_file(self):
        self.fails({"explorer/a.py": "a = 1"}, "one newline")
        self.fails({"explorer/a.py": "a = 1\n\n"}, "one newline")

    def test_indentation(self):
        self.fails({"explorer/a.py": "a = 1\n",
                    "examples/a.c": "void f(void)\n{\n        g();\n}\n"},
                   "examples/a.c:3:", "use tabs")

    def test_truth(self):
        self.fails({"explorer/a.c": "bool a = TRUE;\n"}, "true, false")
        self.fails({"explorer/a.c": "gboolean a;\n"}, "bool")
        self.passes({"explorer/a.c": "gboolean f(gpointer data);\n"})

    def test_banned_calls(self):
        self.fails({"scheduler/world/only_world.c": "int a = strcpy(b, c);\n"}, "strcpy(: unsafe")
        self.fails({"shim/gate/a.c": "int a = exit(1);\n"}, "guest")
        self.fails({"explorer/a.c": "int a = printf(b);\n"}, "return errors")
        self.fails({"scheduler/execution/only.c": "int a = fork();\n"}, "host")
        self.fails({"scheduler/verdict/only.c": "int a = stat(b, &c);\n"}, "host")
        self.fails({"scheduler/verdict/only.c": "int a = g_file_read_link(b, c);\n"}, "host")
        self.fails({"ckpt/a.c": "int a = sleep(1);\n"}, "clock")
        self.fails({"tests/unit/a.c": "int TODO;\n"}, "issue")

    def test_ranks_are_reached_by_their_host(self):
        for room in ("debug", "session"):
            for call in ("g_file_get_contents(b)", "kill(b, 9)", "live_stack(b, c)",
                         "child_reaper_tracer(b, c)"):
                self.fails({"scheduler/%s/only.c" % room: "int a = %s;\n" % call}, "host")
            self.fails({"scheduler/%s/only.c" % room: 'const char *a = "/proc/%d/exe";\n'}, "host")
        self.fails({"scheduler/debug/gdb.c": 'const char *a = "/proc/%d/exe";\n'}, "host")
        self.passes({"scheduler/debug/gdb.c": "int a = kill(b, 9);\n"})
        self.fails({"scheduler/debug/gdb.c": "int a = g_file_get_contents(b);\n"}, "host")

    def test_comments_and_strings_are_not_code(self):
        self.passes({"explorer/a.c": '/* strcpy(a, b) */\nconst char *a = "sprintf(";\n'})


class Includes(StyleTest):
    def test_folders(self):
        self.passes({"explorer/a.c": "#include <glib.h>\n"})
        self.fails({"explorer/a.c": "#include <uv.h>\n"}, "<uv.h> is not for explorer/")
        self.fails({"explorer/a.c": '#include "scheduler/store/record.h"\n'},
                   "is not for explorer/")

    def test_the_shim_is_a_guest(self):
        self.passes({"shim/gate/a.c": "#include <unistd.h>\n"})
        self.assertEqual(len(self.problems({"shim/gate/a.c": "#include <glib.h>\n"})), 2)

    def test_one_file_may_have_more_than_its_room(self):
        include = "#include <libwebsockets.h>\n"
        self.passes({"scheduler/page/page_server.c": include})
        self.fails({"scheduler/page/only_page.c": include}, "is not for scheduler/page/")

    def test_rooms(self):
        files = {name: header(name) for name in
                 ("scheduler/session/only_session.h", "scheduler/store/only_store.h")}
        self.passes({**files, "scheduler/session/only_session.c":
                     '#include "scheduler/store/only_store.h"\n'})
        self.fails({**files, "scheduler/store/only_store.c":
                    '#include "scheduler/session/only_session.h"\n'}, "no room below this one")

    def test_rooms_side_by_side(self):
        files = {"scheduler/world/only_world.h": header("scheduler/world/only_world.h")}
        self.fails({**files, "scheduler/host/only_host.c":
                    '#include "scheduler/world/only_world.h"\n'}, "no room below this one")

    def test_data_that_every_room_may_include(self):
        self.passes({"scheduler/store/record.h": header("scheduler/store/record.h"),
                     "scheduler/tools/only_tools.c": '#include "scheduler/store/record.h"\n'})

    def test_executions_reach_the_host_by_its_table(self):
        files = {**{name: header(name) for name in
                    ("scheduler/host/host.h", "scheduler/host/local.h")}}
        self.passes({**files, "scheduler/execution/only.c": '#include "scheduler/host/host.h"\n'})
        self.fails({**files, "scheduler/execution/only.c": '#include "scheduler/host/local.h"\n'},
                   "no room below this one")

    def test_folders_of_the_shim(self):
        files = {name: header(name) for name in ("shim/calls/wait.h", "shim/gate/gate.h")}
        self.passes({**files, "shim/README.md": "# shim/\n",
                     "shim/calls/wait.c": '#include "wait.h"\n#include "shim/gate/gate.h"\n'})
        self.fails({**files, "shim/gate/gate.c": '\n#include "shim/calls/wait.h"\n'},
                   "shim/gate/gate.c:2:", "no room below this one")
        self.fails({**files, "shim/gate/gate.c": '#include "../calls/wait.h"\n'},
                   "no room below this one")
        self.fails({"shim/walks/walk.h": header("shim/walks/walk.h"),
                    "shim/calls/wait.c": '#include "shim/walks/walk.h"\n'},
                   "no room below this one")

    def test_the_shim_declares_in_headers(self):
        self.fails({"shim/gate/gate.c": "extern int wait(void);\n"}, "gate.c:1:", "include")
        self.passes({"shim/gate/gate.c": "extern void __libc_free(void *block);\n",
                     "explorer/a.c": "extern int a;\n"})

    def test_nothing_lies_beside_the_folders_of_the_shim(self):
        self.fails({"shim/MPI_CALLS.md": ""}, "shim/MPI_CALLS.md:1:", "folder of shim/")

    def test_the_agent_knows_itself_alone(self):
        files = {name: header(name) for name in ("ckpt/agent.h", "ckpt/clone.h")}
        self.passes({**files, "ckpt/agent_a.c": '#include "agent.h"\n'})
        self.fails({**files, "ckpt/agent_a.c": '#include "clone.h"\n'}, "own headers alone")


class Headers(StyleTest):
    def test_contract_and_guard(self):
        self.passes({"explorer/a.h": header("explorer/a.h")})
        self.fails({"explorer/a.h": header("explorer/a.h").split("\n", 1)[1]}, "contract")
        self.fails({"explorer/a.h": header("explorer/b.h")}, "MATCHPOINT_EXPLORER_A_H")
        self.passes({"tests/unit/a.h": "/* Of a test. */\n"})

    def test_error_domains(self):
        source = "void *a = g_set_error(error, A_ERROR, 1, text);\n"
        domain = header("explorer/a.h", "#define A_ERROR (a_error_quark())\n")
        self.passes({"explorer/a.h": domain, "explorer/a.c": source})
        self.fails({"explorer/a.h": domain, "ckpt/a.c": source}, "A_ERROR is the domain of another")


def function(lines):
    return "void f(void)\n{\n%s}\n" % ("\tg();\n" * lines)


class Sizes(StyleTest):
    def test_functions(self):
        self.passes({"explorer/a.c": function(sizes.FUNCTION_LINES)})
        self.fails({"explorer/a.c": function(sizes.FUNCTION_LINES + 1)},
                   "explorer/a.c:2:", "function of %d lines" % (sizes.FUNCTION_LINES + 1))

    def test_files_of_a_small_room(self):
        self.passes({"explorer/a.c": "int a;\n" * sizes.FILE_FLOOR})
        self.fails({"explorer/a.c": "int a;\n" * (sizes.FILE_FLOOR + 1)}, "outlier",
                   "limit %d" % sizes.FILE_FLOOR)

    def test_files_beyond_twice_the_median(self):
        usual = {"explorer/usual_%d.c" % i: "int a;\n" * 400 for i in range(sizes.FEWEST)}
        self.passes({**usual, "explorer/large.c": "int a;\n" * 800})
        self.fails({**usual, "explorer/large.c": "int a;\n" * 801}, "explorer/large.c:1:",
                   "limit 800")

    def test_rooms_have_limits_of_their_own(self):
        usual = {"explorer/usual_%d.c" % i: "int a;\n" * 400 for i in range(sizes.FEWEST)}
        self.fails({**usual, "ckpt/large.c": "int a;\n" * 800}, "ckpt/large.c:1:")

    def users(self, count, name="explorer/state.h", text="struct state {\n\tint a;\n};\n"):
        include = '#include "%s"\n' % os.path.basename(name)
        return {name: header(name, text),
                **{"explorer/user_%d.c" % i: include for i in range(count)}}

    def test_structs_that_many_files_know(self):
        self.passes(self.users(sizes.USERS_FLOOR))
        self.fails(self.users(sizes.USERS_FLOOR + 1), "explorer/state.h:1:",
                   "opens a struct to %d files" % (sizes.USERS_FLOOR + 1))
        self.passes(self.users(sizes.USERS_FLOOR + 1, text="struct state;\n"))
        self.passes(self.users(sizes.USERS_FLOOR + 1, name="explorer/path.h"))

    def test_structs_that_are_known_through_another_header(self):
        name = "explorer/a_internal.h"
        between = header("explorer/state.h", '#include "a_internal.h"\n')
        files = self.users(sizes.USERS_FLOOR + 1, text="")
        files["explorer/state.h"] = between
        files[name] = header(name, "struct a {\n\tint b;\n};\n")
        self.fails(files, "explorer/a_internal.h:1:", "opens a struct")

    def test_the_report_names_what_is_large(self):
        with tempfile.TemporaryDirectory() as directory, \
                contextlib.redirect_stdout(io.StringIO()) as output:
            sizes.report(tree_of(directory, {**self.users(3), "explorer/a.c": function(9)}))
        rows = [line.split() for line in output.getvalue().split("\n")
                if line.startswith("explorer ")]
        self.assertEqual(rows[0][-4:], ["12", "a.c", "9", "a.c:2"])
        self.assertEqual(rows[1][-2:], ["state.h*", "3"])


class Environment(StyleTest):
    TABLE = {"scheduler/host/environment.c": 'struct a b[] = {\n\t{"KNOWN", ENVIRONMENT_READ},\n'
                                             '\t{ENVIRONMENT_OWN, ENVIRONMENT_READ},\n};\n',
             "scheduler/host/environment.h": header("scheduler/host/environment.h",
                                                    '#define ENVIRONMENT_OWN "OWN"\n')}

    def test_a_declared_variable(self):
        self.passes({**self.TABLE,
                     "explorer/a.c": 'char *a = getenv("KNOWN"), *b = getenv("OWN");\n'})

    def test_a_variable_that_is_not_declared(self):
        self.fails({**self.TABLE, "explorer/a.c": 'char *a = getenv("OTHER");\n'}, "OTHER")


class Formatting(StyleTest):
    @unittest.skipUnless(formatting.clang_format(), "clang-format 14 is not installed")
    def test_clang_format(self):
        style = {".clang-format": "BasedOnStyle: LLVM\n"}
        self.passes({**style, "explorer/a.c": "int a;\n"})
        self.fails({**style, "explorer/a.c": "int  a;\n"}, "explorer/a.c:1:", "clang-format -i")


if __name__ == "__main__":
    unittest.main()
