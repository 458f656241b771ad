"""Adds an MPI call, a finding kind, a word of the prompt and a report format, each to a copy of
the source tree. An addition may touch at most three files besides its own. The copy is built, each
addition is used, and the reference (docs/generate.py) must contain it."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../.."))
PARTS = os.path.join(HERE, "extending")
MOST_FILES = 3
LEFT_OUT = shutil.ignore_patterns("build", ".git", ".matchpoint", "__pycache__", "tests")

# A call that an MPI library may have and the table of calls lacks: only the shim implements it.
MPI_H = """#include_next <mpi.h>
int MPI_Deliver(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                MPI_Comm comm);
"""

EXTENSION_C = """int MPI_Deliver(void)
{
	return 1; /* which the shim does not let happen */
}
"""

MPICC = """#!/bin/sh
if [ "$1" = -compile_info ]; then
	echo "cc -I%(include)s $(%(mpicc)s -compile_info)"
else
	exec %(mpicc)s -I%(include)s "$@"
fi
"""


class Tree:
    """A copy of the sources. Files are named without their folders, which may change."""

    def __init__(self, root):
        self.root = root
        shutil.copytree(ROOT, root, ignore=LEFT_OUT)
        self.paths = {}
        for directory, _, names in os.walk(root):
            for name in names:
                self.paths.setdefault(name, []).append(os.path.join(directory, name))

    def path(self, name):
        found = self.paths.get(name, [])
        check(len(found) == 1, "which file is %s? %s" % (name, found))
        return found[0]

    def edit(self, name, change):
        with open(self.path(name), encoding="utf-8") as file:
            before = file.read()
        after = change(before)
        check(after != before, "%s is not changed" % name)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(after)

    def add(self, name, beside):
        """Adds a new file in the folder of another one."""
        shutil.copy(os.path.join(PARTS, name), os.path.dirname(self.path(beside)))


def before(line, text):
    """An edit: inserts `text` before the only line that starts with `line`."""
    def change(content):
        lines = content.splitlines(keepends=True)
        places = [i for i, found in enumerate(lines) if found.startswith(line)]
        check(len(places) == 1, "%d lines begin with: %s" % (len(places), line))
        return "".join(lines[:places[0]] + [text] + lines[places[0]:])
    return change


# --- the four additions: changes by file ----------------------------------------------------------

def as_ssend(content):
    """Its line in the table is that of another call."""
    row = re.search(r"^.* MPI_Ssend\(.*\n(?: .*\n)*", content, flags=re.M).group()
    return content.replace(row, row + row.replace(" MPI_Ssend(", " MPI_Deliver("))


CALL = {
    "mpi_calls.txt": [as_ssend],
    "point_to_point.c": [before("int shim_MPI_Ssend(", """\
int shim_MPI_Deliver(void *site, const void *buf, int count, MPI_Datatype datatype, int dest,
                     int tag, MPI_Comm comm)
{
	struct transfer transfer = transfer_sending(WIRE_SYNCHRONOUS, buf, count, datatype, dest,
	                                            tag, comm);
	return send_blocking(site, MPI_CALL_Deliver, &transfer);
}

""")],
}

KIND = {
    "finding_kind.h": [before("\tFINDING_RMA_CONFLICT,", "\tFINDING_OWN_MESSAGE,\n")],
    "finding_kind.c": [before("\t[FINDING_RMA_CONFLICT] = {", """\
	[FINDING_OWN_MESSAGE] = {
		.name = "own-message",
		.summary = "A rank sends a message to itself.",
		.help = "Copy the data instead.",
		.can_be_ignored = true,
	},
""")],
    "world_types.c": [before("\tif (types_match(sent, received))", """\
	if (match->send.rank == match->receive.rank) {
		struct remark own = {.kind = FINDING_OWN_MESSAGE, .count = 2};

		own.parties[0] = world_party(world, match->send, "sends to itself");
		own.parties[1] = world_party(world, match->receive, "receives from itself");
		world_remark(world, &own);
	}
""")],
}

WORD = {
    "debug_words.h": [before("#endif", "vocabulary_run word_tally;\n")],
    "debug_vocabulary.c": [before('\t{"quit", ', """\
	{"tally", "", "how many calls each rank has made", word_tally, .example = "tally"},
