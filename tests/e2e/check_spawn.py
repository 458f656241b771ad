"""Programs that spawn processes: each form of MPI_Comm_spawn, exact numbers of interleavings in all
ways of going back, and what is found where parents and children go wrong."""

import os
import re

import harness
from harness import check

# The first argument names the case, in the parent and in its children.
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm parent;
static int rank, size;
static char **line;

static int is(const char *word)
{
	return line[1] && strcmp(line[1], word) == 0;
}

static int value_of(int key)
{
	int *value, there;

	MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &there);
	return there ? *value : -1;
}

/* Sends its rank, and says who it is. */
static void be_worker(void)
{
	char folder[4096], *name = getcwd(folder, sizeof(folder));

	MPI_Send(&rank, 1, MPI_INT, 0, 0, parent);
	printf("child %d of %d, command %d, in %s:", rank, size, value_of(MPI_APPNUM),
	       name ? strrchr(name, '/') + 1 : "?");
	for (int i = 1; line[i]; i++)
		printf(" %s", line[i]);
	printf("\n");
}

static MPI_Comm spawn(int count, int root, MPI_Comm comm)
{
	MPI_Comm children;

	MPI_Comm_spawn(line[0], line + 1, count, MPI_INFO_NULL, root, comm, &children,
	               MPI_ERRCODES_IGNORE);
	return children;
}

static void receive(int count, MPI_Comm children)
{
	for (int i = 0, x; i < count; i++)
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, children, MPI_STATUS_IGNORE);
}

static void spawn_multiple(void)
{
	char *commands[] = {line[0], line[0]}, *one[] = {"multiple", "1", NULL},
	     *two[] = {"multiple", "two words", NULL}, **words[] = {one, two};
	int counts[] = {1, 2}, codes[3] = {7, 7, 7};
	MPI_Info infos[2] = {MPI_INFO_NULL};
	MPI_Comm children;

	MPI_Info_create(&infos[1]);
	MPI_Info_set(infos[1], "wdir", "elsewhere");
	MPI_Info_set(infos[1], "host", line[2] ? line[2] : "localhost");
	MPI_Comm_spawn_multiple(2, commands, words, counts, infos, 0, MPI_COMM_WORLD, &children,
	                        codes);
	MPI_Info_free(&infos[1]);
	if (rank == 0)
		receive(3, children);
	printf("codes %d %d %d, universe %d\n", codes[0], codes[1], codes[2],
	       value_of(MPI_UNIVERSE_SIZE));
	MPI_Comm_disconnect(&children);
}

/* Each child has a child; all of a family sum up their ranks. */
static void merge_families(void)
{
	MPI_Comm children = MPI_COMM_NULL, all;
	int sum;

	if (parent == MPI_COMM_NULL || strcmp(line[2], "child") == 0) {
		line[2] = parent == MPI_COMM_NULL ? "child" : "grandchild";
		children = spawn(2, 0, MPI_COMM_WORLD);
		MPI_Intercomm_merge(children, 0, &all);
		MPI_Comm_rank(all, &rank);
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
		printf("%s is %d, sum %d\n", line[2], rank, sum);
		MPI_Comm_free(&all);
		MPI_Comm_disconnect(&children);
	}
	if (parent == MPI_COMM_NULL)
		return;
	MPI_Intercomm_merge(parent, 1, &all);
	MPI_Comm_rank(all, &rank);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
	MPI_Comm_free(&all);
}

/* Rank 0 spawns as many as the first sender's rank, but rank 1 none. */
static void spawn_by_choice(void)
{
	MPI_Comm children;
	int x, y;

	if (rank > 0) {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		return;
	}
	MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 2; i < size; i++)
		MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (x == 1)
		return;
	children = spawn(x, 0, MPI_COMM_SELF);
	receive(x, children);
	MPI_Comm_disconnect(&children);
}

static void handle(MPI_Comm *comm, int *code, ...)
{
	int class;

	MPI_Error_class(*code, &class);
	printf("the handler gets %d %d\n", *comm == MPI_COMM_WORLD, class == MPI_ERR_SPAWN);
}

