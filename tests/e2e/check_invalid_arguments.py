"""A call with a wrong argument returns what MPI alone returns, error class and message. Each call
of the table (shim/generate/mpi_calls.txt) is made with each of its arguments wrong in turn, the
others right.

The program is generated from the table and the prototypes of mpi.h. It first tries each case in a
child process without matchpoint, and leaves out those that MPI itself accepts, crashes in or does
not return from. The others run one after another, under mpiexec alone and under matchpoint."""

import os
import re
import subprocess
import sys

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
SHIM = os.path.join(HERE, "..", "..", "shim", "generate")
sys.path.insert(0, SHIM)
sys.dont_write_bytecode = True
import mpi_table  # noqa: E402

# Calls without an argument that can be wrong, or without a meaning here.
SKIPPED = re.compile(
    r"T_.*|.*_(c2f|f2c)|Abort|Init|Init_thread|Finalize|Pcontrol|Aint_.*|Wtime|Wtick"
    r"|Comm_(spawn.*|connect|accept|join|get_parent)|.*_port|.*_name|Get_(library_)?version"
    r"|.*_from_group(s)?|Group_from_session_pset")
NAMES = re.compile(r"(Comm|Type|Win)_[gs]et_name")  # not names of services

LEAST_CASES = 3000
LEAST_FUNCTIONS = 450

TOPOLOGIES = (("Cart", "cart"), ("Graph", "graph"), ("Dist_graph_neighbors", "neighbors"),
              ("Neighbor_", "neighbors"), ("Ineighbor_", "neighbors"))
MAKE_TOPOLOGY = ("Cart_create", "Cart_map", "Graph_create", "Graph_map")
IN_EPOCH = re.compile(r"(R?(put|get|accumulate)|Get_accumulate|Rget_accumulate|Fetch_and_op"
                      r"|Compare_and_swap)(_c)?|Win_(flush.*|unlock_all|unlock|sync)", re.I)
RANKS = {"dest", "source", "root", "rank", "target_rank", "local_leader", "remote_leader"}
KEYVALS = {"keyval": "comm_keyval", "comm_keyval": "comm_keyval", "type_keyval": "type_keyval",
           "win_keyval": "win_keyval"}
RIGHT = {"MPI_Datatype": "MPI_INT", "MPI_Op": "MPI_SUM", "MPI_Group": "group",
         "MPI_Errhandler": "MPI_ERRORS_RETURN", "MPI_File": "file",
         "MPI_Request": "request", "MPI_Message": "MPI_MESSAGE_NO_PROC",
         "MPI_Session": "MPI_SESSION_NULL", "MPI_Win": "idle", "MPI_Comm": "MPI_COMM_WORLD",
         "MPI_Info": "MPI_INFO_NULL"}
NULLS = {"MPI_Datatype": "MPI_DATATYPE_NULL", "MPI_Op": "MPI_OP_NULL",
         "MPI_Group": "MPI_GROUP_NULL", "MPI_Errhandler": "MPI_ERRHANDLER_NULL",
         "MPI_File": "MPI_FILE_NULL", "MPI_Request": "MPI_REQUEST_NULL",
         "MPI_Message": "MPI_MESSAGE_NULL", "MPI_Session": "MPI_SESSION_NULL",
         "MPI_Win": "MPI_WIN_NULL", "MPI_Comm": "MPI_COMM_NULL", "MPI_Info": "MPI_INFO_NULL"}
INTEGERS = ("int", "MPI_Count", "MPI_Aint", "MPI_Offset")