""")],
}

FORMAT = {
    "report.h": [before("\tFORMAT(perfetto)", "\tFORMAT(tally) \\\n")],
}

ADDITIONS = (("MPI call", CALL, None), ("finding kind", KIND, None),
             ("prompt word", WORD, ("debug_tally.c", "debug_words.h")),
             ("report format", FORMAT, ("tally.c", "report.h")))


def extend(tree):
    for what, edits, own in ADDITIONS:
        print("%s: %d files besides its own: %s" % (what, len(edits), ", ".join(edits)))
        check(len(edits) <= MOST_FILES, "%s: more than %d files" % (what, MOST_FILES))
        for name, changes in edits.items():
            for change in changes:
                tree.edit(name, change)
        if own:
            tree.add(*own)


# --- building it ----------------------------------------------------------------------------------

def call(*command, environment=None):
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, env=environment)
    check(done.returncode == 0, "%s: exit status %d\n%s" % (
        " ".join(command), done.returncode, done.stdout[-8000:] + done.stderr))
    return done.stdout


def extended_mpicc(tool):
    """A compiler whose mpi.h has one more function."""
    include = os.path.join(tool.directory, "include")
    os.mkdir(include)
    tool.write("include/mpi.h", MPI_H)
    script = tool.write("mpicc.mpich", MPICC % {"include": include, "mpicc": tool.mpicc})
    os.chmod(script, os.stat(script).st_mode | stat.S_IXUSR)
    return script


def build(tool, tree, mpicc):
    """Builds matchpoint and its shim with the compiler of the one under test, without
    optimisation: they run seldom and shortly."""
    directory = os.path.join(tool.directory, "build")
    with open(os.path.join(os.path.dirname(tool.matchpoint), "CMakeCache.txt")) as file:
        cache = dict(re.findall(r"^(\w+):\w+=(.+)$", file.read(), flags=re.M))
    options = ["-G", cache["CMAKE_GENERATOR"], "-DCMAKE_BUILD_TYPE=Debug",
               "-DCMAKE_C_FLAGS_DEBUG=-O0", "-DBUILD_TESTING=OFF", "-DMPICC=" + mpicc,
               *("-D%s=%s" % (name, cache[name])
                 for name in ("CMAKE_C_COMPILER", "CMAKE_C_COMPILER_LAUNCHER") if name in cache)]
    # For ccache: the folder differs in each run.
    environment = dict(os.environ, CCACHE_BASEDIR=tool.directory, CCACHE_NOHASHDIR="1")
    call("cmake", "-S", tree.root, "-B", directory, *options, environment=environment)
    call("cmake", "--build", directory, "--parallel", "2", "--target", "matchpoint",
         environment=environment)
    return os.path.join(directory, "matchpoint")


# --- use ------------------------------------------------------------------------------------------

def check_call(tool, mpicc):
    library = os.path.join(tool.directory, "libextension.so")
    call(mpicc, "-shared", "-fPIC", tool.write("extension.c", EXTENSION_C), "-o", library)
    standard, tool.mpicc = tool.mpicc, mpicc
    program = tool.compile(PARTS + "/deliver.c", library, "-Wl,-rpath," + tool.directory)
    tool.mpicc = standard
    controlled = tool.run("check", program).out.partition("\ncontrolled\n")[2].partition("\n\n")[0]
    check("  MPI_Deliver\n" in controlled, "check knows it not as controlled: %s" % controlled)
    run = tool.run("explore", "-n", "2", program, report=True)
    check(run.status == 0 and run.report["interleavings"] > 0, run)
    run = tool.run("explore", "-n", "2", program, "both", report=True)
    check([one["kind"] for one in run.report["findings"]] == ["deadlock"], run)
    check([rank["function"] for rank in run.report["findings"][0]["ranks"]]
          == ["MPI_Deliver", "MPI_Deliver"], run)


def check_kind(tool, tables):
    program = tool.compile(PARTS + "/own_message.c")
    run = tool.run("explore", "-n", "2", "--sarif", "-", program)
    check(run.status == 1, run)
    sarif = json.loads(run.out)["runs"][0]
    rule, = sarif["tool"]["driver"]["rules"]
    kind, = (kind for kind in tables["findings"] if kind["name"] == "own-message")
    check(rule["id"] == kind["name"] and rule["shortDescription"]["text"] == kind["summary"]
          and rule["help"]["text"] == kind["help"], rule)
    check({result["ruleId"] for result in sarif["results"]} == {"own-message"}, sarif["results"])
    run = tool.run("explore", "-n", "2", "--ignore", "own-message", program)
    check(run.status == 0, run)
    ignored, = {line for line in tool.run("--describe", "completion").out.splitlines()
                if line.startswith("explore --ignore ")}
    check("own-message" in ignored.split(), ignored)


def check_word(tool, tables):
    word, = (word for word in tables["prompt"] if word["name"] == "tally")
    program = tool.compile(PARTS + "/own_message.c")
    script = tool.write("script.mp", "run\nhelp tally\n%s\n" % word["example"])
    run = tool.run("debug", "-n", "2", "-x", script, "--batch", program)
    check(re.search(r"^rank 0 has made \d+ calls\nrank 1 has made \d+ calls\n", run.out,
                    flags=re.M), run)
    check(word["help"] in run.out, run)


def check_format(tool, tables):
    report, = (report for report in tables["reports"] if report["name"] == "tally")
    check(report["help"] in tool.run("report", "--help").out, report)
    program = tool.compile(PARTS + "/own_message.c")
    file = os.path.join(tool.directory, "x.tal")
    tool.run("explore", "-n", "2", "--tally", file, program)
    with open(file) as text:
        check(re.fullmatch(r"(own-message: \d+\n)+end of tally\n", text.read()), file)
    os.unlink(file)
    script = tool.write("save.mp", "save %s\nrun\nfinish\n" % file)
    run = tool.run("debug", "-n", "2", "-x", script, "--batch", program)
    check(os.path.exists(file), "`save` knows no x.tal: %s" % run)


def check_reference(tool, tree):
    """The generated pages contain all of them."""
    call(sys.executable, os.path.join(tree.root, "docs/generate.py"), tool.matchpoint)
    for page, line in (("mpi-calls.md", "| `MPI_Deliver` | controlled |"),
                       ("findings.md", "## own-message\n"), ("prompt.md", "| `tally` |"),
                       ("options.md", "| `--tally=FILE` |")):
        with open(os.path.join(tree.root, "docs/reference", page), encoding="utf-8") as file:
            check(line in file.read(), "%s is not in %s" % (line, page))


def body(tool, _):
    if not shutil.which("cmake") \
            or not os.path.exists(os.path.dirname(tool.matchpoint) + "/CMakeCache.txt"):
        sys.exit(77)
    tree = Tree(os.path.join(tool.directory, "tree"))
    extend(tree)
    mpicc = extended_mpicc(tool)
    tool.matchpoint = build(tool, tree, mpicc)
    tables = json.loads(tool.run("--describe").out)
    check_call(tool, mpicc)
    check_kind(tool, tables)
    check_word(tool, tables)
    check_format(tool, tables)
    check_reference(tool, tree)


if __name__ == "__main__":
    harness.main(__doc__, body)
