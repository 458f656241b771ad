"""The habits of this code base that a program can check. Standard library only.

    python3 check_style.py [ROOT]

Prints file:line: what is wrong, and how it should be; exits with 1 if there was anything."""

import os
import re
import shutil
import subprocess
import sys

COLUMNS = 100
FUNCTION_LINES = 72  # "about a screen"
FILE_LINES = 620

FOLDERS = ["common", "shim", "ckpt", "explorer", "scheduler", "reports", "tests", "examples",
           "packaging", "docs"]

# What a folder's files may include: its own headers, and of "quoted" and <angled> ones those that
# match. This is the table of ARCHITECTURE.md.
LIBC = {"assert.h", "ctype.h", "dirent.h", "dlfcn.h", "elf.h", "endian.h", "errno.h", "execinfo.h",
        "fcntl.h", "gnu/", "inttypes.h", "limits.h", "link.h", "linux/", "locale.h", "math.h",
        "poll.h", "pthread.h", "sched.h", "semaphore.h", "setjmp.h", "signal.h", "spawn.h",
        "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h",
        "stdnoreturn.h", "string.h", "strings.h", "sys/", "termios.h", "threads.h", "time.h",
        "ucontext.h", "unistd.h", "unwind.h", "wait.h"}
RULES = {
    "common": {"quoted": {"mpi_calls.h"}, "angled": set()},
    "shim": {"quoted": {"ckpt/agent.h", "ckpt/agent_journal.h", "ckpt/agent_rewind.h",
                        "ckpt/agent_page_scan.h", "ckpt/agent_map_query.h", "ckpt/agent_state.h",
                        "common/", "mpi_calls.h", "mpi_functions.h"},
             "angled": {"mpi.h"}},
    "ckpt/agent": {"quoted": set(), "angled": set()},
    "ckpt": {"quoted": {"explorer/position.h"}, "angled": {"glib.h", "gio/", "glib/"}},
    "explorer": {"quoted": {"common/"}, "angled": {"glib.h"}},
    "scheduler": {"quoted": {"common/", "mpi_calls.h", "explorer/", "ckpt/"},
                  "angled": {"glib.h", "glib/", "glib-unix.h", "gio/"}},
    "scheduler/commands": {"quoted": {"reports/"}, "angled": set()},
    "scheduler/debug": {"quoted": {"reports/words.h", "reports/colours.h"}, "angled": {"uv.h"}},
    "scheduler/page": {"quoted": {"reports/live_page.h"}, "angled": {"uv.h"}},
    "scheduler/page/page_server": {"quoted": set(),  # besides its room's
                                   "angled": {"libwebsockets.h", "arpa/", "netinet/"}},
    "scheduler/debug/line_editor": {"quoted": set(), "angled": {"readline/"}},  # besides its room's
    "scheduler/host": {"quoted": set(), "angled": {"uv.h", "libelf.h", "gelf.h"}},
    "scheduler/places": {"quoted": set(), "angled": {"elfutils/", "dwarf.h", "libelf.h", "gelf.h"}},
    "scheduler/session": {"quoted": set(), "angled": {"uv.h"}},
    "scheduler/store": {"quoted": set(), "angled": {"sqlite3.h"}},
    "reports": {"quoted": {"scheduler/store/record.h", "scheduler/store/reader.h",
                           "scheduler/store/finding_kind.h",
                           "scheduler/store/choice_coverage.h", "mpi_calls.h"},
                "angled": {"glib.h", "glib/", "gio/", "json-glib/"}},
    "reports/otf2": {"quoted": set(), "angled": {"otf2/"}},  # besides the reports'
    "examples": {"quoted": set(), "angled": {"mpi.h"}},
}

# The rooms of scheduler/, from what the user asks for down to what all use: a room may know those
# on the lines below its own, none beside it or above.
ROOMS = [
    {"commands"},
    {"reproduce", "debug"},
    {"page"},
    {"session"},
    {"run", "verdict"},
    {"host", "world"},
    {"store"},
    {"places"},
    {"tools"},
]
LEVELS = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}
# What is known of an exploration is data; every room may speak of it. So is what is seen of a
# thread.
COMMON = {"scheduler/store/record.h", "scheduler/store/finding_kind.h",
          "scheduler/host/thread_view.h"}
# run/ reaches processes, time and files through the host's table alone.
FROM_HOST = {"run": {"scheduler/host/host.h", "scheduler/host/thread_view.h",
                     "scheduler/host/wrapper.h", "scheduler/host/environment.h"}}