PROGRAM = """
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char area[24][4096] __attribute__((aligned(64)));
static int parts[2][2];
static int ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, zeros[8], wrong_ints[8] = {-7, -7, -7, -7, -7, -7};
static MPI_Count ones_c[8] = {1, 1, 1, 1, 1, 1, 1, 1}, zeros_c[8], wrong_counts[8] = {-7, -7, -7};
static MPI_Aint zeros_a[8], wrong_displacements[8] = {-7, -7, -7};
static MPI_Datatype types[2] = {MPI_INT, MPI_INT}, uncommitted;
static MPI_Datatype wrong_types[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
static MPI_Request requests[1], null_requests[1] = {MPI_REQUEST_NULL}, wrong_requests[1];
static MPI_Comm cart, graph, neighbors;
static MPI_Group group;
static MPI_Win idle, locked;
static MPI_File file;
static MPI_Request request, partitioned[2];
static MPI_Info info;
static MPI_Status status;
static int comm_keyval, type_keyval, win_keyval;

static void nothing(void)
{
}

#define NONE(type) ((type)0x0c0ffee)
#define HELD(place, type, value) (*(type *)area[place] = (value), (void *)area[place])

static void start(const char *path)
{
	void *base;

	MPI_Init(NULL, NULL);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	wrong_requests[0] = NONE(MPI_Request);
	MPI_Cart_create(MPI_COMM_WORLD, 1, ones, ones, 0, &cart);
	MPI_Graph_create(MPI_COMM_WORLD, 1, ones, zeros, 0, &graph);
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, zeros, MPI_UNWEIGHTED, 1, zeros,
	                               MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &neighbors);
	MPI_Comm_group(MPI_COMM_WORLD, &group);
	MPI_Type_contiguous(2, MPI_INT, &uncommitted);
	MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &idle);
	MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &locked);
	MPI_Win_set_errhandler(idle, MPI_ERRORS_RETURN);
	MPI_Win_set_errhandler(locked, MPI_ERRORS_RETURN);
	MPI_Win_lock_all(0, locked);
	MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
	MPI_Recv_init(area[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
	requests[0] = request;
	MPI_Psend_init(parts[0], 2, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
	               &partitioned[0]);
	MPI_Precv_init(parts[1], 2, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
	               &partitioned[1]);
	MPI_Startall(2, partitioned);
	MPI_Info_create(&info);
	MPI_Info_set(info, "key", "value");
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &comm_keyval, NULL);
	MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_keyval, NULL);
	MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &win_keyval, NULL);
}

@FUNCTIONS@
static const struct {
	const char *name;
	int (*call)(void);
} cases[] = {
@CASES@};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static void finish(void)
{
	MPI_Pready_range(0, 1, partitioned[0]);
	MPI_Waitall(2, partitioned, MPI_STATUSES_IGNORE);
	MPI_Request_free(&partitioned[0]);
	MPI_Request_free(&partitioned[1]);
	MPI_Win_unlock_all(locked);
	MPI_Win_free(&locked);
	MPI_Win_free(&idle);
	MPI_File_close(&file);
	MPI_Finalize();
}

static int run(int number)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int class = MPI_SUCCESS, length;

	memset(area, 0, sizeof(area));
	int code = cases[number].call();
	if (code != MPI_SUCCESS) {
		MPI_Error_class(code, &class);
		MPI_Error_string(code, text, &length);
	}
	text[strcspn(text, "\\n")] = 0;
	printf("%s: %d %s\\n", cases[number].name, class, text);
	fflush(stdout);
	return class;
}

/* In a copy of the process, until MPI accepts one or does not survive it; *at: the present one. */
static void try_on(volatile int *at)
{
	if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
		_exit(3);
	for (; *at < CASES; ++*at) {
		alarm(1);
		if (run(*at) == MPI_SUCCESS)
			_exit(1);
	}
	_exit(0);
}

static void try_all(FILE *list)
{
	volatile int *at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE,
	                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (int first, result; (first = *at) < CASES; ++*at) {
		fflush(NULL);
		pid_t child = fork();

		if (!child)
			try_on(at);
		waitpid(child, &result, 0);
		for (; first < *at; first++)
			fprintf(list, "%d\\n", first);
		if (*at < CASES)
			printf("%s: %s\\n", cases[*at].name,
			       WIFSIGNALED(result) ? strsignal(WTERMSIG(result))
			       : WEXITSTATUS(result) == 1 ? "accepted" : "ended");
	}
}

/* PATH try: tries all, writes the numbers of those that fail into the file; PATH: runs these. */
int main(int argc, char **argv)
{
	FILE *list = fopen(argv[1], argc > 2 ? "w" : "r");
	char path[4096];
	int number;

	snprintf(path, sizeof(path), "%s.data", argv[1]);
	start(path);
	if (argc > 2)
		try_all(list);
	else
		while (fscanf(list, "%d", &number) == 1)
			run(number);
	fclose(list);
	fflush(stdout);
	if (argc > 2)
		_exit(0);
	finish();
}
"""


