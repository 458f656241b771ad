"""Started by another launcher, or with what one leaves in the environment, matchpoint finds what it
finds without: the same verdict, and the same output of each rank in each interleaving. What the
ranks' own launcher tells them, and what users set for MPI, reaches them."""

import collections
import os
import re
import shlex

import harness
from harness import check, told

EXAMPLES = os.path.join(os.path.dirname(__file__), "../../examples")
SINGLE = (
    {"PMI_RANK": "0"},
    {"PMI_RANK": "1", "PMI_SIZE": "2"},
    {"PMI_FD": "9", "PMI_RANK": "0", "PMI_SIZE": "1"},
    {"PMI_PORT": "localhost:9", "PMI_ID": "0"},
    {"HYDI_CONTROL_FD": "9"},
    {"MPI_LOCALRANKID": "5", "MPI_LOCALNRANKS": "7"},
    {"OMPI_COMM_WORLD_RANK": "0", "PMIX_RANK": "0", "PMIX_NAMESPACE": "x"},
    {"SLURM_JOBID": "1", "SLURM_NODELIST": "elsewhere", "SLURM_NNODES": "1", "SLURM_PROCID": "0",
     "SLURM_TASKS_PER_NODE": "1"},
    {"PBS_NODEFILE": "/nonexistent"},
    {"HYDRA_HOST_FILE": "/nonexistent"},
    {"MATCHPOINT_REDIRECTED": "1", "MATCHPOINT_WORLD": "5"},
)
WAYS = (["--buffering", "zero", "--backtrack", "snapshot"],
        ["--buffering", "zero", "--backtrack", "rerun", "-j", "2"])


def outcomes(report):
    """What each interleaving printed, as something that can be counted."""
    return collections.Counter((execution["path"], tuple(execution["output"]))
                               for execution in report["executions"])


class Nested:
    """Explores one program, and compares with what was found without another launcher."""

    def __init__(self, tool, program, way):
        self.tool = tool
        self.arguments = ["explore", "-n", "3", *way, "--", program]
        self.expected = tool.run(*self.arguments, report=True)
        check(self.expected.report["complete"], str(self.expected))
        check(any(any(execution["output"]) for execution in self.expected.report["executions"]),
              "nothing is printed: %s" % self.expected)

    def compare(self, run, how):
        check(run.report, "no report %s\n%s" % (how, run))
        check(told(run.report) == told(self.expected.report), "not the same %s\n%s\n%s" % (
            how, self.expected, run))
        check(outcomes(run.report) == outcomes(self.expected.report),
              "another output %s\n%s\n%s" % (how, outcomes(self.expected.report),
                                             outcomes(run.report)))
        notes = [note for note in run.report["notes"] if "vary" in note]
        check(not notes, "%s %s" % (notes, how))

    def check_variables(self, variables):
        run = self.tool.run(*self.arguments, report=True, environment=variables)
        self.compare(run, "with %s" % variables)
        check(run.status == self.expected.status, str(run))

    def check_below(self, launcher):
        """The launcher in front, with matchpoint as its program."""
        real = self.tool.matchpoint
        script = os.path.join(self.tool.directory, "below")
        with open(script, "w") as file:
            file.write("#!/bin/sh\nexec %s -n 1 '%s' \"$@\"\n" % (launcher, real))
        os.chmod(script, 0o755)
        self.tool.matchpoint = script
        try:
            run = self.tool.run(*self.arguments, report=True)
        finally:
            self.tool.matchpoint = real
        self.compare(run, "below %s" % launcher)


def check_commands(tool, program):
    """Other commands start jobs as well."""
    for words in (["run", "-n", "3"], ["replay", "mp1:n3:zero"], ["check", "-n", "3"]):
        plain = tool.run(*words, "--", program)
        nested = tool.run(*words, "--", program, environment={"PMI_RANK": "0", "PMI_FD": "9"})
        check(nested.status == plain.status, "%s\n%s" % (plain, nested))
        check(("first" in nested.out) == ("first" in plain.out), "%s\n%s" % (plain, nested))


def check_ranks_see(tool, program):
    """The ranks' own variables, and the user's."""
    run = tool.run("explore", "-n", "2", "--", program, report=True,
                   environment={"PMI_RANK": "7", "SLURM_JOBID": "1", "MPIR_CVAR_ENABLE_FT": "0",
                                "OMPI_COMM_WORLD_RANK": "7"})
    for execution in run.report["executions"]:
        check(execution["output"] == ["0 of 2 - 0 -\n", "1 of 2 - 0 -\n"], str(run))
    run = tool.run("explore", "-n", "2", "--launcher", tool.mpicc.replace("mpicc", "mpiexec")
                   + " -rmk user -bootstrap fork -n 2", "--", program, report=True,
                   environment={"PMI_RANK": "7", "SLURM_JOBID": "1", "SLURM_PROCID": "7",
                                "MPIR_CVAR_ENABLE_FT": "0"})
    for execution in run.report["executions"]:
        check(execution["output"] == ["0 of 2 1 0 -\n", "1 of 2 1 0 -\n"], str(run))


def check_launcher_again(tool, mpiexec):
    """What leads to a finding again starts the ranks as they were started."""
    program = tool.compile(os.path.join(EXAMPLES, "wildcard_deadlock.c"))
    launcher = mpiexec + " -bind-to none"
    for kept in ([], ["--shard", "1/2"], ["--shard", "2/2"]):
        run = tool.run("explore", "-n", "3", "--launcher", launcher, "--store",
                       "store" + kept[-1][:1] if kept else "one", *kept, "--", program,
                       report=True)
        check(run.status < 2 and run.report["launcher"] == launcher, str(run))
    merged = tool.run("report", "store1", "store2")
    for run in (merged, tool.run("report", "--store", "one")):
        check("again: matchpoint replay --launcher '%s' mp1:n3" % launcher in run.out, str(run))
    line = re.search("again: matchpoint (.*)", run.out).group(1)
    for words in (shlex.split(line), ["replay", "1", "--store", "one"],
                  ["minimize", "1", "--store", "one"]):
        run = tool.run(*words, "-v")
        check("again: matchpoint replay --launcher '%s' mp1:n3" % launcher in run.out, str(run))
    run = tool.run("replay", "1", "--store", "one", "--launcher", mpiexec + " -bind-to core")
    check("again: matchpoint replay --launcher '%s -bind-to core'" % mpiexec in run.out, str(run))


def body(tool, _):
    program = tool.compile(harness.program("first_arrival.c"))
    for way in WAYS:
        nested = Nested(tool, program, way)
        nested.check_below(tool.mpicc.replace("mpicc", "mpiexec"))
        for variables in SINGLE:
            nested.check_variables(variables)
    check_commands(tool, program)
    check_launcher_again(tool, tool.mpicc.replace("mpicc", "mpiexec"))
    check_ranks_see(tool, tool.compile(harness.program("tells_environment.c")))


if __name__ == "__main__":
    harness.main(__doc__, body)
