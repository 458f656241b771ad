"""Checks the documents: links lead somewhere, options exist, sessions show what happens.

A block ```console is a session: `$ COMMAND` (a line that ends with a backslash continues in the
next one), then the output of the command. `(matchpoint) WORDS` in the output is typed at the
prompt. `...` on its own line stands for any lines, at the end of a line for the rest of the line.
All sessions of a document run in one folder, in order, with the sources in examples/ and ./NAME
for examples/NAME.c. Numbers that vary, such as times, are not compared. <!-- not run: REASON -->
stands above a session that cannot be run.

check_documents.py --matchpoint build/release/matchpoint [--update] [DOCUMENT...]

--update writes the commands' current output into the documents. It keeps what was left out."""

import difflib
import os
import re
import shutil
import subprocess
import sys
import uuid

import documents
import harness
from harness import check

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
COLUMNS = 120  # in a line of a document
PROMPT = "(matchpoint) "
MORE = "..."
ALIKE = 0.6  # lines at least this similar count as one line that was reworded

# Blocks in these languages are not run.
NOT_SESSIONS = {
    "sh": "changes the machine, or needs another one",
    "c": "part of a program",
    "cmake": "part of a project",
    "yaml": "part of a pipeline",
    "lua": "part of an editor's configuration",
    "lisp": "part of an editor's configuration",
    "json": "part of a report",
    "text": "no command",
}

VARYING = (
    (r"\b\d+(\.\d+)? (s|ms|min)\b", "TIME"),
    (r"\b0x[0-9a-f]{4,}\b", "ADDRESS"),
    (r"http://127\.0\.0\.1:\S+", "URL"),
    (r"/tmp/matchpoint-e2e-\w+", "FOLDER"),
    (r"\b(MPICH|OTF2|libwebsockets) \d\S*( \(\S+\))?", r"\1 VERSION"),
    (r"\bmatchpoint \d+\.\d+\.\d+\b", "matchpoint VERSION"),
)
PROGRESS = re.compile(r"matchpoint: .*\d+ interleavings, .* deep, \d+ s")


def without_figures(line):
    for pattern, instead in VARYING:
        line = re.sub(pattern, instead, line)
    return line.rstrip()


def same_line(expected, actual):
    expected, actual = without_figures(expected), without_figures(actual)
    if expected.endswith(" " + MORE) and actual.startswith(expected[:-len(MORE) - 1]):
        return True
    return expected == actual


def fits(expected, actual):
    """Whether a session matches the output. MORE stands for one line or more."""
    if not expected:
        return not actual
    if expected[0] == MORE:
        return any(fits(expected[1:], actual[skipped:]) for skipped in range(1, len(actual) + 1))
    return bool(actual) and same_line(expected[0], actual[0]) and fits(expected[1:], actual[1:])


# --- updates --------------------------------------------------------------------------------------

def likeness(expected, actual):
    expected = without_figures(expected)
    if expected.endswith(" " + MORE):
        expected = expected[:-len(MORE) - 1]
        actual = actual[:len(expected)]
    return difflib.SequenceMatcher(None, expected, without_figures(actual)).ratio()


def paired(expected, actual):
    """Pairs the most similar lines of both, in order: {index of actual: index of expected}."""
    best = [[0.0] * (len(actual) + 1) for _ in range(len(expected) + 1)]
    alike = [[0.0] * len(actual) for _ in expected]
    for i in reversed(range(len(expected))):
        for j in reversed(range(len(actual))):
            alike[i][j] = likeness(expected[i], actual[j])
            both = alike[i][j] + best[i + 1][j + 1] if alike[i][j] >= ALIKE else 0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], both)
    pairs, i, j = {}, 0, 0
    while i < len(expected) and j < len(actual):
        if alike[i][j] >= ALIKE and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            pairs[j] = i
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def clipped(line):
    if len(line) <= COLUMNS:
        return line
    return line[:line.rindex(" ", 0, COLUMNS - len(MORE))].rstrip() + " " + MORE


