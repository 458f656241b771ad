"""Programs that are started by shell scripts: the script's input and output is the rank's."""

import os

import harness
from harness import check

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	char line[64] = "nothing";
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	fgets(line, sizeof(line), stdin);
	printf("%d [%s] %s", rank, argv[1], line);
	MPI_Finalize();
	return 0;
}
"""
SCRIPTS = {
    "exec": "ls >/dev/null\nexec \"$0.program\" \"$@\"\n",
    "child": "\"$0.program\" \"$@\"\n",
}


def body(tool, _):
    source = tool.write("reader.c", PROGRAM)
    program = tool.compile(source)
    with open(os.path.join(tool.directory, "input"), "w") as file:
        file.write("one\n")
    for shell in ("/bin/sh", "/bin/bash"):
        for name, text in SCRIPTS.items():
            script = os.path.join(tool.directory, name)
            with open(script, "w") as file:
                file.write("#!%s\n%s" % (shell, text))
            os.chmod(script, 0o755)
            if not os.path.exists(script + ".program"):
                os.link(program, script + ".program")
            for backtrack in ("snapshot", "rerun"):
                run = tool.run("explore", "-n", "2", "--stdin", "input", "--backtrack", backtrack,
                               "--", script, "a b", report=True)
                check(run.status == 0 and run.report, "%s %s\n%s" % (shell, name, run))
                for execution in run.report["executions"]:
                    check(execution["output"][0] == "0 [a b] one\n",
                          "%s %s: %s\n%s" % (shell, name, execution["output"], run))


if __name__ == "__main__":
    harness.main(__doc__, body)
