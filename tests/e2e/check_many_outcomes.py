"""More outcomes than are distinguished: the others are counted, and a note says so."""


import harness
from harness import check


def body(tool, _):
    program = tool.compile(harness.program("many_outcomes.c"))
    run = tool.run("explore", "-n", "6", "--buffering", "zero", "--", program, report=True)
    check(run.status == 1 and run.report["interleavings"] == 120, str(run))
    check([finding["kind"] for finding in run.report["findings"]] == ["outcome-differs"], str(run))
    note = "only 64 outcomes are compared: 56 interleavings had others"
    check(note in run.report["notes"], "no note\n%s" % run)


if __name__ == "__main__":
    harness.main(__doc__, body)
