"""matchpoint record, and each rank replayed alone: the same output; what is sent is compared. Runs
that are killed at any moment, logs that are damaged, other programs and inputs, refused calls."""

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import time

import harness
from harness import check
from recording import (
    Recording, kill_ranks, killing, start_recording, wait_until_gone, wait_until_recorded)

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = {name: harness.program(name + ".c") for name in ("every_family", "many_messages",
                                                           "stands", "names_of_files", "inputs")}
# By number, as the result of access would be in the log.
COMPUTES = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	while (syscall(SYS_access, EARLY, F_OK) == 0)
		;
	MPI_Barrier(MPI_COMM_WORLD);
	for (volatile long i = 0;; i++)
		;
}
"""
# Puts what it has read into a window; with an argument, into a file.
PUTS = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	char text[8] = "", memory[64] = "";
	FILE *input = fopen("input", "r");
	MPI_Win window;
	MPI_File file;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (fgets(text, sizeof(text), input))
		fclose(input);
	if (argc > 1) {
		MPI_File_open(MPI_COMM_WORLD, "written", MPI_MODE_CREATE | MPI_MODE_WRONLY,
		              MPI_INFO_NULL, &file);
		MPI_File_write_at(file, rank * 8, text, 8, MPI_CHAR, MPI_STATUS_IGNORE);
		MPI_File_close(&file);
	} else {
		MPI_Win_create(memory, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
		MPI_Win_fence(0, window);
		MPI_Put(text, 8, MPI_CHAR, 0, rank * 8, 8, MPI_CHAR, window);
		MPI_Win_fence(0, window);
		MPI_Win_free(&window);
		printf("%s", memory);
	}
	MPI_Finalize();
	return 0;
}
"""

# Sends what a second thread has asked the clock, which is not in the log.
SECOND_THREAD = r"""
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static void *ask(void *value)
{
	struct timespec time;
	clock_gettime(CLOCK_REALTIME, &time);
	*(long *)value = time.tv_nsec;
	return NULL;
}
int main(int argc, char **argv)
{
	int rank, provided;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 3; i++) {
		long value;
		pthread_t thread;
		pthread_create(&thread, NULL, ask, &value);
		pthread_join(thread, NULL);
		MPI_Sendrecv_replace(&value, 1, MPI_LONG, 1 - rank, 0, MPI_ANY_SOURCE, 0,
		                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		printf("rank %d got %ld\\n", rank, value);
	}
	MPI_Finalize();
	return 0;
}
"""


def check_programs(tool):
    families = Recording(tool, "families", 4, tool.compile(SOURCES["every_family"]))
    families.check_replays()
    check(" has ended, after " in families.report().out, str(families.report()))
    messages = Recording(tool, "messages", 3, tool.compile(SOURCES["many_messages"]), "20",
                         "40000")
    messages.check_replays()
    several = tool.run("replay", messages.folder, "--rank", "2,0", cwd=tool.directory)
    check([line[0] for line in several.out.splitlines()] == ["2", "0"], str(several))
    wrong = tool.run("replay", messages.folder, "--rank", "3")
    check(wrong.status == 2 and "no rank '3' among 3" in wrong.err, str(wrong))


def check_languages(tool):
    fortran = shutil.which("mpifort.mpich")
    if not fortran:
        return
    for define in ("-DMPIF_H", "-DUSE_MPI", "-DMPI_F08"):
        program = os.path.join(tool.directory, "fortran" + define)
        subprocess.run([fortran, "-cpp", "-g", define, harness.program("fortran_ring.f90"), "-o",
                        program, "-J", tool.directory], check=True, capture_output=True)
        Recording(tool, "fortran", 3, program).check_replays()
    for define in ("-DUSE_MPI", "-DMPI_F08"):
        program = os.path.join(tool.directory, "fortran_windows" + define)
        subprocess.run([fortran, "-cpp", "-g", define, harness.program("fortran_windows.f90"),
                        "-o", program, "-J", tool.directory], check=True, capture_output=True)
        Recording(tool, "fortran", 3, program).check_replays()


