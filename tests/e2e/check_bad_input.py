"""Errors of users and of the machine: each must give a clear message and the right exit status,
and leave nothing behind. Every function test_... is a test."""

import hashlib
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import time
import uuid

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "../../examples")

FAKE_MPI = """
int MPI_Init(int *argc, char ***argv) { (void)argc; (void)argv; return 0; }
int MPI_Finalize(void) { return 0; }
"""
USES_MPI = """
int MPI_Init(int *, char ***);
int MPI_Finalize(void);
int main(int argc, char **argv) { return MPI_Init(&argc, &argv) + MPI_Finalize(); }
"""


def cc(*command):
    subprocess.run(["cc", *command], check=True)


def refused(run, status, *words):
    """One line that says what is wrong, with these words in it."""
    check(run.status == status, "exit status %s instead of %d\n%s" % (run.status, status, run))
    for word in words:
        check(word.lower() in run.err.lower(), "'%s' is not in the message\n%s" % (word, run))
    check(run.err.startswith("matchpoint: "), "who says that?\n%s" % run)
    check(run.err.count("\n") <= 4, "a long story\n%s" % run)


def senders(tool):
    program = os.path.join(tool.directory, "senders")
    if not os.path.exists(program):
        tool.compile(os.path.join(EXAMPLES, "senders.c"))
    return program


# --- programs ------------------------------------------------------------------------------------


def test_program_that_is_not_there(tool):
    refused(tool.run("explore", "-n", "2", "./nowhere"), 4, "./nowhere")
    refused(tool.run("explore", "-n", "2", "no-such-command"), 4, "no-such-command")


def test_program_that_is_not_executable(tool):
    path = tool.write("readme", "hello\n")
    refused(tool.run("explore", "-n", "2", path), 4, path)
    refused(tool.run("explore", "-n", "2", tool.directory), 4, tool.directory)
    os.chmod(path, 0o755)
    refused(tool.run("explore", "-n", "2", path), 4, path)


def test_program_without_mpi(tool):
    refused(tool.run("explore", "-n", "2", "/bin/true"), 4, "/bin/true", "MPI")


def test_program_with_open_mpi(tool):
    library = os.path.join(tool.directory, "libmpi.so.40")
    program = os.path.join(tool.directory, "with-open-mpi")
    cc("-shared", "-fPIC", "-Wl,-soname,libmpi.so.40", "-o", library,
       tool.write("fake.c", FAKE_MPI))
    cc("-o", program, tool.write("uses.c", USES_MPI), library,
       "-Wl,-rpath," + tool.directory)
    refused(tool.run("explore", "-n", "2", program), 4, program, "Open MPI")


def test_program_linked_statically(tool):
    program = os.path.join(tool.directory, "static")
    cc("-static", "-o", program, tool.write("fake.c", FAKE_MPI), tool.write("uses.c", USES_MPI))
    refused(tool.run("explore", "-n", "2", program), 4, program, "static")


def test_program_that_never_calls_mpi(tool):
    source = tool.write("silent.c", "#include <mpi.h>\nint main(int argc, char **argv)\n"
                        "{ return argc > 5 ? MPI_Init(&argc, &argv) : 0; }\n")
    run = tool.run("explore", "-n", "2", tool.compile(source), timeout=30)
    refused(run, 4, "MPI_Init")


def test_program_that_crashes_before_mpi(tool):
    source = tool.write("early.c", "#include <mpi.h>\n#include <stdlib.h>\n"
                        "int main(int argc, char **argv)\n"
                        "{ if (argc < 5) abort(); return MPI_Init(&argc, &argv); }\n")
    run = tool.run("explore", "-n", "2", tool.compile(source), timeout=30)
    check(run.status in (1, 4), "exit status %s\n%s" % (run.status, run))
    check("SIGABRT" in run.out + run.err or "MPI_Init" in run.out + run.err, str(run))