# The folders of shim/, from what knows all others down to what all use: a folder may include
# headers of those below it, none above.
SHIM = ["lifecycle", "calls", "state", "request", "check", "objects", "park", "gate", "types",
        "libc", "mpi", "process"]
# The table of MPI calls and its scripts: no header of its own.
SHIM_SCRIPTS = "generate"

BANNED = [
    (r"\b(strcpy|strcat|sprintf|vsprintf|gets|strtok|alloca|tmpnam|mktemp)\s*\(",
     "unsafe; use the g_ or n form", FOLDERS[:5]),
    (r"\b(TODO|FIXME|XXX|HACK)\b", "do it, or open an issue", FOLDERS),
    (r"(?<![\w.>])exit\s*\(", "the shim is a guest: never ends the program but by _exit",
     ["shim", "ckpt"]),
    (r"\b(printf|puts|perror|g_print|g_printerr|g_warning|g_error|g_critical)\s*\(",
     "libraries return errors; only commands talk", ["shim", "ckpt", "explorer"]),
    (r"#\s*include\s*<(glib|uv)", "the shim is a guest: libc alone", ["shim"]),
    (r"(?<![\w.>])(kill|waitpid|open|fork|process_vm_readv|g_get_monotonic_time|g_dir_open|"
     r"g_file_get_contents)\s*\(",
     "run/ takes it from its host (scheduler/host/host.h)", ["scheduler/run"]),
    (r"\bsleep\s*\(", "nobody waits by the clock", ["ckpt", "explorer", "scheduler", "reports"]),
]


# Truth is bool; gboolean where GLib wants its address or calls back.
GBOOLEAN_FOR_GLIB = re.compile(r"gpointer|gconstpointer|\(gboolean\)|GVariant|GOption")


class Problems:
    def __init__(self, root):
        self.root = root
        self.lines = []

    def add(self, path, line, text):
        self.lines.append("%s:%d: %s" % (os.path.relpath(path, self.root), line, text))


def sources(root, folders, endings):
    for folder in folders:
        for directory, _, files in sorted(os.walk(os.path.join(root, folder))):
            for name in sorted(files):
                if name.endswith(endings):
                    yield folder, os.path.join(directory, name)


