"""In a container, where processes have their own PID namespace: by snapshot and by rerun."""

import os
import subprocess
import sys

import harness
from harness import check

NAMESPACE = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
SKIPPED = 77


def body(tool, _options):
    if os.getuid() != 0:
        NAMESPACE.insert(1, "--map-root-user")
    if subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode != 0:
        print("no namespaces may be made here")
        sys.exit(SKIPPED)
    here = os.path.dirname(os.path.abspath(__file__))
    program = tool.compile(os.path.join(here, "../../examples/wildcard_deadlock.c"))
    inside = tool.write("inside", "#!/bin/sh\nexec %s %s \"$@\"\n" % (" ".join(NAMESPACE),
                                                                   tool.matchpoint))
    os.chmod(inside, 0o755)
    tool.matchpoint = inside
    for way in ("snapshot", "rerun"):
        run = tool.run("explore", "-n", "3", "--backtrack", way, program, report=True)
        check(run.status == 1 and run.report["complete"], run)
        check([one["kind"] for one in run.report["findings"]] == ["deadlock"], run)
        check(run.report["backtrack"] == way, run)


if __name__ == "__main__":
    harness.main(__doc__, body)