def base(argument):
    return argument.type.replace("const ", "").replace("MPIO_", "MPI_").rstrip("* ").strip()


def is_pointer(argument):
    return argument.type.endswith("*") or bool(argument.array)


def in_and_out(call, argument):
    """Whether a handle passed by reference must be valid."""
    return base(argument) in NULLS and bool(call.get("frees") or call.get("makes") == "nothing")


def right_pointer(call, argument, place):
    kind = base(argument)
    if argument.type.startswith("const char") or kind == "char" and "const" in argument.type:
        return '"native"' if argument.name == "datarep" else '"key"'
    if kind == "char":
        return f"(void *)area[{place}]"
    if argument.array:
        if kind == "MPI_Request":
            return "requests"
        if kind == "MPI_Datatype" and "types" in argument.name:
            return "types"
        if kind == "int" and argument.array == "[]" and "const" in argument.type:
            return "zeros" if "displ" in argument.name or "rank" in argument.name else "ones"
        if kind == "MPI_Count" and "const" in argument.type:
            return "zeros_c" if "displ" in argument.name else "ones_c"
        if kind == "MPI_Aint" and "const" in argument.type:
            return "zeros_a"
        return f"(void *)area[{place}]"
    if kind.endswith(("_function", "_function_c")):
        return "(void *)nothing"
    if kind == "MPI_Status":
        return "&status"
    if in_and_out(call, argument):
        return f"HELD({place}, {kind}, {RIGHT[kind]})"
    return f"(void *)area[{place}]"


def right(call, argument, place):
    kind = base(argument)
    if is_pointer(argument):
        return right_pointer(call, argument, place)
    if kind == "MPI_Comm":
        for start, value in TOPOLOGIES:
            if call.name.startswith(start) and call.name not in MAKE_TOPOLOGY:
                return value
    if kind == "MPI_Win" and IN_EPOCH.fullmatch(call.name):
        return "locked"
    if kind == "MPI_Info" and call.name.startswith("Info_"):
        return "info"
    if kind == "MPI_Request" and call.name.startswith(("Pready", "Parrived")):
        return f"partitioned[{int(call.name == 'Parrived')}]"
    if kind in RIGHT:
        return RIGHT[kind]
    if argument.name in KEYVALS:
        return KEYVALS[argument.name]
    if kind in INTEGERS:
        zero = argument.name in RANKS or "tag" in argument.name or "disp" in argument.name
        zero = (zero or argument.name in ("offset", "assert", "partition_low", "partition_high",
                                          "partition")) and "unit" not in argument.name
        return "0" if zero else "1"
    return None


def wrong_pointer(call, argument, place):
    kind = base(argument)
    if kind == "void":
        return ["NULL"]
    if argument.array:
        arrays = {"int": "wrong_ints", "MPI_Count": "wrong_counts", "MPI_Datatype": "wrong_types",
                  "MPI_Aint": "wrong_displacements"}
        if kind == "MPI_Request":
            return ["NULL", "null_requests", "wrong_requests"]
        return ["NULL"] + ([arrays[kind]] if "const" in argument.type and kind in arrays else [])
    if in_and_out(call, argument):
        return ["NULL", f"HELD({place}, {kind}, {NULLS[kind]})",
                f"HELD({place}, {kind}, {nonsense(kind)})"]
    return ["NULL"]


def nonsense(kind):
    return "(MPI_File)area[23]" if kind == "MPI_File" else f"NONE({kind})"