def check_killed(tool, dice, times):
    """A recording that is cut is replayed up to the call in which the rank stood."""
    program = tool.compile(SOURCES["many_messages"])
    for _ in range(times):
        folder = os.path.join(tool.directory, "killed")
        shutil.rmtree(folder, ignore_errors=True)
        process = start_recording(tool, folder, 3, program, "100000000", "3000")
        wait_until_recorded(folder, 3, process)
        time.sleep(dice.random() * 0.6)
        with killing(folder) as pids:
            if dice.random() < 0.5:
                os.kill(dice.choice(pids), signal.SIGKILL)
            else:
                for pid in pids:
                    with contextlib.suppress(ProcessLookupError):  # the launcher has killed it
                        os.kill(pid, signal.SIGKILL)
                os.killpg(process.pid, signal.SIGKILL)
            harness.communicate(process, 60)
            wait_until_gone(folder)
        for rank in range(3):
            run = tool.run("replay", folder, "--rank", str(rank), cwd=tool.directory)
            check(run.status == 3 and "the recording ends" in run.err, str(run))


def damaged(file, dice):
    """The file's bytes; with one bit flipped; cut."""
    with open(file, "rb") as contents:
        whole = contents.read()
    at = dice.randrange(len(whole) // 4, len(whole) // 2)
    flipped = bytearray(whole)
    flipped[at] ^= 1 << dice.randrange(8)
    return whole, bytes(flipped), whole[:at]


def check_damaged_start(tool, recording, dice):
    start = recording.file(1, "start")
    whole, *others = damaged(start, dice)
    for contents in others + [b"", whole[:-1]]:
        with open(start, "wb") as file:
            file.write(contents)
        for run in (recording.replay(1), tool.run("replay", recording.folder)):
            check(run.status == 4 and "rank.1.start is damaged" in run.err, str(run))
    with open(start, "wb") as file:
        file.write(whole)


def check_damage(tool, dice):
    program = tool.compile(SOURCES["many_messages"])
    recording = Recording(tool, "damaged", 2, program, "20", "40000")
    check_damaged_start(tool, recording, dice)
    log = recording.file(1, "log")
    _, flipped, cut = damaged(log, dice)
    for contents, status, words in ((flipped, 4, "damaged behind call"),
                                    (cut, 3, "the recording ends")):
        with open(log, "wb") as file:
            file.write(contents)
        run = recording.replay(1)
        check(run.status == status and words in run.err, str(run))
        check(recording.report().status == 4, str(recording.report()))
    os.unlink(log)
    run = recording.replay(1)
    check(run.status == 4 and "no log of rank 1" in run.err, str(run))
    check("rank 1: left no log" in recording.report().out, str(recording.report()))


def check_full_disk(tool):
    """The program goes on. The log ends in the call that record names, and is replayed up to it."""
    library = os.path.join(tool.directory, "full_disk.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", os.path.join(HERE, "full_disk.c"), "-o",
                    library, "-ldl"], check=True)
    program = tool.compile(SOURCES["many_messages"])
    for at in (1, 4):
        recording = Recording(tool, "recording", 2, program, "400", "40000", status=4, environment={
            "LD_PRELOAD": library, "FULL_DISK_AT": str(at), "FULL_DISK_STAYS": "1"})
        report = recording.report().out
        for rank in range(2):
            check(recording.printed(rank), "rank %d did not end" % rank)
            found = re.search("the log of rank %d ends in call ([0-9]+): No space" % rank,
                              recording.run.err)
            check(found, str(recording.run))
            check("rank %d: the log ends in call %s: No space" % (rank, found.group(1)) in report,
                  report)
            run = recording.replay(rank)
            check(run.status == 3 and re.search("call %s, .*the recording ends in this call"
                                                % found.group(1), run.err), str(run))


