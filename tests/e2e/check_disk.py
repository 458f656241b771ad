"""Checkpoints on disk: saved at the prompt, everything killed, restarted in a new session, to the
same end as undisturbed. Chains of them; damage of any byte; a full disk; ranks that cannot be
saved; kill -9 of scheduler, rank and writer while one is written. --rounds: kills; from 100 on, the
disk is full at everything that is written."""

import glob
import os
import random
import re
import shutil
import signal
import subprocess
import time
import uuid

import harness
from check_debug import stops
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))

# Large and small messages are under way at each choice; derived types, a communicator of its own, a
# window, memory, an open file, and one that was changed and closed.
PROGRAM = r"""
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
enum { ROUNDS = 4, LARGE = 30000, BYTES = 2 << 20 };
static double large[LARGE], got[LARGE];
int main(void)
{
	int rank, size, value, *window_memory, sum = 0, cells[8];
	char *memory = malloc(BYTES), *zeros;
	int device = open("/dev/zero", O_RDWR);
	unsigned hash = 0;
	FILE *file = NULL;
	MPI_Comm pair;
	MPI_Datatype column;
	MPI_Request request;
	MPI_Status status;
	MPI_Win window;
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &pair);
	MPI_Type_vector(4, 1, 2, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window_memory,
	                 &window);
	*window_memory = rank;
	zeros = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, device, 0);
	close(device);
	zeros[4096] = (char)(rank + 1);
	for (int i = 0; i < BYTES; i++)
		memory[i] = (char)(i * 7 + i / 4096 + rank);
	if (rank == 0) {
		file = fopen("before", "w");
		fprintf(file, "changed\n");
		fclose(file);
		file = fopen("open", "w");
	}
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < LARGE; i++)
			large[i] = rank * 1e6 + i + round;
		for (int i = 0; i < 8; i++)
			cells[i] = rank * 100 + i + round;
		if (rank == size - 1)
			MPI_Isend(large, LARGE, MPI_DOUBLE, 0, 50, MPI_COMM_WORLD, &request);
		if (rank > 0) {
			value = rank + round;
			MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
			MPI_Send(cells, 1, column, 0, 2, MPI_COMM_WORLD);
		}
		for (int i = 1; rank == 0 && i < size; i++) {
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
			sum = (sum * 10 + value) % 1000003;
			MPI_Recv(cells, 4, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD, &status);
			printf("round %d: rank %d, %d, %d\n", round, status.MPI_SOURCE, value,
			       cells[3]);
			fprintf(file, "%d\n", sum);
			memory[value * 4096]++;
		}
		if (rank == 0)
			MPI_Recv(got, LARGE, MPI_DOUBLE, size - 1, 50, MPI_COMM_WORLD, &status);
		if (rank == size - 1)
			MPI_Wait(&request, &status);
		MPI_Win_fence(0, window);
		MPI_Accumulate(&sum, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, MPI_SUM, window);
		MPI_Win_fence(0, window);
		MPI_Allreduce(window_memory, &value, 1, MPI_INT, MPI_SUM, pair);
		sum = (sum + value) % 1000003;
	}
	for (int i = 0; i < BYTES; i++)
		hash = hash * 31 + (unsigned char)memory[i];
	hash += (unsigned)(zeros[0] + zeros[4096] * 256 + zeros[8192]);
	if (file)
		fclose(file);
	printf("rank %d: sum %d, window %d, memory %u, last %.0f\n", rank, sum, *window_memory,
	       hash, got[LARGE - 1]);
	MPI_Win_free(&window);
	MPI_Type_free(&column);
	MPI_Comm_free(&pair);
	MPI_Finalize();
	return 0;
}
"""

