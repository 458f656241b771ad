"""An installed matchpoint works at its location: the program finds its shim, other projects find
matchpoint by CMake and pkg-config, and the manual and the completion describe it."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys

import check_look
import documents
import harness
from harness import check

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))

PROJECT = """cmake_minimum_required(VERSION 3.22)
project(outside C)
enable_testing()
find_package(matchpoint %(version)s REQUIRED)
foreach(name senders probe_then_receive)
	add_executable(${name} %(root)s/examples/${name}.c)
endforeach()
set(MATCHPOINT_REPORT_DIR reports) # of the build directory
matchpoint_add_test(NAME right NUMPROCS 3 OPTIONS --buffering zero COMMAND senders)
unset(MATCHPOINT_REPORT_DIR)
matchpoint_add_test(NAME "wrong/finding" NUMPROCS 3 COMMAND later)
matchpoint_add_test(NAME bounded NUMPROCS 8 BUDGET 1 COMMAND $<TARGET_FILE:senders>)
matchpoint_add_test(NAME strict NUMPROCS 3 INCOMPLETE fail OPTIONS --max-interleavings 1
	COMMAND ${CMAKE_BINARY_DIR}/senders)
matchpoint_add_test(NAME none NUMPROCS 2 COMMAND no-such-program)
add_executable(later %(root)s/examples/probe_then_receive.c)
"""

WRONG_CALLS = {
    "NUMPROCS 2 COMMAND a": "NAME is missing",
    "NAME a NUMPROCS 2": "COMMAND is missing",
    "NAME a NUMPROCS two COMMAND a": "NUMPROCS cannot be 'two'",
    "NAME a NUMPROCS 2 BUDGET -1 COMMAND a": "BUDGET cannot be '-1'",
    "NAME a NUMPROCS 2 INCOMPLETE pass COMMAND a": "INCOMPLETE cannot be 'pass'",
    "what NAME a NUMPROCS 2 COMMAND a": "unknown argument 'what'",
}


def call(*command, status=0, **more):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, stdin=subprocess.DEVNULL, **more)
    text, _ = harness.communicate(process, harness.TIMEOUT)
    check(status is None or process.returncode == status,
          "%s: exit status %d\n%s" % (" ".join(command), process.returncode, text))
    return text


def installed(tool, build):
    """Installs below one prefix, and moves everything to another. Returns the second."""
    first = os.path.join(tool.directory, "first")
    prefix = os.path.join(tool.directory, "second")
    call("cmake", "--install", build, "--prefix", first)
    os.rename(first, prefix)
    for file in ("bin/matchpoint", "share/man/man1/matchpoint.1", "share/doc/matchpoint/README.md",
                 "share/bash-completion/completions/matchpoint"):
        check(os.path.exists(os.path.join(prefix, file)), "%s is not installed" % file)
    return prefix


def configured(tool, compiler, version, package):
    """The build directory of another project; `package` is the location of matchpoint."""
    source = os.path.join(tool.directory, "outside")
    build = os.path.join(source, "build")
    shutil.rmtree(source, ignore_errors=True)
    os.mkdir(source)
    with open(os.path.join(source, "CMakeLists.txt"), "w") as file:
        file.write(PROJECT % {"root": ROOT, "version": version})
    call("cmake", "-G", "Ninja", "-S", source, "-B", build, "-DCMAKE_C_COMPILER=" + compiler,
         "-DCMAKE_BUILD_TYPE=Debug", package)
    call("cmake", "--build", build)
    return build


def check_project(build):
    text = call("ctest", "--test-dir", build, "--output-on-failure", status=8)
    for name, result in (("right", "Passed"), ("wrong/finding", r"\*\*\*Failed"),
                         ("bounded", r"\*\*\*Skipped"), ("strict", r"\*\*\*Failed"),
                         ("none", r"\*\*\*Failed")):
        check(re.search(r"%s \.+ *%s" % (name, result), text),
              "test %s is not '%s'\n%s" % (name, result, text))
    check("mpi-error #1" in text, "the finding is not reported\n%s" % text)
    reports = sorted(os.listdir(os.path.join(build, "reports")))
    check(reports == ["right.html", "right.sarif", "right.xml"], "reports: %s" % reports)


def check_calls(tool):
    for arguments, message in WRONG_CALLS.items():
        script = os.path.join(tool.directory, "wrong.cmake")
        with open(script, "w") as file:
            file.write('include("%s/cmake/matchpoint-add-test.cmake")\n'
                       "matchpoint_add_test(%s)\n" % (ROOT, arguments))
        text = call("cmake", "-P", script, status=1)
        check(message in " ".join(text.split()), "no '%s' in\n%s" % (message, text))


def check_pkg_config(prefix, version):
    environment = dict(os.environ, PKG_CONFIG_PATH=glob.glob(prefix + "/lib*/pkgconfig")[0])
    found = call("pkg-config", "--modversion", "matchpoint", env=environment).strip()
    check(found == version, "pkg-config knows version %s" % found)
    for variable in ("matchpoint", "shim"):
        file = call("pkg-config", "--variable", variable, "matchpoint", env=environment).strip()
        check(os.path.exists(file) and os.path.realpath(file).startswith(prefix),
              "pkg-config's %s is %s" % (variable, file))


def check_pickle(tool):
    """The program finds the script for pickles beside its shim."""
    program = tool.compile(tool.write("pickles.c", check_look.PICKLES))
    run = check_look.debug(tool, ["run"], "-n", "3", program)
    check("38 MPI_BYTE: {'step': 3, 'x': 0.5} " in run.out, str(run))


def check_version(tool):
    """It names the library used to run programs compiled here."""
    text = tool.run("--version").out
    match = re.fullmatch(r"matchpoint (\d+\.\d+\.\d+)\nMPI: MPICH (\S+) \((\S+)\)\n"
                         r"--otf2: (OTF2 3\.\S+|built without OTF2; .*)\n"
                         r"debug --web: (libwebsockets \d\S+|built without libwebsockets)\n", text)
    check(match, "--version prints\n%s" % text)
    told = call(tool.mpicc.replace("mpicc", "mpichversion"), status=None) \
        if shutil.which(tool.mpicc.replace("mpicc", "mpichversion")) else match.group(2)
    check(match.group(2) in told and os.path.exists(match.group(3)), "%s\n%s" % (text, told))
    return match.group(1)


def check_manual(tool, prefix):
    """A page for each command, which has each option and is valid roff."""
    text = tool.run("--help").out
    commands = re.findall(r"^  ([a-z]+) ", text.split("Options:")[0], flags=re.M)
    check("explore" in commands and len(commands) >= 6, "commands: %s" % commands)
    for command in commands:
        with open("%s/share/man/man1/matchpoint-%s.1" % (prefix, command)) as file:
            page = file.read().replace("\\-", "-")
        for option in re.findall(r"^  (?:-., )?(--[a-z0-9-]+)", tool.run(command, "--help").out,
                                 flags=re.M):
            check(re.search(r"^\\fB.*%s\b" % option, page, flags=re.M),
                  "%s is not in the page of %s" % (option, command))
    if not shutil.which("man") or not shutil.which("groff"):
        return
    for page in glob.glob(prefix + "/share/man/man1/*.1"):
        done = harness.call(["man", "--warnings", "-E", "UTF-8", "-l", page],
                            env=dict(os.environ, LC_ALL="C.UTF-8", MANROFFSEQ=""))
        check(done.returncode == 0 and "EXIT STATUS" in done.stdout and not done.stderr,
              "%s\n%s" % (page, done.stderr))


def check_described(tool):
    """--describe contains what --help contains, for each command."""
    tables = json.loads(tool.run("--describe").out)
    text = tool.run("--help").out
    for command in tables["commands"]:
        line = "  %-9s %s\n" % (command["name"], command["summary"])
        check(line in text, "--help has no line '%s'" % line)
        told = tool.run(command["name"], "--help").out
        check(command["example"] in told and command["synopsis"] in told, told)
        options = {option["name"]: option["help"] for option in command["options"]}
        found = dict(re.findall(r"^  (?:-., )?--([a-z0-9-]+)(?:=\S+)? +(\S.*)$", told, flags=re.M))
        found.pop("help")
        check(found == options, "%s: %s\n%s" % (command["name"], options, told))
    run = tool.run("--describe", "nonsense")
    check(run.status == 2 and "completion" in run.err, str(run))


def completions(prefix, *words):
    """The completions of bash for the last word."""
    script = ('source "$1/share/bash-completion/completions/matchpoint"; shift; COMP_WORDS=("$@"); '
              'COMP_CWORD=$(($# - 1)); _matchpoint 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"')
    text = call("bash", "-c", script, "bash", prefix, prefix + "/bin/matchpoint", *words,
                cwd=prefix)
    return text.split()


def check_completion(tool, prefix):
    for words, expected in (
            (("ex",), ["explore"]), (("--v",), ["--version"]),
            (("explore", "--max-i"), ["--max-interleavings="]),
            (("explore", "--backtrack", "sn"), ["snapshot"]),
            (("explore", "--backtrack", "=", "rer"), ["rerun"]),
            (("explore", "--backtrack", "="), ["auto", "snapshot", "rerun", "rewind"]),
            (("explore", "-n", "4", "--fail"), ["--fail-fast"]),
            (("explore", "--otf"), ["--otf2="]), (("explore", "--otf2", "sh"), ["share"]),
            (("explore", "--store", "sh"), ["share"]), (("report", "li"), ["lib"]),
            (("explore", "-n", "2", "--", "./p", "bi"), ["bin"]),
            (("check", "--max"), [])):
        found = completions(prefix, *words)
        check(found == expected, "%s is completed by %s, not %s" % (words, found, expected))
    program = tool.compile(os.path.join(ROOT, "examples/senders.c"))
    for option in ("buffering", "collectives", "backtrack", "compare", "ignore"):
        words = completions(prefix, "explore", "--" + option, "=", "")
        check(words, "no words for --%s" % option)
        for word in words:  # each is accepted; errors concern something later
            run = tool.run("explore", "--%s=%s" % (option, word), "--", program)
            check("number of ranks is missing" in run.err,
                  "--%s=%s is offered\n%s" % (option, word, run))


def check_links(directory):
    """The targets of links in the README and the pages for users exist."""
    names = [name for name in documents.find(directory) if documents.is_for_users(name)]
    count, broken = documents.check_links(directory, names)
    check(len(names) >= 10 and count >= 60, "%d links in %s" % (count, names))
    check(not broken, "%s:\n%s" % (directory, "\n".join(broken)))


def check_debian(tool, build):
    """The package by cpack has its dependencies, and works where it is unpacked."""
    if not shutil.which("dpkg-deb") or not shutil.which("cpack"):
        return
    call("cpack", "-G", "DEB", "-B", tool.directory, cwd=build)
    package = glob.glob(tool.directory + "/matchpoint_*.deb")[0]
    needs = call("dpkg-deb", "-f", package, "Depends")
    for name in ("mpich", "libuv1", "libglib2.0-0", "libsqlite3-0", "libjson-glib", "libdw1"):
        check(name in needs, "it does not depend on %s: %s" % (name, needs))
    files = call("dpkg-deb", "-c", package)
    for name in ("bin/matchpoint", "matchpoint/libmatchpoint-shim.so",
                 "matchpoint/access/libmatchpoint_access.a", "matchpoint/access/libtsan.a",
                 "matchpoint/access/libtsan_preinit.o", "matchpoint/show_pickle.py",
                 "man1/matchpoint-explore.1",
                 "completions/matchpoint", "matchpoint-config.cmake", "pkgconfig/matchpoint.pc",
                 "doc/matchpoint/copyright"):
        check("/%s\n" % name in files, "%s is not in it\n%s" % (name, files))
    call("dpkg-deb", "-x", package, tool.directory + "/unpacked")
    check_links(tool.directory + "/unpacked/usr/share/doc/matchpoint")
    suggested = call("dpkg-deb", "-f", package, "Suggests")
    check("gdb" in suggested and "python3" in suggested, "suggested: %s" % suggested)
    tool.matchpoint = tool.directory + "/unpacked/usr/bin/matchpoint"
    run = tool.run("explore", "-n", "3", tool.compile(os.path.join(ROOT, "examples/senders.c")))
    check(run.status == 0 and "4 interleavings" in run.out, str(run))
    check_pickle(tool)


def body(tool, _):
    build = os.path.dirname(tool.matchpoint)
    if not shutil.which("cmake") or not os.path.exists(build + "/cmake_install.cmake"):
        sys.exit(77)
    prefix = installed(tool, build)
    tool.matchpoint = prefix + "/bin/matchpoint"
    check_pickle(tool)
    version = check_version(tool)
    check_project(configured(tool, tool.mpicc, version, "-DCMAKE_PREFIX_PATH=" + prefix))
    outside = configured(tool, tool.mpicc, version, "-Dmatchpoint_DIR=" + build)
    call("ctest", "--test-dir", outside, "-R", "right")
    check_calls(tool)
    check_pkg_config(prefix, version)
    check_manual(tool, prefix)
    check_described(tool)
    check_completion(tool, prefix)
    check_debian(tool, build)


if __name__ == "__main__":
    harness.main(__doc__, body)