static void spawn_missing(void)
{
	MPI_Errhandler handler;
	MPI_Comm children;
	int code, class, codes[2];

	MPI_Comm_create_errhandler(handle, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	MPI_Errhandler_free(&handler);
	code = MPI_Comm_spawn("./nowhere", MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
	                      &children, codes);
	MPI_Error_class(code, &class);
	printf("the spawn gives %d\n", class == MPI_ERR_SPAWN);
	children = spawn(1, 0, MPI_COMM_WORLD);
	MPI_Comm_disconnect(&children);
}

static void spawn_in_turn(int times)
{
	for (int i = 0; i < times; i++) {
		MPI_Comm child = spawn(1, 0, MPI_COMM_WORLD);

		MPI_Comm_disconnect(&child);
	}
}

static void be_parent(void)
{
	MPI_Comm children;

	if (is("turns")) {
		spawn_in_turn(9);
		return;
	}
	if (is("multiple"))
		spawn_multiple();
	else if (is("choice"))
		spawn_by_choice();
	else if (is("missing"))
		spawn_missing();
	else if (is("workers")) {
		children = spawn(size + 1, size - 1, MPI_COMM_WORLD);
		if (rank == 0)
			receive(size + 1, children);
		MPI_Comm_disconnect(&children);
	} else {
		children = spawn(2, 0, MPI_COMM_WORLD);
		if (is("wait"))
			receive(1, children);
		if (!is("leak") && !is("part"))
			MPI_Comm_disconnect(&children);
	}
}

static void be_child(void)
{
	if (is("multiple") || is("workers") || is("choice"))
		be_worker();
	if (is("wait")) {
		int x;

		MPI_Recv(&x, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE); /* of the parent */
	}
	if (is("exit"))
		exit(4);
	if (is("abort") && rank == 1)
		MPI_Abort(MPI_COMM_WORLD, 9);
	if (!is("leak") && !is("part"))
		MPI_Comm_disconnect(&parent);
	if (is("part") && rank == 0)
		MPI_Barrier(MPI_COMM_WORLD); /* without rank 1 */
}

int main(int argc, char **argv)
{
	line = argv;
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (is("families"))
		merge_families();
	if (!is("families") && parent == MPI_COMM_NULL)
		be_parent();
	else if (parent != MPI_COMM_NULL)
		be_child();
	MPI_Finalize();
	return 0;
}
"""

# Its children are another program, which ends, or makes a call, before MPI_Init.
EARLY_PARENT = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	MPI_Comm children;

	MPI_Init(&argc, &argv);
	MPI_Comm_spawn(argv[1], argv + 2, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children,
	               MPI_ERRCODES_IGNORE);
	MPI_Barrier(children);
	MPI_Finalize();
	return 0;
}
"""
EARLY_CHILD = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	if (argc > 1)
		MPI_Barrier(MPI_COMM_WORLD);
	return argc == 0;
}
"""

# Parent and child ask for the level of the first argument. Two messages come from the child: with
# MPI_THREAD_MULTIPLE from two threads at once, with a second argument from two in turn.
THREADS = r"""
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static MPI_Comm parent;

static void *send(void *tag)
{
	MPI_Send(NULL, 0, MPI_INT, 0, *(int *)tag, parent);
	return NULL;
}

static void be_child(int is_multiple, int in_turn)
{
	static int tags[] = {1, 2};
	pthread_t thread;

	if (is_multiple || in_turn)
		pthread_create(&thread, NULL, send, &tags[1]);
	else
		send(&tags[1]);
	if (in_turn)
		pthread_join(thread, NULL);
	send(&tags[0]);
	if (is_multiple)
		pthread_join(thread, NULL);
	MPI_Comm_disconnect(&parent);
}