def rewritten(expected, actual):
    """The output without what the session had left out."""
    concrete = [line for line in expected if line != MORE]
    gaps = []  # the number of concrete lines before each gap
    for index, line in enumerate(expected):
        if line == MORE:
            gaps.append(sum(1 for other in expected[:index] if other != MORE))
    pairs = paired(concrete, actual)
    lines = []
    for j, line in enumerate(actual):
        if j in pairs:
            old = concrete[pairs[j]]
            lines.append(old if same_line(old, line) else clipped(line))
            continue
        before = max((pairs[k] for k in pairs if k < j), default=-1)
        behind = min((pairs[k] for k in pairs if k > j), default=len(concrete))
        if not any(before < gap <= behind for gap in gaps):
            lines.append(clipped(line))
        elif not lines or lines[-1] != MORE:
            lines.append(MORE)
    return lines


# --- sessions -------------------------------------------------------------------------------------

class Command:
    """A command of a session. `begin` and `end` are the indices of its lines of output."""

    def __init__(self, text, begin):
        self.text = text
        self.begin = begin
        self.end = begin


def commands_of(document, block):
    found = []
    index = block.first
    while index < block.end:
        line = document.lines[index]
        index += 1
        if not line.startswith("$ "):
            check(found, "%s:%d: a session begins with `$ COMMAND`" % (document.name, index))
            found[-1].end = index
            continue
        text = line[2:]
        while text.endswith("\\") and index < block.end:
            text = text[:-1] + document.lines[index].lstrip()
            index += 1
        found.append(Command(text, index))
    return found


class Sessions:
    """The sessions of one document: a folder, and what its commands need."""

    def __init__(self, tool, document):
        self.tool = tool
        self.document = document
        self.folder = os.path.join(tool.directory, document.name.replace("/", "-"))
        self.status = 0
        os.mkdir(self.folder)
        shutil.copytree(os.path.join(ROOT, "examples"), os.path.join(self.folder, "examples"))
        # The environment of a terminal, without variables that change the output.
        self.environment = {name: value for name, value in os.environ.items()
                            if not re.match(r"(GITHUB|CI|MATCHPOINT|CLICOLOR|DEBUGINFOD)", name)}
        self.environment.update(
            PATH=os.path.dirname(tool.matchpoint) + os.pathsep + os.environ["PATH"],
            XDG_STATE_HOME=self.folder, LC_ALL="C.UTF-8", COLUMNS="120")

    def make(self, text):
        """Builds the examples that a command runs."""
        for name in set(re.findall(r"(?<!\S)\./(\w+)", text)):
            source = "examples/%s.c" % name
            if os.path.exists(os.path.join(self.folder, name)) or not os.path.exists(
                    os.path.join(self.folder, source)):
                continue
            done = subprocess.run([self.tool.mpicc, "-g", source, "-o", name], cwd=self.folder,
                                  capture_output=True, text=True, check=False)
            check(done.returncode == 0, "%s: %s" % (source, done.stderr))

    def run(self, command):
        """The lines of standard output and error."""
        expected = self.document.lines[command.begin:command.end]
        typed = [line[len(PROMPT):] + "\n" for line in expected if line.startswith(PROMPT)]
        mark = uuid.uuid4().hex
        self.make(command.text)
        process = subprocess.Popen(
            ["bash", "-c", "(exit %d); %s" % (self.status, command.text)], cwd=self.folder,
            env=dict(self.environment, **{harness.MARK: mark}), start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            printed, _ = harness.communicate(process, harness.TIMEOUT, command.text,
                                             "".join(typed).encode())
        except harness.Failed:
            self.tool.end_marked(mark)
            raise
        self.tool.check_no_processes(mark, command.text)
        self.status = process.returncode
        lines = printed.decode(errors="replace").rstrip("\n").split("\n")
        lines = [line.rstrip() for line in lines if not PROGRESS.fullmatch(line)]
        if lines and lines[-1] in ("", PROMPT.rstrip()):  # end of input at the prompt
            lines.pop()
        return lines


def run_sessions(tool, document, update):
    """The number of commands run, and the differences."""
    blocks = [block for block in document.blocks
              if block.language == "console" and block.reason is None]
    if not blocks:
        return 0, []
    sessions, differences, changes, count = Sessions(tool, document), [], [], 0
    for block in blocks:
        for command in commands_of(document, block):
            expected, actual = document.lines[command.begin:command.end], sessions.run(command)
            count += 1
            if fits(expected, actual):
                continue
            changes.append((command.begin, command.end, rewritten(expected, actual)))
            differences += ["%s:%d: $ %s" % (document.name, command.begin, command.text),
                            *difflib.unified_diff(expected, changes[-1][2], "document",
                                                  "printed", lineterm="", n=0)]
    if update and changes:
        for begin, end, lines in reversed(changes):
            document.lines[begin:end] = lines
        with open(document.path, "w", encoding="utf-8") as file:
            file.write("\n".join(document.lines))
    return count, differences


# --- checks that run nothing ----------------------------------------------------------------------

def check_blocks(document):
    """Each block must be a session or have a reason not to be. Returns the reasons."""
    reasons = []
    for block in document.blocks:
        where = "%s:%d" % (document.name, block.first)
        if block.language == "console":
            check(block.reason is None or block.reason, "%s: why is it not run?" % where)
            check(commands_of(document, block), "%s: a session without a command" % where)
            if block.reason:
                reasons.append(block.reason)
        else:
            check(block.language in NOT_SESSIONS,
                  "%s: a block of '%s'; sessions are console, others %s"
                  % (where, block.language, ", ".join(NOT_SESSIONS)))
            reasons.append(NOT_SESSIONS[block.language])
    return reasons


def options_of(tool):
    helps = [tool.run("--help").out]
    commands = re.findall(r"^  ([a-z]+) ", helps[0].split("Options:")[0], flags=re.M)
    helps += [tool.run(command, "--help").out for command in commands]
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z0-9-]*", "\n".join(helps)))