def test_rank_that_never_calls_mpi_init(tool):
    """The others wait for it in MPI_Init, and so does the launcher."""
    source = tool.write("absent_rank.c", "#include <mpi.h>\n#include <stdlib.h>\n"
                        "int main(int argc, char **argv)\n"
                        "{ if (atoi(getenv(\"PMI_RANK\")) == 1) return 0;\n"
                        "  MPI_Init(&argc, &argv); return MPI_Finalize(); }\n")
    program = tool.compile(source)
    for backtrack in ("snapshot", "rerun"):
        run = tool.run("explore", "-n", "3", "--backtrack", backtrack, program, timeout=30)
        refused(run, 4, "rank 1", "MPI_Init")


def test_mpi_that_cannot_start(tool):
    """As under `ulimit -u 12`: MPI_Init gets no thread. It is no fault of the program's."""
    source = tool.write("no_threads.c", "#include <errno.h>\n#include <mpi.h>\n"
                        "int pthread_create(void *thread, void *options, void *(*start)(void *), "
                        "void *value)\n"
                        "{ (void)thread; (void)options; (void)start; (void)value; "
                        "return EAGAIN; }\n"
                        "int main(int argc, char **argv)\n"
                        "{ MPI_Init(&argc, &argv); return MPI_Finalize(); }\n")
    program = tool.compile(source, "-rdynamic")
    for backtrack in ("snapshot", "rerun"):
        run = tool.run("explore", "-n", "3", "--backtrack", backtrack, program, timeout=60)
        if run.status == 0:
            print("    this MPI needs no threads")
            return
        refused(run, 4, "MPI could not start", "SIGABRT", "MPI_Init", "ulimit -a")


def test_started_by_mpiexec(tool):
    """It is explored, and rank 0 of the outer job says what is wrong."""
    for rank, told in (("0", True), ("1", False)):
        run = tool.run("explore", "-n", "2", "--buffering", "zero", senders(tool),
                       environment={"PMI_SIZE": "4", "PMI_RANK": rank})
        check(run.status in (0, 1), str(run))
        check(("one of 4 ranks of another job" in run.err) == told, str(run))


def test_names_that_a_terminal_would_obey(tool):
    """Source, program and communicator have names with control characters, bytes that are no
    UTF-8, and a character that turns text around."""
    odd = "\x01\x1b[31m\x7f\u202e"
    source = tool.write("odd.c", """#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	int rank, from, i;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_name(MPI_COMM_WORLD, "w\\001\\177\\342\\200\\256");
#line 9 "odd\\001\\033\\177\\377\\342\\200\\256.c"
	for (i = 0; rank == 0 && i < 2; i++) {
		MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (i == 0 && from == 2)
			abort();
	}
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
""")
    program = os.path.join(tool.directory, "odd" + odd)
    os.rename(tool.compile(source), program)
    script = tool.write("words", "run\ninfo calls\nwhere\nlist\ncontinue\n")
    run = tool.run("explore", "-n", "3", "--buffering", "zero", program)
    check(run.status == 1 and "1 crash" in run.out, str(run))
    for arguments, status in ((["minimize", "1"], 0), (["check", program], 3),
                              (["report", ".matchpoint"], 1),
                              (["debug", "-n", "3", "-x", script, "--batch", program], None)):
        told = tool.run(*arguments)
        check(status is None or told.status in (0, status), str(told))
        for bad in odd.replace("[31m", ""):
            check(bad not in told.out + told.err, "%r in %s" % (bad, told))
    minimized = tool.run("minimize", "1")
    check(minimized.status == 0 and "mp1:n3:zero:0.2=2" in minimized.out, str(minimized))


# --- the command line ----------------------------------------------------------------------------