int main(int argc, char **argv)
{
	int wanted = atoi(argv[1]), provided = -1, level = -1, is_main = 0;
	MPI_Status status;
	MPI_Comm children;

	MPI_Init_thread(&argc, &argv, wanted, &provided);
	MPI_Query_thread(&level);
	MPI_Is_thread_main(&is_main);
	MPI_Comm_get_parent(&parent);
	if (parent == MPI_COMM_NULL) {
		MPI_Comm_spawn(argv[0], argv + 1, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children,
		               MPI_ERRCODES_IGNORE);
		for (int i = 0; i < 2; i++) {
			MPI_Recv(NULL, 0, MPI_INT, 0, MPI_ANY_TAG, children, &status);
			printf("%d", status.MPI_TAG);
		}
		MPI_Comm_disconnect(&children);
	} else {
		printf("%d %d %d\n", provided, level, is_main);
		fflush(stdout);
		be_child(wanted == MPI_THREAD_MULTIPLE, argc > 2);
	}
	MPI_Finalize();
	return 0;
}
"""

WAYS = ("snapshot", "rerun", "rewind")


def explore(tool, program, case, ranks, count, *options, findings=()):
    """The run, after comparing interleavings and findings."""
    run = tool.run("explore", "-n", str(ranks), *options, program, case, report=True)
    check(run.report["complete"] and run.report["interleavings"] == count, run)
    check([f["kind"] for f in run.report["findings"]] == list(findings), run)
    check(run.status == (1 if findings else 0), run)
    return run


def parts(run):
    return [(part["first_rank"], part["ranks"]) for part in run.report["programs"]]


def printed(execution, rank):
    return execution["output"][rank].strip()


def check_counts(tool, program):
    """Three children's messages come in any of 6 orders, under each of two bufferings."""
    for way in WAYS:
        run = explore(tool, program, "workers", 2, 12, "--compare", "none", "--backtrack", way)
        check(parts(run) == [(0, 2), (2, 3)], run)
        for execution in run.report["executions"]:
            for child in range(3):
                check(printed(execution, 2 + child).startswith(
                    "child %d of 3, command 0, " % child), execution)
    run = explore(tool, program, "workers", 1, 4, "--compare", "none", "-v")
    check("2 processes of the job wait to be spawned" in run.out, run)
    run = explore(tool, program, "workers", 2, 12, "--compare", "none", "-j", "3")
    run = explore(tool, program, "workers", 2, 12, "--compare", "none", "--search", "states")


def check_again(tool, program):
    """Paths and the lines that reports give."""
    run = explore(tool, program, "wait", 1, 2, findings=["deadlock"])
    line = re.search(r"again: matchpoint (replay .*)", run.out).group(1)
    check(line.endswith("%s wait : -n 2 -spawned 0.1 %s" % (program, program)), line)
    for words in (line.split(), ["replay", "1"]):
        run = tool.run(*words)
        check(run.status == 1 and "1 deadlock" in run.out, run)
    run = tool.run("explore", "--resume", "-n", "1", program, "wait")
    check(run.status == 1 and "2 interleavings" in run.out, run)
    script = tool.write("script", "run\n")
    for more in [], [":", "-n", "2", "-spawned", "0.1", program]:
        run = tool.run("debug", "-n", "1", "-x", script, "--batch", program, "wait", *more)
        check("deadlock" in run.out and ("begins again" in run.out) == (not more), run)


REPORTS = ("html", "markdown", "sarif", "junit", "mermaid", "dot", "perfetto", "github")
PROMPT = """run
info ranks
info calls 0.1:0-1
where 0.1:1
hold 0.1:0
release 0.1:0
hold 0.1:2
x 0.1:9.1
break rank 0.1:1 if call > 2 and peer == 0
break rank 0.1:7
print 0.1:1 0 + 1
goto 0.1:0.2
info path
info comms
choices
choose 1.3=0.1:2
"""