def check_options(document, known):
    """Options named in the text must be options of matchpoint. Returns the unknown ones."""
    text = "\n".join(document.prose)
    return ["%s: there is no option %s" % (document.name, option)
            for option in re.findall(r"`(--[a-z][a-z0-9-]*)", text) if option not in known]


def check_itself():
    """Tests of this script: gaps match, differences do not, and --update changes only what it
    must."""
    old = ["a 1.5 s", MORE, "last line of all " + MORE]
    check(fits(old, ["a 20 s", "b", "c", "last line of all of them"]), "it does not fit")
    for other in (["a 1.5 s", "last line of all of them"], ["b", "c", "last line of all of them"],
                  ["a 1.5 s", "b", "last line"], ["a 1.5 s", "b", "last line of all of", "d"], []):
        check(not fits(old, other), "it fits: %s" % other)
    new = rewritten(old, ["a 2.5 s", "b", "c", "last line of them all", "more"])
    check(new == ["a 1.5 s", MORE, "last line of them all", "more"], "it becomes %s" % new)


def body(tool, options):
    check_itself()
    if not shutil.which("gdb"):
        print("skipped: gdb (Debian: gdb) is missing, which prints values at the prompt")
        sys.exit(77)
    names = documents.find(ROOT)
    count, problems = documents.check_links(ROOT, names)
    known, reasons, commands, differences = options_of(tool), [], 0, []
    wanted = [os.path.relpath(os.path.abspath(name), ROOT) for name in options.documents]
    for name in wanted or names:
        document = documents.Document(ROOT, name)
        if documents.is_for_users(name):
            reasons += check_blocks(document)
            problems += check_options(document, known)
        more, different = run_sessions(tool, document, options.update)
        commands += more
        differences += different
    print("%d documents, %d links, %d commands run" % (len(names), count, commands))
    for reason in sorted(set(reasons)):
        print("%d blocks not run: %s" % (reasons.count(reason), reason))
    if options.update:
        print("\n".join(differences) or "all sessions are as they were")
    else:
        problems += differences
    check(not problems, "--update must write the output into the documents\n%s"
          % "\n".join(problems))
    check(wanted or commands >= 40, "%d commands of all documents are run" % commands)


def arguments(parser):
    parser.add_argument("--update", action="store_true")
    parser.add_argument("documents", nargs="*", metavar="DOCUMENT")


if __name__ == "__main__":
    harness.main(__doc__, body, arguments)