def test_what_is_meant_is_understood_or_told(tool):
    program = senders(tool)
    for arguments in (["explore", "-j2", "-n2", program], ["explore", "-np", "2", program],
                      ["explore", "-n2", "--max-interleavings=9", "-j2", program],
                      ["run", "-n2", program, "-n", "7"]):
        run = tool.run(*arguments)
        check(run.status in (0, 1) and "on 2 ranks" in run.out, str(run))
    for arguments, told in (
            (["./halo"], "matchpoint explore -n 4 ./halo"),
            (["-n", "2", program], "matchpoint explore -n 4"),
            ([os.path.basename(program)],
             "matchpoint explore -n 4 ./" + os.path.basename(program)),
            (["explore", program, "-n", "2"], "matchpoint explore -n 2 " + program),
            (["explore", "-n", "2", "--wrap", "valgrind", program], "an option of replay"),
            (["run", "-n", "2", "--wrap=valgrind", program], "an option of replay"),
            (["explore", "-n", "2", "--buffering", "none", program], "zero, infinite"),
            (["explore", "-n", "2", "--collectives", "none", program], "async, sync"),
            (["explore", "-n", "2", "--order", "none", program], "portfolio"),
            (["debug", "-n", "2", "--web", "80", program], "--web 8080")):
        refused(tool.run(*arguments), 2, told)
    run = tool.run("explore", "-n", "2", program, "--html", "x.html")
    check("--html is passed to " + program in run.err, str(run))
    run = tool.run("explore", "-n", "2", "--", program, "--html", "x.html")
    check("--html" not in run.err, str(run))


def test_report_that_cannot_be_written_is_told_at_once(tool):
    program = senders(tool)
    for option in ("json", "html", "dot"):
        run = tool.run("explore", "-n", "2", "--" + option, "no/such/x", program)
        refused(run, 4, "--" + option, "no directory no/such")
        check("interleaving" not in run.out, str(run))
    plain = tool.write("plain", "")
    refused(tool.run("explore", "-n", "2", "--json", plain + "/x.json", program), 4, "--json")
    run = tool.run("explore", "-n", "2", "--json", tool.directory, program)
    refused(run, 4, "name a file in it")
    check("interleaving" not in run.out, str(run))
    if "not in this build" not in tool.run("explore", "--help").out:
        refused(tool.run("explore", "-n", "2", "--otf2", plain, program), 4, "name a directory")


def test_usage(tool):
    program = senders(tool)
    for arguments in (["explore"], ["explore", program], ["explore", "-n", "0", program],
                      ["explore", "-n", "-3", program], ["explore", "-n", "two", program],
                      ["explore", "-n", "2", "--no-such-option", program],
                      ["explore", "-n", "2", "--buffering", "some", program],
                      ["explore", "-n", "2", "--backtrack", "magic", program],
                      ["explore", "-n", "2", "--max-interleavings", "-1", program],
                      ["explore", "-n", "2", "--max-memory", "lots", program],
                      ["explore", "-n", "2", "--max-time", "10x", program],
                      ["explore", "-n", "2", "--max-time", "-1", program],
                      ["explore", "-np", program], ["explore", "-p", "2", program],
                      ["help", "exlpore"],
                      ["exlpore", "-n", "2", program], ["replay"]):
        refused(tool.run(*arguments), 2)


def test_suggestions(tool):
    program = senders(tool)
    for arguments, meant in ((["exlpore", "-n", "2", program], "explore?"),
                             (["help", "replya"], "replay?"),
                             (["explore", "-n", "2", "--maxtime", "3", program], "--max-time?"),
                             (["run", "-n", "2", "--jsno", "-", program], "--json?"),
                             (["report", "--merge-to", "x"], "--merge-into?"),
                             (["explore", "-n", "3", "mpirun", program], "explore -n 3 ")):
        refused(tool.run(*arguments), 2, meant)
    for arguments in (["banana"], ["explore", "-n", "2", "--banana", program]):
        check("mean" not in tool.run(*arguments).err, str(arguments))


def test_help(tool):
    for command in ([], ["explore"], ["run"], ["replay"], ["report"], ["check"]):
        run = tool.run(*command, "--help")
        check(run.status == 0 and "matchpoint" in run.out and not run.err, str(run))
    for command in ("explore", "run", "replay", "report", "check"):
        check("xample" in tool.run(command, "--help").out, "no example: " + command)
        check(tool.run("help", command).out == tool.run(command, "--help").out, command)
    check(tool.run("--version").out.startswith("matchpoint "), "no version")