def check_changes(tool):
    """Another program, and an input with other contents."""
    program = tool.compile(SOURCES["many_messages"])
    tool.write("input", "one\n")
    recording = Recording(tool, "changed", 2, program, "10")
    recording.check_replays()
    tool.write("input", "other\n")
    run = recording.replay(0)
    check(run.status == 1 and "input has other contents" in run.err
          and "what is sent is not what it was" in run.err, str(run))
    os.unlink(os.path.join(tool.directory, "input"))
    recording = Recording(tool, "rebuilt", 2, program, "10")
    shutil.copy(tool.compile(SOURCES["stands"]), program)
    run = recording.replay(0)
    check(run.status == 4 and "the program is not what was recorded" in run.err, str(run))


def check_other_values(tool):
    """A rank that sends other values, but gets what it got, goes on, alone and with the others."""
    program = tool.compile(tool.write("second_thread.c", SECOND_THREAD), "-pthread")
    recording = Recording(tool, "values", 2, program)
    for rank in range(2):
        run = recording.replay(rank)
        check(run.status == 1 and run.out == recording.printed(rank)
              and run.err.count("what is sent is not what it was") == 1
              and "the replay has gone on" in run.err, str(run))
    run = recording.report()
    check("rank 1: has ended, after 6 calls" in run.out, str(run))
    whole = tool.run("replay", recording.folder)
    check(whole.status == 0 and "followed 6 of 6 matches" in whole.out
          and "what is sent is not what it was" in whole.err, str(whole))


def check_files(tool):
    """What the rank does to files is not done again, nor is the file changed that it appends to."""
    kept = tool.write("kept", "before\n")
    recording = Recording(tool, "files", 2, tool.compile(SOURCES["names_of_files"]))
    with open(os.path.join(tool.directory, "out.0")) as file:
        printed = file.read()
    check("made/two has second" in printed and "kept has more" in printed, printed)
    recording.check_replays()
    recording.check_replays()  # another one has left files in the scratch folder
    with open(kept) as file:
        check(file.read() == "before\nmore\n", "a replay has changed the file")
    check(not os.path.exists(os.path.join(tool.directory, "made")), "a replay has made a folder")


def check_inputs(tool):
    """What the rank asked of the system is given again, whatever the system says now."""
    for program in (tool.compile(SOURCES["inputs"]),
                    tool.compile(SOURCES["inputs"], "-O2", "-D_FORTIFY_SOURCE=2"),
                    tool.compile(harness.program("inputs_cxx.cc"), "-std=c++17")):
        recording = Recording(tool, "asked", 1, program)
        tool.write("appears", "later\n")
        made = os.path.join(tool.directory, "made_here")
        os.makedirs(made)
        recording.check_replays()
        check(os.path.isdir(made), "a replay has removed a folder")
        shutil.rmtree(made)
        os.unlink(os.path.join(tool.directory, "appears"))


def check_changed_puts(tool):
    """What goes into a window or a file is compared; the file is not written."""
    program = tool.compile(tool.write("puts.c", PUTS))
    written = os.path.join(tool.directory, "written")
    for arguments, function in (([], "MPI_Put"), (["file"], "MPI_File_write_at")):
        tool.write("input", "one\n")
        recording = Recording(tool, "putting", 2, program, *arguments)
        if arguments:
            os.unlink(written)
        recording.check_replays()
        tool.write("input", "other\n")
        run = recording.replay(1)
        check(run.status == 1 and re.search("call [0-9]+, %s: what is sent is not what it was"
                                            % function, run.err), str(run))
        check(not os.path.exists(written), written)
    os.unlink(os.path.join(tool.directory, "input"))


