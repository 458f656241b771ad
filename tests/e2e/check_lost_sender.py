"""A rank that waits for a large message of a rank that ended at once does not wait for ever.
Whether the message arrived before depends on time; the crash is found in any case."""


import harness
from harness import check

PROGRAM = harness.program("large_messages.c")


def body(tool, _):
    program = tool.compile(PROGRAM, "-Wno-stringop-overflow")
    for way in ("snapshot", "rewind", "rerun"):
        run = tool.run("explore", "-n", "2", "--buffering", "infinite", "--backtrack", way, "--",
                       program, "killed", report=True, environment={"MATCHPOINT_HASTE": "4"})
        kinds = [finding["kind"] for finding in run.report["findings"]]
        check(run.report["complete"] and kinds == ["crash"], str(run))
        check("rank 1 killed by SIGKILL" in run.report["findings"][0]["message"], str(run))


if __name__ == "__main__":
    harness.main(__doc__, body)