def test_what_mpiexec_users_type(tool):
    program = senders(tool)
    run = tool.run("explore", "-np", "2", "--max-time", "1.5m", program, report=True)
    check(run.status == 0 and run.report["ranks"] == 2, str(run))
    refused(tool.run("explore", "mpiexec", "-np", "3", program, "a b"), 2,
            "use matchpoint explore -n 3 %s 'a b'" % program)
    refused(tool.run("explore", "-n", "3", "mpirun", "--oversubscribe", program), 2,
            "use matchpoint explore -n 4 ./solver")
    store = os.path.join(tool.directory, "named")
    tool.run("explore", "-n", "2", "--store", store, program)
    run = tool.run("report", "--store", store)
    check(run.status == 0 and "2 interleavings" in run.out, str(run))


def test_names_that_terminals_obey(tool):
    name = "./a\n::error::b\033[31m'"
    os.link(senders(tool), os.path.join(tool.directory, name))
    for environment in ({}, {"GITHUB_ACTIONS": "true"}):
        run = tool.run("explore", "-n", "2", name, environment=environment)
        check(run.status == 0 and "\033" not in run.out + run.err, str(run))
        check(not any(line.startswith("::error") for line in (run.out + run.err).split("\n")),
              str(run))
    refused(tool.run("explore", "-n", "2", name + "\n::error"), 4, "there is no program")


def limited(tool, limit, *arguments):
    """matchpoint under a limit of the shell."""
    whole, script = tool.matchpoint, tool.write(
        "limited", "#!/bin/sh\nulimit %s\nexec %s \"$@\"\n" % (limit, tool.matchpoint))
    os.chmod(script, 0o755)
    tool.matchpoint = script
    try:
        return tool.run(*arguments)
    finally:
        tool.matchpoint = whole


def test_limits(tool):
    refused(limited(tool, "-n 200", "explore", "-n", "2", senders(tool)), 4, "ulimit -n")
    refused(limited(tool, "-f 1", "explore", "-n", "2", senders(tool)), 4, "cannot be written",
            "ulimit -f")


def test_more_ranks_than_the_machine_can_hold(tool):
    refused(tool.run("explore", "-n", "1000000", senders(tool), timeout=60), 4, "memory")


def test_path_that_is_none(tool):
    for path in ("mp1", "mp9:n3:", "mp1:n3:0.2=", "hello", "mp1:n3:0.2=1,,", "mp1:n0:"):
        refused(tool.run("replay", path, "--", senders(tool)), 2)
    refused(tool.run("replay", "77", "--", senders(tool)), 2)


def test_path_that_does_not_fit(tool):
    for path in ("mp1:n3:0.9=1", "mp1:n3:1.2=0", "mp1:n3:0.2=1,0.3=1"):
        refused(tool.run("replay", path, "--", senders(tool)), 4, "path")


# --- the store -----------------------------------------------------------------------------------


def digest(file):
    with open(file, "rb") as content:
        return hashlib.sha256(content.read()).digest()


def test_store_of_another_version(tool):
    store = os.path.join(tool.directory, "old")
    explore = ("explore", "-n", "2", "--store", store, senders(tool))
    resume = (explore[0], "--resume", *explore[1:])
    check(tool.run(*explore).status == 0, "explore")
    file = os.path.join(store, "matchpoint.db")
    later = (77, [explore, resume, ("report", store)],
             "made by a later version of matchpoint", "explore into another directory")
    earlier = (19, [resume, ("report", store)],
               "made by a version of matchpoint before 0.3",
               "explore again, or delete %s\n" % store)
    for version, commands, *words in (later, earlier):
        database = sqlite3.connect(file)
        database.execute("PRAGMA user_version = %d" % version)
        database.close()
        before = digest(file)
        for command in commands:
            refused(tool.run(*command), 4, file, "format %d" % version, *words)
        check(digest(file) == before, "the store of format %d was changed" % version)
    check(tool.run(*explore).status == 0, "an old store was not replaced")
    check(tool.run("report", store).status == 0, "an old store was not replaced")


def test_store_that_is_none(tool):
    store = os.path.join(tool.directory, "odd")
    os.mkdir(store)
    tool.write("odd/matchpoint.db", "my diary\n" * 500)
    refused(tool.run("explore", "-n", "2", "--store", store, senders(tool)), 4,
            "not a matchpoint store")
    refused(tool.run("report", store), 4, "not a matchpoint store")
    refused(tool.run("report", os.path.join(tool.directory, "nowhere")), 4, "nowhere")