def check_names(tool, program):
    """A process of another world has the name of its world in all that is printed and read."""
    files = [word for name in REPORTS for word in ("--" + name, "report." + name)]
    run = explore(tool, program, "wait", 1, 2, *files, findings=["deadlock"])
    ranks = run.report["findings"][0]["ranks"]
    check([(r["rank"], r["name"]) for r in ranks] == [(0, "0"), (1, "0.1:0"), (2, "0.1:1")], run)
    check(run.report["rank_names"] == ["0", "0.1:0", "0.1:1"], run)
    check(" (ranks 0.1:0, 0.1:1), all explored" in run.out
          and "waits for ranks 0.1:0, 0.1:1" in run.out, run)
    for name in REPORTS:
        with open(os.path.join(tool.directory, "report." + name), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read().replace("\\:", ":"))
        check("0.1:1" in text and not re.search(r"rank [12]\b(?!:)", text),
              "report.%s is to name ranks of the spawned world" % name)
    # a choice between three children, by names, and by numbers as it was once written
    line = (program, "workers", ":", "-n", "3", "-spawned", "1.1", program)
    for path in ("mp1:n5:worlds2+3by1.1:zero:0.3=1.1:2", "mp1:n5:zero:0.3=4"):
        run = tool.run("replay", path, "--json", "-", "--", *line)
        check(run.status == 0, run)
        taken = "0.3=1.1:2,0.4=1.1:0,0.5=1.1:1"
        check('"mp1:n5:worlds2+3by1.1:zero:%s"' % taken in run.out, run)
    run = tool.run("replay", "mp1:n5:worlds2+3by1.1:zero:0.3=1.1:2", "--", program, "workers")
    check(run.status == 2 and "the worlds 2+3by1.1, and the program's are one" in run.err, run)
    run = tool.run("replay", "mp1:n5:zero:0.3=4", "--gdb", "1.1:0", "--", *line)
    check(run.status == 2 and "--wrap-rank 1.1:0 --wrap" in run.err, run)
    run = tool.run("replay", "mp1:n5:zero:0.3=4", "--gdb", "1.1:3", "--", *line)
    check(run.status == 2 and "ranks are 0 to 1, 1.1:0 to 1.1:2" in run.err, run)
    for path, says in (("mp1:n5:worlds2+3by1.1:zero:0.3=1.1:3", "column 33"),
                       ("mp1:n5:worlds2+2by1.1:zero:0.3=1.1:0", "the worlds of 5 ranks")):
        run = tool.run("replay", path, "--", *line)
        check(run.status == 2 and says in run.err, run)


def check_prompt(tool, program):
    """The prompt prints and takes names."""
    script = tool.write("names", PROMPT)
    run = tool.run("debug", "-n", "1", "-x", script, "--batch", program, "wait", ":", "-n", "2",
                   "-spawned", "0.1", program)
    for text in ("  ranks 0.1:0, 0.1:1  MPI_Recv(source=0", "rank 0.1:1 has made 3 calls",
                 "  0.1:1.3  MPI_Recv(source=0", "->", "rank 0.1:0 stays in its call 1 until "
                 "release 0.1:0", "0.1:2 does not name ranks; ranks are 0, 0.1:0 to 0.1:1: "
                 "use 0, 0.1:0-1 or all", "breakpoint 1", "rank needs a number", "$1 = 1",
                 "  1  MPI_COMM_WORLD  ranks 0\n  0.1:0.2  ", "  ranks 0|0.1:0,0.1:1\n",
                 "position: mp1:n3:worlds1+2by0.1:zero:@0.3,0.1:0.2,0.1:1.3"):
        check(text in run.out, "%s\nis to print %s" % (run, text))