def check_refused(tool):
    program = tool.compile(SOURCES["every_family"])
    recording = Recording(tool, "refused", 2, program, "refused", status=4)
    check("MPI_Win_allocate_shared: windows of shared memory cannot be recorded: others change it"
          in recording.run.err, str(recording.run))
    # Under control, that is no finding of the program.
    refusal = "MPI_Win_allocate_shared: windows of shared memory cannot be recorded"
    run = tool.run("replay", "--record", "under", "mp1:n2:infinite:", "--", program, "refused")
    check(run.status == 4 and refusal in run.err and "abort" not in run.out, str(run))
    script = tool.write("past", "run\nfinish\nreverse-next\n")
    run = tool.run("debug", "-n", "2", "-x", script, "--batch", program, "refused")
    check(refusal in run.out and "the past of" not in run.out, str(run))
    listed = tool.run("check", program)
    check("matchpoint record cannot log" in listed.out
          and "MPI_Win_allocate_shared" in listed.out, str(listed))


def check_roll_call(tool):
    program = tool.compile(SOURCES["stands"], "-no-pie")
    folder = os.path.join(tool.directory, "standing")
    process = start_recording(tool, folder, 3, program)
    expected = ["rank 0: stands in call 3, MPI_Recv, with rank 1, tag 77, at ",
                "rank 1: stands in call 3, MPI_Barrier, at ",
                "rank 2: stands in call 3, MPI_Barrier, at "]
    lines = []

    def stand():
        lines[:] = tool.run("report", folder).out.splitlines() if os.path.isdir(folder) else []
        return len(lines) == 3 and all(map(str.startswith, lines, expected))

    harness.wait_for(stand, process, lambda: "all ranks stand: %s" % lines, pause=0.1)
    kill_ranks(folder, process)
    lines = tool.run("report", folder).out.splitlines()
    check(all(map(str.startswith, lines, expected)), "\n".join(lines))


def runs(program):
    """Whether a process runs this program."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.readlink("/proc/%s/exe" % pid) == program:
                return True
    return False


def check_nobody_waits(tool):
    """A rank that computes for ever is replayed, and matchpoint is killed: so is the rank. For a
    report, it computes before its last call, as the report ends it after that."""
    early = os.path.join(tool.directory, "early")
    program = os.path.realpath(tool.compile(tool.write("computes.c", COMPUTES),
                                            '-DEARLY="%s"' % early))
    folder = os.path.join(tool.directory, "computing")
    process = start_recording(tool, folder, 2, program)
    returned = "has returned from call 2, MPI_Barrier"
    harness.wait_for(lambda: os.path.isdir(folder)
                     and tool.run("report", folder).out.count(returned) == 2, process, returned)
    kill_ranks(folder, process)
    wait_until_gone(folder)
    for words in (("replay", folder, "--rank", "0"), ("replay", folder, "--in-step"),
                  ("replay", folder),
                  ("report", folder, "--json", os.path.join(tool.directory, "computing.json"))):
        if words[0] == "report":
            tool.write("early", "")
        # Who is killed leaves the store of its report: in the folder of this test.
        process = subprocess.Popen([tool.matchpoint, *words], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**os.environ, "TMPDIR": tool.directory})
        harness.wait_for(lambda: runs(program), process, "the rank of " + " ".join(words))
        process.kill()
        process.wait()
        patience = harness.Patience(10)
        while runs(program):
            check(not patience.has_ended(), "the rank goes on after " + " ".join(words))
            time.sleep(0.01)


def body(tool, options):
    dice = random.Random(options.seed)
    check_programs(tool)
    check_languages(tool)
    check_damage(tool, dice)
    check_full_disk(tool)
    check_changes(tool)
    check_other_values(tool)
    check_files(tool)
    check_inputs(tool)
    check_changed_puts(tool)
    check_refused(tool)
    check_roll_call(tool)
    check_nobody_waits(tool)
    check_killed(tool, dice, options.kills)


def extra(parser):
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=2)


if __name__ == "__main__":
    harness.main(__doc__, body, extra)