def test_store_that_cannot_be_made(tool):
    store = os.path.join(tool.write("file", ""), "below")
    refused(tool.run("explore", "-n", "2", "--store", store, senders(tool)), 4, store)


def test_store_in_use(tool):
    store = os.path.join(tool.directory, "shared")
    mark = uuid.uuid4().hex
    first = tool.start(["explore", "-n", "6", "--backtrack", "rerun", "--store", store,
                        senders(tool)], mark)
    # what is written goes there first; from then on nobody else may
    harness.wait_for(lambda: os.path.exists(os.path.join(store, "matchpoint.db-wal")), first,
                     "its store")
    arguments = ["explore", "-n", "2", "--store", store, senders(tool)]
    second = tool.run(*arguments)
    # Of several that a launcher has started, only the first one complains.
    ranks = [tool.run(*arguments, environment={"PMI_SIZE": "3", "PMI_RANK": str(rank)})
             for rank in range(3)]
    first.send_signal(signal.SIGINT)
    harness.communicate(first, 30)
    refused(second, 4, "another matchpoint")
    refused(ranks[0], 4, "call it once, without mpiexec")
    check("another matchpoint" not in ranks[0].err, str(ranks[0]))
    for run in ranks[1:]:
        check(run.status == 4 and run.err == "", str(run))


def test_report_that_cannot_be_written(tool):
    run = tool.run("explore", "-n", "2", "--json", "/dev/full", senders(tool))
    check(run.status == 4 and "/dev/full" in run.err, str(run))
    run = tool.run("explore", "-n", "2", "--json", "/no/such/folder/x.json", senders(tool))
    check(run.status == 4 and "/no/such/folder" in run.err, str(run))


def test_full_disk(tool):
    disk = os.path.join(tool.directory, "disk")
    os.mkdir(disk)
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "none", disk], check=False,
        capture_output=True).returncode == 0
    if not mounted:
        print("    not tried: no file system can be mounted here")
        return
    try:
        store = os.path.join(disk, "store")
        run = tool.run("explore", "-n", "6", "--store", store, senders(tool))
        check(run.status == 4, "exit status %s\n%s" % (run.status, run))
        check("no space left" in run.err, str(run))
        os.rename(store, store)  # still there
        report = tool.run("report", store, report=True)
        check(report.status == 0 and report.report["interleavings"] > 0, str(report))
        check(not report.report["complete"], str(report))
    finally:
        subprocess.run(["umount", disk], check=False)


# --- interruption --------------------------------------------------------------------------------


def interrupt(tool, number, delay, *options):
    """Sends the signal as a terminal would, to all processes in the foreground; what is left?"""
    store = os.path.join(tool.directory, uuid.uuid4().hex)
    mark = uuid.uuid4().hex
    process = tool.start(["explore", "-n", "5", "--store", store, *options, senders(tool)], mark)
    time.sleep(delay)
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass
    try:
        out, err = harness.communicate(process, 20, "signal %d after %.3f s" % (number, delay))
    except harness.Failed:
        tool.end_marked(mark)
        raise
    done = harness.Run(process.args, process.returncode, out.decode(), err.decode(), delay, None)
    tool.check_clean(process.pid, mark, done)
    if done.status == -number and not os.path.exists(store) and not done.out + done.err:
        return  # on a busy machine, before main()
    check(done.status in (0, 3), "signal %d after %.3f s: exit status %s\n%s" % (
        number, delay, done.status, done))
    report = tool.run("report", store, report=True)
    if report.status == 0:
        check(report.report["complete"] == (done.status == 0), "%s\n%s" % (done, report))
        check(report.report["interleavings"] == len(report.report["executions"]), str(report))
    else:
        refused(report, 4)


def test_interrupted_at_any_moment(tool):
    seed = random.randrange(1 << 30)
    print("    seed %d" % seed)
    dice = random.Random(seed)
    for turn in range(12):
        interrupt(tool, signal.SIGINT if turn % 3 else signal.SIGTERM, dice.uniform(0.03, 0.7),
                  "--backtrack", "rerun" if turn % 2 else "snapshot")