def check_processes(tool, program):
    """info processes has a line for each process: what it is, and what it does."""
    script = tool.write("processes", "run\ninfo processes\n2\ninfo processes\n"
                        "finish\ninfo processes\n")
    line = ("-n", "3", program, "choice", ":", "-n", "2", "-spawned", "0.1", program)
    run = tool.run("debug", "-x", script, "--batch", *line)
    rows = re.findall(r"^  ([0-9.:]+) +(\d) +(\d+|-) +(\S+) +([0-9.]+) +(.*)$", run.out, re.M)
    check(len(rows) == 15, run)
    for i, row in enumerate(rows):
        rank = i % 5
        world = "0" if rank < 3 else "0.1"
        name = "%d" % rank if rank < 3 else "0.1:%d" % (rank - 3)
        check(row[:2] == (name, str(rank)) and row[3:5] == (program, world)
              and (row[2] == "-" or int(row[2]) > 0), "%s: %s" % (run, row))
    does = [row[5] for row in rows]
    check(does[:5] == ["in MPI_Recv: waits for ranks 1, 2", "in MPI_Send: waits for rank 0",
                       "in MPI_Send: waits for rank 0", "is not spawned", "is not spawned"], run)
    check("in MPI_Recv: waits for ranks 0.1:0, 0.1:1" in does[5]
          and does[8:10] == ["in MPI_Send: waits for rank 0"] * 2, run)
    check(does[10:] == ["ended"] * 5, run)


def check_forms(tool, program):
    os.makedirs(os.path.join(tool.directory, "elsewhere"), exist_ok=True)
    run = explore(tool, program, "multiple", 1, 12, "--compare", "none")
    for execution in run.report["executions"]:
        check(printed(execution, 0) == "codes 0 0 0, universe -1", execution)
        check(re.fullmatch("child 0 of 3, command 0, in .*: multiple 1", printed(execution, 1)),
              execution)
        for child in (1, 2):
            check(printed(execution, 1 + child) == "child %d of 3, command 1, in elsewhere: "
                  "multiple two words" % child, execution)
    check(run.report["not_checked"] == [], run)
    run = tool.run("run", "-n", "1", program, "multiple", "node7", report=True)
    check([one["limit"] for one in run.report["not_checked"]] == ["spawn-places"]
          and "info keys host" in run.out, run)
    # mpiexec is told how many ranks there are, and the program how large the universe is
    run = explore(tool, program, "multiple", 1, 12, "--compare", "none", "--launcher",
                  tool.mpicc.replace("mpicc", "mpiexec") + " -usize 7")
    check({printed(execution, 0) for execution in run.report["executions"]}
          == {"codes 0 0 0, universe 7"}, run)
    run = tool.run("explore", "-n", "1", program, "families", "x", report=True)
    check(run.status == 0 and run.report["interleavings"] == 2, run)
    check(parts(run) == [(0, 1), (1, 2), (3, 2)], run)
    for execution in run.report["executions"]:
        check([printed(execution, rank) for rank in range(5)] == [
            "child is 0, sum 3", "grandchild is 0, sum 6", "grandchild is 1, sum 6", "", ""],
              execution)
    run = explore(tool, program, "missing", 1, 2)
    for execution in run.report["executions"]:
        check(printed(execution, 0) == "the handler gets 1 1\nthe spawn gives 1", execution)


def check_choice(tool, program):
    """The first sender decides: without a spawn the other sender is last (1); with 2 processes,
    their messages come in 2 orders. Processes that are not spawned are none of the program's."""
    for way in WAYS:
        run = explore(tool, program, "choice", 3, 6, "--compare", "none", "--backtrack", way)
        check(parts(run) == [(0, 3), (3, 2)], run)
        spawned = [bool(printed(execution, 3)) for execution in run.report["executions"]]
        check(spawned.count(True) == 4, run)
    # with a fourth rank, a choice needs another process of the same spawn
    run = explore(tool, program, "choice", 4, 2 * 2 * (1 + 2 + 6), "--compare", "none")
    check(parts(run) in ([(0, 4), (4, 2), (6, 1)], [(0, 4), (4, 3)]), run)


