"""A script that fails gives the reason in its last line, for each way to fail."""

import os
import subprocess
import sys

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
# Replaces matchpoint: prints two lines, and exits with its first argument.
STATUS = "#!/bin/sh\necho one line >&2\necho another >&2\nexit $1\n"
SCRIPT = '''import harness
from harness import check

def refused(run, status):
    check(run.status == status, run)

def twice(value):
    return value * 2

def body(tool, options):
    run = tool.run("3", "two words")
%s

harness.main(__doc__, body)
'''
CASES = (  # the failing statement, the text of the last line
    ("check(run.status == 0, run)", "expected run.status == 0, got 3"),
    ("check(run.status == 3 and 'no line' in run.err, run)",
     "expected 'no line' in run.err, got 'one line\\nanother\\n'"),
    ("check(run.status == 3 and not run.err, run)",
     "expected not run.err, got 'one line\\nanother\\n'"),
    ("check(run.status == 3 and (run.out or run.seconds < 0), run)",
     "expected run.out or run.seconds < 0"),
    ("check(run.status == 0, 'exit status 3\\nand more')",
     "exit status 3; expected run.status == 0, got 3"),
    ("check(twice(run.status) == 7, run)", "expected twice(run.status) == 7, got 6"),
    ("check(all(word in run.err for word in ('one', 'two')), run)",
     "expected all((word in run.err for word in ('one', 'two')))"),
    ("check(len(run.err.splitlines()) < 2, run)",
     "expected len(run.err.splitlines()) < 2, got 2"),
    ("check(tool.run('0').status == 1, 'again')",
     "again; expected tool.run('0').status == 1, which is not so"),
    ("refused(run, 4)", "expected run.status == 4, got 3"),
    ("raise harness.Failed('no end')", "no end"),
    ("{}['a word']", "KeyError: 'a word'"),
    ("run.report['findings']", 'no report, whose "findings" is asked for'),
    ("check(not twice([run.err * 99]), run)", " ... "),
)


def fail(tool, number, statement):
    """Runs a script with this statement. Returns its last line."""
    script = tool.write("tests/check_%d.py" % number, SCRIPT % ("    " + statement))
    done = subprocess.run([sys.executable, script, "--matchpoint", tool.write_program()],
                          env=dict(os.environ, PYTHONPATH=HERE), capture_output=True, text=True,
                          check=False, timeout=60)
    check(done.returncode == 1, "%s: exit status %d\n%s%s" % (statement, done.returncode,
                                                             done.stdout, done.stderr))
    check(done.stderr == "", "it wrote to standard error: %s" % done.stderr)
    return done.stdout.rstrip("\n").split("\n")[-1]


class Scripts(harness.Tool):
    def write_program(self):
        path = self.write("matchpoint", STATUS)
        os.chmod(path, 0o755)
        return path


def body(tool, options):
    scripts = Scripts(options.matchpoint, options.mpicc)
    try:
        os.mkdir(os.path.join(scripts.directory, "tests"))
        for number, (statement, words) in enumerate(CASES):
            line = fail(scripts, number, statement)
            name = "check_%d" % number
            check(line.startswith(name + ": FAILED: ") and words in line, "%s: %s" % (statement,
                                                                                      line))
            check(len(line) < 700 and name + ".py:" in line and "matchpoint " in line, line)
    finally:
        scripts.close()


if __name__ == "__main__":
    harness.main(__doc__, body)