def wrong(call, argument, place):
    """C expressions for wrong values."""
    kind = base(argument)
    if is_pointer(argument):
        return wrong_pointer(call, argument, place)
    if kind in NULLS:
        return ([NULLS[kind], nonsense(kind)] + (["request"] if kind == "MPI_Request" else [])
                + (["uncommitted"] if kind == "MPI_Datatype" else []))
    if argument.name in KEYVALS:
        return ["MPI_KEYVAL_INVALID", "-7"]
    if kind in INTEGERS:
        return ["99", "-7"] if argument.name in RANKS or "partition" in argument.name else ["-7"]
    return []


def cases_of(call):
    """(name, C expression) for each wrong argument."""
    values = [right(call, argument, place) for place, argument in enumerate(call.declared)]
    for place, argument in enumerate(call.declared):
        if "MPI_SESSION_NULL" in values and base(argument) != "MPI_Session":
            continue
        for value in wrong(call, argument, place):
            others = values[:place] + [value] + values[place + 1:]
            plain = re.sub(r"HELD\(\d+, \w+, (.*)\)", r"&\1", value)
            yield f"{call.name} {argument.name}={plain}", f"MPI_{call.name}({', '.join(others)})"


def calls_to_try(tool):
    include = tool.write("include_mpi.c", "#include <mpi.h>\n")
    header = include + ".i"
    subprocess.run([tool.mpicc, "-E", include, "-o", header], check=True)
    calls = mpi_table.installed(
        mpi_table.read_table(os.path.join(SHIM, "mpi_calls.txt")), header)
    return [call for call in calls if call.returns == "int" and call.treatment != "refused"
            and call.declared
            and (NAMES.fullmatch(call.name) or not SKIPPED.fullmatch(call.name))]


def generate(calls):
    functions, table = [], []
    for call in calls:
        for name, expression in cases_of(call):
            functions.append("static int case_%d(void)\n{\n\treturn %s;\n}\n"
                             % (len(table), expression))
            table.append('\t{"%s", case_%d},\n' % (name.replace('"', ""), len(table)))
    return (PROGRAM.replace("@FUNCTIONS@", "\n".join(functions))
            .replace("@CASES@", "".join(table)))


def results(text):
    return dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)


def body(tool, options):
    calls = calls_to_try(tool)
    source = tool.write("invalid_arguments.c", generate(calls))
    program = tool.compile(source, "-w", "-O0")
    numbers = os.path.join(tool.directory, "numbers")
    tried = subprocess.Popen([program, numbers, "try"], stdout=subprocess.PIPE, text=True,
                             stdin=subprocess.DEVNULL)
    left_out, _ = harness.communicate(tried, harness.TIMEOUT)
    check(tried.returncode == 0, "it ended with %d: %s" % (tried.returncode, left_out))
    if options.left_out:
        print(left_out)
    plain = results(tool.run_plain(1, program, numbers)[0])
    run = tool.run("explore", "-q", "-n", "1", "--", program, numbers, report=True)
    check(run.report and run.report["executions"], str(run))
    for execution in run.report["executions"]:
        here = results(execution["output"][0])
        different = ["%s\n  plain %s\n  here  %s" % (name, result, here.get(name))
                     for name, result in plain.items()
                     if here.get(name) != result]
        check(not different, "%s, %d of %d:\n%s\n%s" % (
            execution["status"], len(different), len(plain), "\n".join(different),
            run.out[:1000]))
    functions = {name.split()[0] for name in plain}
    check(len(plain) >= LEAST_CASES and len(functions) >= LEAST_FUNCTIONS,
          "only %d cases of %d calls" % (len(plain), len(functions)))
    print("%d wrong arguments of %d calls" % (len(plain), len(functions)))


def more_options(parser):
    parser.add_argument("--left-out", action="store_true",
                        help="print what MPI itself accepts or does not survive")


if __name__ == "__main__":
    harness.main(__doc__, body, more_options)