# What a child process cannot have, or what a file cannot hold: kind by kind, with the words for it.
HOLDS = r"""
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static void *wait_for_ever(void *unused)
{
	pause();
	return unused;
}
int main(int argc, char **argv)
{
	int rank, kind = atoi(argv[1]), value;
	pthread_t thread;
	char name[] = "gone-XXXXXX";
	(void)argc;
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0 && kind == 1)
		pthread_create(&thread, NULL, wait_for_ever, NULL);
	if (rank == 0 && kind == 2 && fork() == 0) {
		pause();
		_exit(0);
	}
	if (rank == 0 && kind == 3)
		socket(AF_INET, SOCK_STREAM, 0);
	if (rank == 0 && kind == 4)
		unlink(mkstemp(name) >= 0 ? name : "");
	if (rank == 0 && kind == 5)
		mmap(NULL, 4096, PROT_READ, MAP_SHARED, open("/dev/zero", O_RDONLY), 0);
	if (rank == 0 && kind == 6)
		open("/dev/ptmx", O_RDWR | O_NOCTTY);
	for (int i = 1; rank == 0 && i < 3; i++)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""


def script(tool, lines):
    return tool.write("lines-%s" % uuid.uuid4().hex[:8], "\n".join(lines) + "\n")


def debug(tool, ranks, lines, *program, environment=None):
    return tool.run("debug", "-n", str(ranks), "--buffering", "infinite", "--batch", "-x",
                    script(tool, lines), "--", *program, environment=environment)


def restart(tool, folder, lines):
    return tool.run("restart", folder, "--batch", "-x", script(tool, lines))


def printed(run):
    return sorted(re.findall(r"^\[\d+\] (.*)$", run.out, flags=re.M))


def read(tool, name):
    with open(os.path.join(tool.directory, name)) as file:
        return file.read()


def undisturbed(tool, ranks, program):
    run = tool.run("run", "-n", str(ranks), "--buffering", "infinite", "-v", "--", program)
    check(run.status == 0, str(run))
    return run


def check_same_end(tool, program, ranks, way):
    """Saved at a stop; the rest is as it would have been."""
    folder = os.path.join(tool.directory, "saved-%d" % ranks)
    whole = undisturbed(tool, ranks, program)
    files = read(tool, "open"), read(tool, "before")
    saved = debug(tool, ranks, [*way, "checkpoint here --to %s" % folder], program)
    check("saved: matchpoint restart %s/here" % folder in saved.out, str(saved))
    for name in ("open", "before"):
        if os.path.exists(os.path.join(tool.directory, name)):
            os.unlink(os.path.join(tool.directory, name))
    once = tool.run("restart", folder, "--run", "-v")
    check(once.status == 0 and printed(once) == printed(whole), "%s\n%s" % (once, whole))
    check((read(tool, "open"), read(tool, "before")) == files, "files differ\n%s" % once)
    at_prompt = restart(tool, folder + "/here", ["continue"] * 40)
    # Breakpoints belong to a session: their stop is one like any other where ranks are held.
    where = stops(saved)[-1].replace("breakpoint 1", "held")
    check(stops(at_prompt)[0] == where, "%s\n%s" % (at_prompt, saved))
    check(stops(at_prompt)[-1] == "end", str(at_prompt))
    return folder


def check_exploring(tool, program, folder):
    """What is below the position is the same, from the disk and from the start of the program."""
    position = tool.run("checkpoint", "show", folder).out
    path = re.search(r"position +(\S+)@", position).group(1)
    options = ["--max-interleavings", "40"]
    below = tool.run("restart", folder, "--explore", *options, report=True)
    again = tool.run("explore", "-n", "3", "--from", path, *options, "--", program, report=True)
    kinds = [[(one["kind"], one["count"]) for one in run.report["findings"]]
             for run in (below, again)]
    paths = [sorted(one["path"] for one in run.report["executions"]) for run in (below, again)]
    check(paths[0] == paths[1] and kinds[0] == kinds[1], "%s\n%s" % (below, again))


# Rank 1 has so much memory that it takes a while to put it back.
SIZE = 400 << 20
LARGE = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
	int rank, value;
	size_t size;
	char *memory;
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	size = rank == 1 ? SIZE : 4096;
	memory = malloc(size);
	memset(memory, 'x', size);
	if (rank == 0)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	if (rank == 1)
		printf("%c\n", memory[size - 1]);
	MPI_Finalize();
	return 0;
}
"""


