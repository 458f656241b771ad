"""matchpoint debug DIR: the prompt on the job of a recording, which is started as it was, with the
choices as they were recorded; from there one can go back and choose otherwise."""

import os
import re
import shutil

import harness
from check_prompt import PROMPT, Terminal
from check_record_job import KINDS, RANKS, check_hang, record, without_asked
from harness import check


def debug(tool, folder, *lines, status=0, words=(), **how):
    script = tool.write("lines.mp", "\n".join(lines) + "\n")
    run = tool.run("debug", folder, "-x", script, "--batch", *words, "--store",
                   os.path.join(tool.directory, "store"), **how)
    check(run.status == status, str(run))
    return run


def told(run):
    """What rank 0 wrote, where the session stopped first."""
    first = re.search(r"  rank 0 wrote:\n((?:    .*\n)*)", run.out)
    return re.sub(r"^    ", "", first[1], flags=re.M) if first else ""


def check_kinds(tool, program):
    for kind in KINDS:
        folder, recorded = record(tool, program, kind, "1")
        run = debug(tool, folder, "info path", "back", "finish")
        check(run.out.startswith("stopped: end") and run.out.count("stopped: end") == 2, str(run))
        check(without_asked(told(run)) == without_asked(recorded.out),
              "recorded:\n%s\n%s" % (recorded.out, run))
        check("as in the path" in run.out and "path: mp1:n4:infinite:" in run.out, str(run))


def check_terminal(tool, program):
    """Another message than the recorded one is taken first, and then the recorded one again."""
    folder, recorded = record(tool, program, "receive", "1")
    first = int(recorded.out.split()[1]) // 100
    other = 1 if first != 1 else 2
    terminal = Terminal(tool, folder, "--web")
    check(re.search(r"page: http://\S+", terminal.expect(re.escape(PROMPT))), terminal.text)
    choice = terminal.say("back %d" % (3 * (RANKS - 1)), "stopped: choice 0.2\r?\n")
    check(re.search(r"rank %d's message.*as in the path" % first, choice), choice)
    for source in (other, first):
        terminal.say("0.2=%d" % source, "stopped: choice 0.3\r?\n")
        text = terminal.say("finish", "stopped: end\r?\n")
        check(re.search(r"rank 0 wrote:\s+receive %d00" % source, text), text)
        terminal.say("run", "stopped: choice 0.2\r?\n")
    terminal.type("quit\r")
    terminal.wait(3)


def check_crash(tool, program):
    for seed in range(1, 40):
        folder, recorded = record(tool, program, "crash", str(seed))
        if recorded.status == 0:
            continue
        run = debug(tool, folder, "back", "0.2=1", "finish")
        check("stopped: finding crash" in run.out and "stopped: end" in run.out, str(run))
        debug(tool, folder, "info path", status=1)
        return
    check(False, "it never crashed")


def check_killed(tool):
    """A recording that was cut in a hang leads to where the ranks stood."""
    folder = os.path.join(tool.directory, "hanging")
    run = debug(tool, folder, "info path", status=1)
    check("stopped: finding deadlock" in run.out, str(run))
    check("rank 0: the recording ends in call" in run.err, str(run))


def check_surroundings(tool, program):
    """The ranks have the recorded folder, environment and standard input, also those of a process
    that explores beside the session. The prompt has the user's."""
    tool.write("line", "a line")
    with open(os.path.join(tool.directory, "line")) as line:
        folder, recorded = record(tool, program, "surroundings", stdin=line,
                                  environment={"CHOICES": "as recorded", "HOME": "/nowhere"})
    expected = "as recorded %s a line\n" % tool.directory
    check(recorded.out == expected, str(recorded))
    run = debug(tool, folder, "back %d" % (RANKS - 1), "explore -v --max-interleavings 1",
                "finish", "save report.json", cwd="/", environment={"CHOICES": "otherwise"})
    check(told(run) == expected and "[0] " + expected in run.out, str(run))
    check(run.err == "matchpoint: in the folder of the recorded run, %s\n" % tool.directory,
          str(run))
    check(os.path.exists(os.path.join(tool.directory, "report.json")), str(run))
    debug(tool, os.path.basename(folder), "info path", cwd=tool.directory,
          words=("--json", "line.json"))
    check(os.path.exists(os.path.join(tool.directory, "line.json")), "a report beside the line")


def check_refused(tool, program):
    def refused(status, text, *words):
        run = tool.run("debug", *words, cwd=tool.directory)
        check(run.status == status and text in run.err and not run.out, str(run))

    folder, _ = record(tool, program, "receive")
    refused(2, "without another program or path", folder, "--", program)
    refused(2, "without another program or path", folder, "mp1:n4:0.2=1")
    refused(2, "is a recording, not a program", "mp1:n4:0.2=1", folder)
    refused(2, "the recording has 4 ranks, not 3", "-n", "3", folder)
    refused(2, "one run has one", "--buffering", "both", folder)
    os.mkdir(os.path.join(tool.directory, "empty"))
    refused(2, "holds no recording", "empty")
    os.unlink(os.path.join(folder, "rank.1.log"))
    refused(4, "no log of rank 1", folder)
    folder, _ = record(tool, program, "differs")
    refused(4, "rank 0: call 2 was MPI_Recv in the recording, and is MPI_Probe", folder)
    folder, _ = record(tool, program, "receive")
    for name, place in (("rank.2.log", 60), ("rank.2.tail", 0)):
        with open(os.path.join(folder, name), "r+b") as file:
            file.seek(place)
            file.write(b"damage" * 10)
    refused(4, "rank 2: ", folder)
    folder, _ = record(tool, program, "receive")
    shutil.copy(tool.compile(harness.program("stands.c")), program)
    refused(4, "the program is not what was recorded", folder)


def body(tool, _):
    program = tool.compile(harness.program("choices.c"))
    check_kinds(tool, program)
    check_terminal(tool, program)
    check_crash(tool, program)
    check_hang(tool, program)
    check_killed(tool)
    check_surroundings(tool, program)
    check_refused(tool, program)


if __name__ == "__main__":
    harness.main(__doc__, body)