def test_interrupted_while_it_tells(tool):
    """Nobody reads yet what it writes: it waits, and has no more to clean up."""
    mark = uuid.uuid4().hex
    process = tool.start(["explore", "-q", "-n", "6", "--json", "-", senders(tool)], mark)
    first = os.read(process.stdout.fileno(), 1)
    process.send_signal(signal.SIGTERM)
    out, err = harness.communicate(process, 20)
    check(process.returncode == 0, "exit status %s\n%s" % (process.returncode, err.decode()))
    check(json.loads(first + out)["interleavings"] == 240, err.decode())


def test_hang_up_under_nohup(tool):
    """What is ignored from the start does not interrupt."""
    mark = uuid.uuid4().hex
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    process = tool.start(["explore", "-n", "6", "--max-interleavings", "60", senders(tool)], mark)
    signal.signal(signal.SIGHUP, before)
    while process.poll() is None:
        process.send_signal(signal.SIGHUP)
        time.sleep(0.1)
    out, err = process.communicate()
    done = harness.Run(process.args, process.returncode, out.decode(), err.decode(), 0, None)
    check(done.status == 3 and "--max-interleavings" in done.out, str(done))


def test_interrupted_while_it_cuts_down(tool):
    """Between two tries of --emit-c, too: nothing is left where the tries are made."""
    program = tool.compile(os.path.join(EXAMPLES, "wildcard_deadlock.c"))
    store = os.path.join(tool.directory, "cuts")
    tries = os.path.join(tool.directory, "tries")
    os.mkdir(tries)
    run = tool.run("explore", "-n", "3", "--store", store, program)
    check(run.status == 1, str(run))
    for delay in (0.5, 0.9, 1.3, 1.7):
        mark = uuid.uuid4().hex
        process = tool.start(["minimize", "1", "--store", store, "--emit-c", "cut.c"], mark,
                             {"TMPDIR": tries})
        time.sleep(delay)
        try:
            os.killpg(process.pid, signal.SIGINT)
        except ProcessLookupError:
            pass
        out, err = harness.communicate(process, 20)
        done = harness.Run(process.args, process.returncode, out.decode(), err.decode(), delay,
                           None)
        tool.check_clean(process.pid, mark, done)
        check(done.status in (0, -signal.SIGINT) or "interrupted" in done.err, str(done))
        check(not os.listdir(tries), "%s is left\n%s" % (os.listdir(tries), done))


def test_killed_at_any_moment(tool):
    """After kill -9 the ranks end by themselves, and the next start removes what was left."""
    for delay in (0.1, 0.25, 0.4):
        mark = uuid.uuid4().hex
        store = os.path.join(tool.directory, "killed")
        process = tool.start(["explore", "-n", "6", "--store", store, senders(tool)], mark)
        time.sleep(delay)
        os.kill(process.pid, signal.SIGKILL)
        harness.communicate(process, 20)
        tool.check_no_processes(mark, "killed after %.2f s" % delay)
        again = tool.run("explore", "-n", "2", "--store", store, senders(tool), report=True)
        check(again.status == 0, str(again))
        check(not harness.run_directories(process.pid), "shared memory of a killed run is left")


# --- what a report holds -------------------------------------------------------------------------


def test_json_on_standard_output(tool):
    run = tool.run("explore", "-n", "3", "--json", "-", "-q", senders(tool))
    check(json.loads(run.out)["interleavings"] == 4 and run.status == 0, str(run))


def test_bounds(tool):
    run = tool.run("explore", "-n", "5", "--max-interleavings", "7", senders(tool), report=True)
    check(run.status == 3 and not run.report["complete"], str(run))
    check(run.report["interleavings"] == 7, str(run))
    check("--max-interleavings" in run.report["incomplete_reason"], str(run))
    run = tool.run_in_time(lambda run: run.report["interleavings"] > 0, 1, "explore", "-n", "6",
                           "--backtrack", "rerun", senders(tool), report=True)
    check(run.status == 3, str(run))
    check("--max-time" in run.report["incomplete_reason"], str(run))
    check(run.report["interleavings"] > 0, str(run))