def without_comments(text):
    """The same text with comments and strings blanked, lines kept."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def check_lines(problems, path, lines, tabs):
    inside = False  # a function, where every line begins with a tab
    for number, line in enumerate(lines, 1):
        inside = line == "{" or (inside and not line.startswith("}"))
        if len(line.expandtabs(8)) > COLUMNS and "http" not in line:
            problems.add(path, number, "longer than %d columns" % COLUMNS)
        if line != line.rstrip():
            problems.add(path, number, "blanks at the end of the line")
        if tabs and inside and re.match(r" +[^ *]", line):
            problems.add(path, number, "indented with blanks; use tabs")


def check_truth(problems, path, lines):
    for number, line in enumerate(lines, 1):
        if re.search(r"\b(TRUE|FALSE)\b", line):
            problems.add(path, number, "true, false")
        if re.search(r"\bgboolean\b", line) and not GBOOLEAN_FOR_GLIB.search(line):
            problems.add(path, number, "bool; or, if it is for GLib (GVariant, GOption), say so")


def check_lengths(problems, path, lines):
    if len(lines) > FILE_LINES:
        problems.add(path, 1, "%d lines; divide the file (about 600)" % len(lines))
    begin = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            begin = number
        elif line.startswith("}") and begin is not None:
            if number - begin - 1 > FUNCTION_LINES:
                problems.add(path, begin, "function of %d lines; divide it (about 70)" % (
                    number - begin - 1))
            begin = None


def check_banned(problems, path, code):
    name = os.path.relpath(path, problems.root)
    for pattern, reason, folders in BANNED:
        if not name.startswith(tuple(folder + "/" for folder in folders)):
            continue
        for match in re.finditer(pattern, code):
            problems.add(path, code.count("\n", 0, match.start()) + 1,
                         "%s: %s" % (match.group(0).strip(), reason))


def allowed(name, rules):
    return any(name == rule or (rule.endswith("/") and name.startswith(rule)) for rule in rules)


def rules_for(root, path):
    """The rules that hold for a file: those of its folder, of its room, and of the file itself."""
    name = os.path.relpath(path, root)
    folder = name.split("/")[0]
    quoted, angled = set(), set(LIBC)
    for prefix in ("ckpt/agent",) if name.startswith("ckpt/agent") else (folder, name):
        for rule, sets in RULES.items():
            if prefix == rule or (prefix == name and "/" in rule and name.startswith(rule)):
                quoted |= sets["quoted"]
                angled |= sets["angled"]
    return quoted, angled


def room_of(name):
    parts = name.split("/")
    return parts[1] if parts[0] == "scheduler" and len(parts) == 3 else None


def arrow_allowed(user, used):
    """Whether a file of one room of scheduler/ may include a header of another."""
    here, there = room_of(user), room_of(used)
    if here not in LEVELS or there not in LEVELS:
        return False
    if there == "host" and here in FROM_HOST:
        return used in FROM_HOST[here]
    return here == there or LEVELS[here] < LEVELS[there] or used in COMMON


def shim_folder_of(name):
    parts = name.split("/")
    return parts[1] if parts[0] == "shim" and len(parts) == 3 else None


def shim_arrow_allowed(user, used):
    """Whether a file of one folder of shim/ may include a header of another."""
    here, there = shim_folder_of(user), shim_folder_of(used)
    return here in SHIM and there in SHIM and SHIM.index(here) <= SHIM.index(there)


def check_shim_declarations(problems, path, code):
    """No declaration in a .c file stands for an include: but of functions of the C library."""
    for match in re.finditer(r"^extern\b[^;]*;", code, flags=re.M):
        if "__libc_" not in match.group(0):
            problems.add(path, code.count("\n", 0, match.start()) + 1,
                         "include the header that declares it")


def check_shim_top(problems, root):
    """The folders of shim/ hold its files; beside them is a README alone."""
    top = os.path.join(root, "shim")
    for name in sorted(os.listdir(top) if os.path.isdir(top) else []):
        path = os.path.join(top, name)
        if os.path.isfile(path) and name != "README.md":
            problems.add(path, 1, "belongs into a folder of shim/ (see ARCHITECTURE.md)")


def check_includes(problems, root, folder, path, text):
    if folder == "tests":
        return
    quoted, angled = rules_for(root, path)
    here = os.path.dirname(path)
    for match in re.finditer(r'^#\s*include\s*([<"])([^>"]+)[>"]', text, flags=re.M):
        line = text.count("\n", 0, match.start()) + 1
        name = match.group(2)
        if match.group(1) == "<":
            if not allowed(name, angled):
                problems.add(path, line, "<%s> is not for %s/ (see ARCHITECTURE.md)" % (
                    name, os.path.relpath(here, root)))
            continue
        full = os.path.normpath(os.path.join(here, name))
        if os.path.exists(full):
            name = os.path.relpath(full, root)
        own = name.startswith(folder + "/")
        if own and folder == "scheduler":
            if not arrow_allowed(os.path.relpath(path, root), name):
                problems.add(path, line, '"%s" is no room below this one (see ARCHITECTURE.md)'
                             % name)
        elif own and folder == "shim":
            if not shim_arrow_allowed(os.path.relpath(path, root), name):
                problems.add(path, line, '"%s" is no folder below this one (see ARCHITECTURE.md)'
                             % name)
        elif own and "/agent" in path and folder == "ckpt" and "agent" not in name:
            problems.add(path, line, "the agent includes its own headers alone")
        elif not own and not allowed(name, quoted):
            problems.add(path, line, '"%s" is not for %s/ (see ARCHITECTURE.md)' % (name, folder))


def check_error_domains(problems, path, code):
    """An error is of the domain of whoever reports it, which a header beside it declares."""
    folder = os.path.dirname(path)
    for match in re.finditer(r"\bg_set_error(?:_literal)?\s*\([^;]*?\b((?!G_)[A-Z_]+_ERROR),",
                             code):
        own = "#define %s (" % match.group(1)
        headers = (os.path.join(folder, name) for name in os.listdir(folder)
                   if name.endswith(".h"))
        if not any(own in open(header).read() for header in headers):
            problems.add(path, code.count("\n", 0, match.start()) + 1,
                         "%s is the domain of another folder" % match.group(1))


# Headers whose structs are values: what is asked for and told, tables of functions, what is kept.
# Whoever speaks to a module has them. A struct that is a module's own state is no such value.
VALUES = {"common/wire.h", "shim/gate/gate.h", "shim/gate/caller.h", "explorer/explorer.h",
          "explorer/path.h",
          "reports/report.h", "reports/words.h", "scheduler/commands/command.h",
          "scheduler/host/environment.h", "scheduler/host/host.h", "scheduler/run/run.h",
          "scheduler/session/session.h", "scheduler/store/record.h"}
USERS_MOST = 10


def check_openness(problems, root):
    """No header opens a struct, be it through another header, to more than ten files."""
    texts, users = {}, {}
    for _, path in sources(root, FOLDERS[:5], (".c", ".h")):
        with open(path) as file:
            texts[os.path.relpath(path, root)] = file.read()
    for name, text in texts.items():
        for used in re.findall(r'^#\s*include\s*"([^"]+)"', text, flags=re.M):
            beside = os.path.normpath(os.path.join(os.path.dirname(name), used))
            users.setdefault(beside if beside in texts else used, set()).add(name)
    for name in sorted(set(texts) - VALUES):
        if not name.endswith(".h") or not re.search(r"^struct \w+ \{", texts[name], flags=re.M):
            continue
        header = name
        seen, new = set(), {name}
        while header.endswith("_internal.h") and new:
            new = set().union(*(users.get(user, set()) for user in new)) - seen
            seen |= new
        seen = {user for user in seen | users.get(header, set()) if user.endswith(".c")}
        if len(seen) > USERS_MOST:
            problems.add(os.path.join(root, header), 1,
                         "opens a struct to %d files; hide it behind functions (%d at most)" % (
                             len(seen), USERS_MOST))


def check_header(problems, root, path, text):
    name = os.path.relpath(path, root)
    if not text.startswith("/*"):
        problems.add(path, 1, "a header opens with its contract, in a comment")
    guard = "MATCHPOINT_" + re.sub(r"\W", "_", name.upper())
    if name.startswith("tests/"):
        return
    if "#ifndef %s\n#define %s\n" % (guard, guard) not in text:
        problems.add(path, 1, "the include guard should be %s" % guard)


def check_environment(problems, root):
    """Every environment variable that is read or set is declared in the one table of them."""
    folder = os.path.join(root, "scheduler", "host")
    with open(os.path.join(folder, "environment.c")) as file:
        named = re.findall(r'^\t\{("?\w+"?), ENVIRONMENT_', file.read(), flags=re.M)
    with open(os.path.join(folder, "environment.h")) as file:
        macros = dict(re.findall(r'^#define (ENVIRONMENT_\w+) "(\w+)"', file.read(), flags=re.M))
    declared = {macros.get(name, name.strip('"')) for name in named}
    for _, path in sources(root, FOLDERS[:6], (".c", ".h")):
        with open(path) as file:
            text = file.read()
        for match in re.finditer(r'env\((?:environment, )?("\w+"|ENVIRONMENT_\w+)', text):
            name = macros.get(match.group(1), match.group(1).strip('"'))
            if name not in declared:
                problems.add(path, text.count("\n", 0, match.start()) + 1,
                             "%s is not declared in scheduler/host/environment.c" % name)


def check_format(problems, root):
    """The version of clang-format that the code is kept in; another one sees things otherwise."""
    program = shutil.which("clang-format-14") or shutil.which("clang-format")
    if not program:
        return
    said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    if " version 14." not in said:
        return
    paths = [path for _, path in sources(root, FOLDERS, (".c", ".h"))]
    said = subprocess.run([program, "--dry-run"] + paths, capture_output=True, text=True).stderr
    for path, line in sorted(set(re.findall(r"^(\S+?):(\d+):\d+: warning", said, flags=re.M))):
        problems.add(path, int(line), "not as clang-format has it: clang-format -i")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../.."))
    problems = Problems(root)
    count = 0
    for folder, path in sources(root, FOLDERS, (".c", ".h", ".py", "CMakeLists.txt")):
        with open(path) as file:
            text = file.read()
        lines = text.split("\n")
        count += 1
        if not text.endswith("\n") or text.endswith("\n\n"):
            problems.add(path, len(lines), "a file ends with one newline")
        check_lines(problems, path, lines, path.endswith((".c", ".h")))
        if not path.endswith((".c", ".h")):
            continue
        check_lengths(problems, path, lines[:-1])
        check_truth(problems, path, lines)
        check_banned(problems, path, without_comments(text))
        if folder == "shim" and path.endswith(".c"):
            check_shim_declarations(problems, path, without_comments(text))
        if folder != "tests":
            check_error_domains(problems, path, without_comments(text))
        check_includes(problems, root, folder, path, text)
        if path.endswith(".h"):
            check_header(problems, root, path, text)
    check_shim_top(problems, root)
    check_openness(problems, root)
    check_environment(problems, root)
    check_format(problems, root)
    for line in problems.lines:
        print(line)
    print("%d files, %d problems" % (count, len(problems.lines)))
    sys.exit(1 if problems.lines else 0)


if __name__ == "__main__":
    main()