def check_threads(tool):
    """A spawned process has the level of thread support that it asks for, and is held to it."""
    program = tool.compile(tool.write("threads.c", THREADS), "-pthread")
    for words, kinds, orders in ((("0",), [], {"21"}), (("1",), [], {"21"}),
                                 (("2", "x"), [], {"21"}), (("3",), [], {"12", "21"}),
                                 (("1", "x"), ["thread-level"], {""})):
        for way in WAYS if words == ("3",) else WAYS[:1]:
            run = tool.run("explore", "-n", "1", "--compare", "none", "--backtrack", way, program,
                           *words, report=True)
            check([f["kind"] for f in run.report["findings"]] == kinds, run)
            check(run.report["interleavings"] == 2 * len(orders), run)
            seen = {printed(execution, 0) for execution in run.report["executions"]}
            check(seen == orders, "%s: %s" % (run, seen))
            for execution in run.report["executions"]:
                check(printed(execution, 1) == "%s %s 1" % (words[0], words[0]), execution)


def check_turns(tool, program):
    """From the fourth spawn of the same on, as many as before are added: not one each time."""
    run = explore(tool, program, "turns", 1, 2)
    check(parts(run) == [(i, 1) for i in range(1 + 3 + 4 + 8)], run)
    check("(15 ranks, 0.1:0 to 0.15:0)" in run.out, run)


def check_faults(tool, program):
    run = explore(tool, program, "wait", 1, 2, findings=["deadlock"])
    ranks = run.report["findings"][0]["ranks"]
    check([(r["function"], r["waits_for"]) for r in ranks] == [
        ("MPI_Recv", [1, 2]), ("MPI_Recv", [0]), ("MPI_Recv", [0])], run)
    run = explore(tool, program, "exit", 1, 2, findings=["exit"])
    check("rank 0.1:0 exited with status 4 without MPI_Finalize" in run.out, run)
    run = explore(tool, program, "abort", 1, 2, findings=["abort"])
    check("rank 0.1:1 called MPI_Abort(9)" in run.out, run)
    run = explore(tool, program, "leak", 1, 2, findings=["leak"])
    check("1 communicator made by MPI_Comm_spawn" in run.out, run)
    run = explore(tool, program, "part", 1, 2, findings=["collective-mismatch"])
    early, child = (tool.compile(tool.write(name + ".c", text)) for name, text in (
        ("early", EARLY_PARENT), ("child", EARLY_CHILD)))
    for words, kind, says in (([], "exit", "without MPI_Finalize"),
                              (["x"], "mpi-error", "MPI_Barrier is called before MPI_Init")):
        run = tool.run("explore", "-n", "1", early, child, *words, report=True)
        check([f["kind"] for f in run.report["findings"]] == [kind] and says in run.out, run)


def check_refused(tool, program):
    for behind, status, says in (
            (["-spawned", "1.1", program], 2, "R is a rank before them"),
            (["-spawned", "0.0", program], 2, "R is a rank before them"),
            (["-spawned", "0.1"], 2, "the program is missing"),
            (["-spawned", "0.1", program, ":", "-n", "1", program], 2, "come last")):
        run = tool.run("run", "-n", "1", program, "wait", ":", "-n", "2", *behind)
        check(run.status == status and says in run.err, run)
    run = tool.run("record", "-n", "1", program, "wait", ":", "-n", "2", "-spawned", "0.1", program)
    check(run.status == 2 and "cannot be recorded" in run.err, run)
    early = os.path.join(tool.directory, "early")
    run = tool.run("run", "-n", "1", early, "/bin/true")
    check(run.status == 4 and "/bin/true is not linked with MPI" in run.err, run)
    run = tool.run("run", "-n", "2", "--nodes", "2", program, "workers")
    check(run.status == 4 and "-spawned" in run.err, run)


def body(tool, _options):
    program = tool.compile(tool.write("program.c", PROGRAM))
    check_counts(tool, program)
    check_again(tool, program)
    check_names(tool, program)
    check_prompt(tool, program)
    check_processes(tool, program)
    check_forms(tool, program)
    check_choice(tool, program)
    check_threads(tool)
    check_turns(tool, program)
    check_faults(tool, program)
    check_refused(tool, program)


if __name__ == "__main__":
    harness.main(__doc__, body)