def test_rank_that_never_ends(tool):
    """Not MPI's doing, and so no finding: who it is that the others wait for is told."""
    program = tool.compile(tool.write("endless.c", """
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank;
	volatile int never = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	while (rank == 1 && !never)
		;
	return MPI_Finalize();
}
"""))
    for backtrack in ("snapshot", "rerun"):
        run = tool.run_in_time(lambda run: "had been silent for" in run.out, 3.5, "explore", "-n",
                               "4", "--backtrack", backtrack, program)
        check(run.status == 3, str(run))
        check("note: ranks 2-3 are in MPI_Finalize < main (endless.c:12)" in run.out, str(run))
        check("rank 1 had been silent for" in run.out, str(run))
        check("since MPI_Barrier at endless.c:9;" in run.out, str(run))
        check("note: rank 1 is in main (endless.c:10)\n" in run.out
              or "note: rank 1 is in main (endless.c:11)\n" in run.out, str(run))
        check(re.search("note: rank 0 is in MPI_Finalize < main .endless.c:12", run.out), str(run))
    process = tool.start(["run", "-n", "2", program], "endless", {"MATCHPOINT_HASTE": "10"})
    # it says where everybody is by itself, once
    said = harness.read_until(process.stderr, lambda line: b"rank 1 is in main (endless" in line)
    process.send_signal(signal.SIGINT)
    err = (b"".join(said) + harness.communicate(process, 60)[1]).decode()
    check(process.returncode == 4 and "interrupted" in err, err)
    check("rank 1 has not responded for 1" in err, err)
    check(err.count("rank 1 is in main (endless") == 2, err)
    run = tool.run("report")
    check("nothing wrong so far" in run.out, str(run))


def test_deviations(tool):
    run = tool.run("explore", "-n", "4", "--deviations", "0", "--buffering", "zero", senders(tool),
                   report=True)
    check(run.report["interleavings"] == 1 and run.status == 3, str(run))


def test_bounds_on_choices(tool):
    for option, value, words in (
            ("rank", "0", "say RANK=K"), ("rank", "0=", "say RANK=K"), ("rank", "=1", "say RANK=K"),
            ("rank", "0=-1", "say RANK=K"), ("rank", "x=1", "say RANK=K"),
            ("rank", "3=1", "there is no rank 3; ranks are 0 to 2"),
            ("site", "a.c=1", "say FILE:LINE=K"), ("site", "a.c:0=1", "say FILE:LINE=K"),
            ("site", ":5=1", "say FILE:LINE=K"), ("site", "a.c:5", "say FILE:LINE=K"),
            ("site", "a.c:5=1x", "say FILE:LINE=K"), ("site", "dir/:5=1", "say FILE:LINE=K")):
        run = tool.run("explore", "-n", "3", "--bound-" + option, value, senders(tool))
        refused(run, 2, "--bound-" + option, words)
    many = [word for rank in range(65) for word in ("--bound-rank", "0=%d" % rank)]
    refused(tool.run("explore", "-n", "3", *many, senders(tool)), 2, "65 bounds are too many")


def test_fail_fast(tool):
    program = tool.compile(os.path.join(EXAMPLES, "result_order.c"))
    run = tool.run("explore", "-n", "4", "--fail-fast", program, report=True)
    check(run.status == 1 and len(run.report["findings"]) == 1, str(run))
    check(run.report["interleavings"] < 12 and not run.report["complete"], str(run))


def body(tool, options):
    failed = []
    tests = [(name, function) for name, function in globals().items()
             if name.startswith("test_") and (not options.names or name in options.names)]
    for name, function in tests:
        print("  %s" % name, flush=True)
        try:
            function(tool)
        except harness.Failed as failure:
            failed.append("%s: %s" % (name, harness.reason(failure, tool.matchpoint)))
            print("FAILED %s: %s" % (name, failure), flush=True)
    print("%d tests, %d failed" % (len(tests), len(failed)))
    if failed:
        raise harness.Failed("%d of %d tests, first %s" % (len(failed), len(tests), failed[0]))


if __name__ == "__main__":
    harness.main(__doc__, body, lambda parser: parser.add_argument("names", nargs="*"))