def being_filled(program):
    """The rank that is being put back and has most of its memory to come."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink("/proc/%s/exe" % pid) != program:
                continue
            with open("/proc/%s/maps" % pid) as maps:
                text = maps.read()
            with open("/proc/%s/statm" % pid) as statm:
                resident = int(statm.read().split()[1])
        except OSError:
            continue
        sizes = [int(end, 16) - int(start, 16)
                 for start, end in re.findall(r"^(\w+)-(\w+) rw", text, flags=re.M)]
        if re.search(r"^10000000000-", text, flags=re.M) and max(sizes) >= SIZE > resident * 5000:
            return int(pid)
    return None


def check_slow_fill(tool):
    """A rank that is put back slowly is there all the time: it is not taken for one that has
    ended."""
    program = tool.compile(tool.write("large.c", LARGE), "-DSIZE=%d" % SIZE)
    folder = os.path.join(tool.directory, "large-saved")
    debug(tool, 2, ["break MPI_Recv", "run", "checkpoint here --to %s" % folder], program)
    mark = uuid.uuid4().hex
    process = tool.start(["restart", folder, "--run", "-v"], mark)
    patience = harness.Patience(harness.TIMEOUT)
    pid = None
    while pid is None:
        check(not patience.has_ended() and process.poll() is None, "no rank was caught")
        pid = being_filled(program)
    os.kill(pid, signal.SIGSTOP)
    time.sleep(8)  # longer than absent_ranks.c waits
    os.kill(pid, signal.SIGCONT)
    out, err = harness.communicate(process, harness.TIMEOUT)
    said = (out + err).decode()
    check(process.returncode == 0 and "[1] x" in said, said)
    tool.check_no_processes(mark, "restarted slowly")
    tool.run("checkpoint", "remove", folder)


def check_chain(tool, program):
    """Later checkpoints of a folder have only what has changed. From one that was restarted, the
    next can be saved, and so on."""
    folder = os.path.join(tool.directory, "chain")
    debug(tool, 3, ["run", "checkpoint a --to %s" % folder, "choose 2", "continue",
                    "checkpoint b --to %s" % folder], program)
    restart(tool, folder, ["choose 1", "continue", "checkpoint c --to %s" % folder])
    sizes = [os.path.getsize(os.path.join(folder, name, "rank.1.img")) for name in "abc"]
    check(sizes[1] < sizes[0] / 3 and sizes[2] < sizes[0] / 3, str(sizes))
    listed = tool.run("checkpoint", "list", folder)
    check(re.search(r"^b .*builds on a$", listed.out, flags=re.M)
          and re.search(r"^c .*builds on b$", listed.out, flags=re.M), str(listed))
    whole = tool.run("checkpoint", "check", folder)
    check(whole.status == 0 and whole.out.count(": whole") == 3, str(whole))
    refused = tool.run("checkpoint", "remove", folder + "/a")
    check(refused.status == 4 and "builds on it" in refused.err, str(refused))
    ended = tool.run("restart", folder + "/c", "--run", "-v")
    check(ended.status == 0 and "rank 2: sum" in ended.out, str(ended))
    # What is before the checkpoint is reached from the start of the program.
    before = restart(tool, folder + "/c", ["goto mp1:n3:infinite:", "choose 2", "continue",
                                           "rollback 0.4", "continue"])
    check(stops(before)[1] == stops(before)[3] and len(stops(before)) == 5, str(before))
    return folder


def flip(path, at):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)
        file.seek(at)
        file.write(bytes([byte[0] ^ 0x10]))


def check_damage(tool, folder, dice):
    """Whatever is damaged, both commands say so, and nothing hangs or is left."""
    for path in sorted(glob.glob(folder + "/c/*") + glob.glob(folder + "/c/world/*")):
        if os.path.isdir(path) or os.path.getsize(path) == 0:
            continue
        for at in {0, dice.randrange(os.path.getsize(path)), os.path.getsize(path) - 1}:
            flip(path, at)
            found = tool.run("checkpoint", "check", folder + "/c")
            if found.status == 0:  # between the parts of an image nothing is read
                check(path.endswith(".img"), "%s, byte %d: %s" % (path, at, found))
            elif dice.random() < 0.2:
                run = tool.run("restart", folder + "/c", "--run")
                check(run.status == 4 and "matchpoint: " in run.err, "%s, %d: %s" % (path, at, run))
            flip(path, at)
    image = folder + "/a/rank.0.img"
    os.rename(image, image + ".away")
    run = tool.run("restart", folder + "/c", "--run")
    check(run.status == 4 and "builds on" in run.err, str(run))
    os.rename(image + ".away", image)
    os.truncate(image, os.path.getsize(image) // 2)
    for words in (["checkpoint", "check", folder + "/a"], ["restart", folder + "/a", "--run"]):
        run = tool.run(*words)
        check(run.status == 4 and "length" in run.err, str(run))


def check_foreign(tool, folder):
    """Others can read a checkpoint, or the program is another one: refused."""
    os.chmod(folder + "/b", 0o755)
    run = tool.run("restart", folder + "/b")
    check(run.status == 4 and "chmod 700" in run.err, str(run))
    os.chmod(folder + "/b", 0o700)
    tool.compile(tool.write("ring.c", PROGRAM + "int other;\n"), "-DOTHER")
    run = tool.run("restart", folder + "/b")
    check(run.status == 4 and "same program" in run.err, str(run))


def check_positions(tool):
    """Ranks that cannot be saved: the thing is named, and the position is kept. From it the program
    is run again, which is said, in each way."""
    program = tool.compile(tool.write("holds.c", HOLDS), "-pthread")
    folder = os.path.join(tool.directory, "refused")
    again = "the program is run again"
    for kind, words in ((1, "thread of its own"), (2, "other processes"), (3, "opened a socket"),
                        (4, "name is gone"), (5, "/dev/zero"), (6, "/dev/ptmx")):
        run = debug(tool, 3, ["run", "checkpoint x --to %s" % folder, "continue"], program,
                    str(kind))
        check("only the position is saved: " in run.out and words in run.out,
              "%d: %s" % (kind, run))
        check(len(stops(run)) == 2, "the session does not go on: %s" % run)
        here = restart(tool, folder, ["continue"])
        check(again in here.err and words in here.err and stops(here) == stops(run),
              "%s\n%s" % (here, run))
        tool.run("checkpoint", "remove", folder)
        check(not os.path.exists(folder), "it is not removed")


def check_position(tool):
    """A folder with the position only: list, show, check and restart say so; none builds on it; if
    the program is another one, it is refused."""
    program = tool.compile(tool.write("holds.c", HOLDS), "-pthread")
    folder = os.path.join(tool.directory, "positions")
    debug(tool, 3, ["run", "checkpoint a --to %s" % folder, "break rank 0 call 3", "choose 2",
                    "continue", "checkpoint b --to %s" % folder], program, "3")
    listed = tool.run("checkpoint", "list", folder)
    check(listed.out.count("position only") == 2 and "builds" not in listed.out, str(listed))
    shown = tool.run("checkpoint", "show", folder + "/b")
    check("0.2=2" in shown.out and "runs the program again" in shown.out, str(shown))
    checked = tool.run("checkpoint", "check", folder)
    check(checked.status == 0 and checked.out.count("position only") == 2, str(checked))
    once = tool.run("restart", folder, "--run")
    check(once.status == 0 and "is run again" in once.err, str(once))
    below = tool.run("restart", folder + "/a", "--explore", report=True)
    check(below.report["interleavings"] == 2 and "is run again" in below.err, str(below))
    flip(folder + "/a/manifest", 200)
    damaged = tool.run("restart", folder + "/a")
    check(damaged.status == 4 and "damaged" in damaged.err, str(damaged))
    tool.compile(tool.write("holds.c", HOLDS + "int other;\n"), "-pthread", "-DOTHER")
    other = tool.run("restart", folder + "/b")
    check(other.status == 4 and "same program" in other.err, str(other))


def check_full(tool, program):
    """The message says so, the session goes on, and nothing is left."""
    mounted = os.path.join(tool.directory, "mounted")
    os.mkdir(mounted)
    mine = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    if subprocess.run([*mine, "mount", "-t", "tmpfs", "none", mounted], check=False,
                      capture_output=True).returncode != 0:
        print("a full disk is not tried: nothing can be mounted here")
        return
    lines = script(tool, ["run", "checkpoint x --to %s/x" % mounted, "choose 1", "continue"])
    for kilobytes in (16, 100, 1000, 3000, 6000, 9000, 12000):
        left = os.path.join(tool.directory, "left")
        words = ("mount -t tmpfs -o size=%dk none %s && %s debug -n 3 --buffering infinite "
                 "--batch -x %s -- %s; find %s -mindepth 2 >%s" % (
                     kilobytes, mounted, tool.matchpoint, lines, program, mounted, left))
        done = harness.call([*mine, "sh", "-c", words], cwd=tool.directory)
        said = done.stdout + done.stderr
        check("No space left on device" in said, said)
        check(len(stops_of(done.stdout)) == 2, said)
        check(read(tool, "left") == "", read(tool, "left"))


def check_full_each(tool, program, everything, dice):
    """The same at each thing that is written, by each process: the first one, the second, ...,
    until all goes well. The session goes on, and the next ones can be saved."""
    library = os.path.join(tool.directory, "full_folder.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", os.path.join(HERE, "full_folder.c"), "-o",
                    library, "-ldl"], check=True)
    folder = os.path.join(tool.directory, "full")
    early = [*range(1, 161)] if everything else [*range(1, 11), *dice.sample(range(11, 60), 6)]
    tries = [*sorted(early), *range(1000, 1008)]
    run = debug(tool, 3, ["run", "choose 1", "continue",
                          *["checkpoint full-%d --to %s" % (at, folder) for at in tries],
                          "checkpoint last --to %s" % folder, "continue"], program,
                environment={"LD_PRELOAD": library})
    failed = [at for at in tries if not os.path.exists("%s/full-%d" % (folder, at))]
    few, late = ([at for at in failed if (at < 1000) is soon] for soon in (True, False))
    check(len(few) > 12 and few == sorted(early)[:len(few)], "not saved: %s\n%s" % (few, run))
    check(4 <= len(late) < 8 and late == tries[-8:][:len(late)], "not saved: %s\n%s" % (late, run))
    said = re.findall(r"it is not saved on disk: .*(No space left|no room for a copy)", run.out)
    check(run.out.count("it is not saved on disk: ") == len(said) == len(failed), str(run))
    check(len(stops(run)) == 3 and "saved: matchpoint restart %s/last" % folder in run.out,
          str(run))
    check(not glob.glob(folder + "/.*"), "something is left: %s" % glob.glob(folder + "/.*"))
    whole = tool.run("checkpoint", "check", folder)
    check(whole.status == 0 and whole.out.count(": whole") == len(tries) - len(failed) + 1,
          str(whole))
    print("a full disk at each of %d things" % len(failed))


def stops_of(text):
    return re.findall(r"^stopped: (.*)$", text, flags=re.M)


def ranks_of(mark, program):
    return [int(line.split()[0]) for line in harness.marked_processes(mark)
            if line.split()[1:2] == [program]]


def kill_one(process, mark, program, dice):
    """The scheduler, or one of the rank processes: among them are keepers and writers."""
    victims = ranks_of(mark, program)
    victim = process.pid if dice.random() < 0.4 or not victims else dice.choice(victims)
    try:
        os.kill(victim, signal.SIGKILL)
    except ProcessLookupError:
        pass


def check_kills(tool, program, rounds, dice):
    """What has a name is whole, always. And the first one restarts."""
    folder = os.path.join(tool.directory, "killed")
    debug(tool, 3, ["run", "checkpoint first --to %s" % folder], program)
    whole = printed(undisturbed(tool, 3, program))
    for number in range(rounds):
        mark = uuid.uuid4().hex
        lines = ["run", "choose 1", "step", *["checkpoint n%d-%d --to %s" % (number, i, folder)
                                              for i in range(4)]]
        words = ["debug", "--batch", "-x", script(tool, lines)]
        if number % 2 == 1:  # while the ranks go on
            words = ["run", "--checkpoint-to", folder, "--checkpoint-at", "MPI_Allreduce"]
        process = tool.start([words[0], "-n", "3", "--buffering", "infinite", *words[1:], "--",
                              program], mark)
        patience = harness.Patience(harness.TIMEOUT)
        while not glob.glob("%s/.*.%d.tmp" % (folder, process.pid)) and process.poll() is None:
            check(not patience.has_ended(), "nothing is written")
            time.sleep(0.002)
        time.sleep(dice.random() * 0.4)
        kill_one(process, mark, program, dice)
        harness.communicate(process, harness.TIMEOUT)
        tool.check_no_processes(mark, "killed while it saved")
        found = tool.run("checkpoint", "check", folder)
        check(found.status == 0 and "first: whole" in found.out, str(found))
    ended = tool.run("restart", folder + "/first", "--run", "-v")
    check(printed(ended) == whole, str(ended))
    debug(tool, 3, ["run", "checkpoint last --to %s" % folder], program)
    check(not glob.glob(folder + "/.*.tmp"), "what was left is not removed")
    tool.run("checkpoint", "remove", folder)
    check(not os.path.exists(folder), "it is not removed")


def check_numbers(tool):
    """What ranks and their C library have kept of their numbers and locks holds after a restart."""
    folder = os.path.join(tool.directory, "numbers")
    for name in ("kept_numbers", "locks_held_across_calls", "inheriting_lock"):
        program = tool.compile(harness.program(name + ".c"), "-pthread")
        saved = debug(tool, 3, ["run", "checkpoint %s --to %s" % (name, folder)], program)
        check("comes back here" in saved.out, str(saved))
        run = tool.run("restart", os.path.join(folder, name), "--run")
        check(run.status == 0 and "nothing wrong" in run.out, str(run))
        shutil.rmtree(folder)


def body(tool, options):
    dice = random.Random(options.seed)
    program = tool.compile(tool.write("ring.c", PROGRAM))
    onward = ["choose 1", "continue"]
    for ranks, way in ((2, ["break MPI_Allreduce", "run", "continue"]), (3, ["run", *onward]),
                       (4, ["run", *onward * 5])):
        folder = check_same_end(tool, program, ranks, way)
        if ranks == 3:
            check_exploring(tool, program, folder)
    check_slow_fill(tool)
    check_numbers(tool)
    chain = check_chain(tool, program)
    check_damage(tool, chain, dice)
    check_full(tool, program)
    check_full_each(tool, program, options.rounds >= 100, dice)
    check_kills(tool, program, options.rounds, dice)
    check_positions(tool)
    check_position(tool)
    check_foreign(tool, chain)


if __name__ == "__main__":
    def extra(parser):
        parser.add_argument("--rounds", type=int, default=6, help="kills")
        parser.add_argument("--seed", type=int, default=1)
    harness.main(__doc__, body, extra)
